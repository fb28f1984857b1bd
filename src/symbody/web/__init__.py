"""A web server for pages on running programs: connections, rights, limits, and a gate that checks every message.

Examples
--------
Messages of a page are frozen dataclasses whose fields are checked:

>>> from dataclasses import dataclass
>>> from typing import ClassVar
>>> from symbody.web import checked, number, text
>>> @dataclass(frozen=True)
... class Turn:
...     angle: float = checked(number(-1.0, 1.0))
...     name: str = checked(text(most=10))
>>> number(0.0, 1.0)(0.5)
0.5

A server with one application, and a store of values:

>>> import tempfile
>>> import symbody as sb
>>> from symbody.studio import Player, StudioApplication
>>> from symbody.web import FileStore, KeyValueStore, WebApplication, WebServer
>>> application: WebApplication = StudioApplication(Player(sb.simulate(sb.machines.model("pendulum"), 0.1, 0.01)))
>>> with WebServer({"/": application}) as server:
...     server.address.startswith("http://127.0.0.1")
True
>>> store: KeyValueStore = FileStore(tempfile.mkdtemp())
>>> store.put("best", 3)
>>> store.get("best")
3
"""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "web.application": "WebApplication",
    "web.checks": "number text",
    "web.server": "WebServer",
    "web.store": "FileStore KeyValueStore",
    "web.verbs": "checked",
}

__all__ = lazy_names(__name__, _NAMES)

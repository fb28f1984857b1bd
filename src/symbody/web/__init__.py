"""A web server for pages on running programs: connections, rights, limits, and a gate that checks every message."""

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

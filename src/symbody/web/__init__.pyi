# Written by tests/stubs.py from the table in __init__.py.
from symbody.web.application import WebApplication
from symbody.web.checks import number, text
from symbody.web.server import WebServer
from symbody.web.store import FileStore, KeyValueStore
from symbody.web.verbs import checked

__all__ = ["FileStore", "KeyValueStore", "WebApplication", "WebServer", "checked", "number", "text"]

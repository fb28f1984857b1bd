# Written by tests/stubs.py from the table in __init__.py.
from symbody.web.application import WebApplication
from symbody.web.server import WebServer
from symbody.web.store import FileStore, Store

__all__ = ["FileStore", "Store", "WebApplication", "WebServer"]

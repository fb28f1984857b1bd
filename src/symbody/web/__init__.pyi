# Written by tests/stubs.py from the table in __init__.py.
from symbody.web.application import WebApplication
from symbody.web.server import WebServer

__all__ = ["WebApplication", "WebServer"]

"""A small application for tests of the server: a list of notes that browsers with the token write."""

import json
from dataclasses import dataclass

from symbody.links.rejected import Rejected
from symbody.web.checks import integer, text
from symbody.web.gate import Gate, RateLimit
from symbody.web.page import WebPage
from symbody.web.sockets import ConnectionClosed
from symbody.web.verbs import Verb, checked


@dataclass(frozen=True)
class Write:
    line: str = checked(text())
    pen: str = checked(text())


@dataclass(frozen=True)
class Scroll:
    to: int = checked(integer(0, 100))


@dataclass(frozen=True)
class Erase:
    pass


VERBS = {
    "write": Verb(Write, newest_by=("pen",)),
    "scroll": Verb(Scroll, touches=False, newest_by=()),
    "erase": Verb(Erase),
}


class Notes:
    """Sends {"title", "touch"} first, and then each admitted message, or the reason of a refusal."""

    def __init__(self, title="notes"):
        self.title, self.page, self.gate = title, WebPage(lambda: f"<h1>{title}</h1><script>1</script>"), Gate(VERBS)
        self.started, self.closed = 0, 0

    def start(self):
        self.started += 1

    async def visit(self, connection, touch):
        rate_limit = RateLimit()
        await connection.send(json.dumps({"title": self.title, "touch": touch}))
        try:
            while True:
                raw = await connection.recv()
                try:
                    answer = repr(self.gate.admit(raw, touch, rate_limit))
                except Rejected as refusal:
                    answer = refusal.reason
                await connection.send(answer)
        except ConnectionClosed:
            pass

    def close(self):
        self.closed += 1

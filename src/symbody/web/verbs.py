"""Verbs that a page may send: one JSON object a message, {"do": "set", "name": "k", "value": 200}.

An application declares a frozen dataclass for each verb, whose fields carry their checks, and registers it as a `Verb`:

    @dataclass(frozen=True)
    class Speed:
        factor: float = checked(number(1e-3, 100.0))

    VERBS = {"speed": Verb(Speed)}
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from symbody.links.rejected import Rejected
from symbody.web.checks import Check

LONGEST = 4096  # characters of a message

M = TypeVar("M")


@dataclass(frozen=True)
class Verb(Generic[M]):
    """A verb of a page: the dataclass of its messages, who may send it, and which message replaces an older one.

    touches: it changes something, so that the token is needed. newest_by: names of the fields that say what it sets; a
    newer message with equal values there replaces one that waits. None: every message counts. rate: messages of this
    verb that one browser may send in a second, and at once; None: as many as of all verbs. longest: characters.
    """

    kind: type[M]
    touches: bool = True
    newest_by: tuple[str, ...] | None = None
    rate: float | None = None
    longest: int = LONGEST

    def target(self, message: M) -> Hashable | None:
        """What a message sets, if only the newest one counts; None: every message counts."""
        if self.newest_by is None:
            return None
        return self.kind, *(getattr(message, name) for name in self.newest_by)


Verbs = Mapping[str, Verb[M]]


def checked(check: Check) -> Any:
    """Declare a field of a message with its check.

    Parameters
    ----------
    check : callable
        Returns the value, or raises `Rejected` with a reason, such as `number(0.0, 1.0)`.

    Returns
    -------
    dataclasses.Field
        The default of the field in a frozen dataclass.
    """
    return field(metadata={"check": check})


def read_message(raw: str | bytes, verbs: Verbs[M]) -> tuple[Verb[M], M]:
    """The verb and the checked message, or `Rejected` with the reason."""
    if not isinstance(raw, str):
        raise Rejected("not text")
    if len(raw) > LONGEST:
        raise Rejected("too long")
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        raise Rejected("not JSON") from None
    if not isinstance(given, dict) or not isinstance(given.get("do"), str) or given["do"] not in verbs:
        raise Rejected("no such command")
    verb: Verb[M] = verbs[given.pop("do")]
    if len(raw) > verb.longest:
        raise Rejected("too long")
    declared: Any = fields(verb.kind)  # type: ignore[arg-type]  # a dataclass, which the type of a class cannot say
    if {f.name for f in declared} != set(given):
        raise Rejected("wrong fields")
    return verb, verb.kind(**{f.name: f.metadata["check"](given[f.name]) for f in declared})

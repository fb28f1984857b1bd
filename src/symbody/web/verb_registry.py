"""Verbs of an application that machines may extend: what is registered is checked once, and the gate does the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from symbody.errors import ModelError
from symbody.web.verbs import LONGEST, Verb, Verbs

MOST_VERBS, MOST_FIELDS = 64, 16
FASTEST = 60.0  # messages a second of one verb
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

M = TypeVar("M")


class VerbRegistry(Mapping[str, Verb[M]]):
    """Verbs by name: the fixed ones of an application, and others that are registered while it runs.

    A registered verb needs the token unless `touches` is false, and has a rate and a size of its own.
    """

    def __init__(self, fixed: Verbs[M]):
        self._verbs: dict[str, Verb[M]] = dict(fixed)

    def __getitem__(self, name: str) -> Verb[M]:
        return self._verbs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._verbs)

    def __len__(self) -> int:
        return len(self._verbs)

    def register(self, name: str, verb: Verb[M]) -> None:
        """Add a verb; a `ModelError` if its name is taken, or if its messages could not be checked."""

        def refuse(problem: str, cure: str) -> None:
            raise ModelError(problem, element=f"verb {name!r}", cure=cure)

        if not _NAME.fullmatch(name):
            refuse("not the name of a verb", "give up to 40 small letters, digits and _, a letter first")
        if name in self._verbs or any(verb.kind is other.kind for other in self._verbs.values()):
            refuse("this verb exists already", "give another name, and a dataclass of its own")
        if len(self._verbs) >= MOST_VERBS:
            refuse(f"there are {MOST_VERBS} verbs already", "use one verb with a field that says what to do")
        _check_kind(verb.kind, refuse)
        if verb.rate is None or not 0.0 < verb.rate <= FASTEST:
            refuse(f"a rate of {verb.rate}", f"give messages a second, at most {FASTEST:g}")
        if not 0 < verb.longest <= LONGEST:
            refuse(f"messages of {verb.longest} characters", f"give 1 to {LONGEST}")
        self._verbs[name] = verb


def _check_kind(kind: Any, refuse: Any) -> None:
    if not (isinstance(kind, type) and is_dataclass(kind)) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        refuse("its messages are not a frozen dataclass", "declare them with @dataclass(frozen=True)")
    declared = fields(kind)
    if len(declared) > MOST_FIELDS:
        refuse(f"{len(declared)} fields", f"use at most {MOST_FIELDS}")
    if bare := [one.name for one in declared if not callable(one.metadata.get("check"))]:
        refuse(f"fields without a check: {', '.join(bare)}", "declare each field with `checked(…)`")

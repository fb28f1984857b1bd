"""Verbs that are registered while an application runs (verb_registry.py): the gate checks them as the fixed ones."""

import json
from contextlib import suppress
from dataclasses import dataclass

import pytest
from web_notes import VERBS, Erase

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.web import verb_registry
from symbody.web.checks import text
from symbody.web.gate import Gate, RateLimit
from symbody.web.verb_registry import VerbRegistry
from symbody.web.verbs import LONGEST, Verb, checked


@dataclass(frozen=True)
class Sign:
    name: str = checked(text(1, 200))


@dataclass(frozen=True)
class Unchecked:
    name: str


@dataclass
class Loose:
    name: str = checked(text())


def registered(**options):
    verbs = VerbRegistry(VERBS)
    verbs.register("sign", Verb(Sign, **({"rate": 2.0} | options)))
    return verbs


def test_the_gate_checks_fields_and_rights_of_a_registered_verb():
    gate, calm = Gate(registered(rate=60.0)), RateLimit(lambda: 0.0)
    say = json.dumps({"do": "sign", "name": "Ada"})
    assert gate.admit(say, True, calm) == Sign("Ada")
    assert gate.admit('{"do": "erase"}', True, calm) == Erase()  # a fixed one
    for raw, touch, reason in (
        (say, False, "not allowed"),
        ('{"do": "sign"}', True, "wrong fields"),
        ('{"do": "sign", "name": 3}', True, "wrong type"),
        ('{"do": "sing", "name": "x"}', True, "no such command"),
    ):
        with pytest.raises(Rejected, match=reason):
            gate.admit(raw, touch, calm)


def test_a_registered_verb_has_its_own_size():
    gate, calm = Gate(registered(longest=40, rate=60.0)), RateLimit(lambda: 0.0)
    gate.admit('{"do": "sign", "name": "Ada"}', True, calm)
    with pytest.raises(Rejected, match="too long"):
        gate.admit(json.dumps({"do": "sign", "name": "A" * 40}), True, calm)


@pytest.mark.parametrize("rate", [0.5, 2.0, 10.0])
def test_a_registered_verb_has_its_own_rate_in_each_browser(rate):
    now, gate = [100.0], Gate(registered(rate=rate))
    browsers = [RateLimit(lambda: now[0]), RateLimit(lambda: now[0])]
    admitted = [0, 0]
    for step in range(1000):
        now[0] = 100.0 + 0.01 * step
        for k, limit in enumerate(browsers):
            with suppress(Rejected):
                gate.admit('{"do": "sign", "name": "Ada"}', True, limit)
                admitted[k] += 1
    assert set(gate.refused) <= {"too often", "too many"}
    assert admitted[0] == admitted[1] == pytest.approx(max(rate, 1.0) + 9.99 * rate, abs=1.0)
    assert gate.admit('{"do": "erase"}', True, RateLimit(lambda: now[0])) == Erase()


@pytest.mark.parametrize(
    ("name", "verb", "match"),
    [
        ("Sign!", Verb(Sign, rate=1.0), "not the name"),
        ("erase", Verb(Sign, rate=1.0), "exists already"),
        ("wipe", Verb(Erase, rate=1.0), "exists already"),
        ("sign", Verb(Sign), "a rate"),
        ("sign", Verb(Sign, rate=1e9), "a rate"),
        ("sign", Verb(Sign, rate=1.0, longest=LONGEST + 1), "characters"),
        ("sign", Verb(Unchecked, rate=1.0), "without a check: name"),
        ("sign", Verb(Loose, rate=1.0), "frozen dataclass"),
        ("sign", Verb(dict, rate=1.0), "frozen dataclass"),
    ],
)
def test_a_verb_that_could_not_be_checked_is_not_registered(name, verb, match):
    verbs = VerbRegistry(VERBS)
    with pytest.raises(ModelError, match=match):
        verbs.register(name, verb)
    assert dict(verbs) == VERBS


def test_no_more_than_so_many(monkeypatch):
    monkeypatch.setattr(verb_registry, "MOST_VERBS", len(VERBS))
    with pytest.raises(ModelError, match="verbs already"):
        registered()

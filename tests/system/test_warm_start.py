"""Warm starts: a system whose model, laws and options were seen before is loaded, not traced; any other is traced."""

import gc
import sys
import types
import weakref

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.equations.content_key import content_key
from symbody.expr.node_table import graph_now
from symbody.system import functions
from symbody.system.definition import define
from symbody.system.options import SystemOptions

LAWS = """
import functools
import math
from dataclasses import dataclass
import numpy as np
import symbody as sb

SCALE = 2.0
TABLE = np.linspace(0.0, 1.0, 5)
LIMITS = {"low": -0.5, "high": [0.25, 0.75]}

def helper(x):
    return SCALE * x

def deep(x):
    return helper(x) + LIMITS["high"][1]

class Damper:
    share = 0.5

    def __init__(self, c):
        self.c = c

    @property
    def whole(self):
        return self.c * self.share

    def __call__(self, q, qd, p):
        return -self.whole * qd

@dataclass(frozen=True)
class Spring:
    k: float = 3.0
    bend: float = 0.25

    def force(self, q, qd, p):
        return -self.k * q - self.bend * q**3

def closed(k, offset=0.1, *, more=1.5):
    def law(q, qd, p, gain=0.7):
        def inner(x):
            return x * 1.25
        return -k * deep(q - offset) + more * gain * inner(qd) * math.cos(0.3) + TABLE[2] * p.c + sb.functions.tanh(q)
    return law

def power(q, qd, p, n):
    return q**n

LAW = {
    "closed": closed(10.0),
    "object": Damper(0.8),
    "method": Spring().force,
    "partial": functools.partial(power, n=3),
    "lambda": lambda q, qd, p: [-4.0 * q, qd][0],
}
"""
CHANGES = [
    ("SCALE = 2.0", "SCALE = 2.5"),
    ("np.linspace(0.0, 1.0, 5)", "np.linspace(0.0, 1.5, 5)"),
    ('"high": [0.25, 0.75]', '"high": [0.25, 0.8]'),
    ("return SCALE * x", "return SCALE + x"),
    ("share = 0.5", "share = 0.6"),
    ("Damper(0.8)", "Damper(0.9)"),
    ("self.c * self.share", "self.c / self.share"),
    ("-self.whole * qd", "-self.whole * q"),
    ("k: float = 3.0", "k: float = 3.5"),
    ("self.bend * q**3", "self.bend * q**2"),
    ("offset=0.1", "offset=0.2"),
    ("more=1.5", "more=1.75"),
    ("gain=0.7", "gain=0.8"),
    ("x * 1.25", "x * 1.5"),
    ("math.cos(0.3)", "math.sin(0.3)"),
    ("TABLE[2]", "TABLE[3]"),
    ("sb.functions.tanh(q)", "sb.functions.atan(q)"),
    ("p.c +", "p.d +"),
    ("closed(10.0)", "closed(11.0)"),
    ("n=3", "n=2"),
    ("[-4.0 * q, qd][0]", "[-4.0 * q, qd][1]"),
    ("-4.0 * q", "-4.5 * q"),
]


def laws(source=LAWS):
    module = types.ModuleType("laws_of_a_user")
    sys.modules[module.__name__] = module
    exec(source, vars(module))
    return module


def model(module=None, **more):
    m = sb.Model("swing", gravity=more.get("gravity", (0, 0, -9.81)))
    m.parameter("c", more.get("c", 0.4))
    m.parameter("d", 0.9)
    on = None
    for k, (name, law) in enumerate((module or laws()).LAW.items()):
        body = m.body(
            name, on, "R2", mass=more.get("mass", 1.0) if k == 2 else 1.0, com=(0, 0, -0.3), inertia=(0.1,) * 3
        )
        m.joint_force(name)(law)
        on = body.point("tip", (0.1, 0.0, more.get("tip", -0.5)))
    return m


def rates(s):
    rng = np.random.default_rng(3)
    return s.rates(0.2, rng.uniform(-0.5, 0.5, len(s.x0)))


def test_the_same_laws_defined_twice_have_one_key():
    assert content_key(laws().LAW) == content_key(laws().LAW)
    moved = LAWS.replace("def helper", "# a comment\n\n\ndef helper")
    assert content_key(laws(moved).LAW) == content_key(laws().LAW)


@pytest.mark.parametrize("change", CHANGES, ids=[new for _, new in CHANGES])
def test_a_law_that_is_changed_is_never_taken_for_the_old_one(change):
    old, new = change
    assert LAWS.count(old) == 1
    base = sb.system(model())
    other = laws(LAWS.replace(old, new))
    warm = sb.system(model(other))
    assert warm.functions.key
    assert warm.functions.key != base.functions.key
    fresh = sb.system(model(other), backend="python")  # generated Python is never kept
    np.testing.assert_allclose(rates(warm), rates(fresh), rtol=1e-9, atol=1e-9)
    assert np.abs(rates(warm) - rates(base)).max() > 1e-6


def test_what_is_changed_after_the_definition_counts():
    module = laws()
    before = content_key(module.LAW)
    for change in (
        lambda: setattr(module, "SCALE", 7.0),
        lambda: module.LIMITS["high"].append(1.0),
        lambda: module.TABLE.__setitem__(4, 9.0),
        lambda: setattr(module.LAW["object"], "c", 2.0),
        lambda: setattr(module.Damper, "share", 0.1),
        lambda: setattr(module, "helper", lambda x: x),
    ):
        change()
        after = content_key(module.LAW)
        assert after != before
        before = after


@pytest.mark.parametrize(
    "more", [{"mass": 2.0}, {"tip": -0.6}, {"gravity": (0, 0, -1.6)}], ids=["mass", "point", "gravity"]
)
def test_numbers_of_the_model_count(more):
    base, warm = sb.system(model()), sb.system(model(**more))
    fresh = sb.system(model(**more), backend="python")
    assert warm.functions.key != base.functions.key
    np.testing.assert_allclose(rates(warm), rates(fresh), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [{"inputs": ["method.Q"]}, {"outputs": ["method.q"]}, {"formulation": "semi-recursive"}, {"live": "all"},
     {"live": "none"}],
    ids=str,
)  # fmt: skip
def test_options_count(options):
    assert sb.system(model(), **options).functions.key != sb.system(model()).functions.key


def test_values_of_live_parameters_do_not_count_but_are_right():
    first, second = sb.system(model(c=0.4)), sb.system(model(c=0.7))
    assert first.functions.key == second.functions.key
    assert (first.parameters["c"], second.parameters["c"]) == (0.4, 0.7)
    assert rates(first)[-1] != rates(second)[-1] or not np.allclose(rates(first), rates(second))
    np.testing.assert_allclose(rates(second), rates(sb.system(model(c=0.7), backend="python")), rtol=1e-9)
    frozen = [sb.system(model(c=c), live="none") for c in (0.4, 0.7)]
    assert frozen[0].functions.key != frozen[1].functions.key
    np.testing.assert_allclose(rates(frozen[1]), rates(second), rtol=1e-9)


def test_a_second_start_traces_nothing(monkeypatch):
    def m():
        return machines.model("four-bar")

    first = sb.system(m())
    first.linear(0.0, first.x0), first.motion(0.0, first.x0), first.inverse()

    def never(*_):
        raise AssertionError("traced again")

    monkeypatch.setattr(functions, "traced_system", never)
    second = sb.system(m())
    assert second.outputs == first.outputs
    assert second.possible_outputs == first.possible_outputs
    assert second.states == first.states
    assert dict(second.parameters) == dict(first.parameters)
    assert second.rates_function.operations == first.rates_function.operations
    for one, other in zip(first.linear(0.0, first.x0), second.linear(0.0, second.x0), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(first.motion(0.0, first.x0), second.motion(0.0, second.x0), rtol=1e-12)
    second.inverse()
    with pytest.raises(AssertionError, match="traced again"):
        sb.system(m(), outputs=["rocker.qdd", "energy.potential", "crank.q"])  # that no other test asks for


def test_all_programs_are_made_upon_one_trace(monkeypatch):
    made = []
    trace = functions.traced_system
    monkeypatch.setattr(functions, "traced_system", lambda *given: made.append(given) or trace(*given))
    s = sb.system(machines.model("four-bar"), backend="python")
    s.linear(0.0, s.x0), s.motion(0.0, s.x0), s.inverse()
    s.starting_at(s.x0).observe(0.0, s.x0)
    assert len(made) == 1


@pytest.mark.parametrize("name", machines.names())
def test_every_built_in_machine_has_a_key(name):
    """A machine without one is traced at each start."""
    key, notes = functions._key(define(machines.model(name), SystemOptions(), None))
    assert key, notes


def test_the_graph_goes_with_the_system():
    s = sb.system(machines.model("four-bar"), backend="python")
    graph = weakref.ref(s.make(lambda traced: graph_now.get()))
    gc.collect()
    assert graph() is not None
    del s
    gc.collect()
    assert graph() is None


def hidden(q, qd, p):
    return -q * next(iter([2.0])) * float(open(__file__).read()[:0] == "")


def test_laws_that_cannot_be_compared_are_traced_every_time_and_it_says_so():
    module = types.SimpleNamespace(LAW={"arm": hidden})
    s = sb.system(model(module))
    assert not s.functions.key
    assert any("not cached" in note and "open()" in note for note in s.notes)
    assert sb.system(model()).notes == ()


def test_laws_in_python_and_in_c_start_again():
    for law in (
        sb.numeric(lambda q, qd, p: -3.0 * q),
        sb.c_law("pull", "double pull(double q, double v) { return -3 * q; }"),
    ):
        module = types.SimpleNamespace(LAW={"arm": law})
        first, second = sb.system(model(module)), sb.system(model(module))
        np.testing.assert_allclose(rates(first), rates(second), rtol=1e-12)
    other = types.SimpleNamespace(LAW={"arm": sb.numeric(lambda q, qd, p: -4.0 * q)})
    assert rates(sb.system(model(other)))[1] != rates(first)[1]

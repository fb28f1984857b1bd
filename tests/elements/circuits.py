"""Circuits for tests: a mass on a rail that a cylinder moves, and volumes without any mechanics."""

from typing import Any

from symbody import Joint, Model
from symbody.model.circuit import Circuit

BORE, ROD, CLOSED, STROKE = 0.08, 0.035, 1.0, 1.0


def still() -> Model:
    """Nothing that moves but a block that stands alone: for circuits on their own."""
    m = Model("still", gravity=(0.0, 0.0, 0.0))
    m.body("block", None, [Joint("block", "T1")], mass=1.0)
    return m


def rail(mass: float = 400.0, at: float = 1.4) -> Model:
    """A sledge on a rail, `at` (m) before the foot of its cylinder; the input `load` (N) pushes it back."""
    m = Model("rail", gravity=(0.0, 0.0, 0.0))
    m.body("sledge", None, [Joint("sledge", "T1", q0=(at,))], mass=mass)
    m.input("load", 0.0, "N")
    m.joint_force("sledge")(lambda q, qd, p: -p.load)
    return m


def driven(m: Model, start: float = 2e6, cv: float = 2e-8, **cylinder: Any) -> Circuit:
    """Source, 4/3 valve with the input `u`, two hoses and the cylinder `ram` of a sledge."""
    c = m.circuit("oil", density=850.0, bulk=1500e6)
    P, T = c.source("P", 7.6e6), c.tank("T", 1e5)
    a, b = c.volume("a", 3e-5, wall=550e6, start=start), c.volume("b", 8e-5, wall=550e6, start=start)
    c.valve("spool", P, T, a, b, cv=cv, command="u")
    shape = {"bore": BORE, "rod_diameter": ROD, "closed": CLOSED, "stroke": STROKE}
    c.cylinder("ram", "ground", "sledge", a, b, **{**shape, "wall": 31500e6, **cylinder})
    return c

"""The hydraulic machines solved once for all tests of a worker."""

from functools import cache

from symbody.hydraulics import case as hydraulic_case
from symbody.hydraulics.case import HydraulicCase, SolvedCase, figures, solve
from symbody.machines.crane.report import CASE as CRANE
from symbody.machines.four_bar_friction.report import CASE as FRICTION
from symbody.machines.four_bar_hydraulic.report import CASE as FOUR_BAR
from symbody.machines.quick_return_hydraulic.report import CASE as QUICK_RETURN

CASES = {case.name: case for case in (FOUR_BAR, QUICK_RETURN, FRICTION)}
hydraulic_case.REPEATS = 1  # nothing here is timed


def case(name: str) -> HydraulicCase:
    return CRANE if name == "crane" else CASES[name]


@cache
def solved(name: str, friction: str, closure: str = "partitioning") -> SolvedCase:
    return solve(case(name), friction, closure)


def figure(name: str, friction: str, *closures: str) -> list:
    """Records of the closures, each compared with the first."""
    return figures(case(name), [solved(name, friction, closure) for closure in closures])

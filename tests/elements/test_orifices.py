"""Flow laws against the root that they stand for, and their behaviour where the root has none."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.elements.orifices import check_valve_flow, orifice, relief_flow, throttle_flow, valve_flows
from symbody.expr.node_table import fresh_graph
from symbody.model.circuit import Circuit
from symbody.model.circuit_elements import CheckValve, ReliefValve, Throttle, Valve

K = 3e-7
OIL = Circuit("oil")
LINEAR = Circuit("oil", laminar="linear")
TURBULENT = st.floats(2e5, 1e9)
DROPS = st.floats(-1e9, 1e9)
VALVE = Valve("v", "P", "T", "a", "b", cv=2e-8, command="u")


def number(law, *arguments):
    with fresh_graph():
        return float(law(*arguments))


def slope(law, x, *more, step=1.0):
    return (number(law, x + step, *more) - number(law, x - step, *more)) / (2 * step)


@pytest.mark.parametrize("oil", [OIL, LINEAR])
@given(drop=TURBULENT)
def test_beyond_the_transition_the_flow_is_the_root(oil, drop):
    assert number(orifice, K, drop, oil) == pytest.approx(K * math.sqrt(drop), rel=1e-14)


@pytest.mark.parametrize("oil", [OIL, LINEAR])
@given(drop=DROPS)
def test_flow_is_odd_and_goes_down_the_pressure(oil, drop):
    flow = number(orifice, K, drop, oil)
    assert flow == -number(orifice, K, -drop, oil)
    assert flow * drop > 0.0 or abs(drop) < 1e-100


def test_the_smooth_law_has_no_kink_and_the_linear_one_has():
    def jump(oil):
        return slope(lambda d: orifice(K, d, oil), 2e5 + 2) - slope(lambda d: orifice(K, d, oil), 2e5 - 2)

    root = K / (2 * math.sqrt(2e5))
    assert abs(jump(OIL)) < 1e-4 * root
    assert jump(LINEAR) == pytest.approx(-root, rel=1e-4)  # the chord is twice as steep as the root
    assert slope(lambda d: orifice(K, d, OIL), 0.0) == pytest.approx(1.25 * K / math.sqrt(2e5), rel=1e-9)
    assert slope(lambda d: orifice(K, d, LINEAR), 0.0) == pytest.approx(K / math.sqrt(2e5), rel=1e-9)


@given(st.lists(st.floats(-4e5, 4e5), min_size=2, max_size=8, unique=True))
def test_more_pressure_never_means_less_flow(drops):
    check, relief = CheckValve("c", "a", "b", cv=K, cracking=5e4), ReliefValve("r", "a", "b", opening=5e4, slope=1e-9)
    for law in (
        lambda d: orifice(K, d, OIL),
        lambda d: check_valve_flow(check, d, OIL),
        lambda d: relief_flow(relief, d, OIL),
    ):
        flows = [number(law, d) for d in sorted(drops)]
        assert all(later >= earlier - 1e-12 * abs(earlier) for earlier, later in pairwise(flows))  # but for rounding


def test_a_throttle_is_an_orifice_by_area_and_density():
    throttle = Throttle("t", "a", "b", area=2.83e-5, discharge=0.8)
    flow = number(throttle_flow, throttle, 4e6, OIL)
    assert flow == pytest.approx(0.8 * 2.83e-5 * math.sqrt(2 * 4e6 / 850.0), rel=1e-12)


def test_a_check_valve_opens_one_way_without_a_kink():
    valve = CheckValve("c", "a", "b", cv=K, cracking=1e5)
    for drop in (-1e7, 0.0, 1e5):
        assert number(check_valve_flow, valve, drop, OIL) == 0.0
    assert number(check_valve_flow, valve, 4.1e6, OIL) == pytest.approx(K * 2e3, rel=1e-12)
    law = lambda d: check_valve_flow(valve, d, OIL)  # noqa: E731
    for edge in (1e5, 3e5):
        assert slope(law, edge + 2) == pytest.approx(slope(law, edge - 2), abs=1e-4 * K / math.sqrt(2e5))


def test_a_relief_valve_opens_along_its_slope():
    valve = ReliefValve("r", "a", "b", opening=5e6, slope=1e-9)
    assert number(relief_flow, valve, 4.9e6, OIL) == 0.0
    assert number(relief_flow, valve, 6e6, OIL) - number(relief_flow, valve, 5.5e6, OIL) == pytest.approx(5e-4)
    law = lambda d: relief_flow(valve, d, OIL)  # noqa: E731
    for edge in (5e6, 5.2e6):
        assert slope(law, edge + 2) == pytest.approx(slope(law, edge - 2), abs=1e-13)


@given(st.floats(-10, 10), *[st.floats(0, 2e7)] * 4)
def test_a_valve_joins_what_its_spool_says(U, supply, tank, a, b):
    """U > 0: supply to a, b to tank; U < 0: supply to b, a to tank; c_v |U| √Δp each."""
    with fresh_graph():
        flows = [float(x) for x in valve_flows(VALVE, U, supply, tank, a, b, OIL)]
    drops = (supply - a, b - tank, supply - b, a - tank)
    for k, (flow, drop) in enumerate(zip(flows, drops, strict=True)):
        opening = max(U, 0.0) if k < 2 else max(-U, 0.0)
        assert flow == pytest.approx(number(orifice, 2e-8 * opening, drop, OIL), rel=1e-12, abs=1e-300)
        if abs(drop) > 2e5:
            assert flow == pytest.approx(2e-8 * opening * math.copysign(math.sqrt(abs(drop)), drop), rel=1e-12)
    assert np.all(np.isfinite(flows))

"""The car on hydraulic dampers: stiffness, damping and energy of these alone; how it stands, leans, goes straight."""

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import symbody as sb
from orderings import Ordering
from orderings import check as check_ordering
from symbody.analysis.balance import energy_balance
from symbody.analysis.violation import constraint_violation
from symbody.machines.car_suspension.dampers import AXLES, MODES, damper_rig
from symbody.machines.car_suspension.model import model
from symbody.model import check, warnings
from symbody.system.varied_parameters import varied
from symbody.vehicles.corner import HALVES
from symbody.vehicles.lane_change import lane_change_car as car

STATES = {True: 22, False: 16}
CORNERS = [half.name for half in HALVES]
P = damper_rig(True).values
A_C = math.pi / 4 * P["bore"] ** 2
A_R = A_C - math.pi / 4 * P["rod"] ** 2
N = 1.4  # exponent of the gas


def car_hydraulic(interconnected: bool) -> sb.Model:
    return model("interconnected" if interconnected else "separate")


# -- the model -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interconnected", [True, False])
def test_it_is_a_whole_car_with_all_its_pressures(interconnected):
    model = car_hydraulic(interconnected)
    check(model)
    assert warnings(model) == []
    assert model.nq > 80
    assert len(model.cuts) >= 16
    volumes = [element for element in model.circuits["oil"].elements.values() if type(element).__name__ == "Volume"]
    assert len(volumes) == STATES[interconnected]
    assert {str(volume.start) for volume in volumes} == {"charge"}


@pytest.mark.parametrize("interconnected", [True, False])
def test_springs_and_charge_carry_what_the_springs_did(interconnected):
    ours, plain = car_hydraulic(interconnected).values, car().values
    for axle in AXLES:
        carried = ours["charge"] * (A_C - A_R)
        assert ours[f"preload_{axle.name}"] + carried == pytest.approx(plain[f"preload_{axle.name}"], rel=1e-12)
        assert ours[f"damper_{axle.name}"] == 0.0


# -- the dampers alone -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rigs() -> dict[bool, sb.System]:
    outputs = ["*_damper.force", "*_p", "*.strut.qd", "*.strut.effort", "energy.*"]
    outputs += ["*.stored", "*.dissipated", "*.supplied"]
    return {kind: sb.system(damper_rig(kind), outputs=outputs) for kind in STATES}


def moved(s: sb.System, mode: str, travel: float, omega: float, steps: int = 2000) -> sb.Run:
    """One period of a mode; the struts are compressed by the travel after half of it."""
    s.parameters.update({other: travel * (other == mode) for other in MODES})
    s.parameters["omega"] = omega
    period = 2 * math.pi / omega
    return sb.simulate(s, period, period / steps, method="trapezoidal")


def slow_push(s: sb.System, mode: str, travel: float) -> dict[str, float]:
    """By how much each damper pushes more when it has come to its travel."""
    run = moved(s, mode, travel, 0.05)
    half = len(run) // 2
    return {name: run[f"{name}_damper.force"][half] - run[f"{name}_damper.force"][0] for name in CORNERS}


def gas_pressure(taken: float) -> float:
    """Of an accumulator that has taken in oil (m³) since it had the charge: p Vⁿ stays."""
    volume = P["gas"] * (P["precharge"] / P["charge"]) ** (1 / N)
    return P["charge"] * (volume / (volume - taken)) ** N


@pytest.mark.parametrize("interconnected", [True, False])
@pytest.mark.parametrize("travel", [0.02, -0.02])
def test_heave_meets_the_gas_that_the_rods_compress(rigs, interconnected, travel):
    push = (A_C - A_R) * (gas_pressure((A_C - A_R) * travel) - P["charge"])
    for found in slow_push(rigs[interconnected], "heave", travel).values():
        assert found == pytest.approx(push, rel=0.03)  # oil and hoses give as well


@pytest.mark.parametrize("travel", [0.02, -0.02])
def test_roll_meets_both_areas(rigs, travel):
    rising, falling = (gas_pressure(sign * (A_C + A_R) * travel) for sign in (1, -1))
    still = P["charge"] * (A_C - A_R)
    left, right = rising * A_C - falling * A_R - still, falling * A_C - rising * A_R - still
    for name, found in slow_push(rigs[True], "roll", travel).items():
        assert found == pytest.approx(left if name.endswith("left") else right, rel=0.04)
    # one run: a closed form, checked above, and the other
    assert abs(left) > 50 * abs(slow_push(rigs[False], "roll", travel)["front_left"])


@pytest.mark.parametrize("mode", ["pitch", "warp"])
def test_what_one_axle_gives_the_other_takes(rigs, mode):
    for found in slow_push(rigs[True], mode, 0.02).values():
        assert abs(found) < 0.1  # N


LAMINAR = 2e5  # Pa, the drop below which flows go over from a root to a cubic


def root(drop: float) -> float:
    """√Δp, or the cubic that meets it."""
    r = drop / LAMINAR
    return math.sqrt(drop) if r > 1 else math.sqrt(LAMINAR) * r * (5 - r * r) / 4


def out(drop: float, phase: str) -> float:
    """Flow out of a chamber (m³/s): through the bleed, and through the blow-off above its opening."""
    over = max(drop - P[f"opening_{phase}"], 0.0)
    blown = P[f"slope_{phase}"] * (over**2 / (2 * LAMINAR) if over < LAMINAR else over - LAMINAR / 2)
    return 0.8 * P[f"bleed_{phase}"] * math.sqrt(2 / 850.0) * root(drop) + blown


def back(drop: float, phase: str) -> float:
    """Flow into a chamber (m³/s): through the bleed, and through the check valve."""
    r = min(drop / LAMINAR, 1.0)
    checked = P["filling"] * math.sqrt(max(drop, LAMINAR)) * r * r * (5 - 3 * r) / 2
    return 0.8 * P[f"bleed_{phase}"] * math.sqrt(2 / 850.0) * root(drop) + checked


def drop_of(flow: float, passage: Callable[[float, str], float], phase: str) -> float:
    return brentq(lambda drop: passage(drop, phase) - flow, 0.0, 1e8)


@pytest.mark.parametrize("speed", [0.1, 0.3, 1.0])
def test_separate_dampers_resist_by_their_valves(rigs, speed):
    travel = 0.01  # short, so that the gas hardly changes
    force = moved(rigs[False], "heave", travel, 2 * speed / travel)["front_left_damper.force"]
    Q_C, Q_R = A_C * speed, A_R * speed
    compressed = A_C * drop_of(Q_C, out, "compression") + A_R * drop_of(Q_R, back, "rebound")
    extended = A_R * drop_of(Q_R, out, "rebound") + A_C * drop_of(Q_C, back, "compression")
    assert force.max() - force[0] == pytest.approx(compressed, rel=0.03)
    assert force[0] - force.min() == pytest.approx(extended, rel=0.03)
    if speed == 0.1:
        assert (compressed + extended) / 2 == pytest.approx(car().values["damper_front"] * speed, rel=0.03)


@pytest.mark.parametrize("interconnected", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_work_on_the_dampers_is_stored_or_lost(rigs, interconnected, mode):
    run = moved(rigs[interconnected], mode, 0.02, 10.0)
    whole = energy_balance(run, drives=[f"{name}.strut" for name in CORNERS], elements=["*"])
    assert whole.work > 5.0
    assert whole.drift < 1e-3 * whole.work
    assert np.all(np.diff(whole.lost) >= 0.0)


def test_left_and_right_are_alike(rigs):
    one, other = (moved(rigs[True], "roll", travel, 10.0) for travel in (0.02, -0.02))
    for name in CORNERS:
        mirrored = name.replace("left", "RIGHT").replace("right", "left").replace("RIGHT", "right")
        np.testing.assert_allclose(one[f"{name}_damper.force"], other[f"{mirrored}_damper.force"], rtol=1e-6)


# -- the car ---------------------------------------------------------------------------------------------------------

RECORDED = ["*.q", "*.qd", "*_p", "energy.*", "rack.effort", "*.stored", "*.dissipated", "*.supplied"]


@pytest.fixture(scope="module")
def cars() -> dict[bool, sb.System]:
    return {kind: sb.system(car_hydraulic(kind), outputs=RECORDED) for kind in STATES}


@pytest.fixture(scope="module")
def runs(cars) -> dict[bool, sb.Run]:
    return {kind: sb.simulate(s, 6.0, 1e-3, method="trapezoidal") for kind, s in cars.items()}


def peak_roll(run: sb.Run) -> float:
    return math.degrees(np.abs(run["roll.q"]).max())


@pytest.mark.slow
@pytest.mark.parametrize("interconnected", [True, False])
def test_it_stands_level_where_it_starts(cars, runs, interconnected):
    s, run = cars[interconnected], runs[interconnected]
    assert len(s.model.states) == STATES[interconnected]
    before = run.t < 1.0
    assert np.ptp(run["z.q"][before]) < 1e-4
    assert np.ptp(run["pitch.q"][before]) < 1e-4
    assert np.abs(run["roll.q"][before]).max() < 1e-6
    for name in run.find("*_p"):
        assert run[name][before] == pytest.approx(P["charge"], rel=0.01)


@pytest.mark.slow
def test_interconnected_dampers_hold_it_more_upright(cars):
    """Into ten lane changes: the first and larger lean."""

    @cache
    def lean(name, seed):
        s = cars[name == "interconnected"]
        with varied(s, steer=(0.8 + 0.04 * seed) * s.parameters["steer"], steer_start=0.05, steer_time=2.0):
            return peak_roll(sb.simulate(s, 0.8, 4e-3, method="trapezoidal"))

    check_ordering(Ordering("roll", "interconnected", "separate", lean, 0.6))


@pytest.mark.slow
def test_it_changes_the_lane_and_leans_outwards(runs):
    assert peak_roll(runs[False]) == pytest.approx(2.7, abs=0.2)  # as the car on plain dampers
    for run in runs.values():
        assert run["y.q"][-1] == pytest.approx(3.5, abs=0.05)
        assert run["roll.q"][run["y.q"] < 1.0].max() > 0.01  # it leans outwards


@pytest.mark.slow
@pytest.mark.parametrize("interconnected", [True, False])
def test_its_energy_is_accounted_for(runs, interconnected):
    run = runs[interconnected]
    whole = energy_balance(run, drives=["rack"], elements=["*"])
    assert whole.work > 1000.0
    assert whole.drift < 1e-5 * whole.work
    assert whole.lost[-1] > 5.0
    assert constraint_violation(run).max() < 1e-9


@pytest.mark.slow
def test_a_symmetric_car_goes_straight(cars):
    s = cars[True]
    usual = s.parameters["steer"]
    s.parameters["steer"] = 0.0
    run = sb.simulate(s, 2.0, 1e-3, method="trapezoidal")
    s.parameters["steer"] = usual
    assert run["x.q"][-1] == pytest.approx(20.0, rel=1e-2)
    for name in ("y.q", "yaw.q", "roll.q"):
        assert np.abs(run[name]).max() < 1e-6
    for name in run.find("*_left_*_p"):
        np.testing.assert_allclose(run[name], run[name.replace("left", "right")], rtol=1e-6)


def test_the_page_has_its_pictures():
    page = Path(__file__).parents[2] / "docs" / "machines" / "car-suspension.md"
    text = page.read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert len(pictures) >= 3
    assert all((page.parent / picture).is_file() for picture in pictures)

"""The piano action: at rest as the lever law says, played as printed, balanced in energy, proof against nonsense."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from piano_stage import at_random

from optimised_code import optimised_code
from orderings import Ordering
from orderings import check as check_ordering
from symbody.analysis.balance import energy_balance
from symbody.analysis.simulate import simulate
from symbody.elements.analog_sensors import Coil, Hall
from symbody.elements.planar_drawing import GRAM, MM
from symbody.errors import DivergenceError, LimitError, ModelError
from symbody.machines.piano import report as demo
from symbody.machines.piano.model import DIP, FRONT, drawing
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.play import (
    DT,
    METHOD,
    TICK,
    action,
    bump,
    front_force,
    mean_force,
    plateau,
    played,
    settled,
    varied,
    within,
)
from symbody.machines.piano.repetition import CRITERIA, EVERY, LAST, SINES, limits, repetition_map, staccato_run
from symbody.machines.piano.sensors import add_listeners
from symbody.machines.piano.strokes import FAST, Staccato, Stroke, instants, through, uniform
from symbody.model import check, warnings
from symbody.system.system import system
from symbody.system.varied_parameters import varied as varied_parameters
from symbody.visual.report_options import ReportOptions
from symbody_bench.validate.documents.row import shares

GRAVITY = 9.81
QUICK = Staccato(8.0, 24.0, 2.0)
KEYSTROKES = {"slow": (demo.slow, (0.7, 0.9), (1.9, 2.1)), "fast": (demo.fast, (0.2, 0.25), (0.6, 0.7))}


@pytest.fixture(scope="module", autouse=True)
def _optimised():
    """Both escapements in optimised code: they are played for minutes."""
    with optimised_code():
        for escapement in ("double", "single"):
            settled(demo.compiled(escapement))


def blows(run) -> int:
    """How often the hammer comes to the string."""
    return int(np.sum(np.diff((run["string.load"] > 0.0).astype(int)) == 1))


# -- the mechanism -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("escapement", "damper", "contacts"), [("double", True, 14), ("single", True, 11), ("double", False, 12)]
)
def test_variants_have_their_bodies_and_felts(escapement, damper, contacts):
    m = piano(escapement, damper)
    check(m)
    assert warnings(m) == []
    assert len(m.interactions) == contacts
    assert ("lever" in m.bodies) == (escapement == "double")
    assert ("damper" in m.bodies) == damper


def test_lengths_are_those_of_a_grand():
    bodies, contacts = drawing()["bodies"], drawing()["contacts"]
    capstan = -contacts["capstan"]["disc"][1][0] * MM
    assert 0.48 < capstan / FRONT < 0.55  # key ratio
    knuckle = np.subtract(contacts["jack_knuckle"]["disc"][1], bodies["hammer"]["hinge"])
    assert 18.0 < np.hypot(*knuckle) < 21.0
    head = np.subtract(contacts["string"]["disc"][1], bodies["hammer"]["hinge"])
    assert 128.0 < np.hypot(*head) < 135.0
    blow = -demo.slow()["string.depth"][0]
    assert 0.044 < blow < 0.048


def test_at_rest_it_weighs_on_the_pilot_as_the_lever_law_says():
    bodies, contacts, head = drawing()["bodies"], drawing()["contacts"], drawing()["head"]

    def weight(name, about):  # moment of a weight about a place (N mm)
        return bodies[name]["mass"] * GRAM * GRAVITY * (about - bodies[name]["centre"][0])

    pin, knuckle = bodies["hammer"]["hinge"][0], contacts["lever_knuckle"]["disc"][1][0]
    hammer = weight("hammer", pin) + head["mass"] * GRAM * GRAVITY * (pin - head["at"][0])
    hinge = bodies["whippen"]["hinge"][0]
    turning = hammer / (pin - knuckle) * (knuckle - hinge) - sum(weight(x, hinge) for x in ("whippen", "jack", "lever"))
    pilot = turning / (contacts["capstan"]["disc"][1][0] - hinge)
    assert demo.slow()["capstan.load"][0] == pytest.approx(
        pilot, rel=0.02
    )  # felts give way, by a hundredth of a radian
    assert abs(front_force(demo.slow())[0]) < 0.05


def test_a_key_at_rest_stays_at_rest():
    s = demo.compiled()
    rest = settled(s)
    assert np.abs(played(s, through([(0.0, 0.0), (0.5, 0.0)], 1.0), rest).last_state - rest).max() < 1e-10


def test_a_free_key_stays_up_under_forty_grams_goes_down_under_sixty_five_and_comes_back():
    m = piano(damper=False)
    m.bodies["key"].joints[0].nature = "independent"
    del m.trajectories["key"]
    s = system(m, inputs=["key.Q"], outputs=["*.q", "key.dip"])
    t = instants(1.4)
    for grams, lowest, highest in ((40.0, 0.0, 0.5), (65.0, 7.0, 9.5)):  # mm; technicians set 48 to 55 g
        finger = np.where((t > 0.4) & (t < 1.0), grams * GRAM * GRAVITY * FRONT, 0.0)
        run = simulate(s, 1.4, DT, method=METHOD, every=20 * DT, inputs={"key.Q": finger})
        dip = 1e3 * run["key.dip"]
        assert lowest < dip[(run.t > 0.9) & (run.t < 1.0)].mean() < highest
        assert abs(dip[-1]) < 0.2


# -- keystrokes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KEYSTROKES)
def test_double_keystrokes_strike_twice_hold_three_newtons_and_rebound(name):
    made, *held = KEYSTROKES[name]
    run = made()
    assert blows(run) == 2
    for interval in held:
        assert plateau(run, interval) == pytest.approx(3.0, abs=0.25)
    released = (run.t > held[0][1]) & (run.t < held[0][1] + 0.3)
    assert run["capstan.load"][released].max() > 5.0  # the hammer falls back
    assert np.degrees(run["hammer.q"].max()) == pytest.approx(20.5, abs=0.5)
    assert run["hammer.q"][-1] == pytest.approx(run["hammer.q"][0], abs=5e-3)


def test_a_fast_hammer_is_caught_by_the_check_and_not_before_it_has_struck():
    run = demo.fast()
    struck = run.t[np.argmax(run["string.load"] > 0.0)]
    assert run["back_check.load"][run.t <= struck].max() == 0.0
    held = (run.t > 0.16) & (run.t < 0.25)
    assert run["back_check.load"][held].min() > 1.0
    below = -1e3 * run["string.depth"][held]
    assert 10.0 < below.min() < below.max() < 25.0  # mm
    assert np.ptp(below) < 1.0


def test_the_jack_trips_and_returns():
    run = demo.slow()
    held, after = np.searchsorted(run.t, (0.8, 1.4))
    assert np.degrees(run["jack.q"][held]) > 3.0
    assert run["jack.q"][after] == pytest.approx(run["jack.q"][0], abs=1e-3)


# -- what the finger feels ---------------------------------------------------------------------------------------------


def test_the_force_over_the_dip_has_four_phases():
    run = demo.dip_with_let_off("normal")
    dip, force = 1e3 * run["key.dip"], front_force(run)

    def between(low, high):
        return force[(dip >= low) & (dip <= high)]

    assert abs(force[0]) < 0.05  # A: its felt carries the key
    assert 0.5 < between(0.0, 0.4).max() < 0.9
    # one run: ranges of one curve
    assert 0.4 < between(1.0, 4.5).min() < between(1.0, 4.5).max() < 0.7  # B: the hammer, 50 g at the key
    assert 0.8 < between(5.5, 7.5).min() < between(5.5, 7.5).max() < 1.0  # and the damper
    top = dip[np.argmax(np.where((dip > 7.0) & (dip < 9.2), force, 0.0))]
    assert 8.0 < top < 9.0  # C: escapement
    assert bump(run) > between(5.5, 7.5).max() + 1.0
    assert between(top, 9.4).min() < bump(run) - 0.4
    assert between(9.55, 9.7).min() > bump(run) + 1.0  # D: key bottom


def test_a_higher_let_off_button_makes_a_higher_bump():
    low, normal, high = (bump(demo.dip_with_let_off(setting)) for setting in ("low", "normal", "high"))
    # one run: one action with one number changed
    assert low + 0.3 < normal < high - 0.3
    before = [demo.dip_with_let_off(setting) for setting in ("low", "normal", "high")]
    means = [front_force(run)[within(run, (1e-3, 7e-3))].mean() for run in before]
    assert np.ptp(means) < 1e-3  # it is not felt before


@pytest.mark.slow
def test_a_heavier_hammer_is_felt_over_the_whole_stroke_as_its_work_demands():
    runs = [demo.dip_with_hammer(added) for added in demo.ADDED]
    for lighter, heavier in pairwise(runs):
        stroke = within(lighter, (0.5e-3, 7e-3))
        # one run: the difference is checked below, by virtual work
        assert np.all(front_force(heavier)[stroke] > front_force(lighter)[stroke] + 0.1)
    normal = runs[2]
    first, final = np.searchsorted(normal["key.dip"], (1e-3, 7e-3))
    x, z = np.subtract(drawing()["head"]["at"], drawing()["bodies"]["hammer"]["hinge"]) * MM
    height = -x * np.sin(normal["hammer.q"]) + z * np.cos(normal["hammer.q"])
    lift = (height[final] - height[first]) / (normal["key.dip"][final] - normal["key.dip"][first])
    assert 4.5 < lift < 6.5  # the leverage of a grand
    gained = mean_force(demo.dip_with_hammer(3.0)) - mean_force(normal)
    assert gained == pytest.approx(3.0 * GRAM * GRAVITY * lift, rel=0.05)  # virtual work


def test_without_the_damper_the_force_is_lower_by_its_weight_in_its_phase():
    damped, free = demo.dip_with_let_off("normal"), demo.dip_without_damper()
    difference = front_force(damped) - front_force(free)
    damper, arm = drawing()["bodies"]["damper"], -drawing()["contacts"]["damper_lift"]["disc"][1][0] * MM
    carried = (damper["mass"] * GRAM * GRAVITY + damper["friction"]) * arm / FRONT
    assert difference[within(damped, (5.5e-3, 7.5e-3))] == pytest.approx(carried, rel=0.05)
    assert np.abs(difference[within(damped, (0.5e-3, 4.4e-3))]).max() < 1e-6


def test_felts_are_live():
    s = demo.compiled()
    softer = varied(s, uniform(10e-3, DIP), front_rail_stiffness=0.5 * s.parameters["front_rail_stiffness"])
    # one run: a parameter is live
    assert front_force(softer)[-1] < front_force(demo.dip_with_let_off("normal"))[len(softer) - 1] - 0.5
    assert s.parameters["front_rail_stiffness"] == piano().parameters["front_rail_stiffness"].value


# -- repetition --------------------------------------------------------------------------------------------------------


@cache
def shortest_stroke(name, seed):
    """Seconds of a stroke at the limit of repetition, with masses and springs of a seed."""
    escapement, _, strong = name.partition(", ")
    s, (head, jack, lever) = demo.compiled(escapement), shares(seed, 3)
    drawn = {"hammer_mass": head, "jack_mass": jack, "lever_spring_rest": lever}
    drawn |= {"jack_spring_rest": 1.5} if strong else {}
    values = {name: x * s.parameters[name] for name, x in drawn.items() if name in s.parameters}
    with varied_parameters(s, **values):
        return 1.0 / limits(staccato_run(s, QUICK), QUICK)[EVERY]


ORDERINGS = [
    Ordering("shortest stroke", "double", "single", shortest_stroke, 0.95),
    Ordering("shortest stroke", "single, strong spring", "single", shortest_stroke, 0.95),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_a_double_escapement_repeats_faster_and_so_does_a_strong_spring_of_the_jack(ordering):
    """What ends repetition is the jack that is not yet under the knuckle again."""
    check_ordering(ordering)


@pytest.mark.slow
def test_the_map_of_repetition_has_all_depths_and_only_a_double_escapement_repeats_at_the_bottom():
    """A sine of 5 mm that ends at the bottom: the jack of a single escapement stays out from under the knuckle."""
    systems = {name: demo.compiled(name) for name in ("single", "double")}
    found = repetition_map(systems, QUICK, (5e-3, DIP))
    assert [(one["sine"], one["depth_mm"]) for one in found] == [(sine, mm) for sine in SINES for mm in (5.0, 9.5)]
    short, whole = found[2:]
    assert short[f"{EVERY}, single"] == short[f"{LAST}, single"] == 0.0
    assert short[f"{EVERY}, double"] > 15.0
    assert whole == found[1] | {"sine": SINES[1]}
    for name in systems:
        every, second, passes, last = (whole[f"{criterion}, {name}"] for criterion in CRITERIA)
        assert every <= second <= last
        assert every <= passes


def test_a_double_escapement_repeats_from_half_way_up():
    half_way = through([(0.1, 0.0), (0.15, DIP), (0.3, DIP), (0.36, DIP / 2), (0.45, DIP / 2), (0.5, DIP)], 0.7)
    assert blows(played(demo.compiled("double"), half_way)) == 2
    assert blows(played(demo.compiled("single"), half_way)) == 1


@pytest.mark.slow
def test_figures_have_what_is_asked_of_them():
    figures = demo.figures()
    assert list(figures) == ["plateau_N", "bump_N", "mean_force_N", "repetition_Hz", "step_us"]
    assert list(figures["step_us"]) == ["p50", "p99"]
    assert len(figures["mean_force_N"]) == 5


# -- energy, endurance and nonsense ------------------------------------------------------------------------------------


def test_the_finger_gives_what_bodies_hold_and_felts_lose():
    s = action(outputs=("*.q", "*.qd", "key.effort", "energy.*", "*.stored", "*.dissipated"))
    short = 2.5e-6  # s: felts switch on and off, which takes the order off a method
    stroke = through([(0.0, 0.0), (0.04, DIP), (0.06, DIP), (0.08, 0.0)], 0.1, short)
    run = simulate(s, stroke.until, short, method="rk4", inputs=stroke.inputs, x0=settled(demo.compiled()))
    kept = energy_balance(run, drives=["key"], elements=["*"])
    assert kept.lost[-1] > 0.05  # J
    assert kept.drift < 1e-5 * kept.lost[-1]
    assert min(run[name].min() for name in run.find("*.dissipated")) > -1e-9


@pytest.mark.slow
def test_a_minute_of_random_playing_neither_diverges_nor_drifts():
    s = demo.compiled()
    rest = settled(s)
    run = played(s, at_random(7, 60.0), rest, every=20 * DT)
    assert np.all(np.isfinite(run.values))
    assert np.degrees(run["hammer.q"].min()) > -4.0
    assert np.degrees(run["hammer.q"].max()) < 22.0
    assert np.abs(played(s, through([(0.0, 0.0), (1.0, 0.0)], 1.5), run.last_state).last_state - rest).max() < 1e-8


@pytest.mark.parametrize("depth", [0.05, -0.01, np.nan, np.inf])
def test_dips_that_no_key_can_make_are_refused(depth):
    with pytest.raises(ModelError, match=r"key.*dip of .* mm at t = .*keep it between"):
        through([(0.0, 0.0), (0.1, depth)], 0.2)


def test_commands_that_come_from_elsewhere_end_the_run_with_a_reason():
    s = demo.compiled()
    with pytest.raises(DivergenceError, match=r"key\.q .*nan"):
        simulate(s, 0.01, DT, method=METHOD, inputs={"key.q": np.full(201, np.nan)})
    with pytest.raises(LimitError, match=r"key\.travel"):
        simulate(s, 0.01, DT, method=METHOD, inputs={"key.q": 0.5})


def test_the_demo_takes_no_other_end_and_no_variants():
    for options in (ReportOptions(until=1.0), ReportOptions(only=("triple",))):
        with pytest.raises(ModelError, match=r"piano|triple"):
            demo.report(options)


def test_an_unknown_escapement_and_decreasing_times_are_refused():
    with pytest.raises(ModelError, match="use double or single"):
        piano("triple")
    with pytest.raises(ModelError, match="later time"):
        through([(0.2, 0.0), (0.1, DIP)], 0.3)


# -- strokes and sensors -----------------------------------------------------------------------------------------------

FINE = DT / 2.0  # s: differences of motions with kinks of the acceleration


@pytest.mark.parametrize(
    "stroke", [through(FAST, 0.6, FINE), uniform(10e-3, DIP), Staccato(until=1.0).stroke, at_random(3, 1.0, FINE)]
)
def test_rates_of_strokes_are_derivatives(stroke):
    for value, slope in ((stroke.dip, stroke.rate), (stroke.rate, stroke.acceleration)):
        difference = np.gradient(value, stroke.t)
        assert np.abs(difference - slope)[2:-2].max() < 2e-3 * np.abs(slope).max()
    q, qd, qdd = (stroke.inputs[name] for name in ("key.q", "key.qd", "key.qdd"))
    assert FRONT * np.sin(q) == pytest.approx(stroke.dip)
    assert np.abs(np.gradient(q, stroke.t) - qd)[2:-2].max() < 2e-3 * np.abs(qd).max()
    assert np.abs(np.gradient(qd, stroke.t) - qdd)[2:-2].max() < 2e-3 * np.abs(qdd).max()


def test_opposed_hall_sensors_are_straight_over_the_dip():
    hall, dips = Hall(), np.linspace(0.0, DIP, 30)
    k, offset = hall.calibration(DIP)
    measured = k * hall.difference(dips, DIP) + offset
    assert np.abs(measured - dips).max() < 0.03 * DIP


def test_sensors_err_by_a_tenth_at_five_hertz_and_the_coil_not_at_all():
    t = instants(1.0)
    w, a = 2.0 * np.pi * 5.0, DIP / 2.0
    sine = Stroke(t, a * (1.0 - np.cos(w * t)), a * w * np.sin(w * t), a * w**2 * np.cos(w * t))
    run = played(demo.compiled(), sine)
    error = np.abs(run["hall.position"] - run["key.dip"])[run.t > 0.4].max() / a
    assert 0.08 < error < 0.14
    slow = demo.dip_with_let_off("normal")
    assert np.abs(slow["hall.position"] - slow["key.dip"])[within(slow, (0.0, DIP))].max() < 0.03 * DIP
    cosine = np.cos(run["key.q"])  # the magnet moves on a circle
    assert run["coil.voltage"] * cosine == pytest.approx(
        Coil().sensitivity * np.interp(run.t, sine.t, sine.rate), abs=1e-6
    )


def test_detectors_of_blows_hold_the_speed_before_and_the_force_in_them():
    m = piano()
    add_listeners(m)
    s = system(m, inputs=["key.q"], outputs=["*.q", "*.qd", "*_memory", "hammer_speed", "string_heard", "string.*"])
    run = played(s, through([(0.0, 0.0), (0.04, DIP), (0.1, DIP)], 0.1), every=DT)
    touched = int(np.argmax(run["string.load"] > 0.0))
    x, z = np.subtract(drawing()["contacts"]["string"]["disc"][1], drawing()["bodies"]["hammer"]["hinge"]) * MM
    q, qd = run["hammer.q"][touched], run["hammer.qd"][touched]
    rising = -(x * np.cos(q) + z * np.sin(q)) * qd  # of (x, z) turned by q about y
    assert rising > 1.0
    assert run["hammer_speed"][touched] == pytest.approx(rising, rel=0.02)
    assert run["hammer_speed"][-1] == pytest.approx(
        run["hammer_speed"][touched], rel=0.02
    )  # it falls, and that is held
    loudest = run["string.load"].max()
    assert run["string_heard"].max() == pytest.approx(loudest, rel=0.1)
    period = round(TICK / DT)
    for first in range(0, period, 4):  # as a loop of 1 kHz sees it, whenever it looks
        assert run["string_heard"][first::period].max() > 0.75 * loudest


def test_the_pictures_of_its_page_are_there():
    page = Path(__file__).parents[2] / "docs" / "machines" / "piano.md"
    text = page.read_text()
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert len(pictures) >= 6
    assert all((page.parent / picture).is_file() for picture in pictures)

"""The hydraulic mechanisms as they stand: printed positions, holding forces by virtual work, freedoms, motions."""

import numpy as np
import pytest
import reduced_four_bar

import symbody as sb
from symbody.analysis.pressures import holding_forces, static_pressures
from symbody.hydraulics.cylinder_drive import COMMAND, pulses
from symbody.hydraulics.tilted_four_bar import tilted_four_bar_mechanism
from symbody.machines.crane.model import CYLINDERS, PINION, crane_mechanism
from symbody.machines.crane.model import model as crane
from symbody.machines.four_bar_friction.model import model as four_bar_friction
from symbody.machines.four_bar_hydraulic.model import four_bar_mechanism
from symbody.machines.four_bar_hydraulic.model import model as four_bar_hydraulic
from symbody.machines.quick_return_hydraulic.model import model as quick_return
from symbody.machines.quick_return_hydraulic.model import quick_return_mechanism
from symbody.model.circuit_elements import Volume
from symbody.model.formula import evaluate

# Jaiswal 2021: relative angles in degrees; force (N) that holds the start, by virtual work; what is free
PRINTED = {
    "four-bar-hydraulic": (four_bar_mechanism, (0.0, -135.0, -45.0), 11029.4, "rocker"),
    "quick-return-hydraulic": (quick_return_mechanism, (76.22, 96.89, 6.89, 30.59, 45.63), -4151.7, "crank"),
    "four-bar-friction": (tilted_four_bar_mechanism, (60.0, -37.90, -93.58), -386.0, "crank"),
}
DRIVEN = {"four-bar-hydraulic": four_bar_hydraulic, "quick-return-hydraulic": quick_return}
DRIVEN |= {"four-bar-friction": four_bar_friction}


@pytest.mark.parametrize("name", PRINTED)
def test_loops_close_at_the_printed_angles(name):
    mechanism, angles, _, _ = PRINTED[name]
    assert np.degrees(sb.assemble(mechanism())) == pytest.approx(angles, abs=6e-3)


@pytest.mark.parametrize("name", PRINTED)
def test_one_freedom_is_left_and_it_is_the_published_one(name):
    mechanism, _, _, free = PRINTED[name]
    assert sb.system(mechanism()).states == [f"{free}.q", f"{free}.qd"]


@pytest.mark.parametrize("name", PRINTED)
def test_the_holding_force_is_that_of_virtual_work(name):
    mechanism, _, force, free = PRINTED[name]
    height, length = [], []
    start = dict(zip(mechanism().coordinates, sb.assemble(mechanism()), strict=True))
    for turn in (-1e-4, 1e-4):
        m = mechanism()
        m.link("cylinder", "ground.foot", "rocker.mid" if name == "four-bar-hydraulic" else "crank.mid")
        for joint in m.joints():
            joint.q0 = (start[joint.name] + turn * (joint.name == free),)
            joint.nature = "locked" if joint.name == free else joint.nature
        q = sb.assemble(m)
        height.append(sb.compile(m, "energy")(q, np.zeros(m.nv)).potential)
        length.append(sb.compile(m, "links")(q, np.zeros(m.nv)).length[0])
    by_virtual_work = float((height[1] - height[0]) / (length[1] - length[0]))
    assert by_virtual_work == pytest.approx(force, abs=0.2)
    assert holding_forces(DRIVEN[name]()) == pytest.approx({"cylinder": by_virtual_work}, rel=1e-5)


@pytest.mark.parametrize("name", PRINTED)
def test_it_rests_until_it_is_told(name):
    m = static_pressures(DRIVEN[name]())
    run = sb.simulate(m, 0.5, 1e-3, method="trapezoidal", every=0.01)
    assert np.abs(run.q - run.q[0]).max() < 1e-9
    assert run["rod_p"] == pytest.approx(3.5e6, rel=1e-6)


@pytest.mark.parametrize("make", [*DRIVEN.values(), crane])
def test_it_is_built_with_the_pressures_that_hold_it(make):
    built, held = (
        {volume.name: volume.start for circuit in m.circuits.values() for volume in circuit.of(Volume)}
        for m in (make(), static_pressures(make()))
    )
    assert built == pytest.approx(held, rel=1e-5)


def test_a_command_is_on_from_its_start_up_to_its_end():
    told = pulses((1.0, 2.5, 10.0), (5.0, 8.0, -10.0))
    assert [told(t) for t in (0.999, 1.0, 2.499, 2.5, 4.999, 5.0, 7.999, 8.0)] == [0, 10, 10, 0, 0, -10, -10, 0]


def test_the_motion_is_that_of_the_reduced_equation():
    theirs = reduced_four_bar.motion([(0.0, 1.0), (10.0, 1.5), (0.0, 0.5)], every=0.01)
    m = static_pressures(four_bar_friction())
    run = sb.simulate(m, 3.0, 2.5e-4, method="trapezoidal", every=0.01, inputs={"U_ref": COMMAND})
    np.testing.assert_allclose(run["crank.q"], theirs[0], rtol=0, atol=1e-4)
    assert np.degrees(theirs[0, -1]) == pytest.approx(41.0, abs=0.1)  # as published
    for name, p in zip(("hose_p", "piston_p", "rod_p"), theirs[3:], strict=True):
        np.testing.assert_allclose(run[name], p, rtol=0, atol=5e4)


# -- the crane ---------------------------------------------------------------------------------------------------------


def test_the_crane_has_five_freedoms_and_its_gear():
    s = sb.system(crane_mechanism())
    assert s.states[:5] == ["slew.q", "boom.q", "jib.q", "swing.q", "sway.q"]
    assert len(s.states) == 10
    x = s.x0.copy()
    x[s.states.index("slew.q")] = 0.7
    assert s.at(0.0, x)["rack.q"] == pytest.approx(PINION * 0.7)


def test_its_cylinders_are_within_their_strokes_and_hold_the_load():
    lengths = dict(zip(CYLINDERS, sb.compile(_with_links(), "links")(*_start()).length, strict=True))
    for name, (_, _, bore, rod, closed, stroke) in CYLINDERS.items():
        assert closed < lengths[name] < closed + stroke
        # one run: lengths of one cylinder
        assert closed > stroke + 0.15  # there is room for piston, gland and eyes
        assert 0.4 < rod / bore < 0.75
    forces = holding_forces(crane())
    m = crane_mechanism()
    reach = sb.compile(m, "kinematics")(*_start()).position[:, 1]
    masses = [evaluate(body.mass, m.values) for body in m.bodies.values()]
    moment = 9.81 * sum(mass * y for mass, y in zip(masses, reach, strict=True))
    assert 25e3 < moment < 50e3  # N m about the column: a crane of five tonne-metres
    assert forces["lift"] > 0.0 < forces["fold"]
    assert abs(forces["slew"]) < 1e-6


def _with_links() -> sb.Model:
    m = crane_mechanism()
    for name, (a, b, *_) in CYLINDERS.items():
        m.link(name, a, b)
    return m


def _start() -> tuple[np.ndarray, np.ndarray]:
    m = crane_mechanism()
    return sb.assemble(m), np.zeros(m.nv)


def test_the_crane_stands_still_under_its_load():
    run = sb.simulate(static_pressures(crane()), 1.0, 1e-3, method="trapezoidal", every=0.01)
    assert np.abs(run.q - run.q[0]).max() < 1e-9

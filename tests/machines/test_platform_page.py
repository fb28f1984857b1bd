"""The motion platform in the studio: a control per axis, pilots by trajectory and log, margins that are told."""

import numpy as np
import pytest

from platform_stage import DATA
from symbody import machines
from symbody.analysis.simulate import simulate
from symbody.errors import LimitError, ModelError
from symbody.machines.platform.page import RAYS, RIDER, TICK, workspace_edge
from symbody.machines.platform.trajectories import shipped_log, trajectories
from symbody.motion.data import AXES
from symbody.motion.geometry import leg_lengths, leg_vectors
from symbody.motion.platform_looks import looks, scenery
from symbody.motion.servo import STIFFNESS, goal
from symbody.motion.trajectories import recorded
from symbody.motion.workspace import margins


@pytest.fixture(scope="module")
def machine():
    return machines.entry("platform").page()


def test_every_axis_has_a_control_that_rests_at_the_neutral_pose(machine):
    rests = {control.name: control.rest for control in machine.controls}
    assert rests == pytest.approx(dict(zip(map(goal, AXES), (0.0, 0.0, *DATA.neutral), strict=True)))
    for control, axis in zip(machine.controls, AXES, strict=True):
        assert (control.low, control.high) == (DATA.limits[axis].low, DATA.limits[axis].high)
    keys = [key for control in machine.controls for key in control.keys]
    assert len(keys) == len(set(keys)) == 16


def test_it_starts_level_where_its_controls_rest_with_a_rider(machine):
    """Its first set points were those of the command line: a tilted pose, which the controls did not show."""
    s = machine.system
    first = dict(zip(s.inputs, s.u0, strict=True))
    assert {control.name: first[control.name] for control in machine.controls} == pytest.approx(
        {control.name: control.rest for control in machine.controls}
    )
    (rider,) = machine.dials
    assert rider.value == s.parameters[rider.name] == RIDER > 0.0


def test_an_axis_at_its_limit_is_named(machine):
    s = machine.system
    ends = {goal("x"): DATA.limits["x"].high, goal("roll"): DATA.limits["roll"].low}
    run = simulate(s, 3.0, TICK, every=0.5, inputs=ends, energy="ignore")
    first, *_, last = (machine.shows({name: float(run[name][k]) for name in run.names}) for k in range(len(run)))
    assert not any("limit:" in line for line in first)
    assert last[:2] == ["at its limit: Surge", "at its limit: Roll"]


def test_pilots_stay_within_the_limits_and_the_log_is_one_of_them(machine):
    assert list(machine.pilots) == [*trajectories(DATA), "recorded log"]
    for pilot in machine.pilots.values():
        for t in np.linspace(0.0, 30.0, 400):
            told = pilot(float(t), {})
            for axis in AXES:
                assert DATA.limits[axis].low <= told[goal(axis)] <= DATA.limits[axis].high


def test_margins_are_told_as_it_moves(machine):
    s = machine.system
    way = machine.pilots["slalom"]
    run = simulate(
        s, 0.5, TICK, every=0.1, inputs={name: (lambda t, name=name: way(t, {})[name]) for name in map(goal, AXES)}
    )
    lines = machine.shows({name: float(run[name][-1]) for name in run.names})
    assert "mm to an end" in lines[0]
    assert "nearest singular position" in lines[1]
    assert lines[2].startswith("leg forces +")
    assert machine.particles[0].points().shape == (RAYS, 3)
    assert np.all(run["singularity.distance"] > 0.05)
    assert np.all(run["legs.heaviest"] > 5.0)


def test_a_payload_presses_the_platform_down_by_what_the_drives_give_way(machine):
    s = machine.system
    s.parameters["payload_mass"] = 20.0
    try:
        run = simulate(
            s, 1.0, TICK, every=0.1, inputs={goal(a): r for a, r in zip(AXES, (0, 0, *DATA.neutral), strict=True)}
        )
    finally:
        s.parameters["payload_mass"] = RIDER
    lean = leg_vectors(DATA.neutral, DATA)[0][0, 2] / leg_lengths(DATA.neutral, DATA)[0]
    dry = 6 * DATA.friction["leg"].dry[1] * lean  # what friction may still carry
    sunk = 20.0 * 9.81 / (6 * STIFFNESS[2] * lean**2)
    assert DATA.neutral_height - run["z.q"][-1] == pytest.approx(sunk, rel=0.1 + dry / (20.0 * 9.81))


def test_the_edge_of_the_workspace_is_its_edge():
    turn = np.array([0.1, -0.05, 0.1])
    edge = workspace_edge(turn, DATA)
    pose = np.concatenate([edge, np.tile(turn, (RAYS, 1))], axis=-1)
    assert np.all(np.array(margins(pose, DATA)) > 0.0)
    beyond = DATA.neutral[:3] + 1.25 * (edge - DATA.neutral[:3])
    pose[:, :3] = beyond
    assert np.mean(np.any(np.array(margins(pose, DATA)) <= 0.0, axis=0)) > 0.95


def test_logs_are_checked(tmp_path):
    header = ",".join(("t", *AXES))
    good = [[t, 0.0, 0.0, *DATA.neutral] for t in (0.0, 0.1, 0.2)]

    def written(rows, columns=header):
        path = tmp_path / "log.csv"
        path.write_text("\n".join([columns, *(",".join(map(str, row)) for row in rows)]) + "\n")
        return path

    t, axes = recorded(written(good), DATA)
    assert t == pytest.approx([0.0, 0.1, 0.2])
    assert axes.shape == (3, 8)
    far = [list(row) for row in good]
    far[1][3] = 0.3
    with pytest.raises(LimitError, match=r"x = 0\.3 m at t = 0\.1 s"):
        recorded(written(far), DATA)
    lost = [list(row) for row in good]
    lost[2][5] = float("nan")
    with pytest.raises(LimitError, match=r"z = nan m at t = 0\.2 s"):
        recorded(written(lost), DATA)
    with pytest.raises(ModelError, match="do not increase"):
        recorded(written([good[0], good[0]]), DATA)
    with pytest.raises(ModelError, match="no column for this axis"):
        recorded(written([row[:-1] for row in good], header.rpartition(",")[0]), DATA)
    assert shipped_log(DATA)(1.0).shape == (8,)


def test_every_body_has_a_look():
    assert set(looks(DATA)) == set(machines.model("platform").bodies)
    assert scenery(DATA)

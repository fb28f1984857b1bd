"""Runs through singular positions of their coordinates: right, or ended by an error that names the position.

Tests of start_state.py and failure.py.
"""

import numpy as np
import pytest

import symbody as sb


def planar_3rrr(nature: str, spin: float = 2.0) -> sb.Model:
    """A platform on three arms of two links each; the joints of the arms are passive."""
    m = sb.Model("3-RRR")
    start = [sb.Joint("x", "T1", q0=(0.05,)), sb.Joint("z", "T3", q0=(0.02,))]
    start += [sb.Joint("th", "R2", q0=(0.3,), v0=(spin,))]
    platform = m.body("platform", joints=start, mass=2.0, inertia=(0.05, 0.05, 0.05))
    for k, a in enumerate(2 * np.pi * np.arange(3) / 3):
        base = m.ground.point(f"base{k}", (np.cos(a), 0, np.sin(a)))
        upper = m.body(
            f"upper{k}", base, [sb.Joint(f"a{k}", "R2", q0=(2.5 - a,))], 1.0, (0.3, 0, 0), (0.01, 0.03, 0.03)
        )
        lower = m.body(
            f"lower{k}", upper.point("tip", (0.6, 0, 0)), [sb.Joint(f"b{k}", "R2", q0=(1.0,))], 1.0,
            (0.3, 0, 0), (0.01, 0.03, 0.03),
        )  # fmt: skip
        corner = platform.point(f"corner{k}", (0.3 * np.cos(a), 0, 0.3 * np.sin(a)))
        m.cut(f"loop{k}", "planar-ball", lower.point("tip", (0.6, 0, 0)), corner, axis=2)
    for joint, q in zip(m.joints(), sb.assemble(m), strict=True):  # the same start, whatever the natures
        joint.q0 = (float(q),)
    for joint in list(m.joints())[3:]:
        joint.nature = nature
    return m


def energy(run: sb.Run) -> np.ndarray:
    return run.kinetic + run.potential


@pytest.mark.slow
@pytest.mark.parametrize("nature", ["independent", "dependent"])
@pytest.mark.parametrize(
    "how", [{"dt": 1e-4}, {"method": "dop853", "rtol": 1e-9, "atol": 1e-10}], ids=["rk4", "dop853"]
)
def test_with_permission_a_platform_turns_through_singular_positions(nature, how):
    """Energy is kept whether or not the passive joints are named dependent, as files of other programs name them."""
    s = sb.system(planar_3rrr(nature), outputs=["*.q", "*.qd", "energy.*"])
    run = sb.simulate(s, 1.0, repartition=True, **how)
    assert run.t[-1] == pytest.approx(1.0)
    assert np.abs(energy(run) - energy(run)[0]).max() < 2e-5


def test_without_permission_the_run_ends_where_named_joints_are_hardly_determined():
    s = sb.system(planar_3rrr("dependent"), outputs=["*.q", "*.qd", "energy.*"])
    with pytest.raises(
        sb.SingularityError, match="no longer determine the motion; simulate with repartition"
    ) as caught:
        sb.simulate(s, 1.0, 1e-4)
    kept = caught.value.state
    assert 0.2 < kept.t[-1] < 0.3
    assert np.abs(energy(kept) - energy(kept)[0]).max() < 1e-3


def slider_crank(independent: str) -> sb.Model:
    """A crank that turns round, driven by its own momentum, described by the slider or by the crank."""
    nature = {name: "independent" if name == independent else "dependent" for name in ("crank", "rod", "slider")}
    m = sb.Model("slider-crank", gravity=(0, 0, 0))
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", nature["crank"], q0=(-0.5,))], mass=1.0,
                   com=(0.15, 0, 0), inertia=(0.01, 0.2, 0.2))  # fmt: skip
    rod = m.body("rod", crank.point("tip", (0.3, 0, 0)), [sb.Joint("rod", "R2", nature["rod"], q0=(0.7,))], 1.0,
                 (0.4, 0, 0), (0.01, 0.05, 0.05))  # fmt: skip
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", nature["slider"], q0=(1.0,), v0=(0.0,))], mass=0.5)
    m.cut("pin", "planar-ball", rod.point("tip", (0.8, 0, 0)), slider["origin"], axis=2)
    next(j for j in m.joints() if j.name == independent).v0 = (6.0 if independent == "crank" else 1.5,)
    return m


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 1e-2])
def test_a_slider_crank_past_dead_centre_goes_on_or_names_the_position(dt):
    s = sb.system(slider_crank("slider"), outputs=["*.q", "*.qd", "energy.*"])
    with pytest.raises(sb.SingularityError, match="slider"):
        sb.simulate(s, 3.0, dt)
    try:
        run = sb.simulate(s, 3.0, dt, repartition=True)
    except sb.SingularityError:
        assert dt == 1e-2  # a step of such a size passes the position at once
    else:
        assert abs(run["crank.q"][-1] - run["crank.q"][0]) > 2 * np.pi
        assert np.abs(energy(run) - energy(run)[0]).max() < max(1.0 * dt, 1e-4) * energy(run)[0]

"""Any model as a machine: one that starts at a singular position opens, and says how its loops are closed."""

import pytest

import symbody as sb
from symbody.errors import SingularityError
from symbody.studio.live import Live
from symbody.studio.model_machine import model_machine
from waiting import eventually


def flat(mass: float = 1.0) -> sb.Model:
    """A parallelogram that lies flat: from here it could go on as an antiparallelogram, too."""
    m = sb.Model("flat", gravity=(0, 0, -9.81))
    rod = {"mass": mass, "com": (0.5, 0, 0), "inertia": (0, 1 / 12, 1 / 12)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2")], **rod)
    beam = m.body("beam", crank.point("tip", (1, 0, 0)), [sb.Joint("beam", "R2")], mass=1.0)
    bar = m.body("bar", m.ground.point("foot", (2, 0, 0)), [sb.Joint("bar", "R2")], **rod)
    m.cut("pin", "planar-ball", beam.point("pin", (2, 0, 0)), bar.point("tip", (1, 0, 0)), axis=2)
    return m


def test_a_model_with_a_singular_start_opens_and_says_why():
    with pytest.raises(SingularityError):
        sb.system(flat())
    machine = model_machine(flat(), 1000.0, None, {})
    assert machine.system.definition.options.closure == "augmented"
    assert "singular position" in machine.start
    assert "augmented Lagrangian" in machine.start
    assert machine.start in machine.help


def test_other_models_keep_their_closure():
    m = flat()
    m.bodies["crank"].joints[0].q0 = (-0.5,)
    m.bodies["beam"].joints[0].q0 = (0.5,)
    m.bodies["bar"].joints[0].q0 = (-0.5,)
    machine = model_machine(m, 1000.0, None, {})
    assert machine.system.definition.options.closure == "partitioning"
    assert machine.start == ""


@pytest.mark.posix
@pytest.mark.clock
def test_it_runs():
    with Live(flat()) as live:
        eventually(lambda: live.loop.latest().step > 20)
        assert live.loop.state == "running"

"""A linearised system (linear.py): names, the point about which it holds, and python-control."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines


@pytest.fixture(scope="module")
def about():
    return sb.system(machines.model("cart-pole")).linear(0.5, np.array([0.1, 0.2, 0.3, 0.4]), np.array([2.0]))


def test_it_knows_its_names_and_its_point(about):
    assert about.states == ["x.q", "tilt.q", "x.qd", "tilt.qd"]
    assert about.inputs == ["force"]
    assert about.B.shape == (4, 1)
    assert (about.t, about.x.tolist(), about.u.tolist()) == (0.5, [0.1, 0.2, 0.3, 0.4], [2.0])
    A, B, C, D = about  # the order of the field
    assert A is about.A
    assert C is about.C
    assert B is about.B
    assert D is about.D
    assert about.P.shape[1] == about.S.shape[1] == len(about.parameters)


def test_python_control_sees_the_same_system(about):
    control = pytest.importorskip("control")
    plant = about.to_control(outputs=["tilt.q"])
    assert plant.state_labels == ["x_q", "tilt_q", "x_qd", "tilt_qd"]
    assert plant.output_labels == ["tilt_q"]
    w = 3.0j
    row = about.outputs.index("tilt.q")
    expected = about.C[row] @ np.linalg.solve(w * np.eye(4) - about.A, about.B) + about.D[row]
    assert control.evalfr(plant, w) == pytest.approx(expected.item())
    assert about.to_control().D.shape == (len(about.outputs), 1)


def test_wrong_names_and_batches_are_refused(about):
    pytest.importorskip("control")
    with pytest.raises(sb.ModelError, match=r"tilt\.p: unknown output.*tilt\.q"):
        about.to_control(outputs=["tilt.p"])
    s = sb.system(machines.model("cart-pole"))
    with pytest.raises(sb.ModelError, match="one state"):
        s.linear(0.0, np.zeros((2, 4))).to_control()

"""The text of CUDA kernels, compiled as C++ and started in a loop, against runs of single states."""

import shutil

import numpy as np
import pytest
from cuda_as_cpp import CppDevice

import symbody as sb
from symbody import machines
from symbody.batch.of_system import Batch
from symbody.batch.system_kernel import KernelChoice
from symbody.codegen.targets.kernel import single
from symbody.errors import SymbodyError

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
STEPS, DT = 10, 1e-3
SINGLE = 2e-3  # of the largest value of a channel: ten steps in single precision


def deviation(name, folder, precision, method="rk4", dt=DT):
    """The largest difference of the first channels from a single run, relative to the largest value."""
    s = sb.system(machines.model(name))
    device = CppDevice(folder, precision)
    choice = device.suited(KernelChoice(tuple(s.outputs[:4]), method))
    found = Batch(s, 3, device, choice, dt).rollout(STEPS, every=STEPS)
    assert found.failures == {}
    run = sb.simulate(s, STEPS * dt, dt, every=STEPS * dt, method=method, energy="ignore")
    wanted = np.stack([np.asarray(run[channel]) for channel in found.channels], axis=1)[:, None]
    return np.abs(found.values - wanted).max() / max(1e-3, np.abs(wanted).max())


@pytest.mark.parametrize(("precision", "tolerance"), [("double", 1e-11), ("single", SINGLE)])
def test_the_quarter_car_in_both_precisions(tmp_path, precision, tolerance):
    assert deviation("quarter-car", tmp_path, precision) < tolerance


@pytest.mark.parametrize("method", ["semi-implicit", "trapezoidal"])
def test_the_other_methods(tmp_path, method):
    assert deviation("pendulum", tmp_path, "double", method) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("name", machines.names())
def test_every_machine_as_cuda(tmp_path, name):
    try:
        found = deviation(name, tmp_path, "double", dt=1e-5)  # stable for all of them
    except SymbodyError as refusal:  # a law in Python or C, or a closure without rates
        assert "batch" in str(refusal) or "closure" in str(refusal)  # noqa: PT017
        return
    assert found < 1e-8


def test_single_precision_changes_types_and_numbers_only():
    text = single("double x = 1.5*y[3] + 2e-3 - 1e-300 + n/2; /* 1e400 */")
    assert text == "#define SINGLE\nfloat x = 1.5f*y[3] + 2e-3f - 1.2e-38f + n/2; /* INFINITY */"

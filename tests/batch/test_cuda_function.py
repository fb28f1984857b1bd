"""Functions in CUDA, compiled as C++ and started in a loop, against the compiled function."""

import ctypes
import shutil
from math import prod

import numpy as np
import pytest
from cuda_as_cpp import CppLibrary

import symbody as sb
from symbody import machines
from symbody.batch.cuda_function import evaluate_structure
from symbody.batch.function_kernel import function_kernel
from symbody.system.programs import jacobian_program

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
N = 10
KINDS = {"double": np.float64, "single": np.float32}


def evaluated(folder, function, program, given, precision="double", part=10**6):
    """The outputs (N, size) of the kernel of a program, with the parameters of the compiled function."""
    kernel, kind = function_kernel(program, precision, part), KINDS[precision]
    structure = evaluate_structure(len(given), len(function.signature.outputs))
    loaded = CppLibrary(kernel.text, folder, structure).loaded
    p = np.array([function.parameters[name] for name in kernel.parameters], dtype=kind)
    h = np.full(max(1, kernel.hoisted), np.nan, dtype=kind)
    assert loaded.symbody_hoist(ctypes.c_void_p(p.ctypes.data), (ctypes.c_void_p * 1)(h.ctypes.data), None) == 0
    arrays = [np.asfortranarray(np.asarray(x).astype(kind)) for x in given]
    found = [np.full((N, prod(shape)), np.nan, dtype=kind) for shape in function.signature.outputs.values()]
    b = structure(n=N, h=h.ctypes.data)
    places = getattr(b, "in")
    for k, x in enumerate(arrays):
        places[k], b.in_row[k], b.in_column[k] = x.ctypes.data, *((1, N) if x.ndim == 2 else (0, 1))
    for k, y in enumerate(found):
        b.out[k], b.out_row[k], b.out_column[k] = y.ctypes.data, y.shape[1], 1
    assert loaded.symbody_evaluate(ctypes.byref(b), None) == 0
    return found


@pytest.mark.parametrize(("precision", "tolerance"), [("double", 1e-12), ("single", 1e-4)])
@pytest.mark.parametrize("part", [40, 10**6])
@pytest.mark.parametrize("live", [(), "all"])
def test_the_direct_dynamics_of_an_arm(tmp_path, precision, tolerance, part, live):
    f = sb.compile(machines.model("arm6"), "direct", loads=False, live=live)
    given = [np.random.default_rng(k).normal(size=(N, 6)) for k in range(3)]
    (found,) = evaluated(tmp_path, f, f.program(), given, precision, part)
    wanted = f(*given)
    np.testing.assert_allclose(found, wanted, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["pendulum", "four-bar", "quarter-car", "slider-crank"])
def test_derivatives_of_a_system_with_other_parameters(tmp_path, name):
    s = sb.system(machines.model(name))
    for k, parameter in enumerate(s.parameters):
        s.parameters[parameter] = s.parameters[parameter] * (1.0 + 1e-3 * k)
    x = s.x0 + 1e-3 * np.random.default_rng(1).normal(size=(N, len(s.x0)))
    program = s.make(lambda traced: jacobian_program(traced, s.definition.wanted))
    guess = np.asarray(s.dependent(0.0, x)).reshape(N, -1)
    found = evaluated(tmp_path, s.jacobian_function, program, [np.zeros(1), x, s.u0, guess])
    for i in range(N):
        one = s.linear(0.0, x[i], s.u0)
        for matrix, wanted in zip(found, (one.A, one.C, one.B, one.D, one.P, one.S), strict=True):
            scale = max(1.0, np.abs(wanted).max(initial=0.0))
            np.testing.assert_allclose(matrix[i], wanted.ravel(), rtol=0, atol=1e-8 * scale)

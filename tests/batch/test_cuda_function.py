"""Functions in CUDA, compiled as C++ and started in a loop, against the compiled function."""

import ctypes
import shutil

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.batch.cuda_function import evaluate_structure
from symbody.batch.function_kernel import function_kernel
from symbody.codegen.compiler import run

N = 10


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(("precision", "tolerance"), [("double", 1e-12), ("single", 1e-4)])
@pytest.mark.parametrize("part", [40, 10**6])
def test_the_direct_dynamics_of_an_arm(tmp_path, precision, tolerance, part):
    f = sb.compile(machines.model("arm6"), "direct", loads=False)
    source, library = tmp_path / "kernel.cu", tmp_path / "kernel.so"
    source.write_text(function_kernel(f.program(), precision, part), encoding="utf-8")
    run(["g++", "-x", "c++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", str(source), "-o", str(library)])
    kind = np.float64 if precision == "double" else np.float32
    given = [np.random.default_rng(k).normal(size=(N, 6)) for k in range(3)]
    arrays = [np.asfortranarray(x.astype(kind)) for x in given]
    found = np.full((N, 6), np.nan, dtype=kind)
    b = evaluate_structure(3, 1)(n=N, h=np.zeros(1, dtype=kind).ctypes.data)
    for k, x in enumerate(arrays):
        b.in_[k], b.in_row[k], b.in_column[k] = x.ctypes.data, 1, N
    b.out[0], b.out_row[0], b.out_column[0] = found.ctypes.data, 6, 1
    assert ctypes.CDLL(str(library)).symbody_evaluate(ctypes.byref(b), None) == 0
    wanted = f(*given)
    np.testing.assert_allclose(found, wanted, atol=tolerance * np.abs(wanted).max())

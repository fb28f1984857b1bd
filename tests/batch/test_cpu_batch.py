"""Compiled functions of many states (cpu.py): the same numbers as single calls, on one thread and on several."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.batch import CpuBatch, cpu


@pytest.fixture(scope="module")
def inverse():
    return sb.compile(machines.model("arm6"), "inverse", loads=False)


def states(rng, n):
    return rng.normal(size=(3, n, 6))


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_single_calls(inverse, threads, monkeypatch):
    monkeypatch.setattr(cpu, "SINE", 10**6)  # so that a small batch is split
    q, qd, qdd = states(np.random.default_rng(1), 50)
    found = CpuBatch(inverse, threads=threads)(q, qd, qdd)
    alone = np.array([inverse(*row) for row in zip(q, qd, qdd, strict=True)])
    np.testing.assert_allclose(found, alone, rtol=1e-12, atol=1e-12)


def test_constants_and_shared_values_hold_for_all_states(inverse):
    q, qd, _ = states(np.random.default_rng(2), 5)
    many = CpuBatch(inverse, {"qdd": np.ones(6)})
    np.testing.assert_array_equal(many(q, qd[0]), many(q, np.tile(qd[0], (5, 1)), qdd=np.ones((5, 6))))


def test_python_code_computes_rows_too():
    f = sb.compile(machines.model("pendulum"), "inverse", backend="python")
    q = np.linspace(0.0, 1.0, 4).reshape(-1, 1)
    np.testing.assert_allclose(CpuBatch(f)(q, q, q), f(q, q, q))


def test_several_outputs_keep_their_names():
    f = sb.compile(machines.model("arm6"), "dynamics", loads=False)
    found = CpuBatch(f)(np.zeros((2, 6)), np.zeros(6))
    assert found.M.shape == (2, 6, 6)
    assert found.c.shape == (2, 6)


def test_wrong_shapes_are_refused(inverse):
    many = CpuBatch(inverse)
    with pytest.raises(ValueError, match=r"q has the shape \(4, 5\)"):
        many(np.zeros((4, 5)), np.zeros(6), np.zeros(6))
    with pytest.raises(ValueError, match=r"inputs with \[2, 3\] states"):
        many(np.zeros((2, 6)), np.zeros((3, 6)), np.zeros(6))
    with pytest.raises(TypeError, match="needs qdd"):
        many(np.zeros((2, 6)), np.zeros(6))

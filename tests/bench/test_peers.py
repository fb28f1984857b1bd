"""The peers that are measured must compute the same numbers as Pinocchio called from Python."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from symbody.analysis.random_states import random_state
from symbody.model.model import Model
from symbody_bench import peers
from symbody_bench.clock import BuildError, Compiled, call_compiled, engine_adapter, time_call
from symbody_bench.models import arm7, humanoid30
from symbody_bench.numeric import Array
from symbody_bench.to_pinocchio import PinocchioTree, to_pinocchio

pin = pytest.importorskip("pinocchio")


@pytest.fixture(params=[arm7, humanoid30], ids=["arm7", "humanoid30"])
def model(request: pytest.FixtureRequest) -> Model:
    make: Callable[[], Model] = request.param
    return make()


def expected(tree: PinocchioTree, function: str, inputs: list[Array]) -> Array:
    call = {"inverse": pin.rnea, "direct": pin.aba, "mass": pin.crba}[function]
    return np.array(call(tree.model, tree.data, *inputs))


def check(tree: PinocchioTree, model: Model, function: str, call: Callable[[list[Array]], Array]) -> None:
    for inputs in peers.states(model, tree, 3, function):
        want = expected(tree, function, inputs)
        got = call(inputs)
        if function == "mass":
            want, got = np.triu(want), np.triu(got)
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


def need(tool: str) -> None:
    if not shutil.which(tool):
        pytest.skip(f"no {tool} on this machine")


@pytest.mark.minutes
@pytest.mark.slow  # the first time, g++ needs minutes for Pinocchio's templates
@pytest.mark.parametrize("function", peers.FUNCTIONS)
def test_pinocchio_cpp(model: Model, function: str) -> None:
    need("g++")
    tree = to_pinocchio(model, freeflyer=True)
    try:
        compiled = peers.cpp_functions(tree)[function]
    except BuildError as error:
        pytest.skip(str(error))
    n = model.nv

    def call(inputs: list[Array]) -> Array:
        (out,) = call_compiled(compiled, inputs, [n * n if function == "mass" else n])
        return out.reshape(n, n).T if function == "mass" else out

    check(tree, model, function, call)


@pytest.mark.minutes
@pytest.mark.slow
@pytest.mark.parametrize("function", peers.FUNCTIONS)
def test_pinocchio_casadi(model: Model, function: str) -> None:
    pytest.importorskip("casadi")
    need("g++")
    tree = to_pinocchio(model, freeflyer=True)
    try:
        made = peers.casadi_function(tree, function, limit=120.0)
    except BuildError as error:
        pytest.skip(str(error))
    assert made.operations > 0

    def call(inputs: list[Array]) -> Array:
        (out,) = call_compiled(made.function, inputs, [len(made.rows)])
        full = np.zeros((model.nv, 1 + max(made.cols)))
        full[made.rows, made.cols] = out
        return full if function == "mass" else full[:, 0]

    check(tree, model, function, call)


def test_mujoco_called_from_c() -> None:
    """The C adapter gives what MuJoCo's Python module gives."""
    mujoco = pytest.importorskip("mujoco")
    need("cc")
    import ctypes

    from symbody_bench.to_mujoco import to_mujoco

    model = arm7()
    tree = to_mujoco(model)
    q, v, a = random_state(model, np.random.default_rng(0))
    want = tree.inverse(q, v, a)
    library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
    data = tree.data
    tree.inverse(v, a, q)  # another state, so that the one before is forgotten
    to = [data.qpos, data.qvel, data.qacc]
    compiled = engine_adapter(library.mj_inverse, tree.model._address, data._address, to, data.qfrc_inverse)
    (got,) = call_compiled(compiled, [q[tree.q_order], v[tree.v_order], a[tree.v_order]], [model.nv])
    np.testing.assert_allclose(tree.back(got), want, rtol=1e-12)


def test_a_missing_peer_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    results = peers.mujoco_c(arm7())
    assert [r.function for r in results] == list(peers.FUNCTIONS)
    assert all(r.us_per_call is None and "mujoco" in r.note for r in results)


def test_clock_reads_plausibly() -> None:
    assert 0.0 < time_call(lambda: None, repeats=1) < 10.0
    assert Compiled(1).user is None


@pytest.mark.slow
def test_sympy_stops_at_its_limit() -> None:
    pytest.importorskip("sympy")
    (result,) = peers.sympy_kane([30], limit=1.0)
    assert result.generate_s is None
    assert "stopped" in result.note

"""Direct dynamics of many states in MJX and MuJoCo Warp, where they are installed; without contacts and constraints."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody_bench.numeric import Array
from symbody_bench.to_mujoco import to_mujoco

PEERS = {"MJX": ("mujoco.mjx", "mujoco-mjx"), "MuJoCo Warp": ("mujoco_warp", "mujoco-warp")}  # module, package
Called = tuple[Callable[[], Any], Callable[[], Any], Callable[[], Array]]  # compute; wait; accelerations (n, nv)


def installed() -> list[str]:
    """The peers that can be measured."""
    return [name for name, (module, _) in PEERS.items() if _found(module)]


def skipped() -> list[str]:
    """One sentence for each peer that is not installed."""
    missing = [name for name in PEERS if name not in installed()]
    return [f"{name} is not installed: pip install {PEERS[name][1]}" for name in missing]


def _found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is missing
        return False


def peer_direct(peer: str, model: Model, q: Array, v: Array, tau: Array) -> Called:
    """Direct dynamics at the rows of q, v and tau, in single precision on the device of the peer."""
    tree = to_mujoco(model)
    rows = [np.asarray(x[:, order], dtype=np.float32) for x, order in zip(
        (q, v, tau), (tree.q_order, tree.v_order, tree.v_order), strict=True)]  # fmt: skip
    compute, wait, read = _mjx(tree.model, *rows) if peer == "MJX" else _warp(tree.model, *rows)
    return compute, wait, lambda: tree.back(np.asarray(read(), dtype=float))


def _mjx(model: Any, q: Any, v: Any, tau: Any) -> Called:
    import jax
    from mujoco import mjx

    put = mjx.put_model(model)
    empty = mjx.make_data(put)

    def one(q: Any, v: Any, tau: Any) -> Any:
        return mjx.forward(put, empty.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc

    compiled, given = jax.jit(jax.vmap(one)), [jax.numpy.asarray(x) for x in (q, v, tau)]
    last: list[Any] = []

    def compute() -> None:
        last[:] = [compiled(*given)]

    return compute, lambda: last[0].block_until_ready(), lambda: np.asarray(last[0])


def _warp(model: Any, q: Any, v: Any, tau: Any) -> Called:
    import mujoco_warp
    import warp

    put, data = mujoco_warp.put_model(model), mujoco_warp.make_data(model, nworld=len(q))
    for name, x in (("qpos", q), ("qvel", v), ("qfrc_applied", tau)):
        getattr(data, name).assign(x)
    return lambda: mujoco_warp.forward(put, data), warp.synchronize, lambda: np.asarray(data.qacc.numpy())

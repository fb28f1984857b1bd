"""Other engines in `symbody bench --batch` (symbody_bench/batch_peers.py): the accelerations of symbody, or a word."""

import numpy as np
import pytest

from symbody.analysis.random_states import random_state
from symbody.equations.compile import compile
from symbody_bench import batch_peers
from symbody_bench.models import by_name


def test_a_peer_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(batch_peers, "_found", lambda module: module == "mujoco.mjx")
    assert batch_peers.installed() == ["MJX"]
    assert batch_peers.skipped() == ["MuJoCo Warp is not installed: pip install mujoco-warp"]


@pytest.mark.slow
@pytest.mark.parametrize("peer", batch_peers.PEERS)
def test_a_peer_computes_the_same_accelerations(peer):
    if peer not in batch_peers.installed():
        pytest.skip(f"{peer} is not installed")
    model, rng = by_name("arm7"), np.random.default_rng(1)
    q, v, tau = (np.stack(column) for column in zip(*(random_state(model, rng) for _ in range(10)), strict=True))
    compute, wait, read = batch_peers.peer_direct(peer, model, q, v, tau)
    compute()
    wait()
    wanted = compile(model, "direct", loads=False)(q, v, tau)
    np.testing.assert_allclose(read(), wanted, rtol=1e-2, atol=1e-3 * np.abs(wanted).max())  # single precision

"""Sweeps and swarms on two workers (`analysis/cluster.py`, `cluster_worker.py`, `codegen/shipping.py`).

One cluster is started for all tests: on 127.0.0.1 only, with an empty compile cache of its own.
"""

import os
import pickle
import platform
import signal
import socket
import ssl
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.cluster import connected, mapped, sharing
from symbody.analysis.swarm import swarm
from symbody.analysis.sweep import drawn
from symbody.analysis.sweep_cluster import cluster_rows
from symbody.analysis.sweep_samples import Samples
from symbody.analysis.sweep_workers import DIED, SweepJob
from symbody.codegen import cache as store
from symbody.codegen.shipping import pack, unpack
from symbody.errors import ModelError

SPREAD = {"k_strut": ("normal", 2e4, 1e3), "c_strut": ("uniform", 800.0, 1600.0)}
UNTIL, DT, MEASURES = 0.05, 1e-3, ["max(heave.q)", "rms(heave.qd)"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    own = tmp_path_factory.mktemp("worker cache")
    own.chmod(0o700)
    before = os.environ.get("SYMBODY_CACHE")
    os.environ["SYMBODY_CACHE"] = str(own)  # of the workers, which start now
    context = connected(2)
    client = context.__enter__()
    if before is None:
        del os.environ["SYMBODY_CACHE"]
    else:
        os.environ["SYMBODY_CACHE"] = before
    yield client
    context.__exit__(None, None, None)


@pytest.fixture(scope="module")
def s():
    return sb.system(machines.model("quarter-car"))


def job_of(s):
    samples = Samples(drawn(SPREAD, 100, 3), False)
    return SweepJob(s, samples.names, UNTIL, DT, {text: text for text in MEASURES}), samples


def entries_made():
    """Entries that a worker has in its cache."""
    return sorted(path.name for path in store.cache_folder().iterdir() if store.NAME.fullmatch(path.name))


def kill_once(folder, part):
    """The squares of a part; the first worker that computes it is killed."""
    try:
        (Path(folder) / "killed").touch(exist_ok=False)
    except FileExistsError:
        return [float(x) ** 2 for x in part]
    os.kill(os.getpid(), signal.SIGKILL)


def kill_always(part):
    """The numbers of a part; 3 ends its worker."""
    if 3.0 in part:
        os.kill(os.getpid(), signal.SIGKILL)
    return [float(x) for x in part]


def bowl(x):
    """A function of two numbers with its minimum at (1, -2)."""
    return ((x - [1.0, -2.0]) ** 2).sum(axis=1)


class OneWorker:
    """A client whose only worker is this process."""

    status, state = "running", SimpleNamespace(nthreads=1)

    def register_plugin(self, work):
        self.work = pickle.loads(pickle.dumps(work))
        self.work.setup(self)

    def unregister_worker_plugin(self, name):
        assert name == self.work.name
        self.work.teardown(self)

    def submit(self, compute, part, **_):
        return SimpleNamespace(result=lambda: compute(part))

    def nthreads(self):
        return {"here": 1}

    def cancel(self, futures):
        assert not futures


@pytest.mark.slow
def test_two_workers_give_the_numbers_of_one_and_compile_nothing(client, s, tmp_path):
    job, samples = job_of(s)
    one = np.concatenate(list(cluster_rows(OneWorker(), job, samples)))
    found = sb.monte_carlo(s, SPREAD, 100, UNTIL, DT, MEASURES, seed=3, cluster=client, to=tmp_path / "runs.parquet")
    np.testing.assert_array_equal(found.loaded().values, one)
    np.testing.assert_array_equal(found["k_strut"], samples.rows(0, 100)[:, 0])
    here = sb.monte_carlo(s, SPREAD, 100, UNTIL, DT, MEASURES, seed=3)
    np.testing.assert_allclose(one, here.values, rtol=1e-12)  # here the start may be from a quick build
    held = set(client.run(entries_made).popitem()[1])
    assert held
    assert held <= set(entries_made())  # names are hashes of all inputs: no worker compiled anything of its own


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="BLAS has this choice on x86 only")
def test_a_worker_whose_blas_rounds_differently_finds_the_same(s, monkeypatch):
    """The worker closed the loops again, with other digits: a third of the runs had other last digits."""
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")  # for the worker; here BLAS has been loaded before
    here = list(cluster_rows(OneWorker(), *job_of(s)))
    with connected(1) as client:
        there = list(cluster_rows(client, *job_of(s)))
    np.testing.assert_array_equal(np.concatenate(there), np.concatenate(here))


@pytest.mark.slow
@pytest.mark.posix
def test_work_of_a_killed_worker_is_done_by_another(client, tmp_path):
    parts = [np.arange(4.0) + 4.0 * k for k in range(6)]
    found = list(mapped(client, partial(kill_once, str(tmp_path)), parts, np.nan))
    assert (tmp_path / "killed").exists()
    np.testing.assert_array_equal(np.concatenate(found), np.arange(24.0) ** 2)


@pytest.mark.slow
@pytest.mark.posix
def test_an_item_that_ends_every_worker_is_alone_in_the_end(client):
    """Parts that only wait on a worker that dies are suspected with the guilty one; all of them return."""
    parts = [np.array(part) for part in ([1.0], [2.0, 3.0], [4.0], [5.0])]
    found = list(mapped(client, kill_always, parts, DIED))
    assert found == [[1.0], [2.0, DIED], [4.0], [5.0]]


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.timeout(300)
def test_a_worker_that_takes_long_to_start_again_is_not_given_up(tmp_path):
    """On a busy computer both workers were given up in this way, and the sweep waited for ever."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("cryptography")
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}), connected(1) as client:
        found = list(mapped(client, partial(kill_once, str(tmp_path)), [np.arange(4.0)], np.nan))
    np.testing.assert_array_equal(found, [np.arange(4.0) ** 2])


@pytest.mark.slow
def test_a_swarm_on_a_cluster_finds_the_same_place(client):
    low, high = [-5.0, -5.0], [5.0, 5.0]
    here = swarm(bowl, low, high, particles=20, iterations=5, seed=4)
    there = swarm(bowl, low, high, particles=20, iterations=5, seed=4, cluster=client)
    np.testing.assert_array_equal(there.x, here.x)
    np.testing.assert_array_equal(there.history, here.history)


@pytest.mark.slow
def test_shared_work_reaches_workers_and_is_removed(client):
    with sharing(client, {"answer": 42}) as key:
        assert set(client.run(answer_of, key).values()) == {42}
    assert set(client.run(held_keys).values()) == {0}


def answer_of(key):
    from symbody.analysis.cluster_worker import shared

    return shared(key).what["answer"]


def held_keys():
    from symbody.analysis.cluster_worker import _held

    return len(_held)


@pytest.mark.slow
def test_a_local_cluster_refuses_others(client):
    """A connection without the certificate of the cluster ends in the handshake."""
    address = client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    port = int(address.rpartition(":")[2])
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, pytest.raises((OSError, EOFError)):
        first_byte(context, plain)


def first_byte(context, plain):
    """TLS 1.3 reports a missing certificate with the first bytes after the handshake."""
    with context.wrap_socket(plain) as other:
        if not other.recv(1):
            raise EOFError


def test_entries_travel_between_caches(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("SYMBODY_CACHE", str(first))
    name = store.digest("a test")
    with store.recorded() as used:
        store.make_entry(name, lambda folder: (folder / "code.c").write_text("int a;") and {"library": "code.c"})
        store.remember("a key", {"entry": name})
    data = pack(used)
    monkeypatch.setenv("SYMBODY_CACHE", str(second))
    assert store.load_entry(name) is None
    assert unpack(data) == 1
    folder, manifest = store.load_entry(name)
    assert folder.parent == second
    assert (folder / "code.c").read_text() == "int a;"
    assert manifest["library"] == "code.c"
    assert store.remembered("a key") == {"entry": name}
    assert unpack(data) == 0  # known entries stay


def test_an_address_without_a_scheduler_and_a_wrong_argument_are_reported(s, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("symbody.analysis.cluster.TIMEOUT", 0.5)
    with pytest.raises(ModelError, match=r"no scheduler answers.*dask scheduler"):
        sb.monte_carlo(s, SPREAD, 2, UNTIL, DT, MEASURES, cluster="tcp://127.0.0.1:1")
    with pytest.raises(ModelError, match="number of workers, the address"):
        sb.monte_carlo(s, SPREAD, 2, UNTIL, DT, MEASURES, cluster=-2)

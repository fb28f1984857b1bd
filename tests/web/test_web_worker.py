"""A worker thread: tasks in order, errors to the caller, and no caller waits for longer than it wants."""

import asyncio
import threading

import pytest

from symbody.links.rejected import Rejected
from symbody.web.worker import MOST_WAITING, Worker
from waiting import PATIENCE


@pytest.fixture
def worker():
    made = Worker("test")
    yield made
    made.close()


@pytest.fixture
def held(worker):
    """An event that the worker waits for: until it is set, nothing else is carried out."""
    event = threading.Event()
    worker.submit(lambda: event.wait(PATIENCE))
    yield event
    event.set()


def test_tasks_are_carried_out_in_order_by_one_daemon_thread(worker):
    seen = []
    futures = [worker.submit(lambda k=k: seen.append((k, threading.current_thread()))) for k in range(20)]
    for future in futures:
        future.result(PATIENCE)
    assert [k for k, _ in seen] == list(range(20))
    (thread,) = {thread for _, thread in seen}
    assert thread.daemon
    assert thread is not threading.current_thread()


def test_an_error_reaches_its_caller_and_the_worker_goes_on(worker):
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 / 0).result(PATIENCE)
    assert asyncio.run(worker.done(lambda: 7, PATIENCE)) == 7
    with pytest.raises(KeyError):
        asyncio.run(worker.done(lambda: {}["x"], PATIENCE))


def test_who_does_not_want_to_wait_is_refused_and_the_task_is_carried_out_later(worker, held):
    done = threading.Event()
    with pytest.raises(Rejected, match="busy"):
        asyncio.run(worker.done(done.set, 0.01))
    assert not done.is_set()
    held.set()
    assert done.wait(PATIENCE)


def test_too_many_tasks_are_refused_at_once(worker, held):
    for _ in range(MOST_WAITING + 1):
        worker.submit(lambda: None)
    with pytest.raises(Rejected, match="busy"):
        asyncio.run(worker.done(lambda: None, PATIENCE))


def test_a_closed_worker_ends_after_what_waits_already():
    worker, names = Worker("closing"), []
    worker.submit(lambda: names.append(threading.current_thread()))
    worker.close()
    late = worker.submit(lambda: None)
    while not names:
        threading.Event().wait(1e-3)
    names[0].join(PATIENCE)
    assert not names[0].is_alive()
    assert not late.done()

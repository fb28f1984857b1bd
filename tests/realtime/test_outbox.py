"""Numbers of a chain for another thread: the newest complete set, with the clock of the process."""

import time

import numpy as np

from c_stage import CStage
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.inbox import LoopInbox
from symbody.realtime.outbox import LoopOutbox


def test_another_thread_reads_the_newest_numbers_once():
    inbox, outbox = LoopInbox({"a": "m", "b": ""}), LoopOutbox(["first", "age"])
    stage = CStage(Chain("mail", [Stage(inbox), Stage(outbox, {"first": "a", "age": "age"})]))
    assert outbox.collect() is None
    before = time.monotonic()
    inbox.post([3.0, 4.0])
    stage.run(3)
    found = outbox.collect()
    np.testing.assert_allclose(found.values, [3.0, 2e-3], atol=1e-12)
    assert before <= found.at <= time.monotonic()
    assert outbox.collect() is None

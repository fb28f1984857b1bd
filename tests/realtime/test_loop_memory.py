"""Other processes attach to a loop: they watch, one of them gives, and none is fooled by a loop that died."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from loop_models import cart, copies

import symbody as sb
from symbody.links.memory_path import memory_path
from symbody.realtime import Loop, Safety, Shared
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix  # the real-time loop

HERE = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}


def other_process(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], env=os.environ | HERE, stdout=subprocess.PIPE, text=True
    )


WATCHING = """
import json, sys
import numpy as np
from symbody.realtime import Shared
seen = Shared.attach(sys.argv[1])
torn = steps = last = 0
while steps < 300:
    step, t, y = seen.latest()
    torn += len(set(y[:20])) > 1 or abs(t - 5e-4 * step) > 1e-9 or step < last
    steps, last = steps + (step > last), step
run = seen.history("time3", "input3")
print(json.dumps([int(torn), run.names, float(np.ptp(run["time3"] - run.t)), seen.state]))
"""


def test_another_process_watches_without_disturbing():
    s = sb.system(copies(20), outputs=["time*", "input*"])
    with Loop(s, 2000.0, name=f"watched-{os.getpid()}", safety=Safety(stale=None, overrun=None)) as loop:
        watcher = other_process(WATCHING, loop.name)
        torn, names, difference, state = json.loads(watcher.communicate(timeout=PATIENCE)[0])
    assert (torn, names, state) == (0, ["time3", "input3"], "running")
    assert difference < 1e-12


GIVING = """
import sys, time
from symbody.realtime import Shared
seen = Shared.attach(sys.argv[1], write=True)
while seen.latest().outputs[seen.outputs.index("drive")] != 70.0:
    seen.give({"push": 7.0})
    time.sleep(1e-3)
seen.pause()
print("given", flush=True)
time.sleep(60.0)
"""


def test_another_process_gives_and_only_one_at_a_time():
    s = sb.system(cart())
    with Loop(s, name=f"given-{os.getpid()}", safety=Safety(stale=None, overrun=None, watchdog=PATIENCE)) as loop:
        giver = other_process(GIVING, loop.name)
        assert giver.stdout.readline() == "given\n"
        eventually(lambda: loop.state == "paused")
        with pytest.raises(sb.ModelError, match="another process"):
            loop.give([1.0])
        giver.kill()
        giver.communicate()
        loop.give([2.0])  # the right of a process ends with it
        loop.resume()
        eventually(lambda: loop.latest().outputs[loop.outputs.index("drive")] == 20.0)
        second = Shared.attach(loop.name, write=True)
        with pytest.raises(sb.ModelError, match="another process"):
            second.give([3.0])
        loop.release()
        second.give([3.0])
        eventually(lambda: loop.latest().outputs[loop.outputs.index("drive")] == 30.0)
        watcher = Shared.attach(loop.name)
        for forbidden in (lambda: watcher.give([1.0]), watcher.pause, lambda: watcher.slow(2.0)):
            with pytest.raises(sb.ModelError, match="write=True"):
                forbidden()
    assert watcher.state == "stopped"
    with pytest.raises(sb.ModelError, match="no such loop"):
        Shared.attach(loop.name)


DYING = """
import sys, time
import symbody as sb
from loop_models import cart
from symbody.realtime import Loop, Safety
s = sb.system(cart())
loop = Loop(
    s, safety=Safety(stale=None, overrun=None, effort_limits={"drive": 100.0}), name=sys.argv[1]
).start()
loop.give([1.0])
while loop.latest().outputs[loop.outputs.index("drive")] != 10.0:
    time.sleep(1e-3)
print("running", flush=True)
time.sleep(60.0)
"""


def test_the_efforts_of_a_killed_loop_are_zero_and_its_name_is_free_again():
    name = f"killed-{os.getpid()}"
    process = other_process(DYING, name)
    assert process.stdout.readline() == "running\n"
    seen = Shared.attach(name)
    drive, place = seen.outputs.index("drive"), seen.outputs.index("x.q")
    eventually(lambda: seen.alive and seen.latest().outputs[drive] == 10.0)
    with pytest.raises(sb.ModelError, match=f"process {process.pid}"):
        Loop(sb.system(cart()), name=name)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    eventually(lambda: not seen.alive)
    step, _, y = seen.latest()
    assert y[drive] == 0.0
    assert step >= 0
    assert np.isfinite(y[place])
    assert seen.history("drive")["drive"][-1] == 10.0  # what it said last, and meant then
    assert os.path.lexists(memory_path(name))
    with Loop(sb.system(cart()), name=name):
        pass
    assert not os.path.lexists(memory_path(name))


def test_what_is_no_loop_is_refused(tmp_path):
    name = f"nonsense-{os.getpid()}"
    memory_path(name).write_bytes(bytes(100_000))
    try:
        with pytest.raises(sb.ModelError, match="not the memory"):
            Shared.attach(name)
    finally:
        memory_path(name).unlink()


def test_a_forgotten_loop_stops_and_leaves_nothing():
    loop = Loop(sb.system(cart()), safety=Safety(stale=None, overrun=None)).start()
    path, end = memory_path(loop.name), loop._end
    assert path.exists()
    del loop
    assert not end.alive
    assert not os.path.lexists(path)


LEAVING = """
import sys
import symbody as sb
from loop_models import cart
from symbody.realtime import Loop, Safety
loop = Loop(sb.system(cart()), safety=Safety(stale=None, overrun=None), name=sys.argv[1]).start()
"""


@pytest.mark.slow
def test_a_program_may_end_without_stopping_its_loop():
    name = f"left-{os.getpid()}"
    process = other_process(LEAVING, name)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert not os.path.lexists(memory_path(name))

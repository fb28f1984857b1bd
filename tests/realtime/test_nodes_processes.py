"""Nodes in processes of their own: killed, started again, and as commands.

Tests of nodes.py, cli/node.py.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import symbody
from node_machines import LIMITS, MARGIN, PlainDevice, PlainMachine, plain_io, plain_model, running
from symbody.cli import main
from symbody.errors import ModelError
from symbody_bench.round_trips import round_trips
from waiting import PATIENCE, wait_for

pytestmark = pytest.mark.posix  # the real-time loop

HERE = Path(__file__).parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(symbody.__file__).parents[1]), str(HERE)])}
SOON = MARGIN * LIMITS.silence  # s


@contextmanager
def process(*arguments):
    """A node in a process of its own; killed at the end if it still lives."""
    started = subprocess.Popen([sys.executable, str(HERE / "node_machines.py"), *map(str, arguments)], env=ENVIRONMENT)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_io_node_is_killed():
    machine = PlainMachine()
    with running(plain_model(machine)) as model:
        port = model.transport.address[1]
        for k, value in enumerate((3.0, 5.0)):
            with process("io", port, value) as io:
                assert wait_for(lambda value=value: machine.inputs[0] == value)
                io.send_signal(signal.SIGKILL)
                assert wait_for(lambda: machine.inputs[0] == 0.0) < SOON
            assert wait_for(lambda: model.is_safe)
            assert model.link.counts["safe"] >= k + 1


def test_the_model_node_is_killed():
    device, port = PlainDevice(), free_port()
    with running(plain_io(device, ("127.0.0.1", port))) as io:
        for _ in range(2):
            with process("model", port) as model:
                assert wait_for(lambda: device.force == -6.0)
                model.send_signal(signal.SIGKILL)
                assert wait_for(lambda: device.force == 0.0) < SOON
        assert io.link.counts["sessions"] == 2


def test_round_trips_over_udp():
    times = round_trips("udp", 50)
    assert times.shape == (50,)
    assert np.all(times > 0.0)
    with pytest.raises(ModelError, match="udp, dds"):
        round_trips("pigeon", 1)


def test_round_trips_of_urgent_nodes_or_a_word_why_not():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except (AttributeError, PermissionError):
        with pytest.raises(ModelError, match="no real-time priority 10"):
            round_trips("udp", 20, priority=10)
    else:
        assert round_trips("udp", 20, priority=10).shape == (20,)
    with pytest.raises(ModelError, match="real-time priority 1000 is not allowed"):
        round_trips("udp", 20, priority=1000)


@pytest.mark.slow
def test_the_command_runs_a_model_and_a_device(tmp_path):
    """`symbody node model` and `symbody node io` find each other, record, and end when they are told."""
    pytest.importorskip("mcap")
    port, command = free_port(), [sys.executable, "-m", "symbody", "node"]
    both = ["--at", f"127.0.0.1:{port}", "--silence", "0.5", "--json"]
    recording = tmp_path / "run.mcap"
    model = [*command, "model", "four-bar", "--record", "*.q", "--mcap", str(recording), *both]
    io = [*command, "io", "--inputs", "torque", "--outputs", "crank.q,coupler.q,rocker.q", *both]
    wires = ["--wire", "torque=x.q", "--wire", "x.Q=crank.q", "--until", "2"]
    with subprocess.Popen(model, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as runs:
        try:
            assert "node io --inputs torque --outputs crank.q" in runs.stderr.readline()
            ended = subprocess.run(
                [*io, *wires], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=True
            )
            runs.send_signal(signal.SIGTERM)
            said, _ = runs.communicate(timeout=PATIENCE)
        finally:
            runs.kill()
    assert runs.returncode == 0
    assert json.loads(said)["counts"]["received"] > 50
    assert json.loads(ended.stdout)["counts"]["received"] > 0
    assert recording.stat().st_size > 1000


SLOW_LINE = ["--period", "300", "--silence", "900"]  # s: a beat that nobody should wait for


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_command_ends_between_two_beats(tmp_path, number):
    """However long the period, and while it records; what was counted is told, and the recording is closed."""
    mcap = pytest.importorskip("mcap.reader")
    recording = tmp_path / "run.mcap"
    command = [sys.executable, "-m", "symbody", "node", "model", "pendulum", "--at", f"127.0.0.1:{free_port()}"]
    with subprocess.Popen(
        [*command, *SLOW_LINE, "--mcap", str(recording), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # whatever runs the tests may ignore it
    ) as runs:  # fmt: skip
        try:
            assert "its partner" in runs.stderr.readline()
            runs.send_signal(number)
            said, _ = runs.communicate(timeout=PATIENCE)
        finally:
            runs.kill()
    assert runs.returncode == 0
    assert json.loads(said)["recording"]["failed"] == ""
    with recording.open("rb") as file:
        assert mcap.make_reader(file).get_summary() is not None


LONG_BUILD = """
import sys, time
from symbody.cli import main, node
def build(arguments, opened):
    print("builds", file=sys.stderr, flush=True)
    time.sleep(600.0)
node._io = build
sys.exit(main(["node", "io"]))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_command_ends_while_it_still_compiles(number, status):
    run = [sys.executable, "-c", f"import signal; signal.signal(2, signal.default_int_handler){LONG_BUILD}"]
    with subprocess.Popen(run, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as builds:
        try:
            assert builds.stderr.readline() == "builds\n"
            builds.send_signal(number)
            assert "Traceback" not in builds.communicate(timeout=PATIENCE)[1]
            assert builds.returncode == status
        finally:
            builds.kill()


def test_the_command_tells_what_is_wrong(capsys, tmp_path):
    io = ["node", "io", "--inputs", "torque", "--outputs", "crank.q"]
    for arguments, word in (
        ([*io, "--wire", "torque"], "END=SOURCE"),
        ([*io, "--wire", "torque=x.q", "--wire", "x.Q=crank"], "unknown source 'crank'"),
        ([*io, "--at", "127.0.0.1:port"], "HOST:PORT"),
        ([*io, "--at", "192.0.2.1", "--wire", "torque=0", "--wire", "x.Q=crank.q"], "token"),
        ([*io, "--device", "replay"], "a recording"),
        ([*io, "--token-file", str(tmp_path / "none")], "cannot be read"),
    ):
        assert main(arguments) == 2
        assert word in capsys.readouterr().err

"""A filter as a node: what it tells is what the same filter gives by hand, at the times of the clock."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from node_machines import LIMITS, PERIOD, running
from symbody.cli import main
from symbody.errors import ModelError
from symbody.links.transports import LinkOptions, open_transport
from symbody.realtime.estimate_node import MOST_STEPS, LoopEstimate, RunningEstimate
from symbody.realtime.nodes import io_node, model_node
from waiting import wait_for


@pytest.fixture(scope="module")
def cart():
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push)
    return sb.system(m)


def twin(s):
    return sb.estimate(s, ["cart.q"], {"cart.q": 0.01}, {"cart.qd": 0.1}, dt=0.01)


def test_it_tells_what_the_filter_knows(cart):
    """Frames every two steps."""
    node, other = RunningEstimate(twin(cart), ["cart.q", "cart.qd"]), twin(cart)
    assert node.given == ["cart.q", "push"]
    assert node.outputs == ["est.cart.q", "est.cart.qd", "est.cart.q.sigma", "est.cart.qd.sigma"]
    other.step([3.0], [0.1])
    node.give(np.array([0.1, 3.0]), 100.0)
    for k in range(1, 20):
        node.give(np.array([0.1, 3.0]), 100.0 + 0.02 * k)
        other.predict([3.0])
        other.step([3.0], [0.1])
    heard, t, values = node.latest()
    assert heard == 20
    assert t == pytest.approx(0.39)
    assert values == pytest.approx([*other.x, *np.sqrt(np.diag(other.P))])


def test_after_a_long_silence_it_does_not_stand_still(cart):
    node = RunningEstimate(twin(cart), ["cart.q"])
    node.give(np.array([0.0, 0.0]), 0.0)
    node.give(np.array([0.0, 0.0]), 3600.0)
    assert node.skipped == 360_000 - MOST_STEPS
    assert np.all(np.isfinite(node.latest()[2]))


@pytest.mark.parametrize("backend", ["auto", "python"])
@pytest.mark.parametrize("inputs", [[0.1, 1.7e308], [0.1, np.inf], [0.1, np.nan]])
def test_inputs_with_which_the_model_diverges_end_no_node(cart, backend, inputs):
    """The estimate is NaN from then on, which no partner uses."""
    twin = sb.estimate(cart, ["cart.q"], {"cart.q": 0.01}, {"cart.qd": 0.1}, dt=0.01, backend=backend)
    node = RunningEstimate(twin, ["cart.q"])
    node.give(np.array([0.1, 0.0]), 100.0)
    with pytest.warns(RuntimeWarning, match="the estimate is NaN from now on"):
        node.give(np.array(inputs), 100.1)
    node.give(np.array([0.1, 0.0]), 100.2)
    assert np.isnan(node.latest()[2]).all()
    assert node.failed


@pytest.mark.parametrize("value", [1e154, 1e200, -1.7e308, 5e-324])
def test_a_measurement_of_any_size_leaves_numbers(cart, value):
    """The largest measurements are refused by the gate: y²/S overflows."""
    filter = sb.estimate(cart, ["cart.q"], {"cart.q": 0.01}, {"cart.qd": 0.1}, dt=0.01, gate=9.0)
    node = RunningEstimate(filter, ["cart.q"])
    for k in range(5):
        node.give(np.array([value, 0.0]), 100.0 + 0.02 * k)
    assert np.isfinite(node.latest()[2]).all()
    assert filter.refused["cart.q"] == (5 if abs(value) > 1.0 else 0)


@pytest.mark.posix
def test_the_loop_counts_a_measurement_whose_square_overflows_as_refused(cart):
    node = LoopEstimate(
        sb.estimate(cart, ["cart.q"], {"cart.q": 0.01}, {"cart.qd": 0.1}, dt=0.01, gate=9.0), ["cart.q"]
    )
    refused = node.outputs.index("est.refused")
    with node.loop:
        assert wait_for(lambda: node.give(np.array([1e200, 0.0])) or node.latest()[2][refused] >= 3.0)
        assert abs(node.latest()[2][0]) < 1.0
        assert node.loop.state == "running"


@pytest.mark.posix
def test_a_loop_whose_inputs_make_the_model_diverge_is_safe_and_sends_nan(cart):
    node = LoopEstimate(twin(cart), ["cart.q"])
    said = model_node(node, None, limits=LIMITS, period=PERIOD)
    with node.loop:
        node.give(np.array([0.1, 1.7e308]))
        assert wait_for(lambda: node.loop.state == "safe")
        assert node.loop.reason == "diverged"
        assert wait_for(lambda: np.isnan(said.tell()).all())


def test_an_output_that_is_none_is_named(cart):
    with pytest.raises(ModelError, match="unknown output"):
        RunningEstimate(twin(cart), ["cart.w"])


class Seen:
    """A cart that stands at 0.3 m, seen by its sensor; it remembers what it is told."""

    measures, takes = ("cart.q", "push"), ("est.cart.q", "est.cart.q.sigma", "est.nis", "est.refused")

    def __init__(self):
        self.told = np.full(len(self.takes), np.nan)

    def read(self):
        return np.array([0.3, 0.0])

    def command(self, values):
        assert np.all(np.isfinite(values))
        self.told = np.array(values)

    def safe(self):
        pass

    def close(self):
        pass


def has_dds():
    try:
        from cyclonedds.domain import DomainParticipant

        DomainParticipant(0)
    except Exception:
        return False
    return True


@pytest.mark.posix
@pytest.mark.parametrize("transport", ["udp", "dds"])
def test_in_the_loop_it_hears_and_tells_over_a_line(cart, transport):
    """From 0 m to where its sensor says that it is; sensors silent, it goes on, less and less sure."""
    if transport == "dds" and not has_dds():
        pytest.skip("Cyclone DDS is not here, or has no network")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        at = probe.getsockname()
    node, device = LoopEstimate(twin(cart), ["cart.q"]), Seen()
    line = LinkOptions(node.given, node.outputs, transport, f"cart{os.getpid()}", at, domain=97)
    options = {"limits": LIMITS, "period": PERIOD}
    with node.loop, running(model_node(node, open_transport(line, "model"), **options)):
        with running(io_node(device, open_transport(line, "io"), **options)):
            assert wait_for(lambda: abs(device.told[0] - 0.3) < 0.01)
            assert wait_for(lambda: device.told[1] < 0.01)
        assert node.loop.state == "running"
        assert wait_for(lambda: node.latest()[2][1] > 2.0 * device.told[1])
        assert node.loop.reason == ""


@pytest.mark.posix
@pytest.mark.slow
def test_the_command_estimates_over_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        both = ["--at", f"127.0.0.1:{probe.getsockname()[1]}", "--silence", "0.5", "--json"]
    command = [sys.executable, "-m", "symbody", "node"]
    environment = os.environ | {"PYTHONPATH": str(Path(sb.__file__).parents[1])}
    told = "est.bob.q,est.bob.q.sigma,est.nis,est.refused"
    model = [*command, "estimate", "pendulum", "--sensors", "bob.q", "--noise", "bob.q=0.01"]
    io = [*command, "io", "--inputs", "bob.q", "--outputs", told, "--wire", "bob.q=0.1"]
    with subprocess.Popen(
        [*model, "--tell", "bob.q", *both],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    ) as runs:  # fmt: skip
        try:
            assert f"--outputs {told}" in runs.stderr.readline()
            ended = subprocess.run(
                [*io, "--wire", "x.Q=est.bob.q", "--until", "2", *both],
                capture_output=True, text=True, env=environment, timeout=60, check=True,
            )  # fmt: skip
            runs.send_signal(signal.SIGTERM)
            said, _ = runs.communicate(timeout=60)
        finally:
            runs.kill()
    assert runs.returncode == 0
    assert json.loads(said)["counts"]["received"] > 50
    assert json.loads(ended.stdout)["counts"]["received"] > 0


@pytest.mark.posix
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--dt", "0"], "steps of 0.0 s"),
        (["--dt", "nan"], "steps of nan s"),
        (["--dt", "1e-300"], "bytes of memory for a loop"),
        (["--noise", "other=1"], "noise of a sensor that is not used"),
    ],
)
def test_options_that_cannot_be_are_named(capsys, options, says):
    node = ["node", "estimate", "pendulum", "--sensors", "bob.q", "--noise", "bob.q=0.01"]
    assert main([*node, "--until", "0.01", *options]) == 2
    assert says in capsys.readouterr().err

"""`symbody node`: a model, a device, a filter or a haptic world as a node, in touch over UDP, DDS or memory."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.before import output_folder, require_extra
from symbody.cli.ending import ending_on_signals
from symbody.cli.given import GATE, assigned_by
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.node_haptic import haptic_roles
from symbody.errors import ModelError
from symbody.safe_name import identifier

if TYPE_CHECKING:
    from symbody.realtime.nodes import Node, Record
    from symbody.realtime.transports import LinkOptions

SUMMARY = "Run a model or a device as a node that finds its partner over UDP or DDS (ROS 2)."


def options(parser: argparse.ArgumentParser) -> None:
    roles = parser.add_subparsers(dest="role", required=True)
    model = roles.add_parser("model", help="run a model in step with the clock, and tell its outputs")
    model_argument(model)
    model.add_argument("--input", action="append", default=[], help="JOINT.Q, JOINT.q or SITE.force as inputs, too")
    model.add_argument("--record", action="append", help='outputs, such as "*.q" (may be repeated)')
    model.add_argument("--rate", type=float, default=1000.0, help="steps in a second (default 1000)")
    model.set_defaults(node=_model)
    io = roles.add_parser("io", help="tell what a device measures, and command it")
    io.add_argument("--device", default="simulated", help="or admittance, replay, joystick, serial, udp")
    io.add_argument("--path", default="", help="of the recording or the device file; udp: HOST:PORT to listen at")
    io.add_argument("--axes", type=_names, default=["x"], help="of a simulated device, by commas (x)")
    io.add_argument("--measures", type=_names, default=[], help="what a replay or a remote device measures, by commas")
    io.add_argument("--takes", type=_names, default=[], help="what it takes")
    io.add_argument("--inputs", type=_names, default=[], help="of the model, as its node says them, by commas")
    io.add_argument("--outputs", type=_names, default=[], help="of the model, likewise")
    wires = "an input of the model = a measure or a number; what the device takes = an output"
    io.add_argument("--wire", action="append", default=[], metavar="END=SOURCE", help=wires)
    io.set_defaults(node=_io)
    estimate = roles.add_parser("estimate", help="hear sensors, and tell estimates with their standard deviations")
    model_argument(estimate)
    estimate.add_argument("--sensors", type=_names, required=True, help="outputs that are measured, by commas")
    estimate.add_argument("--noise", action="append", default=[], metavar="SENSOR=SIGMA", help="of each sensor")
    estimate.add_argument("--tell", type=_names, default=[], help="outputs that are estimated, by commas (all states)")
    estimate.add_argument("--dt", type=float, default=1e-3, help="s, of the filter's steps (0.001)")
    estimate.add_argument("--gate", type=float, default=GATE, help=f"refuse measurements beyond this y²/S ({GATE:g})")
    estimate.set_defaults(node=_estimate)
    haptic_roles(roles)
    parser.set_defaults(hint="")
    for role in (model, io, estimate):
        role.add_argument("--transport", default="udp", help="udp (default) or dds")
        role.add_argument("--at", default="", metavar="HOST:PORT", help="UDP: the model's node (127.0.0.1:47600)")
        role.add_argument("--token-file", help="UDP: file with the shared secret (default: the variable SYMBODY_TOKEN)")
        role.add_argument("--name", help="ROS name of the model (default: its own, or machine)")
        role.add_argument("--domain", type=int, default=0, help="DDS: as ROS_DOMAIN_ID (0)")
        role.add_argument("--network", action="store_true", help="DDS: beyond this machine")
        role.add_argument("--period", type=float, default=0.01, help="s between frames (0.01)")
        role.add_argument("--silence", type=float, default=0.1, help="s without a frame until safe (0.1)")
        role.add_argument("--until", type=float, default=float("inf"), help="s (default: until it is stopped)")
        role.add_argument("--mcap", metavar="FILE", help="record inputs and outputs")
        role.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the node until its time is over or it is told to stop; what was counted."""
    require_extra(arguments.transport, "use udp")
    require_extra(getattr(arguments, "device", ""))
    if arguments.mcap:
        require_extra(".mcap", "leave --mcap out")
        output_folder(Path(arguments.mcap).parent)
    stop = threading.Event()
    with ending_on_signals() as ending, ExitStack() as opened:
        node: Node = arguments.node(arguments, opened)
        ending.gently = stop.set  # before, compiling is what a signal ends
        if arguments.hint:
            print(f"symbody: {arguments.hint}", file=sys.stderr, flush=True)
        said = {"role": arguments.role, **node.run(arguments.until, stop)}
        opened.close()
        return said | ({"recording": arguments.recorder.summary()} if arguments.mcap else {})


def _model(arguments: argparse.Namespace, opened: ExitStack) -> Node:
    """A model in a real-time loop, and its end of the line."""
    from symbody.realtime.link import Limits
    from symbody.realtime.loop import Loop
    from symbody.realtime.nodes import model_node
    from symbody.realtime.transports import open_transport
    from symbody.system.system import system

    s = system(open_model(arguments.model, arguments), inputs=arguments.input, outputs=arguments.record)
    loop = Loop(s, arguments.rate, stale=arguments.silence)
    line = _line(arguments, identifier(s.model.name), loop.channels.given, loop.channels.outputs, loop.channels.start)
    transport = open_transport(line, "model")
    opened.callback(transport.close)
    record = _record(arguments, opened, line)
    opened.enter_context(loop)
    said = f"--inputs {','.join(line.inputs)} --outputs {','.join(line.outputs)}"
    arguments.hint = f"{line.name} runs at {loop.rate:g} Hz; its partner: symbody node io {said}"
    limits = Limits(silence=arguments.silence)
    return model_node(loop, transport, limits=limits, period=arguments.period, record=record)


def _estimate(arguments: argparse.Namespace, opened: ExitStack) -> Node:
    """A filter on a model, and its end of the line."""
    from symbody.estimation.estimate import estimate
    from symbody.realtime.estimate_node import LoopEstimate, RunningEstimate
    from symbody.realtime.link import Limits
    from symbody.realtime.nodes import model_node
    from symbody.realtime.transports import open_transport
    from symbody.system.system import system

    s = system(open_model(arguments.model, arguments))
    noise = dict(map(assigned_by("--noise", "crank.q=0.01"), arguments.noise))
    method = machines.steps(arguments.model).get("method")
    twin = estimate(s, arguments.sensors, noise, dt=arguments.dt, method=method, gate=arguments.gate)
    tell = arguments.tell or s.states
    in_c = twin.backend == "c" and sys.platform != "win32"  # where there is a real-time loop
    running = LoopEstimate(twin, tell) if in_c else RunningEstimate(twin, tell)
    line = _line(arguments, identifier(f"{s.model.name}_estimate"), running.given, running.outputs)
    transport = open_transport(line, "model")
    opened.callback(transport.close)
    record = _record(arguments, opened, line)
    if isinstance(running, LoopEstimate):
        opened.enter_context(running.loop)
    said = f"--inputs {','.join(line.inputs)} --outputs {','.join(line.outputs)}"
    arguments.hint = f"{line.name} listens; its partner: symbody node io {said}"
    limits = Limits(silence=arguments.silence)
    return model_node(running, transport, limits=limits, period=arguments.period, record=record)


def _io(arguments: argparse.Namespace, opened: ExitStack) -> Node:
    """A device, its end of the line, and the wires between them."""
    from symbody.realtime.devices.by_name import DeviceOptions, open_device
    from symbody.realtime.link import Limits
    from symbody.realtime.nodes import io_node
    from symbody.realtime.transports import open_transport
    from symbody.realtime.wiring import wiring

    line = _line(arguments, "machine", arguments.inputs, arguments.outputs)
    options = DeviceOptions(arguments.path, arguments.axes, arguments.measures, arguments.takes, line.token)
    device = open_device(arguments.device, options)
    opened.callback(device.close)
    wires = dict(map(_wire, arguments.wire))
    to_model = wiring(line.inputs, device.measures, {end: wires.pop(end) for end in line.inputs if end in wires})
    to_device = wiring(device.takes, line.outputs, wires)
    transport = open_transport(line, "io")
    opened.callback(transport.close)
    limits, record = Limits(silence=arguments.silence), _record(arguments, opened, line)
    return io_node(device, transport, to_model, to_device, limits=limits, period=arguments.period, record=record)


def _line(
    arguments: argparse.Namespace, name: str, inputs: list[str], outputs: list[str], start: Any = None
) -> LinkOptions:
    from symbody.realtime.transports import LinkOptions, address, shared_token

    return LinkOptions(
        inputs, outputs, arguments.transport, arguments.name or name, address(arguments.at),
        shared_token(arguments.token_file), arguments.domain, arguments.network, arguments.silence, start,
    )  # fmt: skip


def _record(arguments: argparse.Namespace, opened: ExitStack, line: LinkOptions) -> Record | None:
    """Inputs and outputs into a recording, under the names that they have on DDS."""
    if not arguments.mcap:
        return None
    from symbody.realtime.record import Recorder
    from symbody.realtime.transports import command_name

    streams = {"inputs": command_name(line.name), "outputs": line.name}
    channels = {streams["inputs"]: line.inputs, streams["outputs"]: line.outputs}
    recorder = arguments.recorder = opened.enter_context(Recorder(arguments.mcap, channels))
    return lambda stream, values: recorder.write(streams[stream], values)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _wire(text: str) -> tuple[str, str | float]:
    """END=SOURCE, where the source may be a number."""
    end, equals, source = (part.strip() for part in text.partition("="))
    if not (end and equals and source):
        raise ModelError(f"'{text}' is not END=SOURCE", element="--wire", cure="write for example --wire torque=x.Q")
    try:
        return end, float(source)
    except ValueError:
        return end, source

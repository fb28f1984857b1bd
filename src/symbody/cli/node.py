"""`symbody node`: a model, a device, a filter or a haptic world as a node on UDP, DDS or shared memory."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.node_haptic import haptic_roles
from symbody.cli.preconditions import output_folder, require_extra
from symbody.cli.run_options import GATE, assigned_by
from symbody.cli.shutdown import ending_on_signals
from symbody.errors import ModelError
from symbody.safe_name import identifier

if TYPE_CHECKING:
    from symbody.links.transports import LinkOptions
    from symbody.realtime.nodes import Node, Record

SUMMARY = "Run a model or a device as a node that connects to its partner over UDP or DDS (ROS 2)."
EXAMPLE = 'model four-bar --record "*.q"'


def options(parser: argparse.ArgumentParser) -> None:
    roles = parser.add_subparsers(dest="role", required=True)
    model = roles.add_parser("model", help="run a model in real time and send its outputs")
    model_argument(model)
    model.add_argument(
        "--input", action="append", default=[], help="an additional input: JOINT.Q, JOINT.q or SITE.force"
    )
    model.add_argument("--record", action="append", help='outputs, such as "*.q" (may be repeated)')
    model.add_argument("--rate", type=float, default=1000.0, help="steps per second (default 1000)")
    model.set_defaults(node=_model)
    io = roles.add_parser("io", help="send the measurements of a device, and command it")
    io.add_argument(
        "--device", default="simulated", help="simulated (default), admittance, replay, joystick, serial or udp"
    )
    io.add_argument("--path", default="", help="path of the recording or the device file; udp: HOST:PORT to listen at")
    io.add_argument("--axes", type=_names, default=["x"], help="axes of a simulated device, separated by commas (x)")
    io.add_argument(
        "--measures", type=_names, default=[], help="measurements of a replay or a remote device, separated by commas"
    )
    io.add_argument("--takes", type=_names, default=[], help="commands of the device, separated by commas")
    io.add_argument(
        "--inputs", type=_names, default=[], help="inputs of the model as its node prints them, separated by commas"
    )
    io.add_argument(
        "--outputs", type=_names, default=[], help="outputs of the model as its node prints them, separated by commas"
    )
    wires = "model input = measurement or number; device command = model output"
    io.add_argument("--wire", action="append", default=[], metavar="END=SOURCE", help=wires)
    io.set_defaults(node=_io)
    estimate = roles.add_parser("estimate", help="receive sensor values, and send estimates with standard deviations")
    model_argument(estimate)
    estimate.add_argument("--sensors", type=_names, required=True, help="measured outputs, separated by commas")
    estimate.add_argument(
        "--noise",
        action="append",
        default=[],
        metavar="SENSOR=SIGMA",
        help="standard deviation of a sensor (may be repeated)",
    )
    estimate.add_argument(
        "--tell", type=_names, default=[], help="estimated outputs to send, separated by commas (all states)"
    )
    estimate.add_argument("--dt", type=float, default=1e-3, help="step of the filter, s (0.001)")
    estimate.add_argument("--gate", type=float, default=GATE, help=f"reject measurements with a larger y²/S ({GATE:g})")
    estimate.set_defaults(node=_estimate)
    haptic_roles(roles)
    parser.set_defaults(hint="")
    for role in (model, io, estimate):
        role.add_argument("--transport", default="udp", help="udp (default) or dds")
        role.add_argument(
            "--at", default="", metavar="HOST:PORT", help="UDP: address of the model's node (127.0.0.1:47600)"
        )
        role.add_argument("--token-file", help="UDP: file with the shared secret (default: the variable SYMBODY_TOKEN)")
        role.add_argument("--name", help="ROS name of the model (default: its own name, or machine)")
        role.add_argument("--domain", type=int, default=0, help="DDS: domain, as in ROS_DOMAIN_ID (0)")
        role.add_argument("--network", action="store_true", help="DDS: also reach other computers")
        role.add_argument("--period", type=float, default=0.01, help="time between frames, s (0.01)")
        role.add_argument(
            "--silence", type=float, default=0.1, help="time without a frame until the safe state, s (0.1)"
        )
        role.add_argument(
            "--until", type=float, default=float("inf"), help="end after this time, s (default: when it is stopped)"
        )
        role.add_argument("--mcap", metavar="FILE", help="record inputs and outputs")
        role.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the node until its time is over or it is stopped; return its counters."""
    require_extra(arguments.transport, "use udp")
    require_extra(getattr(arguments, "device", ""))
    if arguments.mcap:
        require_extra(".mcap", "leave --mcap out")
        output_folder(Path(arguments.mcap).parent, "--mcap")
    stop = threading.Event()
    with ending_on_signals() as ending, ExitStack() as opened:
        node: Node = arguments.node(arguments, opened)
        ending.gently = stop.set  # from here a signal stops the node; before, it interrupts the compilation
        if arguments.hint:
            print(f"symbody: {arguments.hint}", file=sys.stderr, flush=True)
        said = {"role": arguments.role, **node.run(arguments.until, stop)}
        opened.close()
        return said | ({"recording": arguments.recorder.summary()} if arguments.mcap else {})


def _model(arguments: argparse.Namespace, opened: ExitStack) -> Node:
    """A model in a real-time loop, and its link."""
    from symbody.links.link import Limits
    from symbody.links.transports import open_transport
    from symbody.realtime.loop import Loop
    from symbody.realtime.loop_options import Safety
    from symbody.realtime.nodes import model_node
    from symbody.system.system import system

    s = system(open_model(arguments.model, arguments), inputs=arguments.input, outputs=arguments.record)
    loop = Loop(s, arguments.rate, safety=Safety(stale=arguments.silence))
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
    """A filter on a model, and its link."""
    from symbody.estimation.estimate import estimate
    from symbody.links.link import Limits
    from symbody.links.transports import open_transport
    from symbody.realtime.estimate_node import LoopEstimate, RunningEstimate
    from symbody.realtime.nodes import model_node
    from symbody.system.system import system

    s = system(open_model(arguments.model, arguments))
    noise = dict(map(assigned_by("--noise", "crank.q=0.01"), arguments.noise))
    for name in noise:
        if name not in arguments.sensors:
            raise ModelError("noise of a sensor that is not used", element=name, cure="name it in --sensors")
    method = machines.steps(arguments.model).get("method")
    twin = estimate(s, arguments.sensors, noise, dt=arguments.dt, method=method, gate=arguments.gate)
    tell = arguments.tell or s.states
    in_c = twin.backend == "c" and sys.platform != "win32"  # the real-time loop exists only there
    running = LoopEstimate(twin, tell) if in_c else RunningEstimate(twin, tell)
    line = _line(arguments, identifier(f"{s.model.name}_estimate"), running.given, running.outputs)
    transport = open_transport(line, "model")
    opened.callback(transport.close)
    record = _record(arguments, opened, line)
    if isinstance(running, LoopEstimate):
        opened.enter_context(running.loop)
    said = f"--inputs {','.join(line.inputs)} --outputs {','.join(line.outputs)}"
    arguments.hint = f"{line.name} is listening; its partner: symbody node io {said}"
    limits = Limits(silence=arguments.silence)
    return model_node(running, transport, limits=limits, period=arguments.period, record=record)


def _io(arguments: argparse.Namespace, opened: ExitStack) -> Node:
    """A device, its link, and the connections between them."""
    from symbody.links.link import Limits
    from symbody.links.transports import open_transport
    from symbody.links.wiring import wiring
    from symbody.realtime.device_names import DeviceOptions, open_device
    from symbody.realtime.nodes import io_node

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
    from symbody.links.transports import LinkOptions, address, shared_token

    return LinkOptions(
        inputs,
        outputs,
        transport=arguments.transport,
        name=arguments.name or name,
        address=address(arguments.at),
        token=shared_token(arguments.token_file),
        domain=arguments.domain,
        network=arguments.network,
        silence=arguments.silence,
        start=start,
    )


def _record(arguments: argparse.Namespace, opened: ExitStack, line: LinkOptions) -> Record | None:
    """Record inputs and outputs in a file, under their DDS names."""
    if not arguments.mcap:
        return None
    from symbody.links.transports import command_name
    from symbody.realtime.record import Recorder

    streams = {"inputs": command_name(line.name), "outputs": line.name}
    channels = {streams["inputs"]: line.inputs, streams["outputs"]: line.outputs}
    recorder = arguments.recorder = opened.enter_context(Recorder(arguments.mcap, channels))
    return lambda stream, values: recorder.write(streams[stream], values)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _wire(text: str) -> tuple[str, str | float]:
    """END=SOURCE; the source may be a number."""
    end, equals, source = (part.strip() for part in text.partition("="))
    if not (end and equals and source):
        raise ModelError(f"'{text}' is not END=SOURCE", element="--wire", cure="write for example --wire torque=x.Q")
    try:
        return end, float(source)
    except ValueError:
        return end, source

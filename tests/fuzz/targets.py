"""Everything that reads what others wrote, as functions of bytes: each ends, or raises an error of the package."""

import hashlib
import io
import math
import os
import shutil
import struct
import tempfile
import warnings
import zlib
from atexit import register
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from model_grammars import COMPANIONS, SELF

from symbody.cli import ALONE, COMMANDS, parser
from symbody.cli.option_names import in_options
from symbody.cli.parsing import UsageError
from symbody.cli.run_options import assigned, bounds_of
from symbody.codegen.cache import MANIFEST, load_entry, marked_folder, remember, remembered
from symbody.codegen.ownership import own_folder
from symbody.errors import DroppedWarning, SymbodyError
from symbody.files import load
from symbody.haptics.thesis_scenes.puck import puck_local, puck_world
from symbody.haptics.two_rates.wire import proxy_of, world_of
from symbody.haptics.two_rates.world_end import WorldEnd
from symbody.links.cdr import decode, encode
from symbody.links.memory_path import memory_path
from symbody.links.packet import HEAD, Packet, channel_code, pack, unpack
from symbody.links.rejected import Rejected
from symbody.links.ros_types import MESSAGES
from symbody.links.serial_port import END, SerialTransport, cobs_decode, cobs_encode
from symbody.links.topics import readings
from symbody.model import warnings as model_warnings
from symbody.model.formula import FUNCTIONS, evaluate_law, names_in
from symbody.model.joint_chains import advice
from symbody.realtime.loop_file import Channels, create_memory
from symbody.realtime.loop_layout import SharedBlock
from symbody.realtime.loop_memory import Shared
from symbody.realtime.record_read import load_mcap
from symbody.results.run import Run
from symbody.studio.messages import VERBS
from symbody.system.mass_condition import mass_warnings
from symbody.units import si, unit_of
from symbody.visual.file_looks import file_looks
from symbody.visual.mesh_files import read_looks
from symbody.visual.shapes import scene
from symbody.web.gate import Gate, RateLimit
from symbody.web.inbox import Inbox
from symbody.web.page import WebPage

warnings.simplefilter("ignore", SyntaxWarning)  # of Python, on formulas such as 1or2
warnings.simplefilter("ignore", DroppedWarning)
warnings.filterwarnings("ignore", message=".*(left out|overflow|invalid value|divide by zero)")
TOKEN = b"secret"
CODE = channel_code(["a", "b"])
KINDS = list(MESSAGES.values())
CHANNELS = Channels("m", ["u"], [0.5], ["u"], ["x", "f"], {"x": "m"})  # of a loop
ENTRY = "0123456789" * 4  # of the cache


@cache
def folder_of(process):
    """The folder of a process: the files that others include lie there, and the file that is read."""
    made = Path(tempfile.mkdtemp(prefix="symbody-fuzz-"))
    for name, text in COMPANIONS.items():
        (made / name).write_text(text)
    register(lambda: os.getpid() == process and shutil.rmtree(made, ignore_errors=True))
    return made


def folder():
    return folder_of(os.getpid())


def from_file(suffix, read):
    """A reader of files; what was read last stays there, should the process die of it."""

    def target(data):
        path = folder() / f"{SELF}{suffix}"
        path.write_bytes(data)
        return read(path)

    return target


def of_any_format(follow):
    """A model of the format that the first byte chooses, and what follows after reading."""
    kinds = (".yaml", ".mbs", ".urdf", ".xacro", ".xml", ".sdf")
    return lambda data: follow(from_file(kinds[data[0] % len(kinds)] if data else ".yaml", load)(data[1:]))


def checked(model):
    """What `symbody check` looks at."""
    model_warnings(model), mass_warnings(model), advice(model)


def drawn(model):
    scene(model, looks=file_looks(model))


def stored(data):
    """A result file with a model in it."""
    from_file(".csv", Run.load)(
        b"# symbody run\n# format: 1\n# model: " + data.replace(b"\n", b" ") + b"\nt,a\n0,0\n1,0\n"
    )


def unit(data):
    text = data.decode(errors="replace")
    unit_of.__wrapped__(text)
    assert math.isfinite(si(1.0, text))
    unit_of.cache_clear()


@cache
def command_parser(name):
    return parser([name] if name in ALONE else COMMANDS)


def command(data):
    """The words of a command line are parsed, as far as no model is needed."""
    words = data.decode(errors="replace").split("\0")
    try:
        with redirect_stdout(io.StringIO()):
            arguments = command_parser(words[0] if words[0] in ALONE else "").parsed(words)
    except SystemExit:  # --help, --version
        return
    except UsageError:
        raise
    try:
        [assigned(text) for text in getattr(arguments, "set", None) or ()]
        bounds_of(arguments) if hasattr(arguments, "between") else None
    except SymbodyError as error:
        in_options(str(error), arguments)
        raise


def formula(data):
    """A law over plain numbers; functions give their first argument, tables the first of their values."""
    text = data.decode(errors="replace")
    functions = dict.fromkeys(FUNCTIONS, lambda x, *_: x) | {"exp": lambda x: math.exp(x) if x < 700 else math.inf}
    names_in(text)
    evaluate_law(text, {"x": 2.0, "k": 0.5, "t": 1.0}, functions)


def udp(data):
    """A packet as it comes, and with a seal that fits it: what is behind the seal must hold, too."""
    for token in (b"", TOKEN):
        with suppress(SymbodyError):
            unpack(data, CODE, 2, token)
    body = data[: max(HEAD.size, len(data) - 4)]
    frame = unpack(body + struct.pack("<I", zlib.crc32(body)), CODE, 2)
    assert unpack(pack(frame, CODE, TOKEN), CODE, 2, TOKEN).session == frame.session


def serial(data):
    """Bytes of a line as they come; a good frame that follows is found, whatever was before it."""
    line = SerialTransport(["a"], ["a", "b"], "/nowhere")
    line._split(data)
    while line._next_frame() is not None:
        pass
    good = Packet(1, 2, 3, 4, 5, 6, [0.5, 1.5])
    line._split(END + cobs_encode(pack(good, CODE)) + END)
    assert any(frame.session == 1 for frame in iter(line._next_frame, None))
    assert cobs_decode(cobs_encode(data)) == data
    cobs_decode(data)


def shared(data):
    """Memory of a loop with words written over it: each is a place (two bytes) and eight bytes."""
    name = f"fuzz-{os.getpid()}"
    memory, file = create_memory(name, CHANNELS, np.array([math.nan, 5.0]), 1e-3, 0.1, 2)
    SharedBlock.from_buffer(memory).head = 1
    try:
        for k in range(0, len(data) - 9, 10):
            place = int.from_bytes(data[k : k + 2], "little") % (len(memory) // 8) * 8
            memory[place : place + 8] = data[k + 2 : k + 10]
        seen = Shared.attach(name, write=True)
        seen.latest(), seen.history(), str(seen.statistics()), seen.statistics().record(), seen.reason, seen.alive
        seen.give([0.25])
    finally:
        os.close(file)
        memory_path(name).unlink()


def kept(data):
    """A manifest and a key of the cache, under a seal that does not fit and one that does."""
    root = marked_folder(folder() / "cache")
    entry = own_folder(root / ENTRY)
    (entry / "a.so").write_bytes(b"code")
    for manifest in (data, hashlib.sha256(data).hexdigest().encode() + b"\n" + data):
        (entry / MANIFEST).write_bytes(manifest)
        found = load_entry(ENTRY, root)
    with patch.dict(os.environ, SYMBODY_CACHE=str(root)):  # for these lines only: other tests want theirs warm
        remember("key", {})
        (place,) = (root / "keys").iterdir()
        place.write_bytes(manifest)
        remembered("key")
    if found is None:
        raise Rejected("entry")
    assert found[1].get("library") in (None, "a.so")


def cdr(data):
    """A message of a kind that the first byte chooses; what is understood is written again, and understood."""
    kind = KINDS[data[0] % len(KINDS)] if data else KINDS[0]
    message = decode(kind, data[1:])
    assert encode(decode(kind, encode(message))) == encode(message)  # not by ==: NaN is not NaN
    list(readings(message, "site"))


class Page:
    """An application with a page and the verbs of the studio."""

    page = WebPage(lambda: "<html><script>1</script></html>")

    def __init__(self):
        self.gate = Gate(VERBS)


@cache
def server():
    from symbody.web.server import WebServer

    return WebServer({"/": Page(), "/piano/": Page()}, token="0123456789abcdef")


class Asking:
    """A connection that asks."""

    remote_address = ("192.0.2.7", 1)


def web(data):
    """A request, as websockets reads it and the server answers it."""
    from websockets.server import ServerProtocol

    protocol = ServerProtocol()
    protocol.receive_data(data)
    protocol.receive_eof()
    events, connection = protocol.events_received(), Asking()
    for request in events[:1]:
        answered = server()._answered(connection, request)
        server().connections.closed(connection)
        if answered is None:
            protocol.accept(request)
        return
    raise Rejected("no request")


def studio(data):
    """The messages of one browser: through the gate, into the inbox."""
    gate, limit, inbox = Gate(VERBS), RateLimit(), Inbox(VERBS)
    last = None
    for raw in data.decode(errors="replace").split("\n"):
        try:
            inbox.put(gate.admit(raw, True, limit))
            last = None
        except Rejected as refusal:
            last = refusal
    if last is not None:
        raise last


@cache
def haptic_ends():
    """A local model and a world, which live on from one input to the next."""
    return puck_local(), WorldEnd(puck_world(speed=0.0))


def haptic(data):
    """Values of a haptic packet: both ends take or refuse what is understood, and ticks go on with finite numbers."""
    values = np.frombuffer(data[: len(data) // 8 * 8])
    local, world = haptic_ends()
    for read, take in ((proxy_of, world.hear), (world_of, local.update)):
        with suppress(Rejected):
            take(read(values))
            world.step()
            local.run(0.003, strict=False)
    assert np.isfinite(local.scene.q).all()
    assert np.isfinite(world.world.tool_pose()).all()
    world_of(values)


TARGETS = {
    "yaml": from_file(".yaml", load),
    "mbs": from_file(".mbs", load),
    "urdf": from_file(".urdf", load),
    "xacro": from_file(".xacro", load),
    "mjcf": from_file(".xml", load),
    "sdf": from_file(".sdf", load),
    "formula": formula,
    "csv": from_file(".csv", Run.load),
    "parquet": from_file(".parquet", Run.load),
    "mcap": from_file(".mcap", load_mcap),
    "obj": from_file(".obj", read_looks),
    "stl": from_file(".stl", read_looks),
    "gltf": from_file(".gltf", read_looks),
    "glb": from_file(".glb", read_looks),
    "dae": from_file(".dae", read_looks),
    "udp": udp,
    "serial": serial,
    "cdr": cdr,
    "studio": studio,
    "web": web,
    "unit": unit,
    "command": command,
    "stored": stored,
    "msh": from_file(".msh", read_looks),
    "check": of_any_format(checked),
    "drawn": of_any_format(drawn),
    "haptic": haptic,
    "shared": shared,
    "cache": kept,
}

# Words of each language, for what is put in.
WORDS = {
    "yaml": ["bodies:", "joints:", "R1", "free", "law:", "let:", "values:", "{", "}", "[", "]", "- ", "&a", "*a", "!!"],
    "mbs": ["<joint>", "</joint>", "<point>", "<cuts>", "<solid>", "<!--", "<![CDATA[", "&lt;", "<?x?>", "R2"],
    "urdf": ["<link name='a'/>", "<joint ", "type='fixed'", "type='planar'", "<mimic/>", "<axis xyz='0 1 0'/>"],
    "xacro": [
        "<xacro:arm ",
        "</xacro:macro>",
        "<xacro:include filename='a'/>",
        "${",
        "}",
        "$(arg n)",
        "**",
        "[",
        "l",
        "'a'",
    ],
    "mjcf": [
        "<body>",
        "</body>",
        "<joint type='ball'/>",
        "<geom/>",
        "<include file='a'/>",
        "class='c'",
        "fromto='0 0 0 1 1 1'",
    ],
    "sdf": [
        "<link name='e'/>",
        "<pose>",
        "</pose>",
        "relative_to='f'",
        "<include><uri>a</uri></include>",
        "world",
        "n::d",
    ],
    "formula": [
        "where(",
        "table(",
        "table2(",
        "[0, 1]",
        "**",
        "<",
        "x",
        "t",
        "sqrt(",
        'q("a")',
        "1e400",
        "-",
        "(",
        ")",
    ],
    "csv": ["# symbody run\n", "# meta: ", "# units: ", "# model: ", "t,", '"', ";", "\t", "time [s]", "nan", "1e999"],
    "obj": ["v ", "f ", "1//2", "-1", "1e308", "\n"],
    "stl": ["vertex ", "solid ", "facet", "nan", "\n"],
    "gltf": ['"children": [', '"matrix": [', '"mode": 5', '"byteStride": ', '"uri": "', "../", "null", "-1", "1e308"],
    "glb": ["JSON", "BIN\0", '"count": ', '"byteOffset": ', "-1", "1e308"],
    "dae": ["<node>", "<matrix>", "<p>", "<vcount>", "<polylist>", "<instance_node url='#n'/>", "#p", "1e308", "&lt;"],
    "unit": ["m", "km", "^", "**", "(", ")", "/", "√", "²", "°C", "999", " "],
    "stored": ["\\n", "\\ud800", '"', "bodies: ", "joints: R1", "{", "}", "[", "]"],
    "check": ["\x00", "\x01", "\x04", "bodies:", "R1", "<body>", "</body>", "<joint/>"],
    "drawn": ["\x02", "\x04", "part.obj", "<mesh filename='part.obj'/>", "<geom/>"],
    "command": ["\0", "--set", "k=1", "=", ":", "--json", "check", "simulate", " "],
    "web": ["\r\n", "Host: ", "Origin: ", "socket", "token.", "[::1", "symbody", ","],
    "cache": ['"files"', '"library"', '"a.so"', '"../a.so"', "{", "}", "[", "]", "null", ":", ",", "\n"],
    "studio": ['"do"', '"set"', '"pull"', '"name"', '"value"', "[", "]", "{", "}", "NaN", "1e999", "null", ":", ","],
}
NUMBERS = [
    b"\0" * 4,
    b"\xff" * 4,
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\x01\0\0\0",
    b"\0\x01\0\0",
]


@cache
def words(name):
    """What may be put into inputs of a target."""
    return [word.encode() for word in WORDS.get(name, [])] or NUMBERS


def accepted(name, data):
    """Whether a target took the input; anything but an error of the package comes through."""
    try:
        TARGETS[name](data)
    except SymbodyError as error:
        said = str(error)
    else:
        return True
    assert said.replace("\n", "").replace("\t", "").isprintable(), "it would steer a terminal"
    return False

"""Everything that reads what others wrote, as functions of bytes: each ends, or raises an error of the package."""

import hashlib
import math
import os
import struct
import tempfile
import warnings
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

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
from symbody.model.formula import FUNCTIONS, evaluate_law, names_in
from symbody.realtime.loop_file import Channels, create_memory
from symbody.realtime.loop_layout import SharedBlock
from symbody.realtime.loop_memory import Shared
from symbody.realtime.record_read import load_mcap
from symbody.results.run import Run
from symbody.studio.messages import VERBS
from symbody.visual.mesh_files import read_looks
from symbody.web.verbs import read_message

warnings.simplefilter("ignore", SyntaxWarning)  # of Python, on formulas such as 1or2
warnings.simplefilter("ignore", DroppedWarning)
FOLDER = Path(tempfile.mkdtemp(prefix="symbody-fuzz-"))
TOKEN = b"secret"
CODE = channel_code(["a", "b"])
KINDS = list(MESSAGES.values())
CHANNELS = Channels("m", ["u"], [0.5], ["u"], ["x", "f"], {"x": "m"})  # of a loop
ENTRY = "0123456789" * 4  # of the cache


def from_file(suffix, read):
    """A reader of files; what was read last stays there, should the process die of it."""
    path = FOLDER / f"last-{os.getpid()}{suffix}"

    def target(data):
        path.write_bytes(data)
        return read(path)

    return target


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
    assert line._next_frame().session == 1
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
    root = marked_folder(FOLDER / "cache")
    folder = own_folder(root / ENTRY)
    (folder / "a.so").write_bytes(b"code")
    for manifest in (data, hashlib.sha256(data).hexdigest().encode() + b"\n" + data):
        (folder / MANIFEST).write_bytes(manifest)
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
    "studio": lambda data: read_message(data.decode(errors="replace"), VERBS),
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

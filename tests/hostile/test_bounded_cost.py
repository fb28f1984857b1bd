"""Small files, large cost: each of these took minutes or gigabytes once."""

import io
import struct

import numpy as np
import pytest
from bounded_process import bounded

import symbody as sb
from symbody.errors import ModelError
from symbody.files.read_budget import MODEL, TABLE, ReadBudget
from symbody.model.circuit_check import connected
from symbody.model.circuit_elements import Throttle
from symbody.results.table import MAX_COLUMNS, foreign_columns
from symbody.suggestions import COMPARED, nearest

HEAD = "symbody: 1\nname: x\nbodies: {b: {mass: 1, joints: R1}}\n"
MISSPELT = (
    HEAD + "parameters:\n" + "".join(f"  parameter_{i}: 1\n" for i in range(2000))
    + "signals:\n" + "".join(f"  s{i}: {{law: paramter_{i}}}\n" for i in range(2000))
)  # fmt: skip
JOINTS = f"symbody: 1\nname: x\nbodies: {{b: {{mass: 1, joints: '{'R1 ' * 40_000}'}}}}\n"
VOLUMES = (
    HEAD + "circuits:\n  c:\n    elements:\n      P: {kind: source, pressure: 1}\n"
    + "".join(f"      v{i}: {{kind: volume, size: 1e-3}}\n      t{i}: {{kind: throttle, a: P, b: v{i}, area: 1e-6}}\n"
              for i in range(500))
)  # fmt: skip
MARKS = [chr(k) for k in range(0x2000, 0x2800) if not (chr(k).isalnum() or chr(k).isspace()) and chr(k).isprintable()]
TWINS = "<robot name='x'><link name='base'/>" + "".join(
    f"<link name='l{i}'/><joint name='j{mark}{more}' type='fixed'><parent link='base'/><child link='l{i}'/></joint>"
    for i, (mark, more) in enumerate((mark, more) for more in MARKS[:6] for mark in MARKS)
) + "</robot>"  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("misspelt.yaml", MISSPELT, "at least 99 more problems"),
        ("joints.yaml", JOINTS, "done"),
        ("volumes.yaml", VOLUMES, "done"),
        ("twins.urdf", TWINS, "too many joints"),
    ],
    ids=["misspelt", "joints", "volumes", "twins"],
)
def test_model_files_are_checked_in_linear_time(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_text(text)
    assert says in bounded("", "attempt(lambda: repr(sb.load(sys.argv[1])))", path)


def test_names_that_are_compared_are_few():
    near = nearest("paramter_7", [f"parameter_{k}" for k in range(10 * COMPARED)], 3)
    assert near
    assert all(name.startswith("parameter_") for name in near)
    assert nearest("x" * 100_000, ["y" * 100_000]) == []


def test_nodes_that_elements_join_are_one_group():
    c = sb.Model("x").circuit("c")
    for name in "abcdef":
        c.volume(name, 1e-3)
    for k, (a, b) in enumerate(["ab", "ef", "bc", "ea"]):
        c.throttle(f"t{k}", a, b, area=1e-6)
    assert sorted(map(sorted, connected(c, (Throttle,)))) == [["a", "b", "c", "e", "f"], ["d"]]


# -- tables -----------------------------------------------------------------------------------------------------------

LOAD = "attempt(lambda: repr(sb.Run.load(sys.argv[1])))"


@pytest.mark.parametrize("header", ["t" + " " * 100_000 + "x", " " * 100_000, "t [" + " " * 100_000 + "[s]"])
def test_a_header_of_spaces_is_read_in_linear_time(tmp_path, header):
    path = tmp_path / "spaces.csv"
    path.write_text(f"{header},t,y\n0,0,1\n1,1,2\n")
    assert bounded("", LOAD, path)


def test_names_and_units_of_other_tools():
    headers = ["time (s)", " x [m] ", "y", "z(t)[m/s]", "[m]", "w ()", "a)b", "q (m]"]
    names, units, place = foreign_columns(headers)
    assert names == ["time", "x", "y", "z(t)", "[m]", "w", "a)b", "q"]
    assert units == {"x": "m", "z(t)": "m/s", "q": "m"}
    assert place == 0


def test_many_columns_of_one_name_are_told_in_linear_time(tmp_path):
    path = tmp_path / "twice.csv"
    names = [f"c{k}" for k in range(MAX_COLUMNS - 3)]
    path.write_text(",".join(["t", *names, names[-1]]) + "\n" + ",".join(["0"] * (MAX_COLUMNS - 1)) + "\n")
    assert "two channels have this name" in bounded("", LOAD, path)


@pytest.mark.slow
def test_rows_of_nothing_take_memory_like_their_file(tmp_path):
    """20 MB of commas are 20 million empty cells."""
    path = tmp_path / "commas.csv"
    path.write_text(",".join(["t", *(f"c{k}" for k in range(20_000))]) + "\n" + ("0" + "," * 20_000 + "\n") * 200)
    assert "done" in bounded("", LOAD, path, megabytes=250)


@pytest.mark.parametrize("amounts", [MODEL, TABLE], ids=["model", "table"])
def test_a_budget_is_proportional_to_the_file(amounts):
    for what, amount in amounts.items():
        most = int(amount.free + 1000 * amount.per_byte)
        ReadBudget.of(1000, amounts).spend(what, most)
        with pytest.raises(ModelError, match=r"unpacks to more than|more .* than its size allows"):
            ReadBudget.of(1000, amounts).spend(what, most + 1)


def test_a_file_that_is_read_again_adds_nothing_to_the_budget():
    budget = ReadBudget()
    for name in "aab":
        budget.opened(name, 1000)
    assert budget.size == 2000


# -- Parquet ----------------------------------------------------------------------------------------------------------

ARROW = "import pyarrow.parquet"


def written(path, columns, **how):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table(columns), path, **how)
    return path


@pytest.mark.slow
def test_a_few_bytes_of_repeated_values_are_refused(tmp_path):
    """Run lengths: 30 million rows of the same number."""
    still = np.zeros(30_000_000)
    path = written(tmp_path / "still.parquet", {"t": still, "x": still}, row_group_size=len(still))
    assert path.stat().st_size < 300_000
    assert "unpacks to more than" in bounded(ARROW, LOAD, path)


@pytest.mark.slow
def test_text_and_lists_are_refused_by_the_schema(tmp_path):
    long, path = "x" * 20_000_000, tmp_path / "text.parquet"
    written(path, {"t": [0.0, 1.0], "x": [long, long]})
    assert "a column of type string" in bounded(ARROW, LOAD, path, megabytes=100)
    written(path, {"t": [0.0, 1.0], "x": [np.zeros(4_000_000), np.zeros(4_000_000)]})
    assert "a column of type list" in bounded(ARROW, LOAD, path, megabytes=100)


def zstd(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def test_a_page_that_unpacks_to_much_is_refused_by_its_head(tmp_path):
    """Two rows in the metadata; the page they are on says that it has 400 MB, and it has."""
    path = written(
        tmp_path / "page.parquet", {"t": [0.0, 1.0]}, compression="zstd", use_dictionary=False, write_statistics=False
    )
    from pyarrow import parquet

    whole, column = path.read_bytes(), parquet.ParquetFile(path).metadata.row_group(0).column(0)
    begin, end = column.data_page_offset, column.data_page_offset + column.total_compressed_size
    head = whole[begin:end]
    # type, bytes unpacked, bytes packed: zigzag varints of fields 1, 2 and 3
    assert head[:3] == b"\x15\x00\x15"
    rest = head[3:].lstrip(bytes(range(128, 256)))[1:]  # behind the first number
    assert rest[:1] == b"\x15"
    body = zstd(bytes(400_000_000))
    size = len(head) - head.index(b"\x28\xb5\x2f\xfd")  # where zstd begins
    assert rest[1:].startswith(varint(2 * size))
    behind = rest[1 + len(varint(2 * size)) : -size]
    page = b"\x15\x00\x15" + varint(2 * 400_000_000) + b"\x15" + varint(2 * len(body)) + behind + body
    # the footer follows the pages: its offsets point before them, and its sizes are found and replaced
    footer = whole[end:-8]
    grown = footer.replace(varint(2 * column.total_compressed_size), varint(2 * len(page)))
    path.write_bytes(whole[:begin] + page + grown + struct.pack("<I", len(grown)) + b"PAR1")
    if parquet.ParquetFile(path).metadata.row_group(0).column(0).total_compressed_size != len(page):
        pytest.skip("this pyarrow writes another footer")
    assert "unpacks to more than" in bounded(ARROW, LOAD, path, megabytes=200)


def test_files_of_ours_are_within_their_allowance_however_still_it_is(tmp_path):
    pytest.importorskip("pyarrow")
    names = [f"joint_{k}.q" for k in range(200)]
    run = sb.Run(None, np.arange(20_000) * 1e-3, np.full((20_000, 200), 0.25), names=names)
    found = sb.Run.load(run.save(tmp_path / "still.parquet"))
    np.testing.assert_array_equal(found.values, run.values)


# -- MCAP -------------------------------------------------------------------------------------------------------------

MCAP = "from symbody.realtime.record_read import load_mcap"
READ = "attempt(lambda: repr(load_mcap(sys.argv[1])))"


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def text(word):
    return struct.pack("<I", len(word)) + word


def chunk(data, packer, packed, size=None):
    head = struct.pack("<QQQI", 0, 0, len(data) if size is None else size, 0)
    return record(0x06, head + text(packer) + struct.pack("<Q", len(packed)) + packed)


def recording(*records):
    return b"\x89MCAP0\r\n" + record(0x01, text(b"ros2") + text(b"")) + b"".join(records)


def test_a_small_recording_reserves_little_memory(tmp_path):
    path = tmp_path / "short.mcap"
    path.write_bytes(b"\x89MCAP0\r\n" + bytes(9))
    limit = "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
    assert "no readable message" in bounded(MCAP, limit + READ, path)


@pytest.mark.slow
def test_a_chunk_that_claims_little_and_unpacks_to_gigabytes(tmp_path):
    """The head of the chunk says 1000 bytes, that of its zstd frame 4 GB."""
    path, zeros = tmp_path / "bomb.mcap", io.BytesIO()
    zstandard = pytest.importorskip("zstandard")
    with zstandard.ZstdCompressor().stream_writer(zeros, size=4_000_000_000, closefd=False) as writer:
        for _ in range(400):
            writer.write(bytes(10_000_000))
    path.write_bytes(recording(chunk(b"", b"zstd", zeros.getvalue(), 1000)))
    assert "no readable message" in bounded(MCAP, READ, path)


def test_the_same_with_lz4(tmp_path):
    path, packed = tmp_path / "bomb.mcap", pytest.importorskip("lz4.frame").compress(bytes(500_000_000))
    path.write_bytes(recording(chunk(b"", b"lz4", packed, 1000)))
    assert "no readable message" in bounded(MCAP, READ, path, megabytes=100)


def test_many_chunks_that_each_unpack_to_little_are_bounded_together(tmp_path):
    path, data = tmp_path / "many.mcap", record(0x80, bytes(50_000_000))
    path.write_bytes(recording(*[chunk(data, b"zstd", zstd(data))] * 100))
    assert "unpacks to more than" in bounded(MCAP, READ, path, megabytes=200)


def test_messages_without_content_are_counted_before_they_are_believed(tmp_path):
    path, message = tmp_path / "empty.mcap", record(0x05, bytes(22))
    data = message * 500_000
    path.write_bytes(recording(chunk(data, b"zstd", zstd(data))))
    assert "more records than its size allows" in bounded(MCAP, READ, path)


def joint_state(name):
    """A CDR message: no stamp, one joint of one place."""
    joint = struct.pack("<I", len(name) + 1) + name + b"\0"
    body = bytes(8) + struct.pack("<I", 1) + b"\0" + bytes(3) + struct.pack("<I", 1) + joint
    body += bytes(-len(body) % 4) + struct.pack("<I", 1)
    body += bytes(-len(body) % 8) + struct.pack("<d", 1.0) + bytes(8)
    return b"\x00\x01\x00\x00" + body


def packed_recording(path, data, size=65_000):
    """Chunks of up to 60 MB that unpack to as much as a file of this size may have, and filling up to that size."""
    chunks = [data[k : k + 60_000_000] for k in range(0, len(data), 60_000_000)]
    packed = recording(*[chunk(part, b"zstd", zstd(part)) for part in chunks])
    path.write_bytes(packed + record(0x80, bytes(size - len(packed))))


def message(body):
    return record(0x05, struct.pack("<HIQQ", 0, 0, 0, 0) + body)


JOINTS_OF_OTHERS = record(
    0x03, struct.pack("<H", 1) + text(b"sensor_msgs/msg/JointState") + text(b"ros2msg") + text(b"")
) + record(0x04, struct.pack("<HH", 0, 1) + text(b"/t") + text(b"cdr") + bytes(4))


def many_joints(names):
    """A CDR message of joints without places."""
    body = bytes(8) + struct.pack("<I", 1) + b"\0" + bytes(3) + struct.pack("<I", len(names))
    for name in names:
        body += bytes(-len(body) % 4) + struct.pack("<I", len(name) + 1) + name + b"\0"
    body += bytes(-len(body) % 4) + struct.pack("<I", len(names))
    body += bytes(-len(body) % 8) + bytes(8 * len(names)) + bytes(8)
    return b"\x00\x01\x00\x00" + body


KINDS = [
    "messages",
    "names",
    *(pytest.param(x, marks=pytest.mark.slow) for x in ("broken", "values", "definitions", "nothing")),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_recording_costs_little_time(tmp_path, kind):
    """65 kB that unpack to 55 MB: of messages, of joints with other names each time, of repeated channels …"""
    pieces = {
        "messages": message(joint_state(b"j")),
        "names": message(many_joints([b"a%d" % k for k in range(2000)])) + message(many_joints([b"b"] * 2000)),
        "broken": message(many_joints([b"a%d" % k for k in range(2000)])[:-40])
        + message(many_joints([b"b"] * 2000)[:-40]),
        "values": message(many_joints([b"j%d" % k for k in range(2000)])),
        "definitions": record(0x04, struct.pack("<HH", 0, 1) + text(b"/t") + text(b"cdr") + bytes(4)),
        "nothing": record(0x80, b""),
    }
    data = JOINTS_OF_OTHERS + pieces[kind] * (55_000_000 // len(pieces[kind]))
    path = tmp_path / "bomb.mcap"
    packed_recording(path, data)
    told = bounded(MCAP, READ, path, seconds=6)
    refusals = {"names": "more names than", "broken": "more names than", "values": "2000 channels"}
    assert refusals.get(kind, "more records than its size allows") in told


def channels(count, times):
    schema = record(0x03, struct.pack("<H", 1) + text(b"sensor_msgs/msg/JointState") + text(b"ros2msg") + text(b""))
    made = [schema]
    for k in range(count):
        made.append(record(0x04, struct.pack("<HH", k, 1) + text(b"/t%d" % k) + text(b"cdr") + bytes(4)))
    for k in range(count):
        made.append(record(0x05, struct.pack("<HIQQ", k, 0, times(k), 0) + joint_state(b"j%d" % (k // 2))))
    return recording(*made)


def test_twenty_thousand_channels_are_read_in_linear_time(tmp_path):
    path = tmp_path / "channels.mcap"
    path.write_bytes(channels(20_000, lambda k: 0))
    assert "20000 channels" in bounded(MCAP, READ, path)


def test_a_table_of_all_times_and_all_channels_is_bounded(tmp_path):
    path = tmp_path / "square.mcap"
    path.write_bytes(channels(20_000, lambda k: k))
    assert "unpacks to more than" in bounded(MCAP, READ, path, megabytes=200)


@pytest.mark.slow
def test_many_channels_are_recorded_in_linear_time(tmp_path):
    pytest.importorskip("mcap")
    prepare = "import numpy as np\nfrom symbody.realtime.record import save_mcap\nfrom symbody.results.run import Run"
    code = """
names = [f"s{k}.force.{a}" for k in range(6000) for a in "xyz"]
run = Run(None, np.arange(2.0), np.ones((2, len(names))), names=names)
attempt(lambda: save_mcap(run, sys.argv[1]))
"""
    assert "done" in bounded(prepare, code, tmp_path / "many.mcap")

"""Meshes, results and recordings from grammars of their formats."""

import base64
import io
import json
import struct
import zlib

import numpy as np
from grammar_words import earlier, name, nested, number, numbers, positive
from model_grammars import yaml

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
BUFFER = "data:application/octet-stream;base64," + base64.b64encode(CORNERS).decode()
MAGIC = b"\x89MCAP0\r\n"

# -- meshes ------------------------------------------------------------------------------------------------------------


def obj(rng, shape, n):
    lines = [
        "v 0 0 0",
        "v 1 0 0",
        "v 0 1 0",
        "v 0 0 1",
        *(f"v {numbers(rng)}" for _ in range(n if shape == "wide" else 1)),
    ]
    if shape == "doubling":
        lines.append("f 1 2 3 " + " ".join(rng.choice("1234") for _ in range(n)))
    elif shape == "chained":
        lines += [f"o part{k}\ng part{k}\nf 1/1/1 2//2 -1" for k in range(n)]
    elif shape == "self":
        lines += [f"mtllib model.obj\ncall model.obj {k}\nf 1 2 3" for k in range(n)]
    else:
        lines += [
            f"f 1 {rng.choice('34')} {rng.pick('2', '0', '-1', '1/2/3', number(rng), '9' * 30)}" for _ in range(n)
        ]
    return rng.choice(("\n", "\r\n", "\n\n", " \\\n" if rng.random() < 0.1 else "\n")).join(lines)


def stl(rng, shape, n):
    if rng.random() < 0.5:
        count = rng.pick(n, 0, n + 1, 2**32 - 1, 2**31)
        facets = rng.randbytes(50 * n) if rng.wrong() else (bytes(12) + CORNERS + bytes(2)) * n
        return bytes(80) + struct.pack("<I", count) + facets
    vertex = f"vertex {numbers(rng)}\n"
    facet = f"facet normal {numbers(rng)}\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n{vertex}endloop\nendfacet\n"
    if shape == "deep":
        return "solid x\n" + nested(n, "outer loop\n", "vertex 0 0 0\nvertex 1 0 0\n" + vertex, "endloop\n")
    return "solid x\n" + (facet.replace(" ", " " * n) if shape == "chained" else facet * n) + "endsolid x\n"


def msh(rng, shape, n):
    counts = [n, rng.choice((0, n)), rng.choice((0, n)), n]
    if rng.wrong():
        counts[rng.randrange(4)] = rng.choice((-1, 2**31 - 1, 0, n + 1))
    faces = np.array([rng.randrange(n + rng.wrong()) if n else 0 for _ in range(3 * n)], dtype="<i4")
    many = 3 * counts[0] + 3 * counts[1] + 2 * counts[2]
    rest = np.array([rng.random() for _ in range(many if 0 < many < 10**5 else 9)], dtype="<f4")
    return struct.pack("<4i", *counts) + rest.tobytes() + faces.tobytes()


COLLADA = """<COLLADA><asset><unit meter='{metre}'/></asset><library_geometries><geometry id='g'><mesh>
<source id='s'><float_array>{places}</float_array><technique_common><accessor stride='{stride}'/></technique_common>
</source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
<{kind}><input semantic='VERTEX' source='#v' offset='{offset}'/>{corners}</{kind}></mesh></geometry>
</library_geometries>
<library_nodes>{library}</library_nodes><library_visual_scenes><visual_scene id='x'>{nodes}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url='#x'/></scene></COLLADA>"""


def dae(rng, shape, n):
    shown, library = "<node>{}<instance_geometry url='#g'/></node>", ""
    turn = rng.choice(
        (
            "",
            f"<matrix>{numbers(rng, 16)}</matrix>",
            f"<rotate>{numbers(rng, 4)}</rotate>",
            f"<scale>{numbers(rng)}</scale>",
        )
    )
    nodes = shown.format(turn) * (n if shape == "wide" else 1)
    if shape == "deep":
        nodes = nested(n, "<node>" + turn, shown.format(""), "</node>")
    elif shape in ("doubling", "chained", "self"):
        twice = 2 if shape == "doubling" else 1
        for k in range(n):
            to = k if shape == "self" else k + 1
            below = f"<instance_node url='#n{to}'/>" * twice
            library += f"<node id='n{k}'>{turn}{below}</node>"
        library += f"<node id='n{n}'><instance_geometry url='#g'/></node>"
        nodes = "<node><instance_node url='#n0'/></node>"
    kind = rng.choice(("triangles", "polylist", "polygons", "tristrips", "trifans"))
    corners = f"<p>0 1 2 {' '.join(str(rng.randrange(rng.pick(3, 4))) for _ in range(3 * n))}</p>"
    if kind == "polylist":
        corners += f"<vcount>3 {' '.join(rng.pick('3', '0', '-1', '4') for _ in range(n))}</vcount>"
    elif kind in ("polygons", "tristrips") and shape == "wide":
        corners = "<p>0 1 2</p>" * n
    return COLLADA.format(
        metre=positive(rng), places=f"0 0 0 1 0 0 0 1 {number(rng)}", stride=rng.pick(3, 0, 4, 64), kind=kind,
        offset=rng.pick(0, 1, 64, -1), corners=corners, library=library, nodes=nodes,
    )  # fmt: skip


def gltf_document(rng, shape, n, uri):
    nodes = []
    for k in range(max(n, 1)):
        to = earlier(rng, k, shape)
        node = {"mesh": rng.pick(0, 1, -1)} if rng.random() < 0.9 else {}
        if shape in ("deep", "chained"):
            node["children"] = [k + 1] if k < n - 1 else []
        elif to is not None and shape == "doubling":
            node["children"] = [x for x in (2 * k + 1, 2 * k + 2) if x < n] if not rng.wrong() else [to, to]
        elif to is not None and rng.wrong():
            node["children"] = [to]
        if rng.random() < 0.2:
            key, many = rng.choice((("rotation", 4), ("matrix", 16), ("scale", 3), ("translation", 3)))
            node[key] = [rng.random() for _ in range(rng.pick(many, 3, 4, 0))]
        nodes.append(node)
    count = rng.pick(3, n, 2**31, -1, 10**7, 1.5)
    view = {"buffer": 0, "byteLength": rng.pick(36, 0, 2**40), "byteStride": rng.pick(12, 4, 1, 252, 0)}
    accessor = {"bufferView": 0, "componentType": rng.pick(5126, 5121, 1), "type": "VEC3", "count": count}
    primitives = [{"attributes": {"POSITION": 0}, "mode": rng.choice((4, 4, 5, 6))}] * rng.choice((1, 1, n))
    document = {
        "asset": {"version": rng.pick("2.0", "1.0", 2, None)},
        "buffers": [{} if uri is None else {"uri": uri}] * rng.choice((1, 1, n)),
        "bufferViews": [view] * rng.choice((1, 1, n)), "accessors": [accessor] * rng.choice((1, 1, n)),
        "meshes": [{"primitives": primitives}], "nodes": nodes,
    }  # fmt: skip
    if rng.random() < 0.5:
        document["scenes"] = [{"nodes": [0] * rng.pick(1, 0, n)}]
    text = json.dumps(document)
    return (
        text[:-1] + ', "extras": ' + nested(n, "[", "", "]") + "}" if shape == "deep" and rng.random() < 0.2 else text
    )


def gltf(rng, shape, n):
    other = rng.choice(("model.gltf", "part.obj", "../x", "/etc/hosts", "%2e%2e/x", "data:,x", "data:;base64,*"))
    return gltf_document(rng, shape, n, rng.pick(BUFFER, other))


def glb(rng, shape, n):
    text = gltf_document(rng, shape, n, rng.pick(None, "model.glb")).encode()
    text += b" " * (-len(text) % 4)
    length = rng.pick(len(text), 0, 2**32 - 1, len(text) + 4)
    own = CORNERS * rng.choice((1, 1, n))
    whole = 20 + len(text) + 8 + len(own)
    head = b"glTF" + struct.pack("<II", rng.pick(2, 1), whole) + struct.pack("<I", length) + b"JSON"
    return head + text + struct.pack("<I", len(own)) + b"BIN\0" + own


# -- results -----------------------------------------------------------------------------------------------------------


def json_value(rng, shape, n):
    """JSON: deep, wide, with names that repeat, with numbers and texts at the edges."""
    edge = rng.choice(("1e999", "NaN", "-Infinity", '"\\ud800"', '"\\u0000"', "null", "true", "1" * 400, '""'))
    if shape == "deep":
        return rng.choice((nested(n, "[", edge, "]"), nested(n, '{"a": ', edge, "}"), "[" * n))
    if shape == "wide":
        return f"[{', '.join(number(rng) or '0' for _ in range(n))}]"
    if shape == "chained":
        return "{" + ", ".join(f'"{name(rng, k)}": {edge}' for k in range(n)) + "}"
    return "{" + ", ".join([f'"a": {edge}'] * n) + "}" if shape == "self" else f'"{"ab" * n}"'


def stored(rng, shape, n):
    """The model that a result file stores, as JSON text."""
    made = yaml(rng, shape, n)
    text = json.dumps(made, ensure_ascii=rng.random() < 0.5)
    if rng.wrong():
        at = rng.randrange(1, len(text))
        text = text[:at] + rng.choice(("\\ud800", "\\u0000", '"', "\\", "\\x")) + text[at:]
    return text if not rng.wrong() else json_value(rng, shape, n)


def csv(rng, shape, n):
    columns = n if shape in ("wide", "doubling") else rng.randrange(1, 5)
    rows = max(1, (4 if shape == "wide" else n) if columns * n < 10**5 else 2)
    separator = rng.choice((",", ",", ";", "\t"))
    headers = [
        rng.choice(("t", "time [s]", "t (s)")),
        *(f"{name(rng, k, 'c')}{rng.choice(('', ' [m]', ' (N)'))}" for k in range(columns)),
    ]
    if rng.wrong():
        headers.append(headers[-1])
    lines = []
    if rng.random() < 0.5:
        headers[0], separator = "t", ","
        lines.append("# symbody run")
        for key in rng.sample(("format", "meta", "units", "model", "other"), rng.randrange(4)):
            usual = {"format": "1", "meta": '{"a": [1]}', "units": '{"c0": "m"}', "model": '""'}.get(key, "x")
            lines.append(f"# {key}: {rng.pick(usual, json_value(rng, shape, n))}")
    if rng.wrong():
        headers[-1] = '"' * n
    lines.append(separator.join(headers))
    lines += [separator.join([str(k), *(number(rng) for _ in headers[1:])]) for k in range(rows)]
    return "\n".join(lines) + "\n"


def parquet(rng, shape, n):
    """Columns that are repeated values, of other kinds, of one name, with pages of several kinds of packing."""
    import pyarrow
    from pyarrow import parquet as files

    rows = n * (50 if shape == "doubling" else 1)
    values = np.zeros(rows) if shape == "doubling" else np.arange(float(rows))
    kinds = {"wide": values, "self": values.astype("i8"), "chained": values.astype("f4"), "doubling": values}
    columns = [values, *[kinds.get(shape, values)] * (min(n, 60) if shape == "wide" else 2)]
    names = ["t", *(name(rng, k, "c") for k in range(len(columns) - 1))]
    if rng.wrong():
        columns[1] = pyarrow.array([[x] for x in values]) if rng.random() < 0.5 else pyarrow.array(["x"] * rows)
    notes = {
        f"symbody.{key}": rng.pick('""' if key == "model" else "{}", json_value(rng, shape, min(n, 200)))
        for key in rng.sample(("meta", "units", "model"), rng.randrange(3))
    }
    schema = pyarrow.schema([(x, pyarrow.array(y).type) for x, y in zip(names, columns, strict=True)], metadata=notes)
    out = io.BytesIO()
    files.write_table(
        pyarrow.Table.from_arrays([pyarrow.array(x) for x in columns], schema=schema), out,
        compression=rng.choice(("snappy", "none", "gzip")), use_dictionary=rng.random() < 0.5,
        row_group_size=rng.choice((rows + 1, max(rows // 7, 1))), data_page_version=rng.choice(("1.0", "2.0")),
    )  # fmt: skip
    return out.getvalue()


# -- recordings --------------------------------------------------------------------------------------------------------


def record(opcode, content):
    return bytes([opcode]) + struct.pack("<Q", len(content)) + content


def text(data):
    return struct.pack("<I", len(data)) + data


def joints(names, values=None):
    """A CDR message of joints."""
    body = bytes(8) + struct.pack("<I", 1) + b"\0" + bytes(3) + struct.pack("<I", len(names))
    for one in names:
        body += bytes(-len(body) % 4) + struct.pack("<I", len(one) + 1) + one + b"\0"
    body += bytes(-len(body) % 4) + struct.pack("<I", len(names) if values is None else values)
    return b"\x00\x01\x00\x00" + body + bytes(-len(body) % 8) + bytes(8 * len(names)) + bytes(8)


def zstd(data):
    try:
        from zstandard import ZstdCompressor
    except ImportError:
        return data
    return ZstdCompressor().compress(data)


def chunk(rng, data, depth=0):
    how = rng.choice((b"", b"zstd", rng.pick(b"", b"lz4", b"x")))
    packed = zstd(data) if how == b"zstd" else data
    size, crc = len(data), rng.choice((0, zlib.crc32(data)))
    if rng.wrong():
        size = rng.choice((0, 2**63, 10**9))
    made = record(6, struct.pack("<QQQII", 0, 0, size, crc, len(how)) + how + struct.pack("<Q", len(packed)) + packed)
    return chunk(rng, made, depth - 1) if depth > 0 else made


def mcap(rng, shape, n):
    kind = rng.pick(
        b"sensor_msgs/msg/JointState", b"std_msgs/msg/Float64MultiArray", b"geometry_msgs/msg/WrenchStamped", b"x"
    )
    parts = [record(3, struct.pack("<H", 1) + text(kind) + text(b"ros2msg") + text(b""))]
    few = min(n, 300)
    for k in range(few if shape == "wide" else 2):
        notes = rng.pick(bytes(4), text(text(b"channels") + text(json_value(rng, shape, few).encode(errors="replace"))))
        parts.append(record(4, struct.pack("<HH", k, rng.pick(1, 2)) + text(b"/t%d" % k) + text(b"cdr") + notes))
    for k in range(few):
        names = [b"j%d" % j for j in range(few if shape == "doubling" else k % 3)] if rng.random() < 0.2 else [b"j"]
        names = [b"%d-%d" % (k, j) for j in range(3)] if shape == "chained" else names
        said = joints(names, rng.pick(None, 0, 2**32 - 1, 2**31))
        parts.append(record(5, struct.pack("<HIQQ", k % (few if shape == "wide" else 2), k, k * 10**6, k) + said))
    data = b"".join(parts) * (rng.choice((2, 50)) if shape == "doubling" else 1)
    if shape in ("deep", "self") or rng.random() < 0.3:
        data = chunk(rng, data, min(n, 20) if shape == "deep" else 0) * (2 if shape == "self" else 1)
    return (
        MAGIC
        + record(1, text(b"") + text(b""))
        + data
        + (record(15, bytes(8)) + record(2, bytes(20)) + MAGIC if rng.random() < 0.8 else b"")
    )


FILES = {
    "obj": obj, "stl": stl, "msh": msh, "dae": dae, "gltf": gltf, "glb": glb, "csv": csv, "parquet": parquet,
    "mcap": mcap, "stored": stored,
}  # fmt: skip

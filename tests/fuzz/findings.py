"""Inputs that once were slow or large, or raised a foreign error; every run of the attacks begins with them."""

import io
import json
import random

from model_grammars import XACRO

MOST_JOINTS = 12_000
INCLUDE = "<include file='large.xml'/>"


def xacro(inside):
    return lambda: XACRO.format(inside()).encode()


def _lists(levels):
    """Lists that double, compared at the end."""
    pairs = "".join(
        f"<xacro:property name='{x}{k + 1}' value='${{[{x}{k}, {x}{k}]}}'/>" for k in range(levels) for x in "pq"
    )
    first = "".join(f"<xacro:property name='{x}0' value='${{[1]}}'/>" for x in "pq")
    return f"{first}{pairs}<link name='${{max(p{levels}, q{levels})}}'/>"


def _chain(count):
    links = "".join(f"<xacro:property name='p{k + 1}' value='${{p{k} + 1}}'/>" for k in range(count))
    return f"<xacro:property name='p0' value='0'/>{links}<link name='l${{p{count}}}'/>"


def _macros(levels):
    made = "<xacro:macro name='m0'><link name='x'/></xacro:macro>"
    for k in range(levels):
        made += f"<xacro:macro name='m{k + 1}'><xacro:m{k}/><xacro:m{k}/></xacro:macro>"
    return f"{made}<xacro:m{levels}/>"


def joints(count):
    model = f"symbody: 1\nname: x\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1], joints: '{'R1 ' * count}'}}}}\n"
    return lambda: b"\0" + model.encode()


def sdf(inside):
    return lambda: f"<sdf version='1.7'><model name='m'><link name='l'/>{inside()}</model></sdf>".encode()


def _frames():
    frames = (f"<frame name='f{k}'><pose relative_to='f{k + 1}'>1 0 0 0 0 0</pose></frame>" for k in range(2400))
    return "".join(frames) + "<frame name='f2400'/>"


def _sdf_includes():
    return "".join(f"<include><name>i{k}</name><uri>large.sdf</uri></include>" for k in range(100))


def mjcf_defaults():
    many = " ".join(f"a{k}=''" for k in range(4000))
    classes = "".join(f"<default class='c{k}'><geom b=''/></default>" for k in range(800))
    return f"<mujoco><default><geom {many}/>{classes}</default><worldbody><body/></worldbody></mujoco>".encode()


def mjcf_includes():
    return f"<mujoco><worldbody>{INCLUDE * 100}</worldbody></mujoco>".encode()


def one_mesh_often():
    mesh = "<visual><geometry><mesh filename='large.obj'/></geometry></visual>"
    links = "".join(f"<link name='l{k}'>{mesh}</link>" for k in range(600))
    joint = "<joint name='j{0}' type='fixed'><parent link='l0'/><child link='l{0}'/></joint>"
    return b"\2" + f"<robot name='x'>{links}{''.join(joint.format(k) for k in range(1, 600))}</robot>".encode()


def _twice(k):
    return f"<instance_node url='#n{k}'/>" * 2


def collada():
    """Nodes that double."""
    two = "".join(f"<node id='n{k}'>{_twice(k + 1)}</node>" for k in range(40))
    scene = "<visual_scene id='x'><node><instance_node url='#n0'/></node></visual_scene>"
    nodes = (
        f"<library_nodes>{two}<node id='n40'/></library_nodes><library_visual_scenes>{scene}</library_visual_scenes>"
    )
    return f"<COLLADA>{nodes}<scene><instance_visual_scene url='#x'/></scene></COLLADA>".encode()


def shown_often(rows):
    """Nodes that double, each with a surface of one triangle."""
    from file_grammars import COLLADA

    nodes = "".join(f"<node id='n{k}'><instance_geometry url='#g'/>{_twice(k + 1)}</node>" for k in range(rows))
    shape = {"metre": 1, "places": "0 0 0 1 0 0 0 1 0", "stride": 3, "kind": "triangles", "offset": 0}
    shown = "<node><instance_node url='#n0'/></node>"
    library = f"{nodes}<node id='n{rows}'/>"
    return COLLADA.format(**shape, corners="<p>0 1 2</p>", library=library, nodes=shown).encode()


def many_primitives():
    """Nodes that show a mesh of many surfaces."""
    from file_grammars import BUFFER

    document = {
        "asset": {"version": "2.0"}, "buffers": [{"uri": BUFFER}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}] * 200}], "nodes": [{"mesh": 0}] * 200,
    }  # fmt: skip
    return json.dumps(document).encode()


def replicates():
    """Copies beside many other bodies, and many actuators that refer to none of them."""
    bodies = "<body/>" * 4000 + "<replicate count='1'><body name='a'/></replicate>" * 1000
    motors = "<motor joint='x'/>" * 4000
    return f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>".encode()


def nested_replicates():
    """Twelve copies in copies, each frame with angles: 4096 bodies."""
    body = "<body euler='1 10 10'><joint/><geom type='sphere' size='1'/></body>"
    around = "<replicate count='2' offset='1 0 0' euler='10 1 10'>"
    return f"<mujoco><worldbody>{around * 12}{body}{'</replicate>' * 12}</worldbody></mujoco>".encode()


def replicated_equalities():
    """Copies of many equalities, of which each looked at the names of all."""
    body = (
        "<body name='a'><joint name='j'/><geom size='1'/></body><body name='b'><joint name='i'/><geom size='1'/></body>"
    )
    world = f"<replicate count='6'>{body}</replicate>"
    pairs = "<joint joint1='j' joint2='i'/><joint joint1='j'/><weld body1='a' body2='c'/>" * 700
    return f"<mujoco><worldbody><body name='c'/>{world}</worldbody><equality>{pairs}</equality></mujoco>".encode()


def copied_equalities():
    """64 copies of 210 equalities: 13 440 from 15 kB."""
    body, around = "<body name='a'><joint name='j'/><geom size='1'/></body>", "<replicate count='2'>"
    world = f"{around * 6}{body}{'</replicate>' * 6}"
    pairs = "<joint joint1='j' joint2='j' polycoef='0 1'/>" * 210
    return f"<mujoco><worldbody>{world}</worldbody><equality>{pairs}</equality></mujoco>".encode()


def held_chain():
    """A chain of 40 bodies, each held on the ground: a hundred least-squares steps that do not close it.

    With threads of BLAS that wait busily, 53 bodies took 2 s of processor time.
    """
    rest = "mass: 1, inertia: [1, 1, 1], points: {e: [0.03, 0, 0]}"
    joints, kinds = ("R1", "T3", "R1", "R2"), ("kind: solid", "kind: ball", "kind: rod, length: 1")
    bodies = "".join(
        f"  b{k}: {{on: {f'b{k - 1}.e' if k else 'ground'}, joints: {joints[k % 4]}, {rest}}}\n" for k in range(40)
    )
    cuts = "".join(f"  c{k}: {{{kinds[k % 3]}, between: [b{k}.e, ground]}}\n" for k in range(40))
    return b"\0" + f"symbody: 1\nname: x\nbodies:\n{bodies}cuts:\n{cuts}".encode()


def loops_of_a_chain():
    """A chain of 120 bodies, each held by another that is 60 bodies away."""
    rest = "mass: 1, inertia: [1, 1, 1], joints: R1, points: {e: [0, 0, 1]}"
    bodies = "".join(f"  b{k}: {{on: {f'b{k - 1}' if k else 'ground'}, {rest}}}\n" for k in range(120))
    cuts = "".join(f"  c{k}: {{kind: ball, between: [b{k}.e, b{max(k - 60, 0)}.e]}}\n" for k in range(1, 120))
    return b"\0" + f"symbody: 1\nname: x\nbodies:\n{bodies}cuts:\n{cuts}".encode()


def parquet():
    """Repeated zeros: a small file with much in it."""
    import numpy as np
    import pyarrow
    from pyarrow import parquet as files

    zeros, out = np.zeros(400_000), io.BytesIO()
    files.write_table(pyarrow.table({"t": zeros} | {f"c{k}": zeros for k in range(40)}), out)
    return out.getvalue()


def text(what):
    return lambda: what.encode()


def welded_far_away():
    """A body whose inertia overflows when it is added to that of its carrier."""
    return text(
        "symbody: 1\nname: x\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], joints: R1, points: {p: [1e200, 0, 0]}}\n"
        "  b: {mass: 1e10, inertia: [-1, 1, 1], on: a.p}\n"
    )()


def far_mass():
    """A body whose moment of inertia about its joint overflows."""
    body = "{mass: 1e200, com: [1e200, 0, 0], inertia: [1, 1, 1], joints: R2}"
    return b"\0" + f"symbody: 1\nname: x\nbodies: {{b: {body}}}\n".encode()


def own_library():
    """An OBJ file that names itself as its library of materials, again and again."""
    return b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"".join(
        b"mtllib model.obj\ncall model.obj %d\nf 1 2 3\n" % k for k in range(5000)
    )


def polygon_of_few_points():
    """A face that has many corners but few points, so that almost no corner can be cut off."""
    rng = random.Random(1)
    return ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf " + " ".join(rng.choices("1234", k=2000))).encode()


FINDINGS = {
    "obj": [polygon_of_few_points, own_library, text("v 0 0 0\nmtllib a\0b.mtl\nusemtl red\n")],
    "yaml": [welded_far_away],
    "xacro": [
        xacro(lambda: "<link name='${round(1, -20000000)}'/>"),
        xacro(lambda: _lists(28)),
        xacro(lambda: _lists(30)),
        xacro(lambda: "<link name='${3**500000 + 7**165000}'/>"),
        xacro(lambda: "<link name=\"${('a'*10000).replace('a', 'b'*10000)}\"/>"),
        xacro(lambda: "<link name='${2**100000}'/>"),
        xacro(lambda: _chain(3000)),
        xacro(lambda: _macros(20)),
        xacro(lambda: f"<b a='{'${' * 5000}'/>" * 20),
    ],
    "check": [joints(1000), joints(MOST_JOINTS), far_mass, loops_of_a_chain, held_chain],
    "sdf": [sdf(_frames), sdf(_sdf_includes)],
    "mjcf": [mjcf_defaults, mjcf_includes, replicates, nested_replicates, replicated_equalities, copied_equalities],
    "drawn": [one_mesh_often],
    "dae": [collada, lambda: shown_often(40)],
    "gltf": [many_primitives],
    "parquet": [parquet],
    "serial": [lambda: bytes(100_000)],
    "web": [text("GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n\r\n")],
    "unit": [text("km^999999999"), text("m/mm^999"), text("(km^100)^100")],
    "stored": [text('"symbody: 1\\nname: \\ud800\\n"')],
    "command": [
        text(f"simulate\0four-bar\0--set\0k=1{' ' * 2000}x\ny"),
        text("simulate\0four-bar" + "\0--json" * 7000),
    ],
}


def findings(name):
    """The findings of a surface, made when they are needed."""
    return FINDINGS.get(name, [])

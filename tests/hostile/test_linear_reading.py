"""Twice the file, twice the work: calls of functions are counted, not seconds."""

import gc
import struct
import sys
from functools import partial

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.system.mass_condition import MOST_CHECKED, mass_warnings
from symbody.visual.file_looks import file_looks
from symbody.visual.mesh_files import read_looks
from symbody.visual.shapes import scene

GROWTH = 2.3  # for twice the input; quadratic work would be 4
pytestmark = pytest.mark.filterwarnings("ignore")


def operations(action):
    """Calls of functions, in Python and in C, during an action; also of one that raises ModelError."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    gc.collect()
    sys.setprofile(counted)
    try:
        action()
    except ModelError:
        pass
    finally:
        sys.setprofile(None)
    return count


def yaml(n):
    bodies = "".join(f"  b{k}: {{joints: R1, mass: 1, inertia: [1, 1, 1]}}\n" for k in range(n))
    return f"symbody: 1\nname: x\nbodies:\n{bodies}"


def urdf(n):
    link = "<link name='l{k}'><inertial><mass value='1'/></inertial></link>"
    joint = "<joint name='j{k}' type='continuous'><parent link='l{p}'/><child link='l{k}'/></joint>"
    parts = "".join(link.format(k=k) + (joint.format(k=k, p=k - 1) if k else "") for k in range(n))
    return f"<robot name='x'>{parts}</robot>"


def xacro(n):
    chain = "".join(f"<xacro:property name='p{k + 1}' value='${{p{k} + 1}}'/>" for k in range(n))
    links = f"<xacro:property name='p0' value='0'/>{chain}<link name='l${{p{n}}}'/>"
    return f"<robot name='x' xmlns:xacro='http://www.ros.org/wiki/xacro'>{links}</robot>"


def sdf_frames(n):
    """Each frame is relative to the next one."""
    frames = "".join(f"<frame name='f{k}'><pose relative_to='f{k + 1}'>1 0 0 0 0 0</pose></frame>" for k in range(n))
    return f"<sdf version='1.7'><model name='m'><link name='l'/>{frames}<frame name='f{n}'/></model></sdf>"


def sdf_includes(n):
    parts = "".join(f"<include><name>m{k}</name><uri>part.sdf</uri></include>" for k in range(n))
    return f"<sdf version='1.7'><model name='m'><link name='l'/>{parts}</model></sdf>"


def mjcf(n):
    geom = "<body><joint/><geom size='1'/></body>"
    return f"<mujoco><worldbody>{geom * n}</worldbody></mujoco>"


def mjcf_defaults(n):
    classes = "".join(f"<default class='c{k}'><geom size='1'/></default>" for k in range(n))
    named = "".join(f"<body><geom class='c{k}'/></body>" for k in range(n))
    return f"<mujoco><default>{classes}</default><worldbody>{named}</worldbody></mujoco>"


def mjcf_tendons(n):
    bodies = "".join(f"<body><joint/><geom size='1'/><site name='s{k}'/></body>" for k in range(n))
    tendons = "".join(f"<spatial><site site='s{k}'/><site site='s0'/></spatial>" for k in range(n))
    return f"<mujoco><worldbody>{bodies}</worldbody><tendon>{tendons}</tendon></mujoco>"


def mjcf_includes(n):
    parts = "<include file='part.xml'/>" * n
    return f"<mujoco><worldbody>{parts}</worldbody></mujoco>"


PARTS = {
    "part.sdf": "<sdf version='1.7'><model name='p'><link name='l'/></model></sdf>",
    "part.xml": "<mujoco><body><joint/><geom size='1'/></body></mujoco>",
}


@pytest.mark.parametrize(
    ("kind", "text", "count"),
    [
        (".yaml", yaml, 50),
        (".urdf", urdf, 50),
        (".xacro", xacro, 100),
        (".sdf", sdf_frames, 200),
        (".sdf", sdf_includes, 40),
        (".xml", mjcf, 40),
        (".xml", mjcf_defaults, 40),
        (".xml", mjcf_includes, 40),
        (".xml", mjcf_tendons, 150),
    ],
    ids=[
        "yaml",
        "urdf",
        "xacro",
        "sdf frames",
        "sdf includes",
        "mjcf",
        "mjcf defaults",
        "mjcf includes",
        "mjcf tendons",
    ],
)
def test_model_files_are_read_in_linear_time(tmp_path, kind, text, count):
    for name, part in PARTS.items():
        (tmp_path / name).write_text(part)
    counts = []
    for n in (count, count, 2 * count):  # the first one imports
        path = tmp_path / f"model{kind}"
        path.write_text(text(n))
        counts.append(operations(partial(sb.load, path)))
    assert counts[2] < GROWTH * counts[1]


def obj(n):
    return ("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * n).encode()


def stl(n):
    return bytes(80) + struct.pack("<I", n) + n * struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)


def dae(n):
    nodes = "<node><instance_geometry url='#g'/></node>" * n
    return COLLADA.format(library="", nodes=nodes).encode()


def gltf(n):
    return GLTF % (b",".join([b'{"mesh":0}'] * n))


COLLADA = """<COLLADA><library_geometries><geometry id='g'><mesh>
<source id='s'><float_array>0 0 0 1 0 0 0 1 0</float_array>
</source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries>
<library_nodes>{library}</library_nodes><library_visual_scenes><visual_scene id='x'>{nodes}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url='#x'/></scene></COLLADA>"""
GLTF = b"""{"asset":{"version":"2.0"},
"buffers":[{"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[%s]}"""


@pytest.mark.parametrize(("kind", "data"), [("obj", obj), ("stl", stl), ("dae", dae), ("gltf", gltf)])
def test_meshes_are_read_in_linear_time(tmp_path, kind, data):
    counts = []
    for n in (40, 40, 80):
        path = tmp_path / f"mesh.{kind}"
        path.write_bytes(data(n))
        assert len(read_looks(path)[0].mesh.triangles) == n
        counts.append(operations(partial(read_looks, path)))
    assert counts[2] < GROWTH * counts[1]


@pytest.mark.parametrize("kind", ["csv", "parquet", "mcap"])
def test_results_are_read_in_linear_time(tmp_path, kind):
    pytest.importorskip("mcap" if kind == "mcap" else "pyarrow")
    from symbody.realtime.record import save_mcap
    from symbody.realtime.record_read import load_mcap

    counts = []
    for n in (500, 500, 1000):
        run = sb.Run(None, np.arange(float(n)), np.ones((n, 2)), names=["a.q", "b.q"])
        path = tmp_path / f"run.{kind}"
        save_mcap(run, path) if kind == "mcap" else run.save(path)
        counts.append(operations(partial(load_mcap if kind == "mcap" else sb.Run.load, path)))
    assert counts[2] < GROWTH * counts[1]


# -- much from little --------------------------------------------------------------------------------------------------


def test_collada_nodes_that_double_are_refused(tmp_path):
    two = "<instance_node url='#n{k}'/>" * 2
    twice = "".join(f"<node id='n{k}'>{two.format(k=k + 1)}</node>" for k in range(40))
    path = tmp_path / "mesh.dae"
    path.write_text(COLLADA.format(library=f"{twice}<node id='n40'/>", nodes="<node><instance_node url='#n0'/></node>"))
    with pytest.raises(ModelError, match="more elements than its size allows"):
        read_looks(path)


def test_small_surfaces_that_are_shown_often_are_refused(tmp_path):
    shown = "<instance_geometry url='#g'/>" + "<instance_node url='#n{k}'/>" * 2
    twice = "".join(f"<node id='n{k}'>{shown.format(k=k + 1)}</node>" for k in range(40))
    path = tmp_path / "mesh.dae"
    path.write_text(COLLADA.format(library=f"{twice}<node id='n40'/>", nodes="<node><instance_node url='#n0'/></node>"))
    with pytest.raises(ModelError, match="more steps than its size allows"):
        read_looks(path)
    surfaces = b",".join([b'{"attributes":{"POSITION":0}}'] * 150)
    path = tmp_path / "mesh.gltf"
    path.write_bytes(gltf(150).replace(b'{"attributes":{"POSITION":0}}', surfaces))
    with pytest.raises(ModelError, match="more steps than its size allows"):
        read_looks(path)


def test_copies_beside_many_elements_are_refused(tmp_path):
    path, copied = tmp_path / "model.xml", "<replicate count='1'><body name='a'/></replicate>" * 300
    for bodies, motors in (("<body/>" * 8000, ""), ("", "<motor joint='x'/>" * 2000)):
        path.write_text(f"<mujoco><worldbody>{bodies}{copied}</worldbody><actuator>{motors}</actuator></mujoco>")
        with pytest.raises(ModelError, match="more steps than its size allows"):
            sb.load(path)


@pytest.mark.parametrize(("kind", "part"), [(".xml", "<mujoco>" + "<body/>" * 15_000 + "</mujoco>"),
                                            (".sdf", "<sdf><model>" + "<x/>" * 25_000 + "</model></sdf>")])  # fmt: skip
def test_a_file_that_is_included_many_times_is_refused(tmp_path, kind, part):
    (tmp_path / f"part{kind}").write_text(part)
    path = tmp_path / f"model{kind}"
    path.write_text(mjcf_includes(90) if kind == ".xml" else sdf_includes(90))
    with pytest.raises(ModelError, match="more elements than its size allows"):
        sb.load(path)


def test_files_that_include_each_other_many_times_are_refused(tmp_path):
    for k in range(12):
        two = f"<include file='{k + 1}.xml'/>" * 2
        (tmp_path / f"{k}.xml").write_text(f"<mujoco>{two}</mujoco>")
    (tmp_path / "12.xml").write_text("<mujoco/>")
    with pytest.raises(ModelError, match="more files than its size allows"):
        sb.load(tmp_path / "0.xml")


def test_default_classes_that_inherit_much_are_refused(tmp_path):
    many = " ".join(f"a{k}=''" for k in range(3000))
    classes = "".join(f"<default class='c{k}'><geom b=''/></default>" for k in range(900))
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco><default><geom {many}/>{classes}</default><worldbody><body/></worldbody></mujoco>")
    with pytest.raises(ModelError, match="unpacks to more than"):
        sb.load(path)


def test_defaults_that_many_elements_take_are_refused(tmp_path):
    many = " ".join(f"a{k}=''" for k in range(3000))
    path = tmp_path / "model.xml"
    path.write_text(
        f"<mujoco><default><geom {many}/></default><worldbody>{'<geom/>' * 3000}<body/></worldbody></mujoco>"
    )
    with pytest.raises(ModelError, match="more steps than its size allows"):
        sb.load(path)


def test_a_mesh_that_many_links_show_is_read_once_and_kept_once(tmp_path):
    (tmp_path / "part.obj").write_bytes(obj(100))
    mesh = "<visual><geometry><mesh filename='part.obj'/></geometry></visual><inertial><mass value='1'/></inertial>"
    links = "".join(f"<link name='l{k}'>{mesh}</link>" for k in range(50))
    joints = "".join(
        f"<joint name='j{k}' type='continuous'><parent link='l0'/><child link='l{k}'/></joint>" for k in range(1, 50)
    )
    path = tmp_path / "robot.urdf"
    path.write_text(f"<robot name='x'>{links}{joints}</robot>")
    model = sb.load(path)
    looks = [look for of_body in file_looks(model).values() for look in of_body]
    assert len(looks) == 50
    assert len({id(look.mesh) for look in looks}) == 1
    assert sum(key.startswith("look ") for key in scene(model, looks=file_looks(model)).meshes) == 1


def test_a_thousand_joints_are_checked_without_their_mass_matrix(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text(
        f"symbody: 1\nname: x\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1], joints: '{'R1 ' * (MOST_CHECKED + 1)}'}}}}\n"
    )
    model = sb.load(path)
    assert operations(lambda: mass_warnings(model)) < 20 * model.nv
    assert "251 degrees of freedom is not checked" in mass_warnings(model)[0]


def test_a_hundred_loops_of_a_long_chain_are_not_closed_by_a_check():
    model = sb.Model("knot")
    on = model.ground
    for k in range(100):
        on = model.body(f"b{k}", on, [sb.Joint(f"j{k}", "R1")], mass=1.0, inertia=(1.0, 1.0, 1.0))
        model.cut(f"c{k}", "ball", on.point("end", (0.0, 0.0, 1.0)), model.ground.point(f"p{k}", (0.0, 0.0, 1.0 + k)))
    assert operations(lambda: mass_warnings(model)) < 20 * model.nv
    assert "300 equations of loops for 100 degrees of freedom" in mass_warnings(model)[0]

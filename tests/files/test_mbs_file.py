"""The .mbs format: what we use is read right, what we do not use survives, what cannot be said is refused.

Tests of mbs_tags.py, mbs_update.py.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import symbody
from symbody.errors import ModelError
from symbody.files import load, save
from symbody.files.mbs_file import write_mbs
from symbody.files.safe_xml import parse_xml, xml_text
from symbody.model import Formula, Joint, Model

MODELS = Path(symbody.__file__).parent / "machines" / "textbook"
SAMPLE = MODELS / "double_wishbone.mbs"
SHARED = Path(__file__).parents[3] / "shared" / "robotran"
FILES = [SAMPLE, *(SHARED / f"{name}.mbs" for name in ("suspension", "coman", "coman_skywalker"))]


def canonical(path: Path) -> str:
    return ET.canonicalize(from_file=str(path), with_comments=True)


def present(path: Path) -> Path:
    return path if path.exists() else pytest.skip(f"{path.name} is not here")


def test_the_sample_says_what_it_says():
    m = load(SAMPLE)
    assert m.name == "double-wishbone"
    assert m.gravity == (0.0, 0.0, -9.81)
    assert m.coordinates == ["heave", "lower", "upper", "steer", "caster", "camber", "spin", "rack"]
    assert m.bodies["chassis"].joints == [Joint("heave", "T3", q0=(0.3,))]
    natures = {name: m.bodies[name].joints[0].nature for name in ("upper_arm", "wheel", "rack")}
    assert natures == {"upper_arm": "dependent", "wheel": "locked", "rack": "locked"}
    assert m.bodies["knuckle"].inertia == (0.082, 0.075, 0.025, 0.0, 1e-3, 0.0)
    assert m.bodies["knuckle"].on == "lower_arm.tip"
    assert m.ground["patch"].position == (0.0, 0.76, 0.0)
    assert (m.cuts["upper_ball"].kind, m.cuts["upper_ball"].a) == ("ball", "knuckle.top")
    assert (m.cuts["tie_rod"].kind, m.cuts["tie_rod"].length) == ("rod", 0.3402)
    assert m.links["strut"].b == "lower_arm.seat"
    assert m.force_sites["tyre"].point == "wheel.origin"
    assert m.sensors["wheel_centre"].quantities == ("position", "velocity", "omega", "acceleration", "jacobian")


def test_the_sample_closes_its_loop_at_the_start():
    m = load(SAMPLE)
    assert all(joint.q0 == (0.0,) for joint in m.joints() if joint.type.startswith("R"))
    lower = [m[path].position for path in ("chassis.lower_pivot", "lower_arm.tip", "knuckle.top")]
    upper = [m[path].position for path in ("chassis.upper_pivot", "upper_arm.tip")]
    assert [sum(c) for c in zip(*lower, strict=True)] == pytest.approx([sum(c) for c in zip(*upper, strict=True)])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_did_not_change_is_written_as_it_stood(tmp_path, path):
    m = load(present(path))
    save(m, tmp_path / "copy.mbs")
    assert canonical(tmp_path / "copy.mbs") == canonical(path)
    assert (tmp_path / "copy.mbs").read_bytes() == path.read_bytes()
    assert load(tmp_path / "copy.mbs") == m


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_fresh_file_holds_the_same_model(tmp_path, path):
    m = load(present(path))
    m.source = None
    save(m, tmp_path / "fresh.mbs")
    again = load(tmp_path / "fresh.mbs")
    assert again == m
    assert again.coordinates == m.coordinates


def test_changes_are_written_and_the_rest_survives(tmp_path):
    m = load(SAMPLE)
    m.name = "changed"
    m.bodies["wheel"].mass = 17.5
    m.bodies["chassis"].com = (0.0, 0.1, 0.0)
    m.bodies["lower_arm"].joints[0].v0 = (0.25,)
    m.bodies["upper_arm"].joints[0].nature = "driven"
    del m.bodies["lower_arm"].points["seat"]
    m.bodies["lower_arm"].point("mid", (0, 0.2, 0))
    del m.links["strut"]
    m.link("spring", "chassis.strut_top", "lower_arm.mid")
    m.cut("bar", "rod", "chassis.strut_top", "wheel", length=0.7)
    m.cuts["upper_ball"].kind, m.cuts["upper_ball"].axis = "planar-ball", 1
    m.body("brake", "wheel", "R2", 2.0)
    m.force_site("squeeze", "brake")
    m.sensors["wheel_centre"].quantities = ("position",)
    save(m, tmp_path / "changed.mbs")
    again = load(tmp_path / "changed.mbs")
    assert again == m
    assert list(again.bodies) == list(m.bodies)
    text = (tmp_path / "changed.mbs").read_text()
    for kept in ("<radius>0.3</radius>", "<value>34000.0</value>", "<actuated />", "8.2E-2", "<!-- the road -->"):
        assert kept in text
    assert "seat" not in text
    document = parse_xml(text.encode())
    ET.indent(document.root)
    assert xml_text(document) == text  # what is new is indented like the rest


def test_bodies_may_be_reordered_and_renamed(tmp_path):
    m = load(SAMPLE)
    order = ["chassis", "rack", "upper_arm", "lower_arm", "knuckle", "wheel"]
    m.bodies = {name: m.bodies[name] for name in order}
    m.sensors.clear()
    save(m, tmp_path / "order.mbs")
    again = load(tmp_path / "order.mbs")
    assert list(again.bodies) == order
    assert again == m


def mbs(body: str = "", more: str = "") -> str:
    return (
        "<mbsDescR7><mbsname>m</mbsname><base/><bodytree><body><bodyname>b</bodyname><parent><bodyname>base</bodyname>"
        f"</parent><joint><jointname>j</jointname><type>R1</type><nature>forced</nature></joint>{body}</body></bodytree>"
        f"{more}</mbsDescR7>"
    )


def cut(tag: str, inside: str = "") -> str:
    ends = "".join(f"<endpoint{i}><bodyname>{b}</bodyname></endpoint{i}>" for i, b in ((1, "b"), (2, "base")))
    return f"<cuts><{tag}><name>c</name>{ends}{inside}</{tag}></cuts>"


def test_older_encodings_are_saved_as_utf8(tmp_path):
    path = tmp_path / "old.mbs"
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\r\n<!-- essieu arrière -->\r\n'
    path.write_bytes((head + mbs("<!-- à gauche -->\r\n")).encode("iso-8859-1"))
    save(load(path), tmp_path / "new.mbs")
    text = (tmp_path / "new.mbs").read_bytes().decode("utf-8")
    assert text.startswith(head.replace("ISO-8859-1", "UTF-8"))
    assert "<!-- à gauche -->\r\n" in text
    assert load(tmp_path / "new.mbs") == load(path)


def test_spellings_and_omissions(tmp_path):
    path = tmp_path / "m.mbs"
    path.write_text(mbs(more=cut("solid", "<ignore><y/></ignore>")))
    m = load(path)
    assert m.bodies["b"].joints[0].nature == "driven"
    assert m.bodies["b"].on == "ground.origin"
    assert m.bodies["b"].mass == 0.0
    assert m.gravity == (0.0, 0.0, 0.0)
    assert (m.cuts["c"].kind, m.cuts["c"].axis) == ("planar-solid", 2)
    save(m, tmp_path / "again.mbs")
    assert canonical(tmp_path / "again.mbs") == canonical(path)


@pytest.mark.parametrize(
    ("text", "element", "says"),
    [
        ("<robot/>", "", "root element"),
        (mbs("<mass>1,5</mass>"), "bodies.b.mass", "not a number"),
        (mbs("<mass>NaN</mass>"), "bodies.b.mass", "not a number"),
        (mbs("<mass>1e999</mass>"), "bodies.b.mass", "not finite"),
        (mbs("<point/>"), "bodies.b.points", "no <pointname>"),
        (mbs("<point><pointname>p</pointname></point>" * 2), "bodies.b.points.p", "already has this name"),
        (mbs("<point><pointname>p</pointname><sensor/></point>"), "bodies.b.points.p", "no name"),
        (mbs(more=cut("rod")), "cuts.c.length", "rod's length is 0"),
        (mbs(more=cut("weld")), "cuts.c", "unknown kind"),
        (mbs(more=cut("ball", "<ignore><x/><y/></ignore>")), "cuts.c", "several axes"),
        (mbs(more="<cuts><ball><name>c</name></ball></cuts>"), "cuts.c", "endpoint1"),
        (mbs(more="<links><link3D/></links>"), "links", "link3D"),
        (mbs().replace("<bodyname>base", "<bodyname>floor"), "bodies.b.on", "unknown point"),
        (mbs().replace("R1", "R9"), "bodies.b.joints.j", "R9"),
        (mbs().replace("<bodyname>b<", "<bodyname>base<"), "bodies.base", "rename|named"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, element, says):
    path = tmp_path / "wrong.mbs"
    path.write_text(text)
    with pytest.raises(ModelError, match=says) as caught:
        load(path)
    assert caught.value.element == element
    assert caught.value.file == str(path)
    assert caught.value.cure


def test_formulas_are_written_as_their_values(tmp_path):
    m = load(MODELS / "double_pendulum.yaml")
    save(m, tmp_path / "values.mbs")
    again = load(tmp_path / "values.mbs")
    assert again.bodies["upper"].com == (0.0, 0.0, -0.25)
    assert m.bodies["upper"].com[2] == Formula("-L1/2")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda m: m.body("top", joints="free"),
        lambda m: m.bodies["arm"].point("p", (0, 0, 0), (0, 1, 0)),
        lambda m: m.cut("hinge", "revolute", "arm", "ground"),
        lambda m: m.body("base"),
    ],
)
def test_what_the_format_cannot_say(tmp_path, spoil):
    m = Model("m")
    m.body("arm", joints="R1", mass=1.0)
    spoil(m)
    with pytest.raises(ModelError) as caught:
        save(m, tmp_path / "m.mbs")
    assert "save the model as .yaml" in caught.value.cure
    assert caught.value.file == str(tmp_path / "m.mbs")
    assert list(tmp_path.iterdir()) == []


def test_laws_are_not_lost_silently(tmp_path):
    m = load(SAMPLE)
    m.links["strut"](lambda length, rate, p: length)
    with pytest.raises(ModelError, match="do not support laws") as caught:
        save(m, tmp_path / "m.mbs")
    assert caught.value.element == "links.strut"
    assert "save the model as .yaml" in caught.value.cure
    assert list(tmp_path.iterdir()) == []
    write_mbs(m, tmp_path / "m.mbs", laws="drop")
    assert load(tmp_path / "m.mbs").links["strut"].law is None

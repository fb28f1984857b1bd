# ruff: noqa: E501  lines of XML
"""A folder of models examined: what agrees, what is refused and why, and that nothing ends the run.

Tests of validate/corpus.py, corpus_model.py, corpus_pinocchio.py, corpus_mujoco.py,
corpus_fields.py, corpus_drake.py.
"""

import json
import os
import re
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.cli import main
from symbody.errors import DroppedWarning, ModelError
from symbody.files.mjcf_document import read_document
from symbody.files.mjcf_file import read_parts
from symbody_bench.validate.corpus import (
    by_folder,
    disagreements,
    kept_records,
    models_in,
    run_corpus,
    verdict,
    write_table,
)
from symbody_bench.validate.corpus_drake import drake_error
from symbody_bench.validate.corpus_fields import (
    ABSENT,
    COMPARED,
    FOLLOWS,
    WITH,
    field_differences,
    keyframe_differences,
)
from symbody_bench.validate.corpus_model import examine
from symbody_bench.validate.corpus_mujoco import mujoco_error, mujoco_model
from symbody_bench.validate.corpus_pinocchio import pinocchio_error, relative

OWN = Path(os.environ.get("SYMBODY_CORPUS") or Path(__file__).resolve().parents[3] / "shared" / "robotran")
INERTIA = 'ixx="0.1" iyy="0.2" izz="0.3" ixy="0.01" ixz="0.02" iyz="0.03"'
LINK = f'<link name="{{}}"><inertial><mass value="1"/><inertia {INERTIA}/></inertial></link>'
JOINT = (
    '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0.1 0.2" rpy="0.1 0 0"/>'
    '<axis xyz="1 0.2 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{4}</joint>'
)


def robot(*joints):
    links = dict.fromkeys(name for joint in joints for name in joint[1:3])
    made = [JOINT.format(*joint, *[""] * (5 - len(joint))) for joint in joints]
    return f'<robot name="r">{"".join([*map(LINK.format, links), *made])}</robot>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    follows = '<mimic joint="k" multiplier="-2"/>'
    arm = robot(("j", "a", "b", "revolute"), ("k", "b", "c", "continuous"), ("l", "c", "d", "revolute", follows))
    (tmp_path / "arm.urdf").write_text(arm)
    (tmp_path / "below" / "broken.urdf").write_text("<robot")
    (tmp_path / "plane.urdf").write_text(robot(("j", "a", "b", "planar"), ("k", "b", "c", "revolute")))
    sb.save(sb.load(tmp_path / "arm.urdf", mimic="ignore"), tmp_path / "copy.yaml")  # of no kind that is looked for
    return tmp_path


def examined(path, compare_only=False, **options):
    told = []
    return examine(path, options, lambda found: told.append(found.stage), compare_only), told


def test_a_sound_model_passes_every_stage(folder):
    pytest.importorskip("pinocchio")
    found, stages = examined(folder / "arm.urdf")
    assert stages == ["load", "compile", "Pinocchio", "simulate", "done"]
    assert (found.joints, found.freedoms, found.loops, found.reasons) == (3, 3, 1, [])
    assert found.pinocchio < 1e-12
    assert found.drift < 1e-6
    assert found.first_s > 0.0


def test_a_model_that_is_read_wrongly_is_seen(folder):
    """The comparison is with Pinocchio's own reading of the file, not with ours handed on."""
    pytest.importorskip("pinocchio")
    model = sb.load(folder / "arm.urdf")
    assert pinocchio_error(model, folder / "arm.urdf", {}) < 1e-12
    model.bodies["c"].com = (0.0, 0.0, 1e-3)
    assert pinocchio_error(model, folder / "arm.urdf", {}) > 1e-5
    assert relative(np.array([np.nan]), np.ones(1)) == np.inf


def test_what_is_refused_says_where_and_why(folder):
    found, _ = examined(folder / "below" / "broken.urdf")
    assert found.joints is None
    assert len(found.reasons) == 1
    assert found.reasons[0].startswith("load: ")
    assert "not well-formed" in found.reasons[0]


def test_what_cannot_be_compared_is_still_simulated(folder):
    pytest.importorskip("pinocchio")
    found, _ = examined(folder / "plane.urdf")
    assert found.pinocchio is None
    assert found.reasons[0].startswith("Pinocchio: it has other joints")
    assert found.drift is not None


def test_models_are_found_by_their_suffix_and_chosen_by_words(folder):
    assert [path.name for path in models_in(folder)] == ["arm.urdf", "broken.urdf", "plane.urdf"]
    assert [path.name for path in models_in(folder, ["BELOW", "plane"])] == ["broken.urdf", "plane.urdf"]
    with pytest.raises(ModelError, match="no model was found"):
        models_in(folder, ["nothing"])
    with pytest.raises(ModelError, match="no such folder"):
        models_in(folder / "none")


def test_a_difference_is_a_failure_and_a_refusal_is_not():
    records = [{"model": "a", "pinocchio": 1e-12, "printed": None}, {"model": "b", "pinocchio": None, "printed": 1e-3}]
    assert disagreements(records) == ["b: printed 0.001"]
    assert disagreements([{"model": "c", "pinocchio": float("nan"), "printed": None}]) == ["c: pinocchio nan"]


SDF = """<sdf version="1.7"><model name="m"><link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
</inertial></link><link name="b"><pose>0 0 1 0.1 0 0</pose><inertial><pose>0 0 0.1 0 0 0.3</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>
<izz>0.25</izz></inertia></inertial></link><joint name="w" type="fixed"><parent>world</parent><child>a</child></joint><joint name="j" type="revolute">
<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"""
ARM = """<mujoco><compiler angle="radian"/><option density="1.2"/><worldbody><body name="a"><joint name="j" axis="0 1 0" stiffness="2" ref="0.1"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="s" pos="0.3 0 0"/><body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03"/></body></body><body name="c" pos="0.6 0 -0.2"><joint name="l" axis="0 1 0"/>
<geom type="sphere" size="0.1" pos="0 0 0.1"/></body></worldbody><equality><connect body1="b" body2="c" anchor="0.3 0 0.1"/></equality>
<actuator><muscle name="m" joint="j"/><position name="p" joint="k" kp="3"/><general name="g" joint="l" dyntype="filter" dynprm="0.1"/></actuator></mujoco>"""


@pytest.mark.filterwarnings("ignore::symbody.errors.DroppedWarning")
def test_an_mjcf_is_compared_with_mujoco_but_for_what_is_told(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    found, stages = examined(path, compare_only=True)
    assert stages == ["load", "MuJoCo", "MuJoCo's fields", "done"]
    assert (found.fields, found.differences) == (0, [])
    assert found.mujoco < 1e-9
    assert found.warned == 2  # the muscle and the air
    assert verdict({**vars(found)}) == "warned"


@pytest.mark.parametrize("fault", ["com", "spring", "cut", "told"])
def test_an_mjcf_that_is_read_wrongly_is_seen(fault, tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedWarning)
        model = sb.load(path)
    if fault == "com":
        model.bodies["c"].com = (0.0, 0.0, 0.101)
    elif fault == "spring":
        model.parameters["j_stiffness"].value = 2.001
    elif fault == "cut":
        model.bodies["b"].points["connect1"].position = (0.3, 0.0, 0.2)
    else:
        model.dropped = [one for one in model.dropped if "muscle" not in one.what]
    assert mujoco_error(model, path) > 1e-5


@pytest.mark.parametrize("fault", ["damping", "range", "class", "anchor"])
def test_a_number_that_differs_from_mujocos_field_is_listed(fault, tmp_path):
    pytest.importorskip("mujoco")
    path, other = tmp_path / "arm.xml", tmp_path / "other.xml"
    path.write_text(ARM)
    changed = {
        "damping": ('name="k" axis', 'name="k" damping="0.1" axis'),
        "range": ('name="k" axis', 'name="k" range="-1 1" axis'),
        "class": ("<actuator>", '<default><general biasprm="0 0 -1"/></default><actuator>'),
        "anchor": ('anchor="0.3 0 0.1"', 'anchor="0.3 0 0.11"'),
    }[fault]
    other.write_text(ARM.replace(*changed))
    field = {"damping": "dof_damping", "range": "jnt_range", "class": "actuator_biasprm", "anchor": "eq_data"}[fault]
    reading = read_parts(read_document(path))
    found = field_differences(reading, mujoco_model(reading.model, other))
    assert {one.field for one in found if not one.said} == {field}
    assert all(one.said for one in field_differences(reading, mujoco_model(reading.model, path)))


@pytest.mark.parametrize(("keys", "differences"), [(0, 1), (1, 0)])
def test_keyframes_that_a_file_only_reserves_are_no_difference(keys, differences, tmp_path):
    pytest.importorskip("mujoco")
    path, other = tmp_path / "arm.xml", tmp_path / "other.xml"
    path.write_text(ARM.replace("<worldbody>", '<size nkey="3"/><worldbody>', 1) if keys else ARM)
    other.write_text(ARM.replace("<worldbody>", '<size nkey="3"/><worldbody>', 1))
    document = read_document(path)
    reading = read_parts(document)
    assert len(keyframe_differences(reading, document, mujoco_model(reading.model, other))) == differences


def test_every_field_of_mujocos_model_is_compared_or_has_a_reason():
    mujoco = pytest.importorskip("mujoco")
    groups = ("body", "jnt", "dof", "tendon", "wrap", "actuator", "eq")
    fields = {name for name in dir(mujoco.MjModel) if name.partition("_")[0] in groups and "_" in name}
    assert fields - {*COMPARED, *WITH, *FOLLOWS, *ABSENT} == set()


def test_the_table_is_written_between_its_lines(tmp_path):
    path = tmp_path / "page.md"
    records = [{"model": f"x/{k}", "verdict": what} for k, what in enumerate(("equal", "warned", "equal"))]
    write_table(path, records)
    path.write_text(f"before\n\n{path.read_text()}\nafter\n")
    write_table(path, [*records, {"model": "y/z", "verdict": "not read"}])
    text = path.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "| x | 3 | 2 | 1 |  |  |  |  |" in text
    assert "| all | 4 | 2 | 1 |  | 1 |  |  |" in text
    path.write_text("nothing")
    with pytest.raises(ModelError, match="no place for the table"):
        write_table(path, records)


def test_an_interrupted_run_continues_from_the_kept_results(folder, tmp_path):
    kept = tmp_path / "kept.jsonl"
    done = {"model": "arm.urdf", "verdict": "equal", "reasons": []}
    kept.write_text(json.dumps(done) + '\n{"model": "below/br')  # the second line was interrupted
    kept.write_text(kept.read_text() + "\n")
    records = run_corpus(folder, ["arm", "broken"], limit=20.0, compare_only=True, keep=kept)
    assert records[0] == done
    assert records[1]["verdict"] == "not read"
    assert list(kept_records(kept)) == ["arm.urdf", "below/broken.urdf"]


def test_an_sdf_is_compared_with_drake(tmp_path):
    pytest.importorskip("pydrake")
    path = tmp_path / "arm.sdf"
    path.write_text(SDF)
    model = sb.load(path)
    assert drake_error(model, path) < 1e-12
    model.bodies["b"].com = (0.0, 0.0, 0.101)
    assert drake_error(model, path) > 1e-4


def test_xml_that_is_no_model_is_passed_over_and_folders_are_counted(folder):
    (folder / "package.xml").write_text("<package/>")
    (folder / "part.xml").write_text("<mujocoinclude><body/></mujocoinclude>")
    (folder / "below" / "arm.xml").write_text(ARM)
    assert [path.name for path in models_in(folder, ["xml"])] == ["arm.xml"]
    records = [
        {"model": name, "verdict": what} for name, what in (("x/a", "equal"), ("x/y/b", "warned"), ("c", "equal"))
    ]
    assert [(row["folder"], row["files"], row["equal"]) for row in by_folder(records)] == [("x", 2, 1), (".", 1, 1)]


def test_verdicts():
    assert verdict({"joints": None}) == "not read"
    assert verdict({"joints": 1, "pinocchio": None}) == "not compared"
    assert verdict({"joints": 1, "mujoco": 1e-8, "warned": 0}) == "equal"
    assert verdict({"joints": 1, "pinocchio": 1e-8, "warned": 3}) == "different"


@pytest.mark.slow
def test_nothing_ends_the_run(folder, capsys):
    """One file is broken, and one process has no time: both are told, and the others are there."""
    assert main(["validate", "--corpus", str(folder), "--json"]) == 0
    records = {record["model"]: record for record in json.loads(capsys.readouterr().out)}
    assert list(records) == ["arm.urdf", "below/broken.urdf", "plane.urdf"]
    assert records["below/broken.urdf"]["reasons"]
    assert records["arm.urdf"]["reasons"] == []
    (late,) = run_corpus(folder, ["arm"], limit=0.001)
    assert late["reasons"] == ["load: it took more than 0.001 s"]


# -- public models -----------------------------------------------------------------------------------------------------

REFUSED = {  # the stage, and why
    "alex_psyonic_hands.urdf": "load: .*mimics 'index_q1'",
    "romeo_laas_small.urdf": "load: .*principal moment of -0.00272042",
    "ur3.urdf": "load: .*no links",
    "romeo.urdf": "compile: .*Link mass and inertia, or lock, drive or remove",  # fingers without mass
    "icub.urdf": "compile: .*neck_roll, neck_yaw",  # its mass matrix is singular at the start
    "quadrotor_base.urdf": "Pinocchio: nothing moves",
    "iris_simple.urdf": "Pinocchio: nothing moves",
    "quadrotor_base.urdf.xacro": "load: .*no links",  # macros for others
    "quadrotor_base.xacro": "load: .*no such file",  # it includes what the package does not have
}


def robots() -> Path | None:
    """Where the package example-robot-data keeps its robots."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return None
    found = (file for file in files if file.suffix == ".urdf" and "robots" in file.parts)
    first = next(found, None)
    if first is None:
        return None
    path = Path(str(first.locate()))
    return path.parents[len(first.parts) - first.parts.index("robots") - 2]


ROBOTS = robots()
FAMILIES = sorted({path.relative_to(ROBOTS).parts[0] for path in models_in(ROBOTS)}) if ROBOTS else []


@pytest.mark.slow
@pytest.mark.skipif(not FAMILIES, reason="the package example-robot-data is not installed")
@pytest.mark.parametrize("family", FAMILIES)
def test_public_robots(family):
    """All are read as Pinocchio reads them, and simulated; those few aside that are refused with a reason."""
    pytest.importorskip("pinocchio")
    assert ROBOTS is not None
    records = run_corpus(ROBOTS / family, limit=600.0)
    assert disagreements(records) == []
    for record in records:
        reason = REFUSED.get(Path(record["model"]).name)
        if reason is None:
            assert record["reasons"] == []
            assert record["pinocchio"] is not None
        else:
            (said,) = record["reasons"]
            assert re.match(reason, said)


@pytest.mark.slow
@pytest.mark.skipif(not OWN.is_dir(), reason="$SYMBODY_CORPUS names no folder of models")
def test_a_folder_of_ones_own():
    records = run_corpus(OWN, limit=600.0)
    assert records
    assert disagreements(records) == []

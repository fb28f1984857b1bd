"""Model files that are sent to the gallery: bounded, checked, and kept as recent ones."""

import pytest

from symbody.links.rejected import Rejected
from symbody.studio import dropped_files
from symbody.studio.dropped_files import KINDS, LARGEST, DroppedFiles, Upload, keep_recent, recent_files, slug

ROBOT = """<robot name="swing"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def files():
    made = DroppedFiles()
    yield made
    made.close()


def test_parts_make_up_the_file():
    upload = Upload("swing.urdf", len(ROBOT))
    parts = [ROBOT[k : k + 100] for k in range(0, len(ROBOT), 100)]
    assert [upload.add(part) for part in parts] == [None] * (len(parts) - 1) + [ROBOT]


@pytest.mark.parametrize(
    ("name", "size", "reason"),
    [("page.html", 10, "not a model file"), ("robot.urdf", LARGEST + 1, "too large"), ("urdf", 10, "not a model file")],
)
def test_other_kinds_and_huge_files_are_refused_before_they_are_sent(name, size, reason):
    with pytest.raises(Rejected, match=reason):
        Upload(name, size)


def test_more_than_was_said_is_refused():
    with pytest.raises(Rejected, match="wrong size"):
        Upload("robot.urdf", 3).add("abcd")


def test_a_file_becomes_a_model_and_a_broken_one_says_why_without_its_place(files):
    assert list(files.model("My robot.URDF", ROBOT).bodies) == ["base", "arm"]
    with pytest.raises(Rejected, match="cannot be opened") as caught:
        files.model("broken.urdf", ROBOT.replace('value="1"', 'value="heavy"'))
    assert "broken.urdf" in caught.value.detail
    assert "symbody-" not in caught.value.detail


def test_names_are_safe_in_an_address():
    assert slug("../../etc/My Röbot (2).urdf") == "my-r-bot-2"
    assert slug("???.yaml") == "file"
    assert ".urdf" in KINDS


def test_the_newest_files_are_kept_each_once(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))
    assert recent_files() == []
    for k in range(dropped_files.MOST_RECENT + 2):
        keep_recent(f"{k}.urdf", f"text {k}")
    keep_recent("5.urdf", "newer")
    names = [name for name, _ in recent_files()]
    assert len(names) == dropped_files.MOST_RECENT
    assert (names[0], names.count("5.urdf"), dict(recent_files())["5.urdf"]) == ("5.urdf", 1, "newer")

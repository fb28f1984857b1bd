"""Names and paths as Windows and macOS read them, checked on any system; and errors where POSIX is needed."""

import os
import sys
import unicodedata
from pathlib import PureWindowsPath

import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.files import safe_file
from symbody.files.safe_file import local_name
from symbody.links.shared_memory import MemoryTransport
from symbody.output_file import replacing
from symbody.realtime import loop_layout
from symbody.safe_name import file_name

ELSEWHERE = [
    "\\\\server\\share\\x.stl",
    "//server/share/x.stl",
    "\\\\?\\UNC\\server\\share\\x.stl",
    "\\\\.\\pipe\\x.stl",
]
RESERVED = ["con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in "0123456789¹²³")]
NAMES = [
    "CON", "nul.txt", "Aux.tar.gz", "COM¹", "lpt³.csv", "com0", "a<b>c", 'a"b', "a|b", "a?b*", "a:stream", "C:\\x",
    "C:x", "..\\..\\x", "\\\\server\\share", "x.", "x ", " x", "x\t", "\x00", "a/b", "...", "~", "%TEMP%", "-x",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_is_one_plain_file_on_windows(name):
    safe = file_name(name)
    path = PureWindowsPath(safe)
    assert (path.drive, path.root, path.name) == ("", "", safe)
    assert not set(safe) & set('<>:"/\\|?*')
    assert min(safe) > " "
    assert not safe.endswith((".", " "))
    assert safe.partition(".")[0].lower() not in RESERVED


def test_names_that_macos_writes_in_another_form_stay_one_file():
    """APFS and HFS+ treat composed and decomposed letters as equal; a decomposed name has no combining marks left."""
    composed = file_name("Prüfstand")
    assert composed == unicodedata.normalize("NFC", composed)
    assert not any(unicodedata.combining(letter) for letter in file_name(unicodedata.normalize("NFD", "Prüfstand")))


@pytest.mark.parametrize("name", ELSEWHERE)
def test_names_on_other_computers_are_refused_on_windows(name):
    """Windows would send the user's credentials to that computer."""
    with pytest.raises(ModelError, match="on another computer"):
        local_name(name, windows=True)
    assert local_name(name, windows=False) == name


@pytest.mark.parametrize("name", ["x.stl", "meshes/x.stl", "..\\x.stl", "C:\\meshes\\x.stl", "/meshes/x.stl"])
def test_other_names_pass(name):
    assert local_name(name, windows=True) == name


def test_a_package_on_another_computer_is_allowed_if_it_is_given():
    given = ["\\\\server\\robots"]
    assert local_name("\\\\server\\robots\\arm\\x.xacro", given, windows=True)
    with pytest.raises(ModelError, match="on another computer"):
        local_name("\\\\server\\robots2\\x.xacro", given, windows=True)


URDF = """<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0'
iyz='0'/></inertial><visual><geometry><mesh filename='{name}'/></geometry></visual></link></robot>"""
FILES = {
    "include.xacro": "<robot name='r' xmlns:xacro='x'><xacro:include filename='{name}'/></robot>",
    "include.xml": "<mujoco><include file='{name}'/></mujoco>",
    "mesh.xml": "<mujoco><asset><mesh name='m' file='{name}'/></asset><worldbody><body><joint/>"
    "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
    "meshdir.xml": "<mujoco><compiler meshdir='{name}'/><asset><mesh name='m' file='x.stl'/></asset><worldbody><body>"
    "<joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
    "include.sdf": "<sdf version='1.9'><model name='m'><include><uri>{name}</uri></include></model></sdf>",
    "package.sdf": "<sdf version='1.9'><model name='m'><include><uri>model://{name}</uri></include></model></sdf>",
    "mesh.sdf": "<sdf version='1.9'><model name='m'><link name='a'><visual name='v'><geometry><mesh><uri>{name}</uri>"
    "</mesh></geometry></visual></link></model></sdf>",
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ELSEWHERE[:2])
def test_no_reader_asks_another_computer(tmp_path, monkeypatch, kind, name):
    """Each reader checks the names in its files before it looks for them."""
    asked = []
    monkeypatch.setattr(safe_file.local_name, "__defaults__", ((), True))
    monkeypatch.setattr("pathlib.Path.is_file", lambda self: asked.append(self))
    path = tmp_path / kind
    path.write_text(FILES[kind].format(name=name))
    with pytest.raises(ModelError, match=r"on another computer|outside the model's folder"):
        sb.load(path)
    assert not [where for where in asked if "server" in str(where)]


def test_a_urdf_does_not_either(tmp_path, monkeypatch):
    from symbody.visual.file_looks import file_looks

    monkeypatch.setattr(safe_file.local_name, "__defaults__", ((), True))
    path = tmp_path / "robot.urdf"
    path.write_text(URDF.format(name=ELSEWHERE[1]))
    with pytest.warns(UserWarning, match="on another computer"):
        file_looks(sb.load(path))


def test_a_file_that_is_open_elsewhere_is_an_error_and_stays(tmp_path, monkeypatch):
    """Windows does not replace a file that another program has open."""

    def refused(*_):
        raise PermissionError(13, "The process cannot access the file because it is being used by another process")

    path = tmp_path / "run.csv"
    path.write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", refused)
    with pytest.raises(ModelError, match="used by another process"), replacing(path) as partial:
        partial.write_text("new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.csv"]


def test_the_loop_and_links_through_memory_say_that_they_need_posix(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    loop_layout.library.cache_clear()
    with pytest.raises(ModelError, match="run it on Linux or macOS"):
        loop_layout.library()
    monkeypatch.delattr(os, "pread", raising=False)
    with pytest.raises(ModelError, match="use UDP on Windows"):
        MemoryTransport("x", "a", "b", owner=True)

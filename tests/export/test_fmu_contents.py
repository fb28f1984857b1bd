"""The archive of an FMU holds only plain paths and XML that every reader reads, whatever the model is called."""

import re
import xml.etree.ElementTree as ET
import zipfile
from pathlib import PureWindowsPath

import pytest

import symbody as sb
from symbody.codegen import write_sources
from symbody.equations.functions import GenerationOptions, make_program
from symbody.export.fmu import export_fmu

TITLES = [
    "../../evil", "/etc/passwd", "..\\..\\evil", "C:\\evil", "NUL", "sources/evil.c", '<!ENTITY x "y">', "]]>", "&lol;",
    "a\"b'c<d>e&f", "*/ int x; /*", "??/ */ int x;", '""" ; import os', "%} system('ls')", "NAME", "x" * 5000,
]  # fmt: skip


def pendulum(name):
    m = sb.Model(name)
    m.body("bob", joints="R2", mass=1.0, com=(0, 0, -1))
    m.parameter("k", 1.0)
    return m


@pytest.mark.parametrize("title", TITLES)
def test_paths_are_plain_and_the_title_survives(tmp_path, title):
    path, s = tmp_path / "a.fmu", sb.system(pendulum(title))
    for version in (2, 3):
        export_fmu(s, path, version, binary=False)
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            text = archive.read("modelDescription.xml").decode()
        assert len(names) == len({name.lower() for name in names})  # one file each, also if case does not count
        for name in names:
            assert re.fullmatch(r"(sources/)?[A-Za-z0-9_]+\.(xml|c|h)", name)
            assert not PureWindowsPath(name).drive
        assert "<!DOCTYPE" not in text
        assert ET.fromstring(text).get("modelName") == title


@pytest.mark.parametrize("title", ["a\x01b", "a\nb", "\ud800", "\u202e", "\ufffe", ""])
def test_titles_that_xml_cannot_hold_are_refused(title):
    with pytest.raises(sb.ModelError, match="no printable name"):
        sb.system(pendulum(title))


@pytest.mark.parametrize("title", TITLES)
def test_generated_python_is_one_function_whatever_the_title(tmp_path, title):
    program = make_program(pendulum(title), "inverse", GenerationOptions(live="all"))
    (path,) = write_sources(program, "python", tmp_path)
    names = {}
    exec(compile(path.read_text(), "generated.py", "exec"), names)
    assert "os" not in names

"""Files are read up to their limits and written in one step: errors name the file, and links are not followed."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.cli.preconditions import output_folder
from symbody.codegen import write_sources
from symbody.codegen.program import Input, Output, Program
from symbody.codegen.sources import LANGUAGES
from symbody.errors import ModelError
from symbody.expr.node import variable
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import decode, local_name, naming, read_bytes
from symbody.output_file import replacing, write_text

# -- reading -----------------------------------------------------------------------------------------------------------


def sparse(path, size):
    """A file of `size` zeros that takes no room on the disk."""
    with open(path, "wb") as file:
        file.truncate(size)
    return path


def test_files_are_read_up_to_their_limit(tmp_path):
    path = tmp_path / "file"
    assert len(read_bytes(sparse(path, 20_000_000))) == 20_000_000
    with pytest.raises(ModelError, match="larger than 20 MB") as caught:
        read_bytes(sparse(path, 20_000_001))
    assert "split the model" in caught.value.cure
    assert read_bytes(sparse(path, 9), 9) == bytes(9)
    with pytest.raises(ModelError, match="larger than"):
        read_bytes(sparse(path, 10), 9)


def test_a_file_that_is_read_again_counts_its_cost_and_not_its_size(tmp_path):
    budget = ReadBudget()
    for _ in range(2):
        read_bytes(sparse(tmp_path / "file", 1000), budget=budget)
    assert (budget.size, budget.spent["files"], budget.spent["bytes"]) == (1000, 2, 2000)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param("", "this is a folder", marks=pytest.mark.posix),
        ("missing", "no such file"),
        ("a\0b", "cannot be read"),
    ],
    ids=["folder", "missing", "zero"],
)
def test_what_cannot_be_read_is_a_model_error(tmp_path, name, says):
    with pytest.raises(ModelError, match=says) as caught:
        read_bytes(f"{tmp_path}/{name}")
    assert caught.value.cure


@pytest.mark.posix
def test_a_device_is_not_read():
    with pytest.raises(ModelError, match="not a regular file"):
        read_bytes(os.devnull)


def test_an_error_names_its_file_once():
    with pytest.raises(ModelError) as caught, naming(Path("outer")), naming("inner"):
        raise ModelError("wrong")
    assert caught.value.file == "inner"
    with pytest.raises(ModelError) as caught, naming(Path("outer")):
        raise ModelError("wrong")
    assert caught.value.file == "outer"


@pytest.mark.parametrize("name", ["a\0" + "b" * 100, "\ud800" + "b" * 100])
def test_names_that_no_file_can_have(name):
    with pytest.raises(ModelError, match="no file can have this name") as caught:
        local_name(name, windows=False)
    assert caught.value.element == repr(name[:80])


def test_names_on_other_computers():
    share = "\\\\server\\share\\" + "b" * 100
    with pytest.raises(ModelError, match="on another computer") as caught:
        local_name(share, ["\\\\server\\other"], windows=True)
    assert caught.value.element == share[:80]
    assert local_name(share, ["\\\\server\\share"], windows=True) == share
    assert local_name(share, windows=False) == share
    for name in ("arm.obj", "C:\\arm.obj", "ä/b"):
        assert local_name(name, windows=True) == name


@pytest.mark.posix
def test_a_backslash_is_a_letter_on_posix():
    assert local_name("\\\\server\\share\\x") == "\\\\server\\share\\x"


def test_text_is_utf8_with_or_without_a_mark():
    assert decode("aé".encode()) == decode(b"\xef\xbb\xbfa\xc3\xa9") == "aé"
    with pytest.raises(ModelError, match="byte 1 is not UTF-8 text"):
        decode(b"a\xff")


# -- writing -----------------------------------------------------------------------------------------------------------


@pytest.mark.posix
def test_a_new_file_has_the_rights_of_the_umask_and_an_old_one_keeps_its_own(tmp_path):
    path = tmp_path / "deep" / "deeper" / "run.csv"
    before = os.umask(0)
    try:
        with replacing(path) as partial:
            partial.write_text("1")
        assert path.stat().st_mode & 0o777 == 0o666
        path.unlink()
        os.umask(0o027)
        with replacing(path) as partial:
            partial.write_text("1")
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o444)
        os.umask(0)
        with replacing(path) as partial:
            assert partial.stat().st_mode & 0o777 == 0o600  # what nobody else could read is read by nobody meanwhile
            partial.write_text("2")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o444
    assert path.read_text() == "2"


def test_a_file_that_is_not_finished_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path):
        raise KeyboardInterrupt
    with pytest.raises(ModelError, match="cannot be written: no space"), replacing(path):
        raise OSError("no space")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unfinished_file_is_hidden_and_has_a_random_name_and_the_same_suffix(tmp_path):
    with replacing(tmp_path / f"{'a' * 50}.csv") as partial:
        assert re.fullmatch(r"\.a{40}\.[0-9a-f]{16}\.csv", partial.name)
        assert partial.parent == tmp_path


def test_a_text_is_on_the_disk_before_it_replaces_the_file(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(os, "fsync", lambda file: sizes.append(os.fstat(file).st_size))
    monkeypatch.chdir(tmp_path)
    write_text("model.yaml", "symbody: 1\nname: é")
    assert sizes == [len((tmp_path / "model.yaml").read_bytes())] == [19]


@pytest.mark.posix
def test_a_link_in_place_of_a_file_is_replaced_and_not_followed(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "out" / "run.csv"
    victim.write_text("precious")
    path.parent.mkdir()
    for _ in range(2):
        path.unlink(missing_ok=True)
        path.symlink_to(victim)
        sb.Run(None, np.arange(2.0), np.zeros((2, 1)), names=["a.q"]).save(path)
        assert not path.is_symlink()
    assert victim.read_text() == "precious"


@pytest.mark.posix
def test_a_folder_that_is_a_link_is_refused_below_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("out").symlink_to(tmp_path / "elsewhere")
    for path in ("out/run.csv", "out/deeper/run.csv", "./out/run.csv"):
        with pytest.raises(ModelError, match=r"out: the folder is a link, .*absolute path.*elsewhere"), replacing(path):
            pass
    with pytest.raises(ModelError, match="the folder is a link"):
        output_folder("out")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    with replacing(Path("out").absolute() / "run.csv") as partial:  # asked for by its absolute path
        partial.write_text("1")
    assert (tmp_path / "elsewhere" / "run.csv").read_text() == "1"


def doubled():
    """A program to write as code: y = 2 q."""
    return Program("f", "m", "y", {"q": Input(1)}, {"y": Output((1,), (2.0 * variable("q[0]"),))})


@pytest.mark.posix
@pytest.mark.parametrize("language", LANGUAGES)
def test_generated_code_replaces_links(tmp_path, language):
    victim, names = tmp_path / "victim", [path.name for path in write_sources(doubled(), language, tmp_path / "first")]
    victim.write_text("precious")
    (tmp_path / "second").mkdir()
    for name in names:
        (tmp_path / "second" / name).symlink_to(victim)
    write_sources(doubled(), language, tmp_path / "second")
    assert victim.read_text() == "precious"
    assert not any(path.is_symlink() for path in (tmp_path / "second").iterdir())


def test_generated_code_on_a_full_disk(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ModelError, match=r"f\.py: cannot be written: .*No space left.*free space"):
        write_sources(doubled(), "python", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_folder_is_made_for_a_model(tmp_path):
    with pytest.raises(ModelError, match="does not exist") as caught:
        write_text(tmp_path / "none" / "model.yaml", "symbody: 1")
    assert "create the folder" in caught.value.cure
    write_text(tmp_path / "model.yaml", "symbody: 1")
    assert [path.name for path in tmp_path.iterdir()] == ["model.yaml"]


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 300])
def test_names_that_are_none_are_refused(tmp_path, name):
    with pytest.raises(ModelError, match="cannot be written"), replacing(f"{tmp_path}/{name}"):
        pass

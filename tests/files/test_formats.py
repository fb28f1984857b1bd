"""`load` and `save`: by suffix, atomically, with errors that name the file."""

import os
from pathlib import Path

import pytest

import symbody
from symbody.errors import ModelError
from symbody.files import load, safe_file, save
from symbody.model import Model

MODELS = Path(symbody.__file__).parent / "machines" / "textbook"


def test_every_format_gives_the_same_model(tmp_path):
    m = load(MODELS / "double_wishbone.mbs")
    save(m, tmp_path / "a.yaml")
    save(load(tmp_path / "a.yaml"), tmp_path / "b.mbs")
    save(load(tmp_path / "b.mbs"), tmp_path / "c.yml")
    assert load(tmp_path / "c.yml") == m
    assert (tmp_path / "c.yml").read_text() == (tmp_path / "a.yaml").read_text()


@pytest.mark.parametrize("name", ["model.txt", "model", "robot.xacro"])
def test_unknown_suffixes(tmp_path, name):
    with pytest.raises(ModelError) as caught:
        load(tmp_path / name)
    assert caught.value.file == str(tmp_path / name)
    assert caught.value.cure


@pytest.mark.parametrize("suffix", [".yaml", ".mbs", ".urdf"])
def test_missing_files_and_folders(tmp_path, suffix):
    with pytest.raises(ModelError, match="no such file") as caught:
        load(tmp_path / f"nothing{suffix}")
    assert caught.value.file == str(tmp_path / f"nothing{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(ModelError, match="folder"):
        load(tmp_path / f"folder{suffix}")
    with pytest.raises(ModelError, match="cannot be read"):
        load(f"nul\0{suffix}")


def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "secret.yaml"
    path.write_text("symbody: 1\nname: a")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(ModelError, match="cannot be read"):
        load(path)


def test_a_device_is_not_a_model():
    if not Path("/dev/zero").exists():
        pytest.skip("no devices here")
    with pytest.raises(ModelError, match="regular file"):
        safe_file.read_bytes("/dev/zero")


def test_options_are_for_urdf():
    with pytest.raises(ModelError, match="floating"):
        load(MODELS / "double_pendulum.yaml", floating=True)


def test_saving_needs_a_format_that_can_be_written(tmp_path):
    with pytest.raises(ModelError, match=r"cannot write '\.urdf'"):
        save(Model("m"), tmp_path / "m.urdf")
    with pytest.raises(ModelError, match="cannot be written"):
        save(Model("m"), tmp_path / "no" / "folder" / "m.yaml")


def test_a_model_with_problems_is_not_saved(tmp_path):
    m = Model("m")
    m.body("a", mass=-1.0)
    with pytest.raises(ModelError, match="mass is -1"):
        save(m, tmp_path / "m.yaml")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.yaml"
    save(Model("old"), path)
    path.chmod(0o640)
    before = path.read_text()

    def full(*_):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(ModelError, match="no space left") as caught:
            save(Model("new"), path)
    assert caught.value.file == str(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]
    save(Model("new"), path)
    assert "new" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640

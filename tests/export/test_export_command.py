"""`symbody export` as a person or a script meets it."""

import argparse
import json

import pytest

from symbody.cli import export
from symbody.errors import ModelError

fmpy = pytest.importorskip("fmpy")


def exported(*words):
    parser = argparse.ArgumentParser()
    export.options(parser)
    return export.run(parser.parse_args([*map(str, words)]))


@pytest.mark.parametrize("version", [2, 3])
def test_fmu(tmp_path, version):
    row = exported(
        "four-bar", "--fmu", version, "-o", tmp_path / "new", "--set", "friction=0.02", "--set", "torque=0.1"
    )
    json.dumps(row)
    (file,) = row["files"]
    about = fmpy.read_model_description(file, validate=True)
    starts = {v.name: v.start for v in about.modelVariables}
    assert float(starts["friction"]) == 0.02
    assert float(starts["torque"]) == 0.1
    assert row["inputs"] == ["torque"]


def test_folders(tmp_path):
    row = exported("double-pendulum", "--c", "-o", tmp_path / "c", "--record", "*.q", "--input", "elbow.Q")
    assert row["outputs"] == 2
    assert row["inputs"] == ["elbow.Q"]
    assert (tmp_path / "c" / "Makefile").is_file()
    with pytest.raises(ModelError, match="not empty"):
        exported("double-pendulum", "--c", "-o", tmp_path / "c")
    exported("double-pendulum", "--c", "-o", tmp_path / "c", "--overwrite")
    row = exported("double-pendulum", "--octave", "-o", tmp_path / "m")
    assert (tmp_path / "m" / "simulate_double_pendulum.m").is_file()


def test_what_is_not_possible(tmp_path, capsys):
    for words in (["four-bar", "-o", tmp_path], ["four-bar", "--c"], ["four-bar", "--fmu", "1", "-o", tmp_path]):
        with pytest.raises(SystemExit):
            exported(*words)
    with pytest.raises(SystemExit):
        exported("four-bar", "--c", "--octave", "-o", tmp_path)
    with pytest.raises(ModelError, match="friction"):
        exported("four-bar", "--c", "-o", tmp_path, "--set", "frictoin=1")
    assert not list(tmp_path.iterdir())

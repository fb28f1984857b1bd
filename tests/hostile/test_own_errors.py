"""Where another library's error would have come through, there is one of the package."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.cli import main
from symbody.errors import ChannelError, ModelError, SymbodyError
from symbody.realtime.record_read import load_mcap
from symbody.visual.mesh_files import read_looks

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{SQUARE}f 1 2 {10**30}", "missing corner"),
        (f"{SQUARE}f 1 2 -{10**30}", "missing corner"),
        (f"{SQUARE}f 1 2 {'9' * 5000}", "not a corner"),
        ("v 0 0\nv 1 0\nv 1 1\nf 1 2 1", "does not have three numbers"),
        ("v 0\nf 1 1 1", "does not have three numbers"),
        ("v 0 0 0\nv 1e200 0 0\nv 0 1e200 0\nf 1 2 3", "not finite"),
        ("v 0 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3", "not finite"),
    ],
)
def test_numbers_that_overflow_in_a_mesh(tmp_path, text, says):
    path = tmp_path / "mesh.obj"
    path.write_text(text)
    with pytest.raises(ModelError, match=says):
        read_looks(path)


def test_a_stored_model_that_is_not_unicode(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text('# symbody run\n# model: "symbody: 1\\nname: \\ud800\\n"\nt,a\n0,0\n1,0\n')
    with pytest.raises(ModelError, match=r"run\.csv: model: the stored model is not valid Unicode .*save it again"):
        sb.Run.load(path)


@pytest.mark.posix
@pytest.mark.parametrize(("ending", "load"), [(".csv", sb.Run.load), (".parquet", sb.Run.load), (".mcap", load_mcap)])
def test_a_file_that_can_be_opened_but_not_read(tmp_path, ending, load):
    """Reading address 0 of a process fails as a broken disk does."""
    path = tmp_path / f"run{ending}"
    path.symlink_to("/proc/self/mem")
    if not path.exists():
        pytest.skip("needs /proc")
    with pytest.raises(ModelError, match=r"run.* be read: .*(Input/output error|large|size)"):
        load(path)


@pytest.mark.posix
def test_generated_code_on_a_full_disk_is_an_error_of_one_line(tmp_path):
    code = """
import resource, sys
from symbody.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
sys.exit(main(["generate", "double-pendulum", "--lang", "python", "--function", "inverse", "-o", sys.argv[1]]))
"""
    arguments = [sys.executable, "-B", "-c", code, str(tmp_path / "out")]  # -B: the limit would truncate bytecode
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot be written: [Errno 27] File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list((tmp_path / "out").iterdir()) == []  # no half file


def test_a_run_without_a_coordinate(tmp_path, capsys):
    model = tmp_path / "pendulum.yaml"
    model.write_text("symbody: 1\nname: pendulum\nbodies: {bob: {joints: R2, mass: 1, com: [0, 0, -1]}}\n")
    run = sb.Run(None, np.arange(3.0), np.zeros((3, 1)), names=["other"], model=sb.load(model))
    for look in (lambda: run.q, lambda: run["bob.q"], lambda: run.animate(), lambda: run.find("x*")):
        with pytest.raises(ChannelError, match="was not recorded"):
            look()
    with pytest.raises(KeyError):
        run["bob.q"]
    path = run.save(tmp_path / "run.csv")
    assert main(["animate", str(path), "-o", str(tmp_path / "run.html")]) == 2
    assert "'bob.q' was not recorded" in capsys.readouterr().err


def test_the_studio_without_websockets():
    code = """
import sys
sys.modules["websockets"] = None
from symbody.errors import SymbodyError
try:
    from symbody.studio import Studio
except SymbodyError as error:
    print(error)
"""
    source = str(Path(sb.__file__).parents[1])
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": source}
    )
    assert "websockets" in said.stdout
    assert "symbody[studio]" in said.stdout


def test_all_of_them_are_one_family():
    assert issubclass(ChannelError, SymbodyError)
    assert str(ChannelError("a\x1bb")) == "a\\x1bb"

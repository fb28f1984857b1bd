"""Reading runs no program and opens no connection, and neither do commands; Python's audit events are watched."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"
WATCH = """
import sys
NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "urllib.Request")
CODE = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class", "webbrowser.open")
watched = NETWORK
def seen(event, arguments):
    if event in watched:
        print("SEEN", event, arguments, file=sys.stderr)
sys.addaudithook(seen)
"""
READ = """
import warnings
warnings.simplefilter("ignore")
from mutate import corpus
from targets import accepted
watched = NETWORK + CODE
for name in sys.argv[1:]:
    kept = list(corpus(name))
    print(name, sum(accepted(name, data) for data in kept))
"""
COMMAND = """
from symbody.cli import main
sys.exit(main(sys.argv[1:]))
"""
SURFACES = (
    "yaml", "mbs", "urdf", "xacro", "mjcf", "sdf", "formula", "csv", "parquet", "mcap", "stored",
    "obj", "stl", "msh", "dae", "gltf", "glb", "cdr", "studio", "haptic", "unit", "drawn",
)  # fmt: skip


def watched(code, *arguments, cwd=None):
    """What a Python process says that prints every forbidden event."""
    paths = f"import sys; sys.path[:0] = [{str(FUZZ)!r}, {str(FUZZ.parent)!r}]\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + WATCH + code, *arguments],
        capture_output=True, text=True, check=False, cwd=cwd,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def test_reading_runs_no_program_and_opens_no_connection():
    done = watched(READ, *SURFACES)
    assert "SEEN" not in done.stderr
    read = dict(line.split() for line in done.stdout.splitlines())
    assert set(read) == set(SURFACES)
    assert min(map(int, read.values())) > 0  # of each surface, something was read to its end


@pytest.mark.parametrize(
    "words",
    [("check", "four-bar"), ("simulate", "pendulum", "--until", "0.1"), ("generate", "pendulum", "--out", "code")],
)
def test_a_command_opens_no_connection(words, tmp_path):
    assert "SEEN" not in watched(COMMAND, *words, cwd=tmp_path).stderr


def test_what_is_forbidden_is_seen():
    for act in ("import socket; socket.socket().bind(('127.0.0.1', 0))", "import os; os.system('true')"):
        assert "SEEN" in watched(f"watched = NETWORK + CODE\n{act}").stderr

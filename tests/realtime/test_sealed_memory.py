"""The memory of a loop cannot be truncated: mapped memory behind the end of a file ends a process (SIGBUS)."""

import contextlib
import fcntl
import os
import resource
import subprocess
import sys

import pytest
from loop_models import cart

import symbody as sb
from symbody.codegen.ownership import Distrusted
from symbody.links.memory_path import memory_path
from symbody.realtime import Loop, Safety, Shared
from symbody.realtime.sealed_memory import create_file, open_file, sealable
from waiting import PATIENCE, eventually

pytestmark = [pytest.mark.posix, pytest.mark.skipif(not sealable(), reason="needs a memfd")]

WATCHING = """
import sys
from symbody.realtime import Shared
seen = Shared.attach(sys.argv[1], write=True)
print("attached", flush=True)
sys.stdin.readline()
seen.give({"push": 7.0})
print(seen.latest().step >= 0, len(seen.history().t) > 0, seen.state, flush=True)
"""


def test_a_loop_and_its_watcher_survive_attempts_to_truncate_their_memory():
    safety = Safety(stale=None, overrun=None)
    with Loop(sb.system(cart()), name=f"truncated-{os.getpid()}", safety=safety) as loop:
        arguments = [sys.executable, "-c", WATCHING, loop.name]
        with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watcher:
            assert watcher.stdout.readline() == "attached\n"
            for size in (0, 4096):
                with contextlib.suppress(PermissionError):
                    os.truncate(memory_path(loop.name), size)
            with contextlib.suppress(PermissionError):
                memory_path(loop.name).write_bytes(b"")
            said, _ = watcher.communicate("go on\n", timeout=PATIENCE)
        assert (said, watcher.returncode) == ("True True running\n", 0)
        before = loop.latest().step
        eventually(lambda: loop.latest().step > before)


@pytest.fixture
def path():
    name = memory_path(f"sealed-{os.getpid()}")
    yield name
    name.unlink(missing_ok=True)


def test_the_size_is_sealed_for_every_descriptor(path):
    file = create_file(path, 5000)
    for other in (file, open_file(path, os.O_RDWR)):
        for size in (0, 4999, 5001):
            with pytest.raises(PermissionError):
                os.ftruncate(other, size)
        assert os.fstat(other).st_size == 5000
        os.close(other)


def test_a_name_is_given_once(path):
    file = create_file(path, 100)
    with pytest.raises(FileExistsError):
        create_file(path, 100)
    os.close(file)


def unsealed(path):
    file = os.memfd_create(path.name, os.MFD_ALLOW_SEALING)
    os.fchmod(file, 0o600)
    return file


def growing(path):
    file = unsealed(path)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)
    return file


def of_another_name(path):
    file = create_file(path.with_name(f"{path.name}-other"), 100)
    path.with_name(f"{path.name}-other").unlink()
    return file


def ordinary(path):
    return os.open(os.devnull, os.O_RDWR)


@pytest.mark.parametrize("planted", [unsealed, growing, of_another_name, ordinary])
def test_a_descriptor_that_another_process_has_now_is_a_left_over(path, planted):
    """The number of a dead process, and that of its descriptor, were given again."""
    file = planted(path)
    path.symlink_to(f"/proc/{os.getpid()}/fd/{file}")
    name = path.name.removeprefix("symbody-")
    with pytest.raises(sb.ModelError, match="its process has ended"):
        Shared.attach(name)
    with Loop(sb.system(cart()), name=name):
        assert Shared.attach(name).outputs
    os.close(file)


def test_a_link_to_a_process_that_has_ended_is_a_left_over(path):
    path.symlink_to("/proc/4194305/fd/3")  # above the largest number of a process
    name = path.name.removeprefix("symbody-")
    with pytest.raises(sb.ModelError, match="there is no such loop"):
        Shared.attach(name)
    with Loop(sb.system(cart()), name=name):
        pass
    assert not os.path.lexists(path)


@pytest.mark.parametrize("target", ["/proc/self/fd/3", "/proc/1/../self/fd/3", "/proc/1/mem", "/proc/²/fd/3", "fd/3"])
def test_other_links_are_refused(path, target):
    path.symlink_to(target)
    with pytest.raises(Distrusted, match="a link to another file"):
        open_file(path)


def test_memory_that_others_may_write_is_refused(path):
    file = create_file(path, 100)
    os.fchmod(file, 0o666)
    with pytest.raises(Distrusted, match="others may write it"):
        open_file(path)
    os.close(file)


@pytest.mark.parametrize("sealed", [True, False])
def test_too_little_memory_is_an_error_and_leaves_nothing(path, monkeypatch, sealed):
    """A page that cannot be allocated when it is used ends the process with SIGBUS."""
    monkeypatch.setattr("symbody.realtime.sealed_memory.sealable", lambda: sealed)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    open_before = len(os.listdir("/proc/self/fd"))
    s = sb.system(cart())
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(sb.ModelError, match="bytes of memory for a loop") as caught:
            Loop(s, name=path.name.removeprefix("symbody-"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "a shorter history" in str(caught.value)
    assert not os.path.lexists(path)
    assert len(os.listdir("/proc/self/fd")) == open_before

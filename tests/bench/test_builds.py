"""Builds of peers are kept (clock.py): by what they are made of and by versions, not by where it lies."""

import shutil
import threading

import pytest

from symbody_bench import clock
from symbody_bench.clock import BuildError, build

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no cc on this machine")


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """What was compiled; each in a cache of its own."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))
    commands, compile_ = [], clock._compile

    def counted(command, target, timeout):
        commands.append(command)
        return compile_(command, target, timeout)

    monkeypatch.setattr(clock, "_compile", counted)
    return commands


def peer(folder, text="int one(void) { return ONE; }\n", version="1.0", one="1"):
    """A library from a source in a folder, with a header of a package in the same folder."""
    folder.mkdir(exist_ok=True)
    source, header = folder / "peer.c", folder / "package.h"
    source.write_text(f"#include <package.h>\n{text}")
    header.write_text(f"#define ONE {one}\n")
    return build(["cc", "-shared", "-fPIC", str(source)], [source], "peer.so", headers={folder: version})


def test_the_same_source_in_another_place_is_not_compiled_again(compiled, tmp_path):
    first, second = peer(tmp_path / "a"), peer(tmp_path / "b")
    assert first == second
    assert first.file.exists()
    assert len(compiled) == 1
    assert str(tmp_path / "a") in compiled[0]  # the package is found


def test_another_text_and_another_version_are_compiled(compiled, tmp_path):
    made = [
        peer(tmp_path / "a"),
        peer(tmp_path / "a", "int two(void) { return 2; }\n"),
        peer(tmp_path / "a", version="2"),
    ]
    assert len({built.file for built in made}) == len(compiled) == 3


def test_two_at_once_compile_once(compiled, tmp_path):
    made = []
    threads = [threading.Thread(target=lambda k=k: made.append(peer(tmp_path / f"{k}"))) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len(compiled) == 1


def test_an_error_of_the_compiler_is_reported_and_nothing_is_kept(compiled, tmp_path):
    for _ in range(2):
        with pytest.raises(BuildError, match="error"):
            peer(tmp_path / "a", "int one(void) { return }\n")
    assert len(compiled) == 2

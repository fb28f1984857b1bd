"""Compilers of CUDA: what is found, what is kept, and what errors say."""

import ctypes
import shutil

import pytest

from symbody.batch import cuda_compiler
from symbody.codegen.compiler import build_library, find_compiler
from symbody.errors import CompileError


def test_without_a_compiler_the_error_names_both(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(cuda_compiler, "find_spec", lambda name: None)
    with pytest.raises(CompileError, match=r"nvcc.*symbody\[cuda\]"):
        cuda_compiler.compiled_cuda("", "double", "90")


def test_a_text_is_compiled_once(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))
    texts = []

    def compile(source, target):
        texts.append(source.read_text())
        target.write_text("code")

    for _ in range(2):
        found = cuda_compiler._made("shared", "text", ["-O3"], "kernel.so", compile)
    assert (found.read_text(), texts) == ("code", ["text"])
    cuda_compiler._made("shared", "text", ["-O2"], "kernel.so", compile)
    assert len(texts) == 2


def test_statuses_of_a_launch_become_errors(tmp_path):
    source = tmp_path / "kernel.c"
    source.write_text("int symbody_rollout(const int *b, void *stream) { (void)stream; return *b; }\n")
    build_library(find_compiler(), source, tmp_path / "kernel.so", "light", 1)
    library = cuda_compiler.RuntimeLibrary(tmp_path / "kernel.so")
    library.launch_many("rollout", 1, 0, [ctypes.c_int(0)])
    with pytest.raises(CompileError, match="too old"):
        library.launch_many("rollout", 1, 0, [ctypes.c_int(cuda_compiler.OLD_DRIVER)])
    with pytest.raises(CompileError, match="CUDA error 2"):
        library.launch_many("rollout", 1, 0, [ctypes.c_int(2)])

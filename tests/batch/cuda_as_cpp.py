"""CUDA kernels without a graphics card: the same text as C++, one thread after the other."""

import ctypes
from dataclasses import replace
from pathlib import Path

from symbody.batch.cuda import PART
from symbody.batch.lanes import LaneDevice
from symbody.batch.structures import batch_structure
from symbody.codegen.compiler import run
from symbody.codegen.mirror import check_layout, layout_table


class CppDevice(LaneDevice):
    """Arrays of NumPy in a precision, and kernels compiled by a C++ compiler without optimisation."""

    def __init__(self, folder: Path, precision: str = "double"):
        super().__init__(1, precision)
        self.folder = folder

    def suited(self, choice):
        return replace(choice, part=PART, deep=True, precision=self.precision)

    def load(self, kernel):
        return CppKernel(kernel, self.folder, self.precision)


class CppKernel:
    """A kernel, started in a loop over blocks and threads."""

    def __init__(self, kernel, folder: Path, precision: str):
        source, library = folder / "kernel.cu", folder / "kernel.so"
        self.structure = batch_structure(precision)
        exported = layout_table([self.structure]).replace("const int64_t", 'extern "C" const int64_t')
        source.write_text(f"{kernel.text}\n{exported}", encoding="utf-8")
        run(["g++", "-x", "c++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", str(source), "-o", str(library)])
        self.library = ctypes.CDLL(str(library))
        check_layout(self.library, source.name, [self.structure])

    def hoist(self, p, h):
        self.library.symbody_hoist(ctypes.c_void_p(p), h, None)

    def rollout(self, b):
        assert self.library.symbody_rollout(ctypes.byref(b), None) == 0

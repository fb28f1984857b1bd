"""CUDA kernels without a graphics card: the same text as C++, one thread after the other."""

import ctypes
from dataclasses import replace
from pathlib import Path

from symbody.batch.cuda import PART
from symbody.batch.lanes import LaneDevice
from symbody.batch.structures import batch_structure
from symbody.codegen.compiler import run
from symbody.codegen.mirror import layout_assertions


class CppDevice(LaneDevice):
    """Arrays of NumPy in a precision, and kernels compiled by a C++ compiler without optimisation."""

    def __init__(self, folder: Path, precision: str = "double"):
        super().__init__(1, precision)
        self.folder = folder

    def suited(self, choice):
        return replace(choice, part=PART, deep=True, precision=self.precision)

    def stream(self):
        return 0

    def compiled(self, text, structure):
        return CppLibrary(text, self.folder, structure)

    def load(self, kernel):
        return CppKernel(kernel, self)


class CppLibrary:
    """Kernels, started in a loop over blocks and threads."""

    def __init__(self, text: str, folder: Path, structure):
        name = f"kernel{len(list(folder.glob('*.cu')))}"
        source, library = folder / f"{name}.cu", folder / f"{name}.so"
        source.write_text(f"{text}\n{layout_assertions([structure])}", encoding="utf-8")  # as `CudaDevice.compiled`
        run(["g++", "-x", "c++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", str(source), "-o", str(library)])
        self.loaded = ctypes.CDLL(str(library))

    def launch(self, kernel, blocks, threads, stream, arguments):
        first, *rest = arguments
        addresses = (ctypes.c_void_p * len(rest))(*[x.value for x in rest])
        assert self.loaded[f"symbody_{kernel}"](first, addresses, None) == 0

    def launch_many(self, kernel, n, stream, arguments):
        assert self.loaded[f"symbody_{kernel}"](*map(ctypes.byref, arguments), None) == 0


class CppKernel:
    """The kernel of a system."""

    def __init__(self, kernel, device):
        self.structure = batch_structure(device.precision)
        self.library = device.compiled(kernel.text, self.structure)

    def hoist(self, p, h):
        self.library.launch("hoist", 1, 1, 0, [ctypes.c_void_p(p), *map(ctypes.c_void_p, h)])

    def rollout(self, b):
        self.library.launch_many("rollout", b.n, 0, [b])

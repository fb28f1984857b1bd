"""CUDA text → machine code of a card, kept in the cache: by nvcc, or by NVRTC through the package cuda-bindings."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from symbody.codegen import cache as store
from symbody.codegen.compiler import run
from symbody.codegen.loading import load_library
from symbody.errors import CompileError

THREADS = 128  # of a block, as in kernel.h.in
CURE = "install the CUDA toolkit (nvcc), or `pip install symbody[cuda]`"
# Single precision divides and takes roots with one rounding more, and flushes denormal numbers.
PRECISE: dict[str, list[str]] = {"double": [], "single": ["-ftz=true", "-prec-div=false", "-prec-sqrt=false"]}
OLD_DRIVER = 35  # cudaErrorInsufficientDriver


class CudaLibrary(Protocol):
    """Compiled kernels."""

    def launch(self, kernel: str, blocks: int, threads: int, stream: int, arguments: Sequence[Any]) -> None:
        """Start a kernel; the arguments are values of ctypes."""

    def launch_many(self, kernel: str, n: int, stream: int, arguments: Sequence[Any]) -> None:
        """Start a kernel with a thread for each of n states."""


def compiled_cuda(text: str, precision: str, capability: str) -> CudaLibrary:
    """The kernels of a text for a card."""
    nvcc = shutil.which("nvcc")
    if nvcc is None and find_spec("cuda") is None:
        raise CompileError(f"no compiler for CUDA was found ({CURE})")
    options = PRECISE[precision]
    if nvcc is None or (find_spec("cuda") is not None and find_spec("cuda.bindings") is not None):
        return DriverLibrary(_cubin(nvcc, text, capability, options))
    return RuntimeLibrary(_shared(nvcc, text, capability, options))


def _made(kind: str, text: str, words: Sequence[str], name: str, compile: Any) -> Path:
    """The file `name` of a cache entry; `compile(source, target)` makes it."""
    digest = store.digest("cuda", kind, text, *words)
    entry = store.load_entry(digest)

    def fill(folder: Path) -> dict[str, Any]:
        source = folder / "kernel.cu"
        source.write_text(text, encoding="utf-8")
        compile(source, folder / name)
        return {"library": name}

    folder, _ = entry or store.make_entry(digest, fill)
    return folder / name


def _shared(nvcc: str, text: str, capability: str, options: Sequence[str]) -> Path:
    words = [nvcc, f"-arch=sm_{capability}", "-O3", "-std=c++17", *options, "-shared", "-Xcompiler", "-fPIC"]

    def compile(source: Path, target: Path) -> None:
        run([*words, "-o", str(target), str(source)])

    return _made("shared", text, [*words, _version(nvcc)], "kernel.so", compile)


def _cubin(nvcc: str | None, text: str, capability: str, options: Sequence[str]) -> Path:
    if nvcc is None:
        made = _run_time_compiler(text, capability, options)
        return _made("nvrtc", text, [capability, *options], "kernel.cubin", made)
    words = [nvcc, f"-arch=sm_{capability}", "-O3", "-std=c++17", *options, "-cubin"]

    def compile(source: Path, target: Path) -> None:
        run([*words, "-o", str(target), str(source)])

    return _made("cubin", text, [*words, _version(nvcc)], "kernel.cubin", compile)


def _run_time_compiler(text: str, capability: str, options: Sequence[str]) -> Any:
    """NVRTC as a compiler of files."""

    def compile(_: Path, target: Path) -> None:
        nvrtc = import_module("cuda.bindings.nvrtc")
        program = _checked(nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []))
        words = [option.encode() for option in (f"--gpu-architecture=sm_{capability}", "-std=c++17", *options)]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(words), words)
        if int(status):
            log = b" " * _checked(nvrtc.nvrtcGetProgramLogSize(program))
            nvrtc.nvrtcGetProgramLog(program, log)
            raise CompileError("NVRTC does not compile a kernel", log.decode(errors="replace")[-20000:])
        code = b" " * _checked(nvrtc.nvrtcGetCUBINSize(program))
        _checked(nvrtc.nvrtcGetCUBIN(program, code))
        target.write_bytes(code)

    return compile


@cache
def _version(nvcc: str) -> str:
    return subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout


def _checked(answer: Any) -> Any:
    """The result of a call of cuda-bindings; its first part is a status."""
    status, *rest = answer
    if int(status):
        raise CompileError(f"CUDA: {status.name} (the driver may be too old for the toolkit: see nvidia-smi)")
    return rest[0] if len(rest) == 1 else rest


class DriverLibrary:
    """A cubin, through the driver and cuda-bindings."""

    def __init__(self, path: Path):
        self._driver = import_module("cuda.bindings.driver")
        self._module = _checked(self._driver.cuModuleLoadData(path.read_bytes()))
        self._kernels: dict[str, Any] = {}

    def launch(self, kernel: str, blocks: int, threads: int, stream: int, arguments: Sequence[Any]) -> None:
        if kernel not in self._kernels:
            name = f"{kernel}_kernel".encode()
            self._kernels[kernel] = _checked(self._driver.cuModuleGetFunction(self._module, name))
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(x) for x in arguments])
        sizes = blocks, 1, 1, threads, 1, 1, 0
        _checked(self._driver.cuLaunchKernel(self._kernels[kernel], *sizes, stream, ctypes.addressof(pointers), 0))

    def launch_many(self, kernel: str, n: int, stream: int, arguments: Sequence[Any]) -> None:
        self.launch(kernel, -(-n // THREADS), THREADS, stream, arguments)


class RuntimeLibrary:
    """A shared library by nvcc with the CUDA runtime inside; needs no package."""

    def __init__(self, path: Path):
        self._library = load_library(path)

    def launch(self, kernel: str, blocks: int, threads: int, stream: int, arguments: Sequence[Any]) -> None:
        first, *rest = arguments  # hoist: p and the addresses of h
        self._call(kernel, first, (ctypes.c_void_p * len(rest))(*[x.value for x in rest]), ctypes.c_void_p(stream))

    def launch_many(self, kernel: str, n: int, stream: int, arguments: Sequence[Any]) -> None:
        self._call(kernel, *map(ctypes.byref, arguments), ctypes.c_void_p(stream))

    def _call(self, kernel: str, *arguments: Any) -> None:
        status = int(self._library[f"symbody_{kernel}"](*arguments))
        if status == OLD_DRIVER:
            raise CompileError("the driver of the graphics card is too old for this CUDA toolkit (see nvidia-smi)")
        if status:
            raise CompileError(f"CUDA error {status} at the start of a kernel")

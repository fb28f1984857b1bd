"""A kernel on a graphics card of NVIDIA: a state in each thread. Arrays are those of PyTorch or CuPy."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from symbody.batch.cuda_compiler import CudaLibrary, compiled_cuda
from symbody.batch.structures import batch_structure
from symbody.batch.system_kernel import KernelChoice, SystemKernel
from symbody.codegen.function import Array
from symbody.codegen.mirror import Mirror, layout_assertions
from symbody.codegen.targets.kernel import PRECISIONS
from symbody.errors import ModelError

NO_CARD = "use device='cpu', or check the driver with nvidia-smi"
# Statements in one function, an operation each, if a system has more than twice as many. Registers are worth more than
# short functions: on an H200 the Stewart platform (3700) is fastest in one piece, and the car (29 000) in parts of 2500
# rather than 1000. A kernel with some 6000 in one function has 32 registers only, and is a quarter as fast.
PART = 2500
SHARE = 0.9  # of the free memory that a batch may take


def array_package() -> Any:
    """PyTorch or CuPy, which holds the memory of the card."""
    for name in ("torch", "cupy"):
        if find_spec(name) is not None:
            return import_module(name)
    raise ModelError("device='cuda' needs PyTorch or CuPy", cure="pip install torch, or use device='cpu'")


class CudaDevice:
    """Arrays on the card, and kernels in CUDA."""

    name = "cuda"

    def __init__(self, precision: str = "double"):
        self.package, self.precision = array_package(), precision
        self.is_torch = self.package.__name__ == "torch"
        if not self._available():
            raise ModelError(f"{self.package.__name__} finds no graphics card with CUDA", cure=NO_CARD)
        self.full((1,), 0.0)  # the first use makes the context of the process

    def _available(self) -> bool:
        if self.is_torch:
            return bool(self.package.cuda.is_available())
        try:
            return int(self.package.cuda.runtime.getDeviceCount()) > 0
        except self.package.cuda.runtime.CUDARuntimeError as problem:
            raise ModelError(f"CUDA does not start: {problem}", cure=NO_CARD) from problem

    @property
    def capability(self) -> str:
        """The compute capability of the card, such as "90"."""
        if self.is_torch:
            return "{}{}".format(*self.package.cuda.get_device_capability())
        return str(self.package.cuda.Device().compute_capability)

    def free_bytes(self) -> int:
        """Free memory of the card."""
        cuda = self.package.cuda if self.is_torch else self.package.cuda.runtime
        return int((cuda.mem_get_info if self.is_torch else cuda.memGetInfo)()[0])

    def require(self, n: int, numbers: int) -> None:
        """Raise if n states of so many numbers each do not fit, and say how many do."""
        each = max(1, numbers) * PRECISIONS[self.precision].bytes
        fit = int(SHARE * self.free_bytes() / each)
        if n > fit:
            raise ModelError(
                f"{n} states need {n * each / 1e9:.3g} GB of the card's memory; {fit} states fit",
                cure="use fewer states, fewer channels, or a larger `every`",
            )

    def _type(self, whole: bool = False) -> Any:
        return getattr(self.package, "int64" if whole else "float64" if self.precision == "double" else "float32")

    def full(self, shape: Sequence[int], value: float, whole: bool = False) -> Any:
        """An array with one value everywhere; whole: of integers."""
        where = {"device": "cuda"} if self.is_torch else {}
        return self.package.full(tuple(shape), value, dtype=self._type(whole), **where)

    def array(self, x: Any) -> Any:
        """An array of PyTorch, CuPy or JAX on the card as it is; other numbers are copied, component by component."""
        if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == 2:
            own = x if type(x).__module__.startswith(self.package.__name__) else self.package.from_dlpack(x)
            return own if own.dtype == self._type() else own.to(self._type())
        numbers = np.asarray(x.cpu() if hasattr(x, "cpu") else x, dtype=np.float64)
        dense = np.ascontiguousarray(numbers.T)  # neighbouring threads read neighbouring numbers
        if self.is_torch:
            moved = self.package.as_tensor(dense, dtype=self._type(), device="cuda")
            return moved.permute(*reversed(range(moved.ndim)))
        return self.package.asarray(dense, dtype=self._type()).T

    def numpy(self, x: Any) -> Array:
        """The numbers for Python."""
        if isinstance(x, np.ndarray):
            return x
        return np.asarray(x.cpu().numpy() if self.is_torch else x.get())

    def place(self, x: Any) -> tuple[int, list[int]]:
        """Address, and strides in numbers."""
        if self.is_torch:
            return int(x.data_ptr()), list(x.stride())
        return int(x.data.ptr), [stride // x.itemsize for stride in x.strides]

    def stream(self) -> int:
        """The present stream of the package: work follows what the arrays wait for."""
        if self.is_torch:
            return int(self.package.cuda.current_stream().cuda_stream)
        return int(self.package.cuda.get_current_stream().ptr)

    def copied(self, x: Any) -> Any:
        """A copy on the device."""
        return x.clone() if self.is_torch else x.copy()

    def wait(self) -> None:
        """Wait until the card has finished."""
        (self.package.cuda.synchronize if self.is_torch else self.package.cuda.Device().synchronize)()

    def suited(self, choice: KernelChoice) -> KernelChoice:
        """The choice with the lengths of functions that suit the compiler."""
        return replace(choice, part=PART, deep=True)

    def compiled(self, text: str, structure: type[Mirror]) -> CudaLibrary:
        """The kernels of a text, which take a structure."""
        return compiled_cuda(f"{text}\n{layout_assertions([structure])}", self.precision, self.capability)

    def load(self, kernel: SystemKernel) -> CudaKernel:
        structure = batch_structure(self.precision)
        return CudaKernel(self, self.compiled(kernel.text, structure), structure)


class CudaKernel:
    """A compiled kernel of a system."""

    def __init__(self, device: CudaDevice, library: CudaLibrary, structure: type[Mirror]):
        self.device, self.library, self.structure = device, library, structure

    def hoist(self, p: int, h: Any) -> None:
        """Values that depend on shared parameters only, at the addresses h."""
        self.library.launch("hoist", 1, 1, self.device.stream(), [ctypes.c_void_p(p), *map(ctypes.c_void_p, h)])

    def rollout(self, b: Any) -> None:
        """The steps of all states."""
        self.library.launch_many("rollout", int(b.n), self.device.stream(), [b])

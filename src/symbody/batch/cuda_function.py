"""A compiled function of many states on the graphics card."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

from symbody.batch.cuda import CudaDevice
from symbody.batch.function_kernel import function_kernel
from symbody.codegen.function import Function
from symbody.codegen.mirror import Mirror
from symbody.codegen.program import Program

LONGEST = 3000  # statements in one function, and twice as many in one piece: the humanoid (4800)


@cache
def evaluate_structure(inputs: int, outputs: int) -> type[Mirror]:
    """evaluate_t of evaluate.h.in."""
    n_in, n_out = max(1, inputs), max(1, outputs)
    fields: list[tuple[str, Any]] = [("n", ctypes.c_int64)]
    fields += [(name, ctypes.c_int64 * n_in) for name in ("in_row", "in_column")]
    fields += [(name, ctypes.c_int64 * n_out) for name in ("out_row", "out_column")]
    fields += [("in", ctypes.c_void_p * n_in), ("out", ctypes.c_void_p * n_out), ("h", ctypes.c_void_p)]
    return type("EvaluateT", (Mirror,), {"_fields_": fields, "c_type": "evaluate_t"})


class CudaFunction:
    """f(q, qd, …) with arrays (n, size), or (size,) if all states share it, on the card; outputs (n, size) likewise.

    Neighbouring threads read neighbouring numbers if the first axis is the dense one: `torch.empty(size, n).T`.

    Parameters
    ----------
    function : Function
        A compiled function of one state.
    precision : str
        "double" or "single". Default "double".
    part : int
        Longest part of the code in one kernel (statements); up to twice as many stay in one piece. Default 3000.
    deep : bool
        Whether statements are ordered for few registers. Default True.
    program : Program, optional
        Of a function that does not know its own, such as one of a system.

    Examples
    --------
    Needs an NVIDIA card, and is refused without one:

    >>> import symbody as sb
    >>> from symbody.batch import CudaFunction
    >>> try:
    ...     on_card = CudaFunction(sb.compile(sb.machines.model("pendulum"), "inverse"))
    ... except sb.ModelError as error:
    ...     print(type(error).__name__)
    ModelError
    """

    def __init__(
        self, function: Function, precision: str = "double", part: int = LONGEST, deep: bool = True,
        program: Program | None = None,
    ):  # fmt: skip
        self.function, self.device = function, CudaDevice(precision)
        self.inputs = {name: size for name, (size, _) in function.signature.inputs.items()}
        self.outputs = function.signature.outputs
        self._kernel = function_kernel(program or function.program(), precision, part, deep)
        self._structure = evaluate_structure(len(self.inputs), len(self.outputs))
        self._library = self.device.compiled(self._kernel.text, self._structure)

    def __call__(self, *inputs: Any, out: Sequence[Any] | None = None) -> Any:
        """The outputs, flat for each state; out: arrays (n, size) for them."""
        d = self.device
        given = [d.array(x) for x in inputs]
        n = max(len(x) for x in given if x.ndim == 2)
        for x, (name, size) in zip(given, self.inputs.items(), strict=True):
            if tuple(x.shape) not in ((size,), (n, size)):
                raise ValueError(f"{name} has the shape {tuple(x.shape)}; expected ({size},) or ({n}, {size})")
        sizes = [prod(shape) for shape in self.outputs.values()]
        if out is None:
            d.require(n, sum(sizes))
            out = [d.full((size, n), 0.0).T for size in sizes]
        h = self._hoisted()
        b = self._structure(n=n, h=d.place(h)[0])
        places = getattr(b, "in")  # a word of Python
        for k, x in enumerate(given):
            places[k], strides = d.place(x)
            b.in_row[k], b.in_column[k] = [0] * (2 - len(strides)) + strides
        for k, y in enumerate(out):
            b.out[k], (b.out_row[k], b.out_column[k]) = d.place(y)
        self._library.launch_many("evaluate", n, d.stream(), [b])
        return self.function.result(out)

    def _hoisted(self) -> Any:
        """Values that depend on parameters only; the kernel has its own order of them."""
        d, kernel = self.device, self._kernel
        h = d.full((max(1, kernel.hoisted),), 0.0)
        if kernel.hoisted:
            self._given = d.array([float(self.function.parameters[name]) for name in kernel.parameters])
            addresses = [ctypes.c_void_p(d.place(x)[0]) for x in (self._given, h)]
            self._library.launch("hoist", 1, 1, d.stream(), addresses)
        return h

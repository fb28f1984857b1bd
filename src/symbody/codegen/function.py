"""The loaded function: takes and returns NumPy arrays, one state or a batch of states."""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symbody.codegen.callbacks import Callbacks
from symbody.codegen.program import Program
from symbody.codegen.tiers import Library
from symbody.errors import ParameterError
from symbody.expr.graph import Operations

Array = NDArray[np.float64]
Change = Callable[[Program], Program]


def address_of(array: Array) -> int:
    """Address of an array's data."""
    return int(array.__array_interface__["data"][0])


@dataclass(frozen=True)
class Signature:
    """The description of a compiled function, as stored in its manifest."""

    name: str  # of the C function
    model: str
    function: str
    summary: str
    inputs: dict[str, tuple[int, bool]]  # size, optional
    outputs: dict[str, tuple[int, ...]]
    parameters: dict[str, float]
    hoisted: int  # size of h
    operations: Operations
    statements: int
    notes: tuple[str, ...]


class Engine(Protocol):
    """What computes: compiled C or generated Python."""

    backend: str
    address: int  # of NAME_call; 0 in Python
    callbacks: Callbacks

    @property
    def library(self) -> Library | None:
        """The library in use; None in Python."""

    def tell(self, changed: Callable[[], None]) -> None:
        """Call a method after each change of the address."""

    def wait(self, timeout: float | None) -> None:
        """Wait for the optimised library."""

    def addresses(self) -> Sequence[int]:
        """Addresses of the Python functions that compiled code calls."""

    def call(self, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None: ...

    def batch(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        """One state in each row; an input with one dimension is shared by all."""

    def hoist(self, p: Array, h: Array) -> None: ...

    def when_batched(self, action: Callable[[int], object]) -> None:
        """Call an action with the address of NAME_batch when it is compiled, from any thread; never in Python."""


class Parameters(MutableMapping[str, float]):
    """The live parameters by name. Setting one recomputes the hoisted values."""

    def __init__(self, values: Mapping[str, float], changed: Callable[[Array], None]):
        self._values = np.array(list(values.values()), dtype=float)
        self._place = {name: i for i, name in enumerate(values)}
        self._changed = changed

    def _find(self, name: str) -> int:
        if name not in self._place:
            raise ParameterError(name, self._place)
        return self._place[name]

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._find(name)])

    def __setitem__(self, name: str, value: float) -> None:
        self._values[self._find(name)] = value
        self._changed(self._values)

    def update(self, *others: Any, **values: float) -> None:
        """Set several parameters, and recompute once."""
        new = dict(*others, **values)
        places = [self._find(name) for name in new]
        self._values[places] = list(new.values())
        self._changed(self._values)

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True)
class Origin:
    """The origin of a function: its program (made again), and how a changed program is compiled and stored by name."""

    program: Callable[[], Program]
    derive: Callable[[str, Change], Function]


class Function:
    """A compiled function: f(q, qd, …) for one state (vectors) or a batch (one state in each row).

    `sb.compile` makes functions. parameters: live numbers by name; setting one recomputes what depends on it.
    operations: the cost of a call.

    Parameters
    ----------
    signature : Signature
        Names and sizes of inputs, outputs and parameters.
    engine : object
        The compiled or interpreted code.
    generate_s : float
        Time of the generation, s.
    source : str
        The generated C.
    record : object
        What the cache knows of it.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> f = sb.compile(m, "inverse")
    >>> Q = f([0.1], [0.0], [0.0])
    >>> Q.shape
    (1,)
    """

    def __init__(self, signature: Signature, engine: Engine, generate_s: float, source: Path | str, record: str = ""):
        self.signature = signature
        self.backend = engine.backend
        self.operations, self.statements, self.notes = signature.operations, signature.statements, signature.notes
        self.generate_s = generate_s
        self.record = record  # name of its cache entry; "" if it cannot be loaded from that alone
        self._source = source
        self._engine = engine
        self._actions: list[Callable[[], object]] = []
        self.origin: Origin | None = None  # None if the program is unknown
        self._derived: dict[str, Function] = {}
        # Values that depend on parameters only; their memory never moves. After them come the addresses of the Python
        # functions that are called: functions of equal text share one library, and `h` is their own part.
        addresses = engine.addresses()
        self.hoisted: Array = np.zeros(signature.hoisted + len(addresses))
        self.hoisted[signature.hoisted :].view(np.uint64)[:] = addresses
        self.parameters = Parameters(signature.parameters, self._parameters_changed)
        self._parameters_changed(self.parameters._values)
        self._sizes = {name: size for name, (size, _) in signature.inputs.items()}
        self._required = [name for name, (_, optional) in signature.inputs.items() if not optional]
        self._zeros = np.zeros(max(self._sizes.values(), default=0))
        several = len(signature.outputs) != 1
        self._result: Any = namedtuple(signature.function.title(), signature.outputs, rename=True) if several else None
        engine.tell(self._swapped)
        self._connect_fast()

    @property
    def address(self) -> int:
        """Of void call(const double *const *in, double *const *out, const double *h), in the present build."""
        return self._engine.address

    @property
    def tier(self) -> str:
        """How the code in use was made: "quick", "optimised" or "python"."""
        return self._engine.library.tier if self._engine.library else "python"

    @property
    def path(self) -> Path | None:
        """The library in use; None in Python."""
        return self._engine.library.path if self._engine.library else None

    @property
    def compile_s(self) -> float:
        """Compile time of that library (s)."""
        return self._engine.library.compile_s if self._engine.library else 0.0

    def wait_optimised(self, timeout: float | None = None) -> bool:
        """Wait for the optimised library (timeout in s); returns whether it is in use. Raises the compiler's error."""
        self._engine.wait(timeout)
        return self.tier == "optimised"

    def when_optimised(self, action: Callable[[], object]) -> None:
        """Call an action when `address` is that of the optimised library, from another thread; now if it already is.

        Both libraries stay loaded and give equal results except for rounding: a loop in C may continue with the old
        address until it gets the new one.
        """
        self._actions.append(action)
        if self.tier == "optimised":
            self._swapped()

    def _swapped(self) -> None:
        """The address has changed: call the actions that depend on it."""
        self._connect_fast()
        while self._actions:
            with suppress(IndexError):  # two threads may be here
                self._actions.pop()()

    def _connect_fast(self) -> None:
        """If the C caller is available, it handles usual calls and passes unusual ones to `_slow`."""
        connect = getattr(self, "_connect", None)
        if connect is not None and self.address and not self._engine.callbacks.externals:
            names = tuple(sys.intern(name) for name in self._sizes)
            optional = tuple(name not in self._required for name in names)
            inputs = names, tuple((size,) for size in self._sizes.values()), optional
            outputs = tuple(self.signature.outputs.values()), self._result
            address = 0
            while address != self.address:  # it may change meanwhile
                address = self.address
                connect(address, address_of(self.hoisted), address_of(self._zeros), *inputs, *outputs)

    def _parameters_changed(self, values: Array) -> None:
        if self.signature.hoisted:
            self._engine.hoist(values, self.hoisted)
        for function in self._derived.values():
            self._set_on(function)

    def _set_on(self, function: Function) -> None:
        """Set a derived function's parameters equal to these; one with fewer parameters gets those it has."""
        function.parameters.update({name: self.parameters[name] for name in function.signature.parameters})

    def derived(self, name: str, change: Change) -> Function:
        """A function of a changed program, such as its adjoint, made once for each name; its live parameters follow."""
        if name not in self._derived:
            self._derived[name] = made = self._origin().derive(name, change)
            self._set_on(made)
        return self._derived[name]

    def program(self) -> Program:
        """The equations from which it was generated, made again."""
        return self._origin().program()

    def _origin(self) -> Origin:
        if self.origin is None:
            raise TypeError(f"{self.signature.name} has no program; make it with symbody.compile")
        return self.origin

    def when_batched(self, action: Callable[[int], object]) -> None:
        """Call an action, from any thread, with the address of NAME_batch(n, in, strides, out, h) once compiled."""
        self._engine.when_batched(action)

    @property
    def source(self) -> str:
        """The generated text."""
        return self._source if isinstance(self._source, str) else self._source.read_text(encoding="utf-8")

    def __call__(self, *inputs: Any, out: Any = None, **optional: Any) -> Any:
        return self._slow(*inputs, out=out, **optional)

    def _slow(self, *inputs: Any, out: Any = None, **optional: Any) -> Any:
        """A call with any arguments: converted, checked, one state or many."""
        given = self.arguments(inputs, optional)
        arrays = [np.ascontiguousarray(given.get(k, self._zeros[:n]), dtype=np.float64) for k, n in self._sizes.items()]
        n = self._states(arrays)
        outputs = self._outputs(n, out)
        if n is None:
            self._engine.call(arrays, outputs, self.hoisted)
        else:
            self.batch(n, arrays, outputs)
        self.raise_pending()
        return self.result(outputs) if out is None else out

    def result(self, outputs: Sequence[Any]) -> Any:
        """The outputs as a call returns them: the only one, or a named tuple."""
        return self._result(*outputs) if self._result else outputs[0]

    def batch(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Compute n states: inputs (n, size), or (size,) if all states share it; outputs (n, *shape)."""
        self._engine.batch(n, inputs, outputs, self.hoisted)

    def batch_at(self, n: int, inputs: Sequence[int], strides: Sequence[int], outputs: Sequence[int]) -> None:
        """As `batch`, by addresses, in C only; strides: numbers between two states, 0 if all states share it."""
        engine: Any = self._engine
        engine.batch_at(n, inputs, strides, outputs, self.hoisted)

    @property
    def python_laws(self) -> list[str]:
        """Names of the laws that a call evaluates in Python."""
        return [external.name for external in self._engine.callbacks.externals]

    def raise_pending(self) -> None:
        """Raise the first exception of a called Python function, if there was one; its values were NaN."""
        self._engine.callbacks.raise_pending()

    def arguments(
        self, inputs: Sequence[Any], keywords: Mapping[str, Any], defaults: Container[str] = ()
    ) -> dict[str, Any]:
        """Arguments by name; defaults: names that may be missing."""
        names = list(self._sizes)
        if len(inputs) > len(names):
            raise TypeError(f"{self.signature.name} takes {', '.join(names)}; {len(inputs)} arguments were given")
        given = dict(zip(names, inputs, strict=False))
        for name, value in keywords.items():
            if name not in self._sizes or name in given:
                twice = "was given twice" if name in given else f"is not one of {', '.join(names)}"
                raise TypeError(f"{self.signature.name}: argument {name!r} {twice}")
            if value is not None:
                given[name] = value
        missing = [name for name in self._required if name not in given and name not in defaults]
        if missing:
            raise TypeError(f"{self.signature.name} needs {', '.join(missing)}")
        return given

    def _states(self, arrays: Sequence[Array]) -> int | None:
        """Number of states of a batch, None for one state."""
        n: int | None = None
        for (name, size), array in zip(self._sizes.items(), arrays, strict=True):
            if array.ndim not in (1, 2) or array.shape[-1] != size:
                raise ValueError(
                    f"{name} has the shape {array.shape}; expected ({size},), or (states, {size}) for a batch"
                )
            if array.ndim == 2:
                if n is not None and array.shape[0] != n:
                    raise ValueError(f"{name} has {array.shape[0]} states, another input {n}")
                n = array.shape[0]
        return n

    def _outputs(self, n: int | None, out: Any) -> list[Array]:
        """Arrays for the outputs: the given ones, if they fit, or else new ones."""
        states = () if n is None else (n,)
        shapes = {name: states + shape for name, shape in self.signature.outputs.items()}
        if out is None:
            return [np.empty(shape) for shape in shapes.values()]
        arrays = [out] if self._result is None else list(out)
        if len(arrays) != len(shapes):
            raise ValueError(f"out needs {len(shapes)} arrays: {', '.join(shapes)}; {len(arrays)} were given")
        for (name, shape), array in zip(shapes.items(), arrays, strict=True):
            fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.flags.carray
            if not fits or array.shape != shape:
                actual = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise ValueError(f"out for {name} must be a contiguous float64 array of shape {shape}, not {actual}")
        return arrays

    def __repr__(self) -> str:
        inputs = ", ".join(f"{k}[{n}]" for k, n in self._sizes.items())
        return f"<{self.signature.name}({inputs}) -> {', '.join(self.signature.outputs)}; {self.backend}, {self.tier}>"

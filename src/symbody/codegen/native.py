"""Compiled C in this process: the engine of a function, the libraries of the runtime, and the fast caller."""

from __future__ import annotations

import ctypes
import re
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from math import prod
from pathlib import Path
from typing import Any
from weakref import WeakMethod

import numpy as np

from symbody.codegen import cache as store
from symbody.codegen.bare import SYMBOL
from symbody.codegen.c import RUNTIME, runtime
from symbody.codegen.callbacks import Callbacks
from symbody.codegen.function import Array, Function, Signature, address_of
from symbody.codegen.loading import load_library
from symbody.codegen.tiers import Code, Library, library, optimised
from symbody.codegen.tiny import find_tiny
from symbody.errors import CompileError
from symbody.expr.external import External

_POINTER = ctypes.c_void_p
_MANY = 1000  # operations of hand-written files: what they cost a compiler


class Native:
    """An engine of compiled C; when a better library is done, it takes the place of the first between two calls."""

    backend = "c"

    def __init__(self, code: Code, batch: Code, signature: Signature, externals: Sequence[External] = ()):
        self._batch_code, self._signature = batch, signature
        self._batch: Any = None
        self._batch_wanted = False
        self._batch_actions: list[Callable[[int], object]] = []
        self._changed: WeakMethod[Callable[[], None]] | None = None
        self.callbacks = Callbacks(externals)
        self._kept: list[ctypes.CDLL] = []  # all that were ever called, as somebody may still be inside
        first, self._build = library(code)
        self._use(first)
        if self._build:
            self._build.follow(self._swap)

    def _use(self, made: Library) -> None:
        """Call this library from now on; the one before stays loaded as long as this engine."""
        self._kept.append(load_library(made.path))
        if self._signature.hoisted:
            self._hoist = _entry(made, "hoist", *[_POINTER] * 2)
        self._call, self._library = _entry(made, "call", *[_POINTER] * 3), made
        self.address = ctypes.cast(self._call, _POINTER).value or 0

    @property
    def library(self) -> Library:
        """What is called now."""
        return self._library

    def _swap(self, made: Library) -> None:
        """The optimised library is there; in the thread that built it."""
        self._touch(made)
        self._use(made)
        changed = self._changed() if self._changed else None
        if changed:
            changed()

    def _touch(self, made: Library) -> None:
        """One call with zeros, for nothing but to have the library in memory before a real-time loop needs it."""
        if self.callbacks.externals:
            return
        inputs = [np.zeros(size) for size, _ in self._signature.inputs.values()]
        outputs = [np.zeros(shape) for shape in self._signature.outputs.values()]
        h = np.zeros(self._signature.hoisted)
        _entry(made, "call", *[_POINTER] * 3)(_pointers(inputs), _pointers(outputs), address_of(h))

    def tell(self, changed: Callable[[], None]) -> None:
        """Have a method called after each change of the address."""
        self._changed = WeakMethod(changed)

    def wait(self, timeout: float | None) -> None:
        """For the optimised library; what the compiler complained about is raised."""
        if self._build:
            self._build.wait(timeout)

    def addresses(self) -> Sequence[int]:
        return self.callbacks.addresses()

    def call(self, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        self._call(_pointers(inputs), _pointers(outputs), address_of(h))

    def batch(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        strides = [x.shape[1] if x.ndim == 2 else 0 for x in inputs]
        self._batch_at(n, _pointers(inputs), strides, _pointers(outputs), h)

    def batch_at(self, n: int, inputs: Sequence[int], strides: Sequence[int], outputs: Sequence[int], h: Array) -> None:
        """The same by addresses; strides: numbers from a state to the next, 0 where one row serves for all."""
        self._batch_at(n, (_POINTER * len(inputs))(*inputs), strides, (_POINTER * len(outputs))(*outputs), h)

    def _batch_at(self, n: int, inputs: Any, strides: Sequence[int], outputs: Any, h: Array) -> None:
        arrays = inputs, (ctypes.c_size_t * len(strides))(*strides), outputs
        if self._batched():
            self._batch(n, *arrays, address_of(h))
        else:
            sizes = (ctypes.c_size_t * len(outputs))(*map(prod, self._signature.outputs.values()))
            _each_state()(self.address, n, len(inputs), len(outputs), *arrays, sizes, address_of(h))

    def hoist(self, p: Array, h: Array) -> None:
        self._hoist(address_of(p), address_of(h))

    def _batched(self) -> bool:
        """Whether the library for many states is there; asked for when first needed, as few functions ever need it."""
        if not self._batch_wanted:
            self._batch_wanted = True
            found, build = optimised(self._batch_code, direct=find_tiny() is None)
            if found is not None:
                self._use_batch(found)
            elif build is not None:
                build.follow(self._use_batch)
        return self._batch is not None

    def _use_batch(self, made: Library) -> None:
        self._batch = _entry(made, "batch", ctypes.c_size_t, *[_POINTER] * 4)
        self._tell_batch()

    def when_batched(self, action: Callable[[int], object]) -> None:
        self._batch_actions.append(action)  # first: it may be done meanwhile
        if self._batched():
            self._tell_batch()

    def _tell_batch(self) -> None:
        for action in self._batch_actions:
            action(ctypes.cast(self._batch, _POINTER).value or 0)


def _entry(made: Library, name: str, *arguments: Any) -> Any:
    """A function of a library of generated code, which stays loaded as long as the function is there."""
    function = load_library(made.path)[f"{SYMBOL}_{name}"]
    function.restype, function.argtypes = None, arguments
    return function


def refresh(structure: ctypes.Structure, functions: Mapping[str, Function]) -> None:
    """Have a structure of the runtime call the functions where they are now, each by the field of its name.

    Each is one aligned store of eight bytes, and what was called before stays valid: a thread that steps meanwhile
    calls the one or the other.
    """
    for name, function in functions.items():
        setattr(structure, name, function.address)


def _included(package: str, found: re.Match[str]) -> str:
    """The text of a header: of the package, or of another room of symbody, as in "stepping/state.h"."""
    return runtime(found[2], f"symbody.{found[1]}" if found[1] else package)


class _Runtime:
    """A hand-written C file of the runtime, loaded; the optimised library takes the place of the quick one."""

    def __init__(self, name: str, package: str):
        text = re.sub(r'#include "(?:(\w+)/)?(\w+\.h)"', partial(_included, package), runtime(name, package))
        text = f"/* {name} */\n{text}\n"
        made, self._build = library(Code(store.digest(name, text), lambda: {name: text}, _MANY))  # one file, one digest
        self.use(made)
        if self._build:
            self._build.follow(self.use)

    def use(self, made: Library) -> None:
        self.loaded = ctypes.CDLL(str(made.path))  # for good: they are few, and threads run in them

    def wait(self) -> None:
        """For the optimised library."""
        made = self._build.wait() if self._build else None
        if made is not None:
            self.use(made)


_runtime = cache(_Runtime)


def runtime_library(name: str, *structures: type[ctypes.Structure], package: str = RUNTIME) -> ctypes.CDLL:
    """A C file of a package, compiled: the best library there is now, so ask again before each use.

    structures: what Python mirrors; their sizes must be those of the file, in order: const int64_t structure_sizes[].
    """
    loaded = _runtime(name, package).loaded
    if structures:
        sizes = list((ctypes.c_int64 * len(structures)).in_dll(loaded, "structure_sizes"))
        mirrored = [ctypes.sizeof(structure) for structure in structures]
        if sizes != mirrored:
            raise CompileError(f"structures of {name} take {sizes} bytes, their mirrors in Python {mirrored}")
    return loaded


def optimised_runtime(name: str, *structures: type[ctypes.Structure], package: str = RUNTIME) -> ctypes.CDLL:
    """The same, once its optimised build is done: for those who call it for good, and whose time it takes."""
    _runtime(name, package).wait()
    return runtime_library(name, *structures, package=package)


def _each_state() -> Any:
    function = runtime_library("states.c").each_state
    sizes = [ctypes.c_size_t] * 3
    function.restype, function.argtypes = None, [_POINTER, *sizes, *[_POINTER] * 5]
    return function


def _pointers(arrays: Sequence[Array]) -> Any:
    module = caller_module()
    where = address_of if module is None else module.address_of
    return (_POINTER * len(arrays))(*[where(x) for x in arrays])


def function_class() -> type[Function]:
    """`Function` on top of the fast caller; plain, a little slower per call, where Python's headers are missing."""
    module = caller_module()
    return Function if module is None else _on_top_of(module)


@cache
def _on_top_of(module: Any) -> type[Function]:
    about = {"__doc__": Function.__doc__, "__module__": Function.__module__}
    made: type[Function] = module.call_directly(type("Function", (module.Caller, Function), about))
    return made


@cache
def caller_module() -> Any:
    """The extension module of the fast caller, compiled at its first use; None where that cannot be."""
    try:
        return _caller_module()
    except (CompileError, ImportError, OSError):
        return None


def _caller_module() -> Any:
    include = Path(sysconfig.get_paths()["include"])
    if not (include / "Python.h").exists() or sys.platform == "win32":
        raise ImportError("no headers")
    text, abi = runtime("caller.c"), str(sysconfig.get_config_var("SOABI"))
    files = {"symbody_caller.c": text}
    made, _ = library(Code(store.digest(text, abi), lambda: files, _MANY, "light", include=(include,)))
    loader = ExtensionFileLoader("symbody_caller", str(made.path))
    spec = spec_from_loader("symbody_caller", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module

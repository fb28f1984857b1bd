"""Compiled C in this process: the engine of a function, libraries of hand-written C, and the fast caller."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from math import prod
from pathlib import Path
from typing import Any
from weakref import WeakMethod

import numpy as np

from symbody.codegen import cache as store
from symbody.codegen.callbacks import Callbacks
from symbody.codegen.function import Array, Function, Signature, address_of
from symbody.codegen.includes import RUNTIME, TranslationUnit, c_file
from symbody.codegen.loading import checked_name, load_library, open_library
from symbody.codegen.mirror import Mirror, check_layout, layout_table
from symbody.codegen.stripped_source import SYMBOL
from symbody.codegen.tiers import Code, Library, library, optimised
from symbody.codegen.tinycc import find_tiny
from symbody.errors import CompileError
from symbody.expr.external import External

_POINTER = ctypes.c_void_p
_MANY = 1000  # operations that a hand-written file counts as, to choose its tier


class Native:
    """An engine of compiled C. When the optimised library is built, it replaces the quick one between two calls."""

    backend = "c"

    def __init__(self, code: Code, batch: Code, signature: Signature, externals: Sequence[External] = ()):
        self._batch_code, self._signature = batch, signature
        self._batch: Any = None
        self._batch_wanted = False
        self._batch_actions: list[Callable[[int], object]] = []
        self._changed: WeakMethod[Callable[[], None]] | None = None
        self.callbacks = Callbacks(externals)
        self._kept: list[ctypes.CDLL] = []  # all libraries that were called: another thread may still run in one
        first, self._build = library(code)
        self._use(first)
        if self._build:
            self._build.follow(self._swap)

    def _use(self, made: Library) -> None:
        """Call this library from now on; the one before stays loaded as long as this engine exists."""
        self._kept.append(load_library(made.path))
        if self._signature.hoisted:
            self._hoist = _entry(made, "hoist", *[_POINTER] * 2)
        self._call, self._library = _entry(made, "call", *[_POINTER] * 3), made
        self.address = ctypes.cast(self._call, _POINTER).value or 0

    @property
    def library(self) -> Library:
        """The library that is called now."""
        return self._library

    def _swap(self, made: Library) -> None:
        """Use the optimised library; called by the thread that built it."""
        self._touch(made)
        self._use(made)
        changed = self._changed() if self._changed else None
        if changed:
            changed()

    def _touch(self, made: Library) -> None:
        """One call with zeros, which loads the pages of the library before a real-time loop needs them."""
        if self.callbacks.externals:
            return
        inputs = [np.zeros(size) for size, _ in self._signature.inputs.values()]
        outputs = [np.zeros(shape) for shape in self._signature.outputs.values()]
        h = np.zeros(self._signature.hoisted)
        _entry(made, "call", *[_POINTER] * 3)(_pointers(inputs), _pointers(outputs), address_of(h))

    def tell(self, changed: Callable[[], None]) -> None:
        """Call a method after each change of the address."""
        self._changed = WeakMethod(changed)

    def wait(self, timeout: float | None) -> None:
        """Wait for the optimised library; an error of the compiler is raised."""
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
        """The same by addresses; strides: from a state to the next, 0 if all states share one row."""
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
        """Whether the library for many states is built; the first call starts its build, as few functions need it."""
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
        self._batch_actions.append(action)  # first: the build may finish in the meantime
        if self._batched():
            self._tell_batch()

    def _tell_batch(self) -> None:
        for action in self._batch_actions:
            action(ctypes.cast(self._batch, _POINTER).value or 0)


def _entry(made: Library, name: str, *arguments: Any) -> Any:
    """A function of a library of generated code; the library stays loaded as long as the function exists."""
    function = load_library(made.path)[f"{SYMBOL}_{name}"]
    function.restype, function.argtypes = None, arguments
    return function


def refresh(structure: ctypes.Structure, functions: Mapping[str, Function]) -> None:
    """Write the present addresses of functions into the fields of the same names.

    Each is one aligned store of eight bytes, and the old addresses stay valid, so that a thread may step meanwhile.
    """
    for name, function in functions.items():
        setattr(structure, name, function.address)


class _Runtime:
    """A hand-written C file of the runtime, loaded; the optimised library replaces the quick one when it is built."""

    def __init__(self, name: str, package: str, structures: tuple[type[Mirror], ...]):
        self._name, self._structures = name, structures
        text = f"/* {name} */\n{TranslationUnit().paste(c_file(name, package))}\n{layout_table(structures)}"
        made, self._build = library(Code(store.digest(name, text), lambda: {name: text}, _MANY))  # one file, one digest
        self.use(made)
        if self._build:
            self._build.follow(self.use)

    def use(self, made: Library) -> None:
        loaded = open_library(made.path)  # never unloaded: they are few, and threads run in them
        check_layout(loaded, self._name, self._structures)
        self.loaded = loaded

    def wait(self) -> None:
        """Wait for the optimised library."""
        made = self._build.wait() if self._build else None
        if made is not None:
            self.use(made)


_runtime = cache(_Runtime)


def runtime_library(name: str, *structures: type[Mirror], package: str = RUNTIME) -> ctypes.CDLL:
    """A C file of a package, compiled. It is the best library that exists now, so ask again before each use.

    structures: the mirrors of its structures in Python. Each field must have the same offset and size in C, else a
    CompileError names the field.
    """
    return _runtime(name, package, structures).loaded


def optimised_runtime(name: str, *structures: type[Mirror], package: str = RUNTIME) -> ctypes.CDLL:
    """The same after its optimised build: for callers that keep its addresses."""
    _runtime(name, package, structures).wait()
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
    """`Function` with the fast caller; a plain one, slower per call, if Python's headers are missing."""
    module = caller_module()
    return Function if module is None else _on_top_of(module)


@cache
def _on_top_of(module: Any) -> type[Function]:
    about = {"__doc__": Function.__doc__, "__module__": Function.__module__}
    made: type[Function] = module.call_directly(type("Function", (module.Caller, Function), about))
    return made


@cache
def caller_module() -> Any:
    """The extension module of the fast caller, compiled at its first use; None if that fails."""
    try:
        return _caller_module()
    except (CompileError, ImportError, OSError):
        return None


def caller_library() -> Any:
    """The compiled fast caller, as an entry of the cache; an ImportError if Python's headers are missing."""
    include = Path(sysconfig.get_paths()["include"])
    if not (include / "Python.h").exists() or sys.platform == "win32":
        raise ImportError("no headers")
    text, abi = TranslationUnit().paste(c_file("caller.c")), str(sysconfig.get_config_var("SOABI"))
    files = {"symbody_caller.c": text}
    return library(Code(store.digest(text, abi), lambda: files, _MANY, "light", include=(include,)))[0]


def _caller_module() -> Any:
    with checked_name(caller_library().path) as name:
        loader = ExtensionFileLoader("symbody_caller", name)
        spec = spec_from_loader("symbody_caller", loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    return module

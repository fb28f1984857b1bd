"""Compiled C in this process: loading libraries, the fast caller, and the batch library made at its first use."""

from __future__ import annotations

import ctypes
import re
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.c import RUNTIME, runtime
from symbody.codegen.callbacks import Callbacks
from symbody.codegen.compiler import CURE, LIBRARY, build_library, find_compiler, flags, identity, run
from symbody.codegen.function import Array, Function, address_of
from symbody.errors import CompileError
from symbody.expr.external import External

_POINTER = ctypes.c_void_p


class Native:
    """An engine of compiled C."""

    backend = "c"

    def __init__(self, library: Path, name: str, make_batch: Callable[[], Path], externals: Sequence[External] = ()):
        self._library = ctypes.CDLL(str(library))
        self._name, self._make_batch = name, make_batch
        self._call = self._library[f"{name}_call"]
        self._call.restype, self._call.argtypes = None, (_POINTER, _POINTER, _POINTER)
        self._batch: Any = None
        self.callbacks = Callbacks(externals)
        self.address = ctypes.cast(self._call, _POINTER).value or 0

    def addresses(self) -> Sequence[int]:
        return self.callbacks.addresses()

    def call(self, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        self._call(_pointers(inputs), _pointers(outputs), address_of(h))

    def batch(self, n: int, inputs: Sequence[Array], outputs: Sequence[Array], h: Array) -> None:
        strides = (ctypes.c_size_t * len(inputs))(*[x.shape[1] if x.ndim == 2 else 0 for x in inputs])
        self._batched()(n, _pointers(inputs), strides, _pointers(outputs), address_of(h))

    def hoist(self, p: Array, h: Array) -> None:
        function = self._library[f"{self._name}_hoist"]
        function.restype = None
        function(_POINTER(address_of(p)), _POINTER(address_of(h)))

    def _batched(self) -> Any:
        """NAME_batch, compiled when it is first needed: most functions are only ever asked for single states."""
        if self._batch is None:
            self._batch_library = ctypes.CDLL(str(self._make_batch()))
            self._batch = self._batch_library[f"{self._name}_batch"]
            self._batch.restype, self._batch.argtypes = None, (ctypes.c_size_t, _POINTER, _POINTER, _POINTER, _POINTER)
        return self._batch


def runtime_library(name: str, *structures: type[ctypes.Structure], package: str = RUNTIME) -> ctypes.CDLL:
    """A C file of a package, compiled once and kept in the cache.

    structures: what Python mirrors; their sizes must be those of the file, in order: const int64_t structure_sizes[].
    """
    loaded = _runtime(name, package)
    if structures:
        sizes = list((ctypes.c_int64 * len(structures)).in_dll(loaded, "structure_sizes"))
        mirrored = [ctypes.sizeof(structure) for structure in structures]
        if sizes != mirrored:
            raise CompileError(f"structures of {name} take {sizes} bytes, their mirrors in Python {mirrored}")
    return loaded


def refresh(structure: ctypes.Structure, functions: Mapping[str, Function]) -> None:
    """Have a structure of the runtime call the functions where they are now, each by the field of its name."""
    for name, function in functions.items():
        setattr(structure, name, function.address)


@cache
def _runtime(name: str, package: str) -> ctypes.CDLL:
    command = find_compiler()
    if command is None:
        raise CompileError(f"no C compiler was found ({CURE})")
    text = re.sub(
        r'#include "(\w+\.h)"', lambda found: runtime(found[1], package), runtime(name, package)
    )  # one file, one digest
    stem = Path(name).stem
    entry = store.digest("runtime", text, identity(command))

    def fill(folder: Path) -> dict[str, Any]:
        (folder / name).write_text(text, encoding="utf-8")
        build_library(command, folder / name, folder / f"{stem}{LIBRARY}", "full", 1)
        return {}

    folder, _ = store.load_entry(entry) or store.make_entry(entry, fill)
    return ctypes.CDLL(str(folder / f"{stem}{LIBRARY}"))


def _pointers(arrays: Sequence[Array]) -> Any:
    module = caller_module()
    where = address_of if module is None else module.address_of
    return (_POINTER * len(arrays))(*[where(x) for x in arrays])


def function_class() -> type[Function]:
    """`Function` on top of the fast caller; plain, a little slower per call, where Python's headers are missing."""
    module = caller_module()
    return Function if module is None else _on_top_of(module.Caller)


@cache
def _on_top_of(caller: type) -> type[Function]:
    return type("Function", (caller, Function), {"__doc__": Function.__doc__, "__module__": Function.__module__})


@cache
def caller_module() -> Any:
    """The extension module of the fast caller, compiled at its first use; None where that cannot be."""
    try:
        return _caller_module()
    except (CompileError, ImportError, OSError):
        return None


def _caller_module() -> Any:
    include = Path(sysconfig.get_paths()["include"])
    command = find_compiler()
    if command is None or not (include / "Python.h").exists() or sys.platform == "win32":
        raise ImportError("no compiler or no headers")
    text = runtime("caller.c")
    options = [*flags("quick"), f"-I{include}", *(["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else [])]
    name = store.digest("caller", text, str(sysconfig.get_config_var("SOABI")), identity(command), repr(options))

    def fill(folder: Path) -> dict[str, Any]:
        (folder / "symbody_caller.c").write_text(text, encoding="utf-8")
        source, library = folder / "symbody_caller.c", folder / f"symbody_caller{LIBRARY}"
        run([*command, *options, "-shared", str(source), "-o", str(library)])
        return {}

    folder, _ = store.load_entry(name) or store.make_entry(name, fill)
    loader = ExtensionFileLoader("symbody_caller", str(folder / f"symbody_caller{LIBRARY}"))
    spec = spec_from_loader("symbody_caller", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module

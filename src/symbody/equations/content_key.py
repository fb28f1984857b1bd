"""Keys that identify models and laws by content: equal keys mean equal equations.

The key of a Python law includes its code and constants, its defaults, its closure, and the globals that it reads, all
followed to plain data. Some things cannot be followed: a file, a clock, a random generator, an object of an extension
module. A law that uses them has no key and is traced at every start.

The modules of symbody that generate code (`is_generating`) and the version of Python are not followed: the cache adds
the first, this key the second. Laws and classes in other modules of symbody, such as those of machines, are followed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import sys
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from symbody.codegen.cache import is_generating
from symbody.expr.graph import needed
from symbody.expr.node import Expr
from symbody.model.model import Model

# Modules whose functions depend on their arguments only; the key includes their versions.
PURE = {"math", "cmath", "operator", "itertools", "functools", "numbers", "collections", "dataclasses"}
PURE |= {"numpy", "scipy"}
IMPURE = ("numpy.random", "scipy.stats", "scipy.io")
FROM_FILES = {"fromfile", "load", "loadtxt", "genfromtxt", "fromregex", "memmap"}  # of numpy
# Builtins whose result depends on more than their arguments.
BEYOND = {"open", "input", "eval", "exec", "compile", "globals", "locals", "vars", "id", "hash", "__import__"}
_PLAIN = (types.NoneType, bool, int, float, complex, str, bytes, range, type(Ellipsis), type(NotImplemented))
_NOT_CONTENT = {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__qualname__", "_abc_impl"}
_NOT_CONTENT |= {"__firstlineno__", "__static_attributes__", "__dataclass_params__", "__dataclass_fields__"}
_OF_NAMED_TUPLES = {"__new__", "_make", "_replace", "_asdict", "_fields", "_field_defaults", "__getnewargs__"}
_OF_NAMED_TUPLES |= {"__orig_bases__", "__match_args__", "__repr__"}
_BASES: dict[type, Any] = {dict: dict.items, list: list, tuple: tuple, float: float.hex, int: int.__repr__}
_BASES[str] = str.__str__
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # flags of a type: created at run time; its attributes cannot be set
_WITH_ITSELF = (
    "source",
    "file",
    "notes",
    "dropped",
    "inertia_as_given",
)  # of a model: its origin, not its content


class NotComparable(Exception):
    """Raised for content that cannot be followed, so that there is no key."""


def content_key(*parts: Any) -> str:
    """A digest of all content of the parts, including laws. Raises NotComparable if something cannot be followed."""
    writer = _Writer()
    try:
        writer.write(parts)
    except RecursionError:
        raise NotComparable("it holds something nested too deeply") from None
    versions = f"{sys.implementation.cache_tag} {sys.version} numpy {np.__version__}"
    return hashlib.sha256("\n".join([versions, *writer.tokens]).encode("utf-8", "surrogatepass")).hexdigest()


def model_content(model: Model, with_values: bool = True) -> dict[str, Any]:
    """Everything that the equations of a model depend on; without the values of named parameters if these are live."""
    content = {f.name: getattr(model, f.name) for f in fields(model) if f.name not in _WITH_ITSELF}
    return content if with_values else content | {"parameters": list(model.parameters)}


class _Writer:
    """Content as tokens; a repeated object becomes a reference, so that cycles end."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self._seen: dict[int, tuple[int, Any]] = {}  # keeps the object, because its id could be reused

    def write(self, x: Any) -> None:
        kind = type(x)
        if kind in _PLAIN:
            self.tokens.append(f"{kind.__name__} {x!r}")
        elif kind is tuple:
            self._all("tuple", x)
        elif id(x) in self._seen:
            self.tokens.append(f"seen {self._seen[id(x)][0]}")
        else:
            self._seen[id(x)] = (len(self._seen), x)
            self._new(x, kind)

    def _all(self, title: str, members: Any) -> None:
        listed = list(members)
        self.tokens.append(f"{title} {len(listed)}")
        for member in listed:
            self.write(member)

    def _new(self, x: Any, kind: type) -> None:
        if kind is list:
            self._all("list", x)
        elif kind is dict or kind is types.MappingProxyType:
            self._all("dict", [part for item in x.items() for part in item])
        elif kind is set or kind is frozenset:
            self._all(kind.__name__, sorted(content_key(member) for member in x))
        elif isinstance(x, np.ndarray | np.generic):
            self._array(np.asarray(x))
        elif isinstance(x, np.dtype):
            self.tokens.append(f"dtype {x.descr}")
        elif kind is Expr:
            self._expression(x)
        elif kind is types.FunctionType:
            self._function(x)
        elif kind is types.CodeType:
            self._code(x)
        elif kind is types.MethodType:
            self._all("method", (x.__self__, x.__func__))
        elif kind is functools.partial:
            self._all("partial", (x.func, x.args, x.keywords, vars(x)))
        elif kind is functools._lru_cache_wrapper:
            self._all("cached", (x.__wrapped__,))
        elif kind is types.SimpleNamespace:
            self._all("namespace", (vars(x),))
        elif kind is types.ModuleType:
            self._named(x, x.__name__)
        elif isinstance(x, type):
            self._class(x)
        elif isinstance(x, Enum):
            self._all("member", (kind, x.name, x.value))
        elif _origin(x):
            self._named(x, _origin(x))
        else:
            self._instance(x, kind)

    def _named(self, x: Any, module: str) -> None:
        """An object given by its module and name."""
        name = getattr(x, "__qualname__", getattr(x, "__name__", ""))
        known = _is_pure(module) or is_generating(module) or module == "builtins"
        if not known or name in FROM_FILES or name in BEYOND:
            raise NotComparable(f"it uses {module} {name}" if name != module else f"it uses the module {module}")
        version = sys.modules["scipy"].__version__ if module.startswith("scipy") else ""  # that of NumPy is in each key
        self.tokens.append(f"named {module} {name} {version}")

    def _array(self, x: np.ndarray) -> None:
        if x.dtype.hasobject:
            self._all(f"array {x.shape}", x.ravel().tolist())
        else:
            self.tokens.append(f"array {x.dtype.str} {x.shape} {x.tobytes().hex()}")

    def _expression(self, x: Expr) -> None:
        """Nodes by index: each after its arguments."""
        nodes = needed([x])
        place = {node: k for k, node in enumerate(nodes)}
        self.tokens.append(f"expression {len(nodes)}")
        for node in nodes:
            self.tokens.append(f"{node.op} {node.level} {[place[a] for a in node.args]}")
            self.write(node.value)

    def _function(self, f: types.FunctionType) -> None:
        module = f.__module__ or ""
        if (is_generating(module) or module.startswith("scipy.")) and _found_by_name(f):
            self._named(f, f.__module__)
            return
        self.tokens.append("function")
        self.write(f.__code__)
        self.write(f.__defaults__)
        self.write(f.__kwdefaults__)
        self.write(vars(f))
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            self.tokens.append(f"closure {name}")
            self._cell(cell)
        for chain in _globals_read(f.__code__):
            self._global(f, chain)

    def _cell(self, cell: types.CellType) -> None:
        try:
            held = cell.cell_contents
        except ValueError:
            self.tokens.append("empty")
            return
        self.write(held)

    def _global(self, f: types.FunctionType, chain: tuple[str, ...]) -> None:
        """A global that a function reads: `scale`, or `module.part.name`."""
        name, *attributes = chain
        self.tokens.append(f"global {'.'.join(chain)}")
        if name not in f.__globals__:
            if name in BEYOND:
                raise NotComparable(f"it calls {name}()")
            known = getattr(builtins, name, None)
            self.tokens.append(f"builtin {getattr(known, '__name__', type(known).__name__)}")
            return
        value = f.__globals__[name]
        while isinstance(value, types.ModuleType) and attributes:
            value = getattr(value, attributes.pop(0), None)
        self.write(value)

    def _code(self, code: types.CodeType) -> None:
        numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self._all("code", (code.co_code, code.co_exceptiontable, numbers, names, code.co_consts))

    def _class(self, cls: type) -> None:
        module = cls.__module__
        if module == "builtins" or _is_pure(module) or is_generating(module):
            self.tokens.append(f"class {module} {cls.__qualname__}")
            return
        self.tokens.append(f"class {cls.__qualname__}")
        self._all("bases", cls.__mro__[1:])
        own, skipped = is_dataclass(cls), _NOT_CONTENT
        if own:
            self._all("fields", [(f.name, _default(f)) for f in fields(cls)])
        elif issubclass(cls, tuple) and hasattr(cls, "_fields"):  # a NamedTuple
            named: Any = cls
            self._all("fields", (named._fields, named._field_defaults))
            skipped = _NOT_CONTENT | _OF_NAMED_TUPLES | set(named._fields)
        for name, member in vars(cls).items():
            if name not in skipped and not (own and _is_generated(member)):
                self.tokens.append(f"member {name}")
                self._member(member)

    def _member(self, member: Any) -> None:
        if isinstance(member, staticmethod | classmethod):
            self.write(member.__func__)
        elif isinstance(member, property):
            self._all("property", (member.fget, member.fset, member.fdel))
        elif isinstance(member, functools.cached_property):
            self.write(member.func)
        elif isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType):
            self.tokens.append("slot")
        else:
            self.write(member)

    def _instance(self, x: Any, kind: type) -> None:
        """An object of a Python class: its class and its attributes."""
        foreign = [base for base in kind.__mro__ if not _in_python(base)]
        plain = [base for base in foreign if base in _BASES]
        if len(foreign) > len(plain) + 1:  # object, and the plain data type it may derive from
            raise NotComparable(f"it uses an object of {kind.__module__}.{kind.__qualname__}")
        self.tokens.append("object")
        self.write(kind)
        for base in plain:
            self._all("data", _BASES[base](x))
        for name, value in _held(x):
            self.tokens.append(f"holds {name}")
            self.write(value)


def _held(x: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(x, "__dict__", {}).items()
    for base in type(x).__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(x, name):
                yield name, getattr(x, name)


def _in_python(cls: type) -> bool:
    """Whether a class is written in Python, so that its objects have attributes only."""
    module = sys.modules.get(cls.__module__)
    loader = type(getattr(module, "__loader__", None)).__name__
    if cls.__flags__ & _IMMUTABLE or not cls.__flags__ & _HEAP or loader in ("ExtensionFileLoader", "BuiltinImporter"):
        return cls.__module__ == "__main__" and bool(cls.__flags__ & _HEAP)
    return "__slots__" in vars(cls) or "__dict__" in vars(cls) or any(map(_in_python, cls.__bases__))


def _default(f: Any) -> tuple[Any, ...]:
    absent = "none" if type(f.default).__name__ == "_MISSING_TYPE" else f.default
    factory = "none" if type(f.default_factory).__name__ == "_MISSING_TYPE" else f.default_factory
    return absent, factory


def _is_generated(member: Any) -> bool:
    """Whether `dataclass` generated a method."""
    inner = getattr(member, "__wrapped__", member)
    return isinstance(inner, types.FunctionType) and inner.__code__.co_filename == "<string>"


def _origin(x: Any) -> str:
    """The module of a function of an extension module."""
    if isinstance(x, np.ufunc):
        return "numpy"
    compiled = types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType
    if isinstance(x, compiled) and not isinstance(getattr(x, "__self__", None), types.ModuleType | types.NoneType):
        return ""  # a method of an object: treated like the object
    if isinstance(x, compiled) or type(x).__name__ == "_ArrayFunctionDispatcher":
        return str(getattr(x, "__module__", None) or getattr(getattr(x, "__objclass__", None), "__module__", ""))
    return ""


def _is_pure(module: str) -> bool:
    return module.partition(".")[0].lstrip("_") in PURE and not _within(module, IMPURE)


def _within(module: str, folders: tuple[str, ...]) -> bool:
    return any(module == folder or module.startswith(f"{folder}.") for folder in folders)


def _found_by_name(f: types.FunctionType) -> bool:
    """Whether its module has this function under its name."""
    return getattr(sys.modules.get(f.__module__), f.__qualname__, None) is f


@functools.lru_cache(maxsize=4096)
def _globals_read(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """The globals that a function and its inner functions read, each with the attributes taken from it."""
    found: dict[tuple[str, ...], None] = {}
    chain: list[str] = []
    for step in dis.get_instructions(code):
        if chain and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chain.append(step.argval)
            continue
        if chain:
            found[tuple(chain)] = None
            chain = []
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            chain = [step.argval]
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise NotComparable(f"it changes the global {step.argval}")
        elif step.opname == "IMPORT_NAME" and not (_is_pure(step.argval) or is_generating(step.argval)):
            raise NotComparable(f"it imports {step.argval}")
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= dict.fromkeys(_globals_read(inner))
    return tuple(found)

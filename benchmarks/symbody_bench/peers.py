"""Other engines on the same model: operations, seconds to generate and compile, microseconds per call.

Each engine is imported when it is measured; if it or a compiler is missing, the result is a note.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from symbody.analysis.random_states import random_state
from symbody.model.model import Model
from symbody_bench.clock import (
    NATIVE,
    BuildError,
    Built,
    Compiled,
    bench_folder,
    build,
    build_c,
    casadi_adapter,
    engine_adapter,
    run_measured,
    time_call,
    time_compiled,
)
from symbody_bench.numeric import Array
from symbody_bench.to_pinocchio import PinocchioTree, to_pinocchio

FUNCTIONS = ("inverse", "mass", "direct")  # (q, v, a) → τ;  q → M;  (q, v, τ) → a
COMPILE_LIMIT = 120.0  # s
TRACED_DOFS = 200  # Pinocchio's Data holds four tensors of nv³ scalars: with CasADi's, 18 GB at 400 joints, 2 GB here
STATES = 32  # different states in one timing
_HERE = Path(__file__).parent
SYSTEM_EIGEN = Path("/usr/include/eigen3")

# Definitions of Pinocchio's own CMake files: its list of joints is longer than Boost's default. The last is ours:
# Pinocchio asks each joint whether it mimics another, and no joint of pinocchio_reader.hpp does.
_BOOST = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-DBOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT",
)
CPP_LEVEL = NATIVE  # as our own code
CASADI_LEVEL = ("-O2",)  # it runs once for each function
TREE_JOINTS: tuple[
    str, ...
] = ()  # a shorter list of joints for programs of trees: SYMBODY_JOINTS of pinocchio_reader.hpp
_JOINTS = {
    "JointModelRX": "R1",
    "JointModelRY": "R2",
    "JointModelRZ": "R3",
    "JointModelPX": "T1",
    "JointModelPY": "T2",
    "JointModelPZ": "T3",
    "JointModelTranslation": "slide",
    "JointModelSpherical": "ball",
    "JointModelFreeFlyer": "freeflyer",
}


@dataclass
class Measured:
    """One function of one engine on one model; None if a figure has no meaning or is not available."""

    peer: str
    model: str
    function: str
    us_per_call: float | None = None
    operations: int | None = None  # + - * / and negations, without sines and cosines
    generate_s: float | None = None
    compile_s: float | None = None
    first_call_s: float | None = None
    memory_MB: float | None = None  # peak of generating and compiling
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def all_peers(model: Model, compile_limit: float = COMPILE_LIMIT) -> list[Measured]:
    """Every engine that can run this model."""
    return [
        *pinocchio_python(model),
        *pinocchio_cpp(model),
        *pinocchio_casadi(model, compile_limit),
        *mujoco_c(model),
    ]


def _noting(measure: Callable[..., Iterator[Measured]]) -> Callable[..., list[Measured]]:
    """Turn a missing package or compiler into a note."""

    def noted(model: Model, *args: Any) -> list[Measured]:
        try:
            return list(measure(model, *args))
        except (ImportError, BuildError, OSError) as error:
            return [Measured(measure.__name__, model.name, function, note=str(error)) for function in FUNCTIONS]

    return noted


# --- Pinocchio ---------------------------------------------------------------------------------------------------


@_noting
def pinocchio_python(model: Model) -> Iterator[Measured]:
    """Pinocchio called from Python, call overhead included."""
    import pinocchio as pin

    start = perf_counter()
    tree = to_pinocchio(model, freeflyer=True)
    made = perf_counter() - start
    m, d = tree.model, tree.data
    q, v, a = states(model, tree, 1)[0]
    calls: dict[str, Callable[[], object]] = {
        "inverse": lambda: pin.rnea(m, d, q, v, a),
        "mass": lambda: pin.crba(m, d, q),
        "direct": lambda: pin.aba(m, d, q, v, a),
    }
    for function, call in calls.items():
        note = f"{pin.__version__}, one state, Python call included"
        yield Measured("pinocchio_python", model.name, function, time_call(call), generate_s=made, note=note)


@_noting
def pinocchio_cpp(model: Model) -> Iterator[Measured]:
    """Pinocchio's C++ built from its headers; the faster of its two conventions."""
    tree = to_pinocchio(model, freeflyer=True)
    built = cpp_library()
    functions = cpp_functions(tree)
    world = ctypes.CDLL(str(built.file)).peer_world
    for function in FUNCTIONS:
        found: dict[str, float] = {}
        for name, flag in (("local", 0), ("world", 1))[: 1 if function == "inverse" else 2]:
            world(ctypes.c_void_p(functions[function].user), flag)
            outputs = [None if function == "mass" else model.nv]
            found[name] = time_compiled(functions[function], states(model, tree, STATES, function), outputs)
        best = min(found, key=lambda name: found[name])
        note = f"g++ -O3 -march=native, {best} convention"
        yield Measured("pinocchio_cpp", model.name, function, found[best], compile_s=built.seconds, note=note)


def states(model: Model, tree: PinocchioTree, count: int, function: str = "inverse") -> list[list[Array]]:
    """Random inputs of a function in Pinocchio's order: (q, v, a) or (q, v, τ), or q alone for the mass matrix."""
    rng = np.random.default_rng(0)
    drawn = (random_state(model, rng) for _ in range(count))
    return [[tree.q(q), tree.v(v), tree.v(u)][: 1 if function == "mass" else 3] for q, v, u in drawn]


@cache
def cpp_library() -> Built:
    """The shared library of pinocchio_timer.cpp."""
    return build_cpp("pinocchio_timer", TREE_JOINTS)


def build_cpp(name: str, options: Sequence[str] = ()) -> Built:
    """A shared library from a source next to this file that uses Pinocchio's headers."""
    # hidden and not unique: its symbols must not mix with the Pinocchio that Python has loaded
    command = [
        "g++",
        "-std=c++17",
        *CPP_LEVEL,
        *options,
        "-DNDEBUG",
        "-w",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        *_BOOST,
    ]
    command += ["-fno-gnu-unique", str(_HERE / f"{name}.cpp")]
    return build(command, _sources(f"{name}.cpp"), f"{name}.so", headers=_pinocchio_headers())


def cpp_functions(tree: PinocchioTree) -> dict[str, Compiled]:
    """Pinocchio's C++ for the clock, by function: inverse, mass (upper triangle of nv × nv) and direct."""
    peer = _CppModel(write_flat(tree))
    addresses = {f: ctypes.cast(getattr(peer.library, f"peer_{f}"), ctypes.c_void_p).value for f in FUNCTIONS}
    return {f: Compiled(address or 0, peer.handle, [peer]) for f, address in addresses.items()}


class _CppModel:
    """A Pinocchio model in C++; it lives as long as this object."""

    def __init__(self, flat: Path) -> None:
        self.library = ctypes.CDLL(str(cpp_library().file))
        self.library.peer_read.restype = ctypes.c_void_p
        self.handle = self.library.peer_read(str(flat).encode())
        if not self.handle:
            raise BuildError("Pinocchio's C++ could not read the model")

    def __del__(self) -> None:
        self.library.peer_free(ctypes.c_void_p(self.handle))


def write_flat(tree: PinocchioTree) -> Path:
    """Write a Pinocchio model as the text that pinocchio_reader.hpp reads."""
    m = tree.model
    lines = ["gravity " + numbers_text(m.gravity.linear), f"joints {m.njoints - 1}"]
    for i in range(1, m.njoints):
        place, body = m.jointPlacements[i], m.inertias[i]
        upper = body.inertia[(0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)]
        numbers = [*place.rotation.flatten(), *place.translation, body.mass, *body.lever, *upper]
        lines.append(f"{m.parents[i]} {_JOINTS[m.joints[i].shortname()]} {numbers_text(numbers)}")
    text = "\n".join(lines) + "\n"
    return keep(text, "model.txt")


def numbers_text(numbers: Sequence[float]) -> str:
    """Numbers without loss of digits, separated by spaces."""
    return " ".join(repr(float(x)) for x in numbers)


def keep(text: str, name: str) -> Path:
    """A cache file with this content."""
    file = bench_folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:20]}-{name}"
    if not file.exists():
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.write_text(text)
        draft.replace(file)
    return file


def _sources(name: str) -> list[Path]:
    return [_HERE / name, _HERE / "pinocchio_reader.hpp"]


def _pinocchio_headers() -> dict[Path, str]:
    """Folders of Pinocchio, Boost and Eigen by their versions: of the wheels, or of the prefix of Pinocchio."""
    import pinocchio

    prefix = Path(pinocchio.__file__).parents[4]
    folders = {prefix / "include": pinocchio.__version__, prefix / "include" / "eigen3": "", **_casadi_eigen()}
    folders = {folder: version for folder, version in (folders | {SYSTEM_EIGEN: ""}).items() if folder.is_dir()}
    if not (prefix / "include" / "pinocchio").is_dir():
        raise BuildError("this Pinocchio has no headers")
    if not any((folder / "Eigen").is_dir() for folder in folders):
        raise BuildError("no Eigen headers: pip install cmeel-eigen")
    return folders


def _casadi_eigen() -> dict[Path, str]:
    try:
        import casadi
    except ImportError:
        return {}
    return {Path(casadi.__file__).parent / "include" / "eigen3": casadi.CasadiMeta.version()}


# --- Pinocchio traced by CasADi, as C ----------------------------------------------------------------------------


@dataclass
class CasadiFunction:
    """A C function that CasADi generated from Pinocchio's algorithm, compiled."""

    function: Compiled
    rows: list[int]  # of its output, a sparse matrix by columns
    cols: list[int]
    operations: int
    generate_s: float
    compile_s: float
    load_s: float
    memory_MB: float
    how: str


@_noting
def pinocchio_casadi(model: Model, compile_limit: float = COMPILE_LIMIT) -> Iterator[Measured]:
    """Pinocchio → CasADi → C with the model's numbers as constants, compiled by the system's C compiler."""
    tree = to_pinocchio(model, freeflyer=True)
    for function in FUNCTIONS:
        result = Measured("pinocchio_casadi", model.name, function)
        try:
            made = casadi_function(tree, function, compile_limit, result)
        except BuildError as error:
            result.note = str(error)
            yield result
            continue
        inputs = states(model, tree, STATES, function)
        result.us_per_call = time_compiled(made.function, inputs, [len(made.rows)])
        result.first_call_s = made.load_s
        result.note = f"cc {' '.join(NATIVE)}; fewest operations: {made.how}"
        yield result


def casadi_function(tree: PinocchioTree, function: str, limit: float, into: Measured | None = None) -> CasadiFunction:
    """Generate and compile one function; after a failure, `into` keeps the figures known so far."""
    if tree.model.nv > TRACED_DOFS:
        raise BuildError(f"not traced: Pinocchio's Data of CasADi scalars grows with nv³, {tree.model.nv} is too many")
    source = bench_folder() / f"{write_flat(tree).name}-{function}.c"
    draft = source.with_name(f"{source.name}.{os.getpid()}.c")
    # four times: it tries up to four variants
    ran = run_measured([str(casadi_generator().file), str(write_flat(tree)), function, str(draft)], 4 * limit)
    if ran.status:
        raise BuildError(f"CasADi: {ran.errors.strip()[:300]}")
    draft.replace(source)
    facts = json.loads(ran.output)
    into = into or Measured("pinocchio_casadi", tree.model.name, function)
    into.operations, into.generate_s, into.memory_MB = facts["operations"], facts["seconds"], ran.megabytes
    built = build_c(source, f"{function}.so", timeout=limit)
    into.compile_s, into.memory_MB = built.seconds, max(ran.megabytes, built.megabytes)
    start = perf_counter()
    library = ctypes.CDLL(str(built.file))
    adapted = casadi_adapter(getattr(library, function), facts["work"])
    loaded = perf_counter() - start
    costs = (facts["operations"], facts["seconds"], built.seconds, loaded, into.memory_MB)
    return CasadiFunction(adapted, facts["row"], facts["col"], *costs, facts["how"])


@cache
def casadi_generator() -> Built:
    """The program of pinocchio_casadi.cpp."""
    import casadi

    folder = Path(casadi.__file__).parent
    # CasADi's headers need the options of its library's build, otherwise its objects differ in size
    flags = [flag for flag in casadi.CasadiMeta.compiler_flags().split() if flag.startswith("-DCASADI_WITH_")]
    command = ["g++", "-std=c++17", *CASADI_LEVEL, *TREE_JOINTS, "-DNDEBUG", "-w", *_BOOST, *flags]
    command += [str(_HERE / "pinocchio_casadi.cpp"), f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    headers = {folder / "include": casadi.CasadiMeta.version(), **_pinocchio_headers()}
    return build(command, _sources("pinocchio_casadi.cpp"), "pinocchio_casadi", headers=headers)


# --- MuJoCo ------------------------------------------------------------------------------------------------------


@_noting
def mujoco_c(model: Model) -> Iterator[Measured]:
    """MuJoCo's C functions, called from C; contacts, limits and sensors are switched off."""
    import mujoco

    from symbody_bench.to_mujoco import to_mujoco

    start = perf_counter()
    tree = to_mujoco(model)
    made = perf_counter() - start
    library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
    data = tree.data
    calls = {
        "inverse": (library.mj_inverse, [data.qpos, data.qvel, data.qacc], data.qfrc_inverse),
        "mass": (library.mj_fwdPosition, [data.qpos], np.empty(0)),
        "direct": (library.mj_forward, [data.qpos, data.qvel, data.qfrc_applied], data.qacc),
    }
    rng = np.random.default_rng(0)
    drawn = [random_state(model, rng) for _ in range(STATES)]
    inputs = [[q[tree.q_order], v[tree.v_order], u[tree.v_order]] for q, v, u in drawn]
    for function, (call, to, result) in calls.items():
        adapted = engine_adapter(call, tree.model._address, data._address, to, result)
        note = f"{mujoco.__version__}: {call.__name__}"
        time = time_compiled(adapted, [state[: len(to)] for state in inputs], [result.size])
        yield Measured("mujoco_c", model.name, function, time, generate_s=made, note=note)


# --- SymPy -------------------------------------------------------------------------------------------------------


def sympy_kane(links: Sequence[int] = range(2, 9), limit: float = 60.0) -> list[Measured]:
    """SymPy's Kane method on planar pendulums: generation alone, until a size takes longer than the limit."""
    out: list[Measured] = []
    for n in links:
        result = Measured("sympy_kane", f"pendulum{n}", "mass and bias")
        out.append(result)
        try:
            ran = run_measured([sys.executable, "-m", "symbody_bench.sympy_pendulum", str(n)], limit)
        except BuildError as error:
            result.note = str(error)
            break
        if ran.status:
            result.note = (ran.errors.strip().splitlines() or ["failed"])[-1]
            break
        result.generate_s, result.memory_MB = float(ran.output), ran.megabytes
    return out

"""Functions and systems inside JAX: XLA calls the compiled C, gradients are the compiled adjoint; jit and vmap work."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from symbody.bridges.differentiable import GUESS, PARAMETERS, Differentiable, differentiable
from symbody.bridges.rollout import Rollout, Trajectory, spread
from symbody.codegen import cache as store
from symbody.codegen.function import Function, address_of
from symbody.codegen.includes import TranslationUnit, c_file
from symbody.codegen.tiers import Code, library
from symbody.errors import CompileError
from symbody.lazy_imports import required
from symbody.system.compiled_path import INPUTS as KNOWN
from symbody.system.compiled_path import CompiledPaths
from symbody.system.system import Array, System

TARGET = "symbody_states"  # of xla.c
MOST = 16  # inputs or outputs there
STATEMENTS = 1000  # statements of xla.c, for the choice of compiler
_RECORDS: list[Any] = []  # never freed, because compiled programs of JAX hold their addresses


def to_jax(what: Function | System, function: str = "rates", *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """A function of JAX arrays with exact gradients of any order: (size,) for one state, (…, size) for a batch.

        f = to_jax(s)  # or to_jax(s, "outputs"), to_jax(sb.compile(m, "inverse"))
        jax.jit(jax.grad(lambda x: f(0.0, x, u).sum()))(x)

    parameters: names of live parameters that become the last input `p`, each state with its own, and with gradients.
    Inputs that are not given keep their present values. Only reverse mode is supported (grad, vjp, jacrev).
    It computes in double precision; if JAX uses single precision, arguments and results are rounded to it.

    Loops of a system are closed as in `System.rates`: in the assembly mode of its start, whatever was called before, or
    nearest to an input `guess`. Where they do not close, a single state raises an error, and rows of a batch are NaN:
    `jnp.isfinite(to_jax(s, "dependent")(t, x, u)).all(-1)` is the mask of the others.

    Parameters
    ----------
    what : Function or System
        A function of `sb.compile`, or a system.
    function : str
        Of a system: "rates" (default), "outputs" or "dependent".
    parameters : sequence of str
        Live parameters that become the last input `p`. Default: none.

    Returns
    -------
    function
        Of arrays (size,) or (…, size), in the order of the inputs.

    Raises
    ------
    ModelError
        If the package is not installed, the argument is a model, a name is unknown, or a law is Python.

    Examples
    --------
    >>> import symbody as sb
    >>> s = sb.system(sb.machines.model("cart-pole"))
    >>> from symbody.bridges import to_jax
    >>> f = to_jax(s)  # doctest: +SKIP
    >>> xd = f(0.0, s.x0, s.u0)  # doctest: +SKIP
    """
    required("jax", "jax")
    import jax.numpy as jnp

    bridge = differentiable(what, function, parameters)

    def f(*inputs: Any, **named: Any) -> Any:
        given = bridge.given(inputs, named)
        kind = jnp.result_type(float, *(x for x in given.values()))
        arrays = [jnp.atleast_1d(jnp.asarray(x, dtype=kind)) for x in given.values()]
        for name, x in zip(given, arrays, strict=True):
            bridge.check(name, x.shape)
        batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        spread = [jnp.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays]
        return bridge.function.result(_core(bridge, tuple(given))(*spread))

    return f


@cache
def _core(bridge: Differentiable, given: tuple[str, ...]) -> Any:
    """The function over arrays of one batch; its backward pass is the adjoint, made in the same way."""
    import jax

    @jax.custom_vjp
    def core(*arrays: Any) -> tuple[Any, ...]:
        return _call(bridge, given, arrays)

    def forward(*arrays: Any) -> tuple[Any, Any]:
        return core(*arrays), arrays

    def backward(arrays: Any, weights: Any) -> tuple[Any, ...]:
        batch = arrays[0].shape[:-1]
        flat = [w.reshape(*batch, -1) for w in weights]
        slopes: tuple[Any, ...] = _core(bridge.adjoint(given), bridge.weighted(given))(*arrays, *flat)
        return slopes

    core.defvjp(forward, backward)
    return core


def _call(bridge: Differentiable, given: tuple[str, ...], arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The compiled function on a batch: called by XLA if its handler compiles, else through Python."""
    jax: Any = required("jax", "jax")
    jnp = jax.numpy
    kind, batch = arrays[0].dtype, arrays[0].shape[:-1]
    by_name = dict(zip(given, arrays, strict=True))
    every = [jnp.asarray(x, dtype=kind) for x in bridge.complete(by_name)]
    shapes = [jax.ShapeDtypeStruct((*batch, *shape), kind) for shape in bridge.outputs.values()]
    function, loops = bridge.function, bridge.paths if bridge.closes(given) else None
    in_c = function.address and (loops is None or loops.in_c)
    if in_c and max(len(bridge.inputs), len(shapes)) <= MOST and _registered():
        call = jax.ffi.ffi_call(TARGET, shapes, vmap_method="broadcast_all")
        rank = -1 if batch else len(shapes[0].shape)
        return tuple(call(*every, routine=np.int64(_record(function, loops)), single=np.int64(rank)))
    names = [name for name in bridge.inputs if name != GUESS or not bridge.closes(given)]

    def in_python(*inputs: Any) -> tuple[Any, ...]:
        states = np.broadcast_shapes(*(np.shape(x)[:-1] for x in inputs))
        flat = [np.broadcast_to(x, (*states, np.shape(x)[-1])).reshape(-1, np.shape(x)[-1]) for x in inputs]
        rows = bridge.rows(dict(zip(names, flat, strict=True)), states == ())
        pairs = zip(rows, bridge.outputs.values(), strict=True)
        return tuple(np.asarray(y, dtype=kind).reshape(*states, *shape) for y, shape in pairs)

    return tuple(jax.pure_callback(in_python, tuple(shapes), *every, vmap_method="broadcast_all"))


@cache
def _registered() -> bool:
    """Whether the handler is registered with XLA; it is compiled against the headers of JAX."""
    jax: Any = required("jax", "jax")
    required("jax.ffi", "jax")
    try:
        text, include = TranslationUnit().paste(c_file("xla.c", "symbody.bridges")), Path(jax.ffi.include_dir())
        code = Code(
            store.digest(text, jax.__version__), lambda: {"xla.c": text}, STATEMENTS, "light", include=(include,)
        )
        handler = ctypes.CDLL(str(library(code)[0].path))[TARGET]
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform="cpu")
    except (AttributeError, CompileError, OSError):
        return False
    return True


@cache
def _record(function: Function, loops: CompiledPaths | None) -> int:
    """The address of the record that xla.c reads of a function; it is updated when the optimised build is ready."""
    record: Any = np.zeros(7 + 2 * MOST + len(KNOWN), dtype=np.int64)
    sizes = [size for size, _ in function.signature.inputs.values()]
    results = [int(np.prod(shape)) for shape in function.signature.outputs.values()]
    record[2:5] = address_of(function.hoisted), len(sizes), len(results)
    record[5 : 5 + len(sizes)], record[5 + MOST : 5 + MOST + len(results)] = sizes, results
    if loops:
        names = list(function.signature.inputs)
        found = [names.index(name) if name in loops.names else -1 for name in KNOWN]
        record[5 + 2 * MOST :] = ctypes.addressof(loops.record), names.index(GUESS), *found

    def refresh() -> None:
        record[0] = function.address

    def batched(address: int) -> None:
        record[1] = address

    refresh()
    function.when_optimised(refresh)
    function.when_batched(batched)
    _RECORDS.append((record, loops))
    return address_of(record)


def jax_rollout(s: System, dt: float, steps: int, *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """Trajectories of many states by steps of rk4, with gradients by the adjoint of the steps; jit works.

        f = jax_rollout(s, 1e-3, 100)
        jax.grad(lambda x: f(x)[-1].sum())(x)

    It computes in double precision on the processor; enable `jax_enable_x64` to receive all digits.

    Parameters
    ----------
    s : System
        Its laws must be expressions. Loops are closed in each stage.
    dt : float
        Step (s).
    steps : int
        Number of steps.
    parameters : sequence of str
        Live parameters that become the last input `p`. Default: none.

    Returns
    -------
    function
        f(x, u=None, p=None) → (steps + 1, …, nx): x is (…, nx), u (nu,), (…, nu) or (steps, …, nu), p (…, parameters).
        A state that fails is NaN from then on.

    Examples
    --------
    >>> import symbody as sb
    >>> s = sb.system(sb.machines.model("cart-pole"))
    >>> from symbody.bridges import jax_rollout
    >>> f = jax_rollout(s, 1e-3, 10)  # doctest: +SKIP
    """
    jax: Any = required("jax", "jax")
    jnp, rollout = jax.numpy, Rollout(s, dt, steps, parameters)

    def called(compute: Callable[..., Any], like: Any, *arrays: Any) -> Any:
        """A function of NumPy arrays in double precision, called by XLA."""

        def in_python(*given: Any) -> Any:
            found = compute(*(np.asarray(a, dtype=np.float64) for a in given))
            return tuple(np.asarray(y, dtype=to.dtype) for y, to in zip(found, like, strict=True))

        shapes = tuple(jax.ShapeDtypeStruct(y.shape, y.dtype) for y in like)
        return jax.pure_callback(in_python, shapes, *arrays)

    def forward(x: Any, u: Any, p: Any) -> tuple[Any, Any]:
        guess = jax.ShapeDtypeStruct((steps, x.shape[0], len(s.start_guess)), x.dtype)
        states = jax.ShapeDtypeStruct((steps + 1, *x.shape), x.dtype)
        made = called(lambda *given: vars(rollout.forward(*given)).values(), (states, guess), x, u, p)
        return made[0], (*made, u, p)

    def backward(kept: Any, weights: Any) -> tuple[Any, ...]:
        x, guess, u, p = kept

        def compute(x: Array, guess: Array, u: Array, p: Array, w: Array) -> Any:
            return rollout.backward(Trajectory(x, guess), u, p, w).values()

        slopes: tuple[Any, ...] = called(compute, (x[0], u, p), x, guess, u, p, weights)
        return slopes

    rolled = jax.custom_vjp(lambda x, u, p: forward(x, u, p)[0])
    rolled.defvjp(forward, backward)

    def f(x: Any, u: Any = None, p: Any = None) -> Any:
        x = jnp.asarray(x, dtype=jnp.result_type(float, x))
        given = [
            jnp.asarray(rollout.present[name] if a is None else a, dtype=x.dtype)
            for name, a in (("u", u), (PARAMETERS, p))
        ]
        *flat, shape = spread(rollout, jnp, x, *given)
        return rolled(*flat).reshape(steps + 1, *shape, x.shape[-1])

    return f

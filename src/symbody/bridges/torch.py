"""Functions and systems inside PyTorch: batches go to compiled C, gradients come from the compiled adjoint.

C reads and writes the memory of the tensors. Expensive intermediate results are kept on a tape from the call to the
backward pass (`taped_programs`), unless a derivative of that pass is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from math import prod
from typing import Any

import numpy as np

from symbody.bridges.differentiable import PARAMETERS, Differentiable, differentiable
from symbody.bridges.rollout import Rollout, spread
from symbody.codegen.adjoint import TAPE
from symbody.codegen.function import Function
from symbody.lazy_imports import required
from symbody.system.system import System


def to_torch(what: Function | System, function: str = "rates", *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """A function of tensors with exact gradients of any order: (size,) for one state, (…, size) for a batch.

        f = to_torch(s)  # or to_torch(s, "outputs"), to_torch(sb.compile(m, "inverse"))
        f(t, x, u).sum().backward()

    parameters: names of live parameters that become the last input `p`, each state with its own, and with gradients.
    Inputs that are not given keep their present values. It computes in double precision on the processor; results have
    the type and the device of the arguments.

    Loops of a system are closed as in `System.rates`: in the assembly mode of its start, whatever was called before, or
    nearest to an input `guess`. Where they do not close, a single state raises AssemblyError, and rows of a batch are
    NaN: `torch.isfinite(to_torch(s, "dependent")(t, x, u)).all(-1)` is the mask of the others.

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
    >>> from symbody.bridges import to_torch
    >>> f = to_torch(s)  # doctest: +SKIP
    >>> xd = f(0.0, s.x0, s.u0)  # doctest: +SKIP
    """
    torch = required("torch", "torch")
    bridge = differentiable(what, function, parameters)
    names, sizes = tuple(bridge.inputs), tuple(bridge.inputs.values())
    fewest = max((k for k, name in enumerate(names, start=1) if name not in bridge.defaults), default=1)

    def f(*inputs: Any, **named: Any) -> Any:
        given, tensors = names[: len(inputs)], inputs
        if named or not fewest <= len(inputs) <= len(names) or not _fit(torch, inputs, sizes):
            given, tensors = _fitted(torch, bridge, inputs, named)
        return bridge.function.result(_value(torch, bridge, given, tensors))

    return f


def _fit(torch: Any, inputs: Sequence[Any], sizes: Sequence[int]) -> bool:
    """Whether all inputs are float64 rows of one batch on the processor, so that C can read them."""
    shape = getattr(inputs[0], "shape", ())[:-1]
    for x, size in zip(inputs, sizes, strict=False):
        if not (isinstance(x, torch.Tensor) and x.dtype is torch.float64 and x.is_cpu and x.shape == (*shape, size)):
            return False
    return True


def _fitted(torch: Any, bridge: Differentiable, inputs: Sequence[Any], named: dict[str, Any]) -> tuple[Any, Any]:
    """Names and tensors of any arguments, converted to one type, one device and one batch."""
    given = bridge.given(inputs, named)
    own = [x for x in given.values() if isinstance(x, torch.Tensor)]
    kind = _kind(torch, own)
    where = own[0].device if own else torch.device("cpu")
    tensors = [_tensor(torch, x, where, kind) for x in given.values()]
    for name, x in zip(given, tensors, strict=True):
        bridge.check(name, x.shape)
    shapes = [x.shape[:-1] for x in tensors]
    if len(set(shapes)) > 1:
        batch = np.broadcast_shapes(*shapes)
        tensors = [x.expand(*batch, x.shape[-1]) for x in tensors]
    return tuple(given), tuple(tensors)


def _kind(torch: Any, tensors: Sequence[Any]) -> Any:
    """The common precision of tensors, double if there are none."""
    kinds = [x.dtype for x in tensors if x.is_floating_point()]
    return reduce(torch.promote_types, kinds) if kinds else torch.float64


def _tensor(torch: Any, x: Any, where: Any, kind: Any) -> Any:
    """A tensor of at least one dimension, of one type, on one device."""
    if isinstance(x, torch.Tensor) and x.dtype is kind and x.device == where and x.ndim:
        return x
    x = torch.as_tensor(x).to(where, kind)
    return x if x.ndim else x.reshape(1)


def _value(torch: Any, bridge: Differentiable, given: tuple[str, ...], tensors: Sequence[Any]) -> Any:
    """The outputs, as nodes of PyTorch's graph if a gradient is needed."""
    if torch._C._are_functorch_transforms_active():  # vmap or grad of torch.func
        return _nodes()[0].apply(bridge, given, *tensors)
    wanted = tuple(name for name, x in zip(given, tensors, strict=True) if x.requires_grad)
    if not (wanted and torch.is_grad_enabled()):
        return _computed(torch, bridge, given, tensors)
    with_tape, _ = bridge.taped(wanted)
    *outputs, tape = _computed(torch, with_tape, given, tensors)
    return _nodes()[1].apply(bridge, given, wanted, outputs, tape, *tensors)


def _computed(torch: Any, bridge: Differentiable, given: tuple[str, ...], tensors: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a batch."""
    like = tensors[0]
    batch, shapes = like.shape[:-1], bridge.outputs.values()
    if bridge.in_c and like.dtype is torch.float64 and like.is_cpu:
        rows = [x.contiguous() for x in tensors]
        outputs = [torch.empty((*batch, *shape), dtype=torch.float64) for shape in shapes]
        where = {name: x.data_ptr() for name, x in zip(given, rows, strict=True)}
        bridge.at(prod(batch), where, [y.numpy() for y in outputs], torch.get_num_threads(), batch == ())
        return tuple(outputs)
    plain = [x.detach().cpu() for x in tensors]
    arrays = {k: x.reshape(-1, x.shape[-1]).numpy() for k, x in zip(given, plain, strict=True)}
    made = [torch.from_numpy(y) for y in bridge.rows(arrays, batch == ())]
    return tuple(y.reshape(*batch, *shape).to(like) for y, shape in zip(made, shapes, strict=True))


@cache
def _nodes() -> tuple[Any, Any]:
    """The two kinds of nodes in PyTorch's graph; the backward pass of a node is the adjoint, again such a node.

    The first is for transforms (vmap, grad) and for gradients of gradients; the second has a tape, for all other calls.
    """
    torch = required("torch", "torch")

    def slopes(bridge: Differentiable, given: tuple[str, ...], by: tuple[str, ...], tensors: Any, weights: Any) -> Any:
        """Gradients by the inputs `by`, as nodes of PyTorch's graph."""
        return Compiled.apply(bridge.adjoint(by), bridge.weighted(given), *tensors, *weights)

    class Compiled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(bridge: Differentiable, given: tuple[str, ...], *tensors: Any) -> Any:
            return _computed(torch, bridge, given, tensors)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.bridge, ctx.given = inputs[:2]
            ctx.save_for_backward(*inputs[2:])

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            tensors, wanted = ctx.saved_tensors, ctx.needs_input_grad[2:]
            by = tuple(name for name, need in zip(ctx.given, wanted, strict=True) if need)
            found = iter(slopes(ctx.bridge, ctx.given, by, tensors, _rows(weights, ctx.bridge, tensors[0])))
            return None, None, *(next(found) if need else None for need in wanted)

        @staticmethod
        def vmap(info: Any, in_dims: tuple[Any, ...], bridge: Any, given: Any, *tensors: Any) -> Any:
            n = info.batch_size
            moved = [
                x.movedim(d, 0) if d is not None else x.expand(n, *x.shape)
                for x, d in zip(tensors, in_dims[2:], strict=True)
            ]
            out = Compiled.apply(bridge, given, *moved)
            return out, (0,) * len(out)

    class Taped(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, bridge: Any, given: Any, by: Any, outputs: Any, tape: Any, *tensors: Any) -> Any:
            ctx.bridge, ctx.given, ctx.by = bridge, given, by
            ctx.save_for_backward(*tensors, tape)
            return tuple(outputs)

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            bridge, given, by = ctx.bridge, ctx.given, ctx.by
            *tensors, tape = ctx.saved_tensors
            rows = _rows(weights, bridge, tensors[0])
            if torch.is_grad_enabled() or torch._C._are_functorch_transforms_active():
                found = slopes(bridge, given, by, tensors, rows)
            else:
                _, backward = bridge.taped(by)
                known = {**dict(zip(bridge.weighted(given), (*tensors, *rows), strict=True)), TAPE: tape}
                known = {name: x for name, x in known.items() if name in backward.inputs}
                found = _computed(torch, backward, tuple(known), tuple(known.values()))
            by_name = dict(zip(by, found, strict=True))
            return None, None, None, None, None, *map(by_name.get, given)

    return Compiled, Taped


def _rows(weights: Sequence[Any], bridge: Differentiable, like: Any) -> list[Any]:
    """Weights of outputs as vectors."""
    flat = zip(weights, bridge.outputs.values(), strict=True)
    return [w if len(shape) == 1 else w.reshape(*like.shape[:-1], -1) for w, shape in flat]


def torch_rollout(s: System, dt: float, steps: int, *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """Trajectories of many states by steps of rk4, with gradients by the adjoint of the steps.

        f = torch_rollout(s, 1e-3, 100)
        f(x, u)[-1].square().sum().backward()

    It computes in double precision on the processor; results have the type and the device of x.

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
    >>> from symbody.bridges import torch_rollout
    >>> f = torch_rollout(s, 1e-3, 10)  # doctest: +SKIP
    """
    torch = required("torch", "torch")
    rollout = Rollout(s, dt, steps, parameters)

    class Rolled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.given = [x.detach().cpu().double().numpy() for x in tensors]
            ctx.like, ctx.made = tensors, rollout.forward(*ctx.given)
            return torch.from_numpy(ctx.made.x).to(tensors[0])

        @staticmethod
        def backward(ctx: Any, weights: Any) -> Any:
            _, u, p = ctx.given
            found = rollout.backward(ctx.made, u, p, weights.detach().cpu().double().numpy())
            return tuple(torch.from_numpy(y).to(x) for y, x in zip(found.values(), ctx.like, strict=True))

    def f(x: Any, u: Any = None, p: Any = None) -> Any:
        x = torch.as_tensor(x)
        given = [
            torch.as_tensor(rollout.present[name] if a is None else a).to(x.device, x.dtype)
            for name, a in (("u", u), (PARAMETERS, p))
        ]
        *flat, shape = spread(rollout, torch, x, *given)
        return Rolled.apply(*flat).reshape(steps + 1, *shape, x.shape[-1])

    return f

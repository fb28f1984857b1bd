"""Functions and systems inside PyTorch: batches go to compiled C, gradients come from the compiled adjoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import numpy as np

from symbody.bridges.differentiable import Differentiable, differentiable, required
from symbody.codegen.function import Function
from symbody.system.system import System


def to_torch(what: Function | System, function: str = "rates", *, parameters: Sequence[str] = ()) -> Callable[..., Any]:
    """A function of tensors with exact gradients of any order: (size,) for one state, (…, size) for a batch.

        f = to_torch(s)  # or to_torch(s, "outputs"), to_torch(sb.compile(m, "inverse"))
        f(t, x, u).sum().backward()

    parameters: names of live parameters that become the last input `p`, each state with its own, and with gradients.
    Inputs that are not given have the values that they have here now. It computes in double precision on the processor
    and gives back what it got: type and device of its arguments.
    """
    torch = required("torch", "torch")
    bridge = differentiable(what, function, parameters)
    apply = _applied()

    def f(*inputs: Any, **named: Any) -> Any:
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
        return bridge.result(apply(bridge, tuple(given), *tensors))

    return f


def _kind(torch: Any, tensors: Sequence[Any]) -> Any:
    """The precision of tensors together; double where there are none: numbers and arrays follow."""
    kinds = [x.dtype for x in tensors if x.is_floating_point()]
    return reduce(torch.promote_types, kinds) if kinds else torch.float64


def _tensor(torch: Any, x: Any, where: Any, kind: Any) -> Any:
    """A vector, or vectors, of one kind; most are that already."""
    if isinstance(x, torch.Tensor) and x.dtype is kind and x.device == where and x.ndim:
        return x
    x = torch.as_tensor(x).to(where, kind)
    return x if x.ndim else x.reshape(1)


@cache
def _applied() -> Callable[..., Any]:
    """The node applied; without the look at its signature that PyTorch takes at each call, unless it transforms."""
    torch = required("torch", "torch")
    node = _autograd_function()
    direct = super(torch.autograd.Function, node).apply

    def apply(*arguments: Any) -> Any:
        return node.apply(*arguments) if _transforms() else direct(*arguments)

    return apply


def _transforms() -> bool:
    """Whether vmap or grad of torch.func are at work."""
    return bool(required("torch", "torch")._C._are_functorch_transforms_active())


@cache
def _autograd_function() -> Any:
    """One node of PyTorch's graph for all our functions; its backward pass is the adjoint, such a node again."""
    torch = required("torch", "torch")

    class Compiled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(bridge: Differentiable, given: tuple[str, ...], *tensors: Any) -> Any:
            like, batch = tensors[0], tensors[0].shape[:-1]
            plain = [x.detach() if x.is_cpu else x.detach().cpu() for x in tensors]
            arrays = {k: x.reshape(-1, x.shape[-1]).numpy() for k, x in zip(given, plain, strict=True)}
            outputs = [torch.from_numpy(y) for y in bridge.batch(arrays)]
            if len(batch) != 1:
                shapes = bridge.outputs.values()
                outputs = [y.reshape(*batch, *shape) for y, shape in zip(outputs, shapes, strict=True)]
            return tuple(y if like.dtype is y.dtype and like.is_cpu else y.to(like) for y in outputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.bridge, ctx.given = inputs[:2]
            ctx.save_for_backward(*inputs[2:])

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            tensors, bridge, given = ctx.saved_tensors, ctx.bridge, ctx.given
            batch = tensors[0].shape[:-1]
            flat = [w.reshape(*batch, -1) for w in weights]
            wanted = ctx.needs_input_grad[2:]
            by = tuple(name for name, need in zip(given, wanted, strict=True) if need)
            apply = _applied() if torch.is_grad_enabled() or _transforms() else Compiled.forward  # no graph is wanted
            slopes = iter(apply(bridge.adjoint(by), bridge.weighted(given), *tensors, *flat))
            return None, None, *(next(slopes) if need else None for need in wanted)

        @staticmethod
        def vmap(info: Any, in_dims: tuple[Any, ...], bridge: Any, given: Any, *tensors: Any) -> Any:
            n = info.batch_size
            moved = [
                x.movedim(d, 0) if d is not None else x.expand(n, *x.shape)
                for x, d in zip(tensors, in_dims[2:], strict=True)
            ]
            out = Compiled.apply(bridge, given, *moved)
            return out, (0,) * len(out)

    return Compiled

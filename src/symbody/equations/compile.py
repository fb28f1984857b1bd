"""From a model and the name of a function to a compiled function; with a warm cache no graph is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from symbody.codegen import Function, build, cached
from symbody.codegen.function import Change, Origin
from symbody.codegen.program import Program
from symbody.equations.closed import Partition
from symbody.equations.closed_inverse import inverse_program
from symbody.equations.constrained import constrained_program
from symbody.equations.content_key import NotComparable, content_key
from symbody.equations.functions import GenerationOptions, make_program
from symbody.errors import ModelError
from symbody.expr.node_table import collection_paused
from symbody.model.model import Model

_NOT_MECHANICS = ("source", "file", "joint_laws", "trajectories", "parameters")


def model_text(model: Model, options: GenerationOptions) -> str:
    """Everything in a model that its mechanics may depend on, as text; raises NotComparable as `content_key` does."""
    parameters = model.values if options.live == "none" else list(model.parameters)  # live values are set later
    parts = [(f.name, getattr(model, f.name)) for f in fields(model) if f.name not in _NOT_MECHANICS]
    tied = [*model.constraints.values(), *model.nonholonomic_constraints.values()]
    laws = content_key(*(c.law for c in tied)) if tied else ""
    return repr([parameters, *parts, laws])


def compile(model: Model, function: str = "inverse", *, backend: str = "auto", **options: Any) -> Function:
    """Compile one function of a model: "inverse", "dynamics", "direct", "mass", "bias", "jacobian", "energy" ….

        f = sb.compile(model, "inverse")
        Q = f(q, qd, qdd)

    q: (nq,) coordinates, rad or m. qd, qdd: (nv,) velocities and accelerations. Q: (nv,) joint forces, N or N m. For a
    batch each row is a state: (n, nq), (n, nv). Other functions, their inputs and
    outputs: https://symbody.github.io/symbody/stable/equations.html

    Parameters
    ----------
    model : Model
    function : str
        Default "inverse".
    backend : str
        "auto" (default), "c" or "python".
    live : str
        Which numbers stay adjustable: "named" (default), "all" or "none".
    loads : bool
        Whether the function takes external loads frc, trq for each body. Default True.
    point : str
        Path "body.point" for "jacobian", "jacobian_rate", "pose" and "point".
    symmetric : str
        For "mass" and "dynamics": "full" (default), or "lower": M as a vector of nv (nv + 1)/2 numbers, its lower half
        row by row: `full[np.tril_indices(nv)] = M`. For long chains this is faster.
    reference : str
        For "jacobian_rate": "aligned" (default; the point, in ground axes), "world" (at the ground's origin) or "local"
        (the point, in its own axes).

    Returns
    -------
    Function

    Raises
    ------
    ModelError
        If the function is unknown, or the model has a problem.
    CompileError
        If `backend` is "c" and the compiler fails.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> f = sb.compile(m, "mass")
    >>> f([0.3]).shape
    (1, 1)
    """
    chosen = GenerationOptions(**options)
    return _compiled(model, chosen, function, lambda: make_program(model, function, chosen), backend)


def _compiled(
    model: Model, options: GenerationOptions, what: str, make: Callable[[], Program], backend: str
) -> Function:
    """From the cache by content; constraints with laws that cannot be compared are traced every time."""
    try:
        text = model_text(model, options)
    except NotComparable:
        function, text = build(make(), backend=backend), ""
    else:
        with collection_paused():
            function = cached(f"{text}\n{what}\n{options}", make, backend=backend)

    def program() -> Program:
        if text and model_text(model, options) != text:
            raise ModelError(
                "the model changed after its function was compiled", element=model.name, cure="compile it again"
            )
        return make()

    def derive(name: str, change: Change) -> Function:
        return _compiled(model, options, f"{what}\n{name}", lambda: change(program()), backend)

    function.origin = Origin(program, derive)
    values = {name: value for name, value in model.values.items() if name in function.signature.parameters}
    if any(function.parameters[name] != value for name, value in values.items()):
        function.parameters.update(values)
    return function


def compile_constrained(model: Model, partition: Partition, *, backend: str = "auto", **options: Any) -> Function:
    """Compile the closed system for a partition of its coordinates: (u, ud, Q, guess) → udd, lam, Qd, qdd, q, qd."""
    chosen = GenerationOptions(**options)
    what = f"constrained {partition}"
    return _compiled(model, chosen, what, lambda: constrained_program(model, partition, chosen), backend)


def compile_closed_inverse(
    model: Model,
    partition: Partition,
    actuated: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    *,
    backend: str = "auto",
    **options: Any,
) -> Function:
    """Compile the inverse dynamics of a closed system: (u, ud, udd, guess) → phi, q, qd, qdd.

    `actuated`: the degrees of freedom with actuators (default: those of u). If there are more than needed, the efforts
    have the least Σ φ²/w.
    """
    chosen = GenerationOptions(**options)
    actuators = tuple(partition.given if actuated is None else actuated)
    shares = tuple(weights) if weights is not None else (1.0,) * len(actuators)
    what = f"closed inverse {partition} {actuators} {shares}"
    return _compiled(model, chosen, what, lambda: inverse_program(model, partition, actuators, shares, chosen), backend)

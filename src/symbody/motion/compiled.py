"""Closed forms as compiled C: inverse dynamics, direct geometry and inverse geometry."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.program import Closure, Input, Output, Program
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.data import PlatformData
from symbody.motion.direct_geometry import newton_step
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.geometry import Values, inverse_geometry

UNKNOWN = "x"


def _symbols(name: str, size: int) -> Values:
    return np.array(variables(name, size), dtype=object)


def _output(values: Values) -> Output:
    return Output(values.shape, tuple(values.ravel()))


@cache
def inverse_function(data: PlatformData, friction: bool = True) -> Function:
    """`inverse_dynamics` in C: gamma[8] = f(pose[6], twist[8], acceleration[8]).

    Parameters
    ----------
    data : PlatformData
        The platform.
    friction : bool
        Whether sliders and legs have friction. Default True.

    Returns
    -------
    Function
        Without external wrench.
    """
    with fresh_graph():
        motion = _symbols("pose", 6), _symbols("twist", 8), _symbols("acceleration", 8)
        gamma = inverse_dynamics(*motion, data, friction)
        inputs = {"pose": Input(6), "twist": Input(8), "acceleration": Input(8)}
        summary = "forces of sliders and legs (N) for a motion"
        return build(Program("inverse", "platform", summary, inputs, {"gamma": _output(gamma)}))


@cache
def direct_function(data: PlatformData) -> Function:
    """Direct geometry in C: pose[6] = f(lengths[6], guess[6]) by Newton's method.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    Function
        NaN if it does not converge.
    """
    with fresh_graph():
        pose = _symbols(UNKNOWN, 6)
        closure = Closure(UNKNOWN, "guess", tuple(newton_step(pose, _symbols("lengths", 6), data)))
        inputs, outputs = {"lengths": Input(6), "guess": Input(6)}, {"pose": _output(pose)}
        summary = "pose of the platform (m, rad) at which its legs have these lengths (m)"
        return build(Program("direct", "platform", summary, inputs, outputs, closure=closure))


@cache
def geometry_function(data: PlatformData) -> Function:
    """`inverse_geometry` in C: q[8], passive[6, 2] = f(axes[8]).

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    Function
        Compiled once for each platform.

    Examples
    --------
    The three compiled functions of a platform:

    >>> import numpy as np
    >>> from symbody.machines.platform import platform_data
    >>> from symbody.motion import direct_function, geometry_function, inverse_function
    >>> data = platform_data()
    >>> q = geometry_function(data)(data.neutral_axes).q
    >>> np.allclose(direct_function(data)(q[2:], data.neutral_axes[2:]), data.neutral_axes[2:])
    True
    >>> inverse_function(data)(data.neutral_axes[2:], np.zeros(8), np.zeros(8)).shape
    (8,)
    """
    with fresh_graph():
        q, passive = inverse_geometry(_symbols("axes", 8), data)
        outputs = {"q": _output(q), "passive": _output(passive)}
        summary = "sliders and legs (m), passive joints (rad) of a pose"
        return build(Program("geometry", "platform", summary, {"axes": Input(8)}, outputs))

"""A model with loops in MuJoCo: equality constraints, as stiff as floating-point numbers allow.

MuJoCo solves (A + R) f = a* − a₀ with a compliance R that it takes from the inertias; here R is set relative to
A = J M⁻¹Jᵀ. The remaining softness is the relative error R/A of the constraint forces. A position error r decays by
r̈ = −r/τ² − 2ṙ/τ. For coinciding points and frames, the accelerations include J̇q̇. For rods MuJoCo leaves it out, so that
a moving rod is τ²|J̇q̇| too long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.model.components import Cut
from symbody.model.model import Model
from symbody_bench.clock import BuildError
from symbody_bench.numeric import Array, floats, placement
from symbody_bench.to_mujoco import MujocoTree, to_mujoco

SOFTNESS = 1e-12  # compliance R (1/kg): a larger one is visible; with a smaller one M + JᵀJ/R is too stiff to solve
_IMPEDANCE = 0.9999  # the largest that MuJoCo accepts; R = (1 − d)/d · inverse weights of both ends


def to_mujoco_loops(model: Model, softness: float = SOFTNESS, recovery: float = 0.02) -> MujocoTree:
    """Translate a model with ball, solid, revolute and rod cuts; `recovery` is the time constant τ (s)."""

    def add_loops(spec: Any) -> None:
        import mujoco

        spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
        spec.option.tolerance = 1e-16
        spec.option.iterations = 10
        flags = mujoco.mjtDisableBit
        spec.option.disableflags |= int(flags.mjDSBL_REFSAFE) | int(getattr(flags, "mjDSBL_ISLAND", 0))
        for cut in model.cuts.values():
            for made in _equalities(spec, model, cut):
                made.solref = (recovery, 1.0)
                made.solimp = (_IMPEDANCE, _IMPEDANCE, 1.0, 0.5, 1.0)

    tree = to_mujoco(model, add_loops)
    share = softness / 2 * _IMPEDANCE / (1 - _IMPEDANCE)
    tree.model.body_invweight0[:] = share
    tree.model.tendon_invweight0[:] = 2 * share
    for cut in model.cuts.values():
        if cut.kind == "rod":  # the length at the stand-in position is not the rod's
            tree.model.tendon_length0[tree.model.tendon(cut.name).id] = floats(model, [cut.length or 0.0])[0]
    return tree


def _equalities(spec: Any, model: Model, cut: Cut) -> list[Any]:
    """MuJoCo's constraints that make up a cut."""
    import mujoco

    kinds = mujoco.mjtEq
    a, b = (model.point_at(path).path for path in (cut.a, cut.b))
    match cut.kind:
        case "ball":
            return [_of_sites(spec, cut.name, kinds.mjEQ_CONNECT, a, b)]
        case "solid":
            return [_of_sites(spec, cut.name, kinds.mjEQ_WELD, a, b)]
        case "revolute":  # two coinciding points on the axis
            along = np.eye(3)[cut.axis - 1]
            further = [_site_along(spec, model, path, along, f"{cut.name}.{end}") for path, end in ((a, "a"), (b, "b"))]
            first = _of_sites(spec, cut.name, kinds.mjEQ_CONNECT, a, b)
            return [first, _of_sites(spec, f"{cut.name}.further", kinds.mjEQ_CONNECT, *further)]
        case "rod":
            tendon = spec.add_tendon(name=cut.name)
            tendon.wrap_site(a)
            tendon.wrap_site(b)
            return [spec.add_equality(name=cut.name, type=kinds.mjEQ_TENDON, name1=cut.name)]
    raise BuildError(f"cut {cut.name}: MuJoCo has no equality constraint like {cut.kind}")


def _of_sites(spec: Any, name: str, kind: Any, a: str, b: str) -> Any:
    import mujoco

    return spec.add_equality(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=a, name2=b)


def _site_along(spec: Any, model: Model, path: str, along: Array, name: str) -> str:
    """A second site next to that of a point, shifted in the point's frame."""
    rotation, position = placement(model, model.point_at(path))
    spec.site(path).parent.add_site(name=name, pos=position + rotation @ along)
    return name

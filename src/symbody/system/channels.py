"""The outputs of a system by name: motion, forces, links, sites, sensors, cuts, reactions, energies, signals."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence

from symbody.equations.constraints import counts, cut_forces
from symbody.equations.energy import kinetic_energy, potential_energy
from symbody.equations.forces import Applied, applied_wrenches, link_lines
from symbody.equations.kinematics import pose_at
from symbody.equations.laws import motion_values, reaction
from symbody.equations.newton_euler import joint_wrenches
from symbody.equations.rolling import touch_of
from symbody.errors import ModelError
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import Vec, cross, dot, zeros
from symbody.suggestions import did_you_mean
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names
from symbody.system.options import XYZ
from symbody.system.power import UNACCOUNTED, WORK
from symbody.system.trace import Traced

Channel = tuple[str, Expr]
USUAL = "default"  # in a list of patterns: the channels recorded by default


def channels(traced: Traced) -> dict[str, Expr]:
    """Every output by name, as an expression of the symbols a."""
    return dict(_everything(traced))


def default_channels(traced: Traced, names: Iterable[str]) -> list[str]:
    """The channels recorded by default: motion, states, signals, sensors, links, efforts, energies."""
    model = traced.tree.model
    kept = {*coordinate_names(model), *velocity_names(model), *model.states}
    sensed = tuple(f"{name}." for name in model.sensors)
    signals = tuple(model.signals)
    endings = (".length", ".tension", ".effort")

    def wanted(name: str) -> bool:
        own = name in kept or name.startswith(("energy.", *sensed)) or name.endswith(endings)
        return own or name in signals or name.rpartition(".")[0] in signals

    return [name for name in names if wanted(name)]


def selected_channels(traced: Traced, names: Iterable[str], patterns: Sequence[str] | None) -> list[str]:
    """The channels that match patterns such as "*.q" or "loop.force.*", in order.

    None or "default": the default ones.
    """
    known = list(names)
    found: set[str] = set()
    for pattern in (USUAL,) if patterns is None else patterns:
        if pattern == USUAL and pattern not in known:
            found.update(default_channels(traced, known))
            continue
        matching = [pattern] if pattern in known else fnmatch.filter(known, pattern)
        if not matching:
            cure = did_you_mean(pattern, known, "outputs")
            raise ModelError(f"unknown output '{pattern}'", element=traced.tree.model.name, cure=cure)
        found.update(matching)
    return [name for name in known if name in found]


def _everything(traced: Traced) -> Iterator[Channel]:
    tree, model = traced.tree, traced.tree.model
    yield from zip(coordinate_names(model), traced.view.q.values(), strict=True)
    yield from zip(velocity_names(model), traced.view.qd.values(), strict=True)
    yield from zip(acceleration_names(model), traced.qdd, strict=True)
    yield from zip(model.states, traced.own_states, strict=True)
    for name, force in zip(model.velocities, traced.joints, strict=True):
        yield f"{name}.Q", force
    for i, effort in traced.efforts.items():
        yield f"{model.velocities[i]}.effort", effort
    yield from _links(traced)
    for name, wrench in (traced.effects.sites | traced.effects.pairs).items():
        yield from _wrench(name, *wrench)
    for name, values in traced.effects.couplings.items():
        joints = model.couplings[name].joints
        yield from ((f"{name}.{joint}.Q", x) for joint, x in zip(joints, values, strict=True))
    yield from _sensors(traced)
    yield from _reactions(traced)
    for signal in model.signals.values():
        if signal.law is None:
            raise ModelError("the signal has no law", element=f"signals.{signal.name}", cure="attach one: @m.signal(…)")
        section(f"signal {signal.name}")
        values = motion_values(signal.law, f"signals.{signal.name}", signal.count, traced.view, traced.names)
        yield from zip(_numbered(signal.name, signal.count), values, strict=True)
    kinetic, potential = kinetic_energy(tree), potential_energy(tree)
    yield "energy.kinetic", kinetic
    yield "energy.potential", potential
    if traced.options.work:
        work = traced.x[traced.layout.size - 1]
        yield WORK, work
        yield UNACCOUNTED, kinetic + potential - work


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}.{k + 1}" for k in range(count)]


def _vector(name: str, values: Sequence[Expr]) -> Iterator[Channel]:
    yield from ((f"{name}.{axis}", x) for axis, x in zip(XYZ, values, strict=True))


def _wrench(name: str, force: Vec, torque: Vec) -> Iterator[Channel]:
    yield from _vector(f"{name}.force", force)
    yield from _vector(f"{name}.torque", torque)


def _links(traced: Traced) -> Iterator[Channel]:
    model = traced.tree.model
    for name, (_, _, d, length, rate) in zip(model.links, link_lines(traced.tree, traced.all_poses), strict=True):
        yield f"{name}.length", length
        yield f"{name}.rate", dot(d, rate) / length
        if name in traced.effects.tensions:
            yield f"{name}.tension", traced.effects.tensions[name]


def _sensors(traced: Traced) -> Iterator[Channel]:
    for sensor in traced.tree.model.sensors.values():
        pose = pose_at(traced.tree.place(sensor.point), traced.all_poses)
        vectors = {
            "position": pose.P, "velocity": pose.v, "omega": pose.omega, "acceleration": pose.a,
            "omega_dot": pose.omega_dot,
        }  # fmt: skip
        for quantity in sensor.quantities:
            if quantity == "rotation":
                for i, row in enumerate(pose.R):
                    yield from ((f"{sensor.name}.rotation.{i + 1}{j + 1}", x) for j, x in enumerate(row))
            elif quantity in vectors:
                yield from _vector(f"{sensor.name}.{quantity}", vectors[quantity])
            elif quantity == "gyro":
                yield from _vector(f"{sensor.name}.gyro", pose.R.T @ pose.omega)
            elif quantity == "accelerometer":
                yield from _vector(f"{sensor.name}.accelerometer", pose.R.T @ (pose.a - traced.tree.gravity))


def _reactions(traced: Traced) -> Iterator[Channel]:
    """Force and torque of each cut on its second point (ground frame), multipliers of constraints, joint reactions."""
    tree, model = traced.tree, traced.tree.model
    section("forces in the cuts")
    forces = cut_forces(tree, traced.all_poses, traced.multipliers)
    applied: list[Applied] = list(traced.applied)
    for cut in model.cuts.values():
        force, torque = forces[cut.name]
        yield from _wrench(cut.name, force, torque)
        second = tree.place(cut.b)
        applied += [(second, force, torque), _seen_from_first(traced, cut.a, cut.b, force, torque)]
    left = iter(traced.multipliers[sum(n for _, n in counts(model)[: len(model.cuts)]) :])
    for constraint in model.constraints.values():
        yield from ((label, next(left, ZERO)) for label in _numbered(f"{constraint.name}.lambda", constraint.count))
    normal = {c.name: [next(left, ZERO)] for c in model.rolling_contacts.values() if c.touches}
    for contact in model.rolling_contacts.values():
        touch = touch_of(contact, tree, traced.all_poses)
        sizes = [*normal.get(contact.name, []), *(next(left, ZERO) for _ in range(contact.count))]
        force = sum((x * e for x, e in zip(sizes, touch.directions, strict=True)), zeros())
        yield from _vector(f"{contact.name}.force", force)
        yield from _vector(f"{contact.name}.contact", touch.at)
        applied.append((tree.place(contact.point), force, cross(touch.r, force)))
        applied.append((tree.place(contact.plane), *reaction(force, zeros(), touch.from_plane)))
    for tie in model.nonholonomic_constraints.values():
        yield from ((label, next(left, ZERO)) for label in _numbered(f"{tie.name}.lambda", tie.count))
    wrenches, base = joint_wrenches(tree, applied=applied_wrenches(traced.all_poses, applied))
    yield from _wrench("ground.reaction", *base)
    for f, (force, torque) in zip(tree.frames, wrenches, strict=True):
        if f.kind != "T" or len([g for g in tree.frames if g.name == f.name]) == 1:  # for a free joint, the last frame
            yield from _wrench(f"{f.name}.reaction", force, torque)


def _seen_from_first(traced: Traced, a: str, b: str, force: Vec, torque: Vec) -> Applied:
    """The opposite of the force and torque on the second point, at the same place, on the first point's body."""
    first, second = traced.tree.place(a), traced.tree.place(b)
    P, S = pose_at(first, traced.all_poses).P, pose_at(second, traced.all_poses).P
    return first, *reaction(force, torque, S - P)

"""A model and all its laws, traced once into one graph: ẋ = f(t, x, u, p), with closed loops.

x has coordinates, velocities and the user's states; u has the inputs. All three closures of loops give equations of the
same form: A a = r for the free accelerations a, with the residual R(a) = A a − r.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from symbody.codegen.program import Closure
from symbody.equations.closed import Closed, Partition, closed_motion, with_dependent
from symbody.equations.constrained import mass_and_bias, reduction
from symbody.equations.constraints import constraint_jacobian, constraints, counts
from symbody.equations.factorised import factorise_mass
from symbody.equations.forces import Applied, projected_forces
from symbody.equations.functions import cheapest_direct
from symbody.equations.kinematics import Pose, coordinate_rates, poses
from symbody.equations.laws import Forces, MotionView, law_effects, motion_values, view_of
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.nonholonomic import groups, nonholonomic
from symbody.equations.tree import Tree, build_tree, with_motion
from symbody.errors import ModelError
from symbody.expr.functions import maximum, minimum
from symbody.expr.linear import factorise_sparse
from symbody.expr.node import ZERO, Expr, variable
from symbody.expr.node_table import Graph, branch, fresh_graph, section
from symbody.expr.vector import Vec, dot, stack, variables, zeros
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.system.motion_names import coordinate_names
from symbody.system.options import SITE_INPUTS, SystemOptions, input_names
from symbody.system.power import WORK, forces_and_rates
from symbody.system.prescribed import Prescribed, prescribed_motion

Solver = Callable[[Vec], Vec]
T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """Indices in x: coordinates, then velocities, then states; and the degrees of freedom that accelerate freely.

    Coordinates whose velocities are tied to others are the first of the states: only their rates are known.
    """

    coordinates: list[int]  # indices in q of the coordinates in x
    velocities: list[int]  # degrees of freedom of the velocities in x
    states: list[str]
    tied: tuple[int, ...] = ()  # indices in q of the coordinates among the states

    @property
    def size(self) -> int:
        return len(self.coordinates) + len(self.velocities) + len(self.states)

    @property
    def positions(self) -> list[int]:
        """Indices in x of all coordinates, including tied ones."""
        return [*range(len(self.coordinates)), *range(self.first_state - len(self.tied), self.first_state)]

    @property
    def first_state(self) -> int:
        """Index in x of the first state of the user, after tied coordinates."""
        return len(self.coordinates) + len(self.velocities) + len(self.tied)


def layout_of(model: Model, partition: Partition, options: SystemOptions) -> Layout:
    """The layout for the free degrees of freedom of a partition."""
    own = own_coordinates(model)
    tied = tuple(own[i] for i in sorted(partition.tied))
    out = {*tied, *(own[i] for i in (*partition.dependent, *partition.driven))}
    names = coordinate_names(model)
    kept = [i for i in range(model.nq) if i not in out]
    states = [*(names[i] for i in tied), *model.states, *([WORK] if options.work else [])]
    return Layout(kept, list(partition.free), states, tied)


@dataclass
class Traced:
    """The graph of a system. The symbols `a` are the free accelerations."""

    tree: Tree  # in motion, with accelerations
    options: SystemOptions
    partition: Partition
    layout: Layout
    x: Vec
    u: Vec
    t: Expr
    names: dict[str, Expr]  # names that laws may use
    unknowns: Vec  # dependent coordinates, found by the closure
    closed: Closed | None  # if loops are closed by partitioning
    all_poses: list[Pose]
    effects: Forces
    applied: list[Applied]  # forces of links and sites, laws and inputs
    Q: Vec  # generalised forces of everything applied, and of the joints' own laws and inputs
    joints: Vec  # the joints' own part of Q
    a: Vec
    udd: Vec  # the values of the symbols a
    qdd: Vec
    multipliers: Vec  # of all loop equations, then of those between velocities; zero for redundant ones
    efforts: dict[int, Expr]  # of prescribed joints, by degree of freedom
    solver: Callable[[], Solver]  # A⁻¹; each call makes new factors, so keep the result
    residual: Callable[[], Vec]  # R(a)

    @cached_property
    def view(self) -> MotionView:
        return view_of(self.tree, self.all_poses)

    @property
    def rates(self) -> Vec:
        """dx/dt, in terms of a."""
        speeds = coordinate_rates(self.tree)
        return stack(speeds.take(self.layout.coordinates), self.a, self.state_rates)

    @cached_property
    def state_rates(self) -> Vec:
        """Rates of tied coordinates, of the user's states, and of the work if it is a state."""
        found = coordinate_rates(self.tree).take(self.layout.tied)
        for state in self.tree.model.states.values():
            where = f"states.{state.name}"
            if state.law is None:
                raise ModelError("the state has no law", element=where, cure="attach one: @m.state(…)")
            section(f"state {state.name}")
            found.extend(motion_values(state.law, where, 1, self.view, self.names))
        if self.options.work:
            section("power")
            found.append(self.power)
        return found

    @property
    def power_pairs(self) -> tuple[Vec, Vec]:
        """Forces F and rates w with dE/dt = F·w."""
        return forces_and_rates(self.tree, self.view, self.Q, self.efforts, self.multipliers)

    @property
    def power(self) -> Expr:
        """P = dE/dt (W)."""
        return dot(*self.power_pairs)

    @property
    def own_states(self) -> Vec:
        """The user's states in x."""
        first = self.layout.first_state
        return Vec(self.x[first : first + len(self.tree.model.states)])

    @property
    def closure(self) -> Closure | None:
        """How generated code finds the unknowns, if there are any."""
        return Closure("v", "guess", self.closed.loops.step) if self.closed and len(self.unknowns) else None

    @property
    def pivots(self) -> Vec:
        """Pivots of the solved part of the Jacobian of loops and ties; a zero pivot means a singular position."""
        return self.closed.following.factors.pivots if self.closed else Vec()


@dataclass
class TracedMotion:
    """The start of all closures: the tree, the motion as symbols, and the motion of prescribed joints."""

    tree: Tree
    layout: Layout
    x: Vec
    u: Vec
    inputs: dict[str, Expr]
    t: Expr
    names: dict[str, Expr]
    prescribed: dict[int, Prescribed]
    q: Vec
    v: Vec
    unknowns: Vec


def traced_motion(model: Model, partition: Partition, options: SystemOptions) -> TracedMotion:
    """Symbols for time, states and inputs in the motion; dependent velocities stay open."""
    tree = build_tree(model, options.live, loads=False)
    layout = layout_of(model, partition, options)
    t = variable("t[0]")
    x = variables("x", layout.size)
    given = input_names(model, options)
    u = variables("u", len(given))
    inputs = dict(zip(given, u, strict=True))
    nq, nv = len(layout.coordinates), len(layout.velocities)
    states = layout.first_state
    names = {**tree.numbers.names, **dict(zip(model.states, x[states : states + len(model.states)], strict=True))}
    names |= {name: inputs[name] for name in model.inputs} | {"t": t}
    prescribed = prescribed_motion(model, tree.numbers, options, t, inputs)
    q, v, own = zeros(model.nq), zeros(model.nv), own_coordinates(model)
    for i, (position, velocity, _) in prescribed.items():
        q[own[i]], v[i] = position, velocity
    unknowns = variables("v", len(partition.dependent))
    q = q.put(layout.coordinates, x[:nq]).put(layout.tied, x[nq + nv : states])
    q = with_dependent(model, partition, q, unknowns)
    v = v.put(layout.velocities, x[nq : nq + nv])
    return TracedMotion(tree, layout, x, u, inputs, t, names, prescribed, q, v, unknowns)


def _joint_inputs(model: Model, inputs: Mapping[str, Expr]) -> Vec:
    """Forces from inputs JOINT.Q, limited to the largest effort of the joint."""
    effort = {joint.name: joint.limits.effort for joint in model.joints()}
    forces = zeros(model.nv)
    for i, name in enumerate(model.velocities):
        force, most = inputs.get(f"{name}.Q", ZERO), effort.get(name, math.inf)
        forces[i] = force if force is ZERO or math.isinf(most) else maximum(minimum(force, most), -most)
    return forces


def trace(model: Model, partition: Partition, options: SystemOptions) -> Traced:
    """The graph of a system, its loops closed according to the options; only partitioning has dependent coordinates."""
    motion = traced_motion(model, partition, options)
    closed = None
    if options.closure == "partitioning" and partition.following:
        closed = closed_motion(motion.tree, partition, motion.q, motion.v)
        motion.v = closed.v
    moving = with_motion(motion.tree, motion.q, motion.v, zeros(model.nv))
    all_poses = poses(moving)
    effects = law_effects(moving, motion.names, all_poses)
    applied = effects.applied + _site_inputs(moving, motion.inputs)
    joints = _joint_inputs(model, motion.inputs)
    for i, force in effects.joints.items():
        joints[i] = joints[i] + force
    Q = projected_forces(moving, all_poses, applied) + joints
    a = variables("a", len(partition.free))
    if options.closure == "partitioning" and (partition.following or options.formulation != "recursive"):
        parts = _partitioned(motion, closed, partition, Q, a, options)
    elif options.closure != "partitioning" and model.is_constrained:
        parts = _penalised(motion, partition, Q, a, options)
    else:
        parts = _open(motion, partition, Q, a)
    whole = with_motion(motion.tree, motion.q, motion.v, parts.qdd)
    return Traced(
        whole, options, partition, motion.layout, motion.x, motion.u, motion.t, motion.names, motion.unknowns, closed,
        poses(whole), effects, applied, Q, joints, a, **vars(parts),
    )  # fmt: skip


@dataclass(frozen=True)
class TracedSystem:
    """A system traced once, and its graph; both are freed with the last System that uses them."""

    traced: Traced
    graph: Graph

    def make(self, what: Callable[[Traced], T]) -> T:
        """The result of `what` for the trace. Each call finds the graph as the trace left it."""
        tree = self.traced.tree
        numbers = copy(tree.numbers)
        numbers.live = dict(numbers.live)  # with live="all", looking up points adds to them
        with branch(self.graph):
            return what(replace(self.traced, tree=replace(tree, numbers=numbers, live=numbers.live)))


def traced_system(model: Model, partition: Partition, options: SystemOptions) -> TracedSystem:
    """Trace a system in a graph of its own."""
    with fresh_graph() as graph:
        return TracedSystem(trace(model, partition, options), graph)


@dataclass
class ClosureParts:
    """The results of a closure."""

    udd: Vec
    qdd: Vec
    multipliers: Vec
    efforts: dict[int, Expr]
    solver: Callable[[], Solver]
    residual: Callable[[], Vec]


def _partitioned(
    motion: TracedMotion, closed: Closed | None, partition: Partition, Q: Vec, a: Vec, options: SystemOptions
) -> ClosureParts:
    """Loops closed by partitioning (or no loops, with prescribed joints): the equations over the given motion."""
    closed = closed or closed_motion(motion.tree, partition, motion.q, motion.v)
    push = Vec([motion.prescribed[i][2] for i in partition.driven])
    system = reduction(closed, Q, push, options.formulation)
    qdd, served = system.accelerations(a), system.multipliers(a)
    loops = _loop_count(motion.tree.model)
    tied = [loops + r for tie in partition.ties for r in tie.rows]
    rows = dict(zip([*partition.rows, *tied], served, strict=True))
    count = loops + sum(groups(motion.tree.model))

    def residual() -> Vec:
        return closed.along_given(inverse_dynamics(lumped(closed.moving(qdd))) - Q).take(system.free)

    multipliers = Vec([rows.get(i, ZERO) for i in range(count)])
    efforts = dict(zip(partition.driven, system.efforts(a), strict=True))
    return ClosureParts(system.solved(), qdd, multipliers, efforts, lambda: system.factors.solve, residual)


def _open(motion: TracedMotion, partition: Partition, Q: Vec, a: Vec) -> ClosureParts:
    """No dependent joints, possibly prescribed ones: the cheapest form of the direct dynamics of a tree."""
    free, driven = partition.free, partition.driven
    base = zeros(motion.tree.nv).put(driven, [motion.prescribed[i][2] for i in driven])
    moving = with_motion(motion.tree, motion.q, motion.v, base)
    lean, qdd = lumped(moving), base.put(free, a)
    whole = with_motion(motion.tree, motion.q, motion.v, qdd)

    def solver() -> Solver:
        factors = factorise_mass(lean, mass_and_bias(moving)[0], driven)
        return lambda b: factors.solve(zeros(motion.tree.nv).put(free, b)).take(free)

    def residual() -> Vec:
        return (inverse_dynamics(lumped(whole)) - Q).take(free)

    solved = cheapest_direct(moving, Q, driven)
    efforts = dict(zip(driven, _efforts(whole, Q, driven), strict=True))
    held = zeros(
        _loop_count(motion.tree.model)
    )  # loops of locked and driven joints alone: their efforts take the forces
    return ClosureParts(solved.take(free), qdd, held, efforts, solver, residual)


def _loop_count(model: Model) -> int:
    return sum(count for _, count in counts(model))


def _efforts(whole: Tree, Q: Vec, driven: tuple[int, ...]) -> Vec:
    """The efforts of prescribed joints."""
    return (inverse_dynamics(lumped(whole)) - Q).take(driven) if driven else Vec()


def _penalised(motion: TracedMotion, partition: Partition, Q: Vec, a: Vec, options: SystemOptions) -> ClosureParts:
    """(M + JᵀαJ) q̈ = Q − c − Jᵀα (J̇q̇ + 2ΩμJq̇ + Ω²h); Jaiswal (2.30). Between velocities ψ: α (ψ̇ + Ωψ)."""
    tree, free, driven = motion.tree, partition.free, partition.driven
    base = zeros(tree.nv).put(driven, [motion.prescribed[i][2] for i in driven])
    moving = with_motion(tree, motion.q, motion.v, base)
    M, psi = mass_and_bias(moving, options.formulation)
    loops, ties = constraints(moving), nonholonomic(moving)
    equations = loops + ties
    bias = Vec([e.bias for e in equations])
    J, Jf, Jd = (constraint_jacobian(equations, dofs) for dofs in (range(tree.nv), free, driven))
    alpha, omega, mu = options.alpha, options.omega, options.mu
    rates = constraint_jacobian(loops, range(tree.nv)) @ motion.v
    returning = 2.0 * omega * mu * rates + omega**2 * Vec([e.h for e in loops])
    violation = bias + J @ base + stack(returning, omega * Vec([e.h for e in ties]))
    section("penalty")
    Mf, lack = M.block(free, free), Q - psi
    A = Mf + alpha * (Jf.T @ Jf)
    right = lack.take(free) - alpha * (Jf.T @ violation)
    factors = factorise_sparse(A)
    qdd = base.put(free, a)
    rough = factors.solve(right)
    section("penalty: what rounding left over")
    left = lack.take(free) - Mf @ rough - Jf.T @ (alpha * (violation + Jf @ rough))
    solved, first = rough + factors.solve(left), zeros(len(equations))
    if options.closure == "augmented":
        section("augmented Lagrangian: one iteration of the multipliers")  # squares the error of the loops
        first = alpha * (violation + Jf @ solved)
        solved = solved - factors.solve(Mf @ solved - lack.take(free) + 2.0 * (Jf.T @ first))
    multipliers = -(first + alpha * (violation + Jf @ a))
    needed = M.block(driven, free) @ a - (lack.take(driven) + Jd.T @ multipliers) if driven else Vec()

    def residual() -> Vec:
        """M a − (Q − ψ) + Jᵀ (λ₁ + α (J a + …)); not A a − r, where the digits of M are lost against JᵀαJ."""
        return Mf @ a - lack.take(free) + Jf.T @ -multipliers

    efforts = dict(zip(driven, needed, strict=True))
    return ClosureParts(solved, qdd, multipliers, efforts, lambda: factors.solve, residual)


def _site_inputs(tree: Tree, inputs: dict[str, Expr]) -> list[Applied]:
    """Forces and torques at sites from inputs."""
    found: list[Applied] = []
    for site in tree.model.force_sites.values():
        if f"{site.name}.force.x" in inputs:
            values = [inputs[f"{site.name}.{x}"] for x in SITE_INPUTS]
            found.append((tree.place(site.point), Vec(values[:3]), Vec(values[3:])))
    return found


def free_partition(model: Model, partition: Partition) -> Partition:
    """All but the prescribed joints free: for closures that keep every coordinate."""
    return Partition(tuple(sorted((*partition.free, *partition.following))), partition.driven, (), ())

"""A model and all its laws traced once into one graph: ẋ = f(t, x, u, p), loops closed inside.

x holds coordinates, velocities and the user's states; u the inputs. Three ways to close the loops give the same shape
of equations: A a = r for the accelerations a of what is free, with residual R(a) = A a − r.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from symbody.equations.closed import Closed, Partition, closed_motion, dependent_coordinates
from symbody.equations.constrained import mass_and_bias, reduction
from symbody.equations.constraints import constraints, counts, jacobian_rows
from symbody.equations.factorised import solve
from symbody.equations.forces import Applied, projected_forces
from symbody.equations.functions import cheapest_direct
from symbody.equations.kinematics import Pose, coordinate_rates, poses
from symbody.equations.laws import Forces, View, law_effects, motion_values, view_of
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.tree import Tree, build_tree, with_motion
from symbody.errors import ModelError
from symbody.expr.linear import factorise_sparse
from symbody.expr.node import ZERO, Expr, Graph, add, branch, const, fresh_graph, mul, section, sub, variable
from symbody.expr.vector import Mat, Vec, dot, minus, plus, transposed
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.system.options import SITE_INPUTS, SystemOptions, input_names
from symbody.system.prescribed import Prescribed, prescribed_motion

Solver = Callable[[Vec], Vec]
T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """Where things are in x: coordinates, then velocities, then states; degrees of freedom that accelerate freely."""

    coordinates: list[int]  # places in q of the coordinates in x
    velocities: list[int]  # degrees of freedom of the velocities in x
    states: list[str]

    @property
    def size(self) -> int:
        return len(self.coordinates) + len(self.velocities) + len(self.states)


def layout_of(model: Model, partition: Partition) -> Layout:
    """The layout for the free degrees of freedom of a partition."""
    own = own_coordinates(model)
    out = {own[i] for i in (*partition.dependent, *partition.driven)}
    return Layout([i for i in range(model.nq) if i not in out], list(partition.free), list(model.states))


@dataclass
class Traced:
    """The graph of a system; accelerations of the free are the symbols `a` wherever they appear."""

    tree: Tree  # in its motion, with accelerations
    options: SystemOptions
    partition: Partition
    layout: Layout
    x: Vec
    u: Vec
    t: Expr
    names: dict[str, Expr]  # what laws may call by name
    unknowns: Vec  # dependent coordinates, found by the closure
    closed: Closed | None  # where loops are closed by partitioning
    all_poses: list[Pose]
    effects: Forces
    applied: list[Applied]  # forces of links and sites, laws and inputs
    Q: Vec  # generalised forces of all that is applied and of the joints' own laws and inputs
    joints: Vec  # of these, the joints' own
    a: Vec
    udd: Vec  # what the symbols a are
    qdd: Vec
    multipliers: Vec  # of all equations of the loops, zero where an equation is redundant
    efforts: dict[int, Expr]  # of held joints, by degree of freedom
    solve: Solver  # A⁻¹
    residual: Callable[[], Vec]  # R(a)

    @cached_property
    def view(self) -> View:
        return view_of(self.tree, self.all_poses)

    @property
    def rates(self) -> Vec:
        """dx/dt, in terms of a."""
        speeds = coordinate_rates(self.tree)
        return [*(speeds[i] for i in self.layout.coordinates), *self.a, *self.state_rates]

    @cached_property
    def state_rates(self) -> Vec:
        """Rates of the user's states."""
        found: Vec = []
        for state in self.tree.model.states.values():
            where = f"states.{state.name}"
            if state.law is None:
                raise ModelError("a state without a law", element=where, cure="attach one: @m.state(…)")
            section(f"state {state.name}")
            found += motion_values(state.law, where, 1, self.view, self.names)
        return found

    @property
    def pivots(self) -> Vec:
        """Of the dependent part of the loops' Jacobian; one that vanishes means a singular position."""
        return [row[k] for k, row in enumerate(self.closed.loops.factors.LU)] if self.closed else []


@dataclass
class Motion:
    """What the closures start from: the tree, the motion over its symbols, and the motion of held joints."""

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


def start_of(model: Model, partition: Partition, options: SystemOptions) -> Motion:
    """Symbols for time, states and inputs, in their places in the motion; dependent velocities are left open."""
    tree = build_tree(model, options.live, loads=False)
    layout = layout_of(model, partition)
    t = variable("t[0]")
    x = [variable(f"x[{i}]") for i in range(layout.size)]
    given = input_names(model, options)
    u = [variable(f"u[{i}]") for i in range(len(given))]
    inputs = dict(zip(given, u, strict=True))
    nq, nv = len(layout.coordinates), len(layout.velocities)
    names = {**tree.numbers.names, **dict(zip(layout.states, x[nq + nv :], strict=True))}
    names |= {name: inputs[name] for name in model.inputs} | {"t": t}
    prescribed = prescribed_motion(model, tree.numbers, options, t, inputs)
    q: Vec = [ZERO] * model.nq
    v: Vec = [ZERO] * model.nv
    own = own_coordinates(model)
    for i, (position, velocity, _) in prescribed.items():
        q[own[i]], v[i] = position, velocity
    unknowns = [variable(f"v[{k}]") for k in range(len(partition.dependent))]
    for i, symbol in zip(
        (*layout.coordinates, *dependent_coordinates(model, partition)), (*x[:nq], *unknowns), strict=True
    ):
        q[i] = symbol
    for i, symbol in zip(layout.velocities, x[nq : nq + nv], strict=True):
        v[i] = symbol
    return Motion(tree, layout, x, u, inputs, t, names, prescribed, q, v, unknowns)


def trace(model: Model, partition: Partition, options: SystemOptions) -> Traced:
    """The graph of a system, its loops closed as the options say; only partitioning has dependent coordinates."""
    motion = start_of(model, partition, options)
    closed = None
    if options.closure == "partitioning" and partition.dependent:
        closed = closed_motion(motion.tree, partition, motion.q, motion.v)
        motion.v = closed.v
    moving = with_motion(motion.tree, motion.q, motion.v, [ZERO] * model.nv)
    all_poses = poses(moving)
    effects = law_effects(moving, motion.names, all_poses)
    applied = effects.applied + _site_inputs(moving, motion.inputs)
    joints: Vec = [motion.inputs.get(f"{name}.Q", ZERO) for name in model.velocities]
    for i, force in effects.joints.items():
        joints[i] = add(joints[i], force)
    Q = plus(projected_forces(moving, all_poses, applied), joints)
    a = [variable(f"a[{k}]") for k in range(len(partition.free))]
    if options.closure == "partitioning" and (partition.dependent or options.formulation != "recursive"):
        parts = _partitioned(motion, closed, partition, Q, a, options)
    elif options.closure != "partitioning" and model.has_loops:
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
    """A system traced once, and the graph it lives in; both go when the last System that holds them goes."""

    traced: Traced
    graph: Graph

    def make(self, what: Callable[[Traced], T]) -> T:
        """What is made upon the trace, a program; each finds the graph as the trace left it, as if it were alone."""
        tree = self.traced.tree
        numbers = copy(tree.numbers)
        numbers.live = dict(numbers.live)  # with live="all", points that are looked up add to them
        with branch(self.graph):
            return what(replace(self.traced, tree=replace(tree, numbers=numbers, live=numbers.live)))


def traced_system(model: Model, partition: Partition, options: SystemOptions) -> TracedSystem:
    """Trace a system in a graph of its own."""
    with fresh_graph() as graph:
        return TracedSystem(trace(model, partition, options), graph)


@dataclass
class Parts:
    """What a closure gives."""

    udd: Vec
    qdd: Vec
    multipliers: Vec
    efforts: dict[int, Expr]
    solve: Solver
    residual: Callable[[], Vec]


def _partitioned(
    motion: Motion, closed: Closed | None, partition: Partition, Q: Vec, a: Vec, options: SystemOptions
) -> Parts:
    """Loops closed by partitioning (or none, with held joints): the equations over what is given."""
    closed = closed or closed_motion(motion.tree, partition, motion.q, motion.v)
    push = [motion.prescribed[i][2] for i in partition.driven]
    system = reduction(closed, Q, push, options.formulation)
    qdd, served = system.accelerations(a), system.multipliers(a)
    rows = dict(zip(partition.rows, served, strict=True))
    count = sum(counts(motion.tree.model).values())

    def residual() -> Vec:
        forces = closed.along_given(minus(inverse_dynamics(lumped(closed.moving(qdd))), Q))
        return [forces[r] for r in system.free]

    multipliers = [rows.get(i, ZERO) for i in range(count)]
    efforts = dict(zip(partition.driven, system.efforts(a), strict=True))
    return Parts(system.solved(), qdd, multipliers, efforts, system.factors.solve, residual)


def _open(motion: Motion, partition: Partition, Q: Vec, a: Vec) -> Parts:
    """A tree, some of whose joints may be held: the cheapest form of its direct dynamics."""
    free, held = partition.free, partition.driven
    base: Vec = [ZERO] * motion.tree.nv
    for i in held:
        base[i] = motion.prescribed[i][2]
    moving = with_motion(motion.tree, motion.q, motion.v, base)
    lean, qdd = lumped(moving), list(base)
    for i, x in zip(free, a, strict=True):
        qdd[i] = x
    whole = with_motion(motion.tree, motion.q, motion.v, qdd)

    def solve_mass(b: Vec) -> Vec:
        full: Vec = [ZERO] * motion.tree.nv
        for i, x in zip(free, b, strict=True):
            full[i] = x
        found = solve(lean, mass_and_bias(moving)[0], full, held)
        return [found[i] for i in free]

    def residual() -> Vec:
        lack = minus(inverse_dynamics(lumped(whole)), Q)
        return [lack[i] for i in free]

    solved = cheapest_direct(moving, Q, held)
    efforts = dict(zip(held, _efforts(whole, Q, held), strict=True))
    return Parts([solved[i] for i in free], qdd, [], efforts, solve_mass, residual)


def _efforts(whole: Tree, Q: Vec, held: tuple[int, ...]) -> Vec:
    """What held joints must give."""
    if not held:
        return []
    lack = minus(inverse_dynamics(lumped(whole)), Q)
    return [lack[i] for i in held]


def _penalised(motion: Motion, partition: Partition, Q: Vec, a: Vec, options: SystemOptions) -> Parts:
    """(M + JᵀαJ) q̈ = Q − c − Jᵀα (J̇q̇ + 2ΩμJq̇ + Ω²h); Jaiswal (2.30)."""
    tree, free, driven = motion.tree, partition.free, partition.driven
    base: Vec = [ZERO] * tree.nv
    for i in driven:
        base[i] = motion.prescribed[i][2]
    moving = with_motion(tree, motion.q, motion.v, base)
    M, psi = mass_and_bias(moving, options.formulation)
    equations = constraints(moving)
    J = jacobian_rows(equations, tree.nv)
    alpha, slow, stiff = const(options.alpha), const(2.0 * options.omega * options.mu), const(options.omega**2)
    violation = [
        add(add(e.bias, dot(row, base)), add(mul(slow, dot(row, motion.v)), mul(stiff, e.h)))
        for e, row in zip(equations, J, strict=True)
    ]
    section("penalty")
    Jf = [[row[i] for i in free] for row in J]
    columns = transposed(Jf)
    A: Mat = [
        [add(M[i][j], mul(alpha, dot(columns[r], columns[c]))) for c, j in enumerate(free)] for r, i in enumerate(free)
    ]
    lack = minus(Q, psi)
    right = [sub(lack[i], mul(alpha, dot(column, violation))) for i, column in zip(free, columns, strict=True)]
    factors = factorise_sparse(A)
    qdd = list(base)
    for i, x in zip(free, a, strict=True):
        qdd[i] = x
    multipliers = [mul(const(-options.alpha), add(w, dot(row, a))) for w, row in zip(violation, Jf, strict=True)]
    held = {i: add(lack[i], dot([row[i] for row in J], multipliers)) for i in driven}
    efforts = {i: sub(dot([M[i][j] for j in free], a), held[i]) for i in driven}

    def residual() -> Vec:
        """M a − (Q − ψ) + Jᵀα (J a + …): not A a − r, whose digits of M drown in those of JᵀαJ."""
        push = [mul(const(-1.0), m) for m in multipliers]
        return [
            add(sub(dot([M[i][j] for j in free], a), lack[i]), dot(column, push))
            for i, column in zip(free, columns, strict=True)
        ]

    rough = factors.solve(right)
    section("penalty: what rounding left over")
    push = [mul(alpha, add(w, dot(row, rough))) for w, row in zip(violation, Jf, strict=True)]
    left = [
        sub(sub(lack[i], dot([M[i][j] for j in free], rough)), dot(column, push))
        for i, column in zip(free, columns, strict=True)
    ]
    return Parts(plus(rough, factors.solve(left)), qdd, multipliers, efforts, factors.solve, residual)


def _site_inputs(tree: Tree, inputs: dict[str, Expr]) -> list[Applied]:
    """Forces and torques at sites, given from outside."""
    found: list[Applied] = []
    for site in tree.model.force_sites.values():
        if f"{site.name}.force.x" in inputs:
            values = [inputs[f"{site.name}.{x}"] for x in SITE_INPUTS]
            found.append((tree.place(site.point), values[:3], values[3:]))
    return found


def free_partition(model: Model, partition: Partition) -> Partition:
    """All but the held joints free: for closures that keep every coordinate."""
    return Partition(tuple(sorted((*partition.free, *partition.dependent))), partition.driven, (), ())

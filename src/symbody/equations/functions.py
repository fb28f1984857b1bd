"""The functions that can be generated from a model, by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from symbody.codegen.program import Gram, Input, Output, Program, operations_of
from symbody.equations import energy, forces, kinematics, regressor
from symbody.equations.centroidal import centroidal
from symbody.equations.composite import depths, mass_matrix, mass_products
from symbody.equations.constraints import Equation, constraint_jacobian, constraints
from symbody.equations.factorised import factorised
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics, joint_wrenches
from symbody.equations.nonholonomic import nonholonomic
from symbody.equations.order_n import order_n
from symbody.equations.tree import Live, Tree, build_tree
from symbody.errors import ModelError
from symbody.expr.compact import compacted
from symbody.expr.graph import operations
from symbody.expr.node import Expr
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import Mat, Vec, cross, stack, variables, zero_matrix
from symbody.model.check import check
from symbody.model.model import Model
from symbody.safe_name import identifier
from symbody.suggestions import did_you_mean

# Up to this many degrees of freedom the original tree is tried too; beyond, lumping has always been cheaper.
AS_GIVEN_UP_TO = 40
# Factorising M costs about d² operations for a joint that d others carry; the Order-N form about 200 for any joint.
FACTORISED_UP_TO = 200
PRODUCTS_FROM = 30  # depth of the tree from which a loop forms the mass matrix
COMPACT_UP_TO = 15_000  # operations; common factors save half a per cent, but take half of the generation time


Reference = Literal["aligned", "world", "local"]  # Pinocchio: LOCAL_WORLD_ALIGNED, WORLD, LOCAL
Symmetric = Literal["full", "lower"]


@dataclass(frozen=True)
class GenerationOptions:
    """Options of generation: which numbers stay live, whether bodies have external loads, options of some functions."""

    live: Live = "named"
    loads: bool = True  # frc, trq per body: force at its centre of mass and torque, in the body frame
    point: str = ""  # for "jacobian" and "point": the path of the point
    form: Literal["auto", "order-n", "factorised"] = "auto"  # for "direct"
    reference: Reference = "aligned"  # for "jacobian_rate": axes and point of its rows

    symmetric: Symmetric = "full"  # for the mass matrix: all of it, or its lower half as a vector, row by row

    def __post_init__(self) -> None:
        for name, kind in (("reference", Reference), ("symmetric", Symmetric)):
            given, known = getattr(self, name), get_args(kind)
            if given not in known:
                cure = did_you_mean(given, known, "choices")
                raise ModelError(f"unknown {name} '{given}'", element=name, cure=cure)


DEFAULTS = GenerationOptions()
Outputs = dict[str, Output]


def vector_output(elements: Sequence[Expr]) -> Output:
    return Output((len(elements),), tuple(elements))


def _matrix(rows: Mat) -> Output:
    return Output((len(rows), len(rows[0]) if rows else 0), tuple(x for row in rows for x in row))


def _scalar(x: Expr) -> Output:
    return Output((), (x,))


def _stack(blocks: Sequence[Sequence[Expr]], shape: tuple[int, ...]) -> Output:
    return Output((len(blocks), *shape), tuple(x for block in blocks for x in block))


def _flat(rows: Mat) -> list[Expr]:
    return [x for row in rows for x in row]


# -- one function each: what it returns --------------------------------------------------------------------------


def _inverse(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"Q": vector_output(inverse_dynamics(tree))}


def _mass_output(tree: Tree, options: GenerationOptions) -> Output:
    """M element by element, or for a deep tree as products that a loop forms; all of it, or its lower half."""
    lower = options.symmetric == "lower"
    shaped = _lower_half if lower else _matrix
    if max(depths(tree), default=0) < PRODUCTS_FROM:
        return shaped(mass_matrix(tree))
    M, screws, wrenches, spans = mass_products(tree)
    gram = Gram(tuple(map(tuple, screws)), tuple(map(tuple, wrenches)), tuple(spans), lower)
    return replace(shaped(M), gram=gram)


def _lower_half(rows: Mat) -> Output:
    """The elements (i, j), j ≤ i, of a symmetric matrix, row by row."""
    return vector_output([x for i, row in enumerate(rows) for x in row[: i + 1]])


def _dynamics(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"M": _mass_output(tree, options), "c": vector_output(inverse_dynamics(tree, accelerations=False))}


def _linkage(tree: Tree, options: GenerationOptions) -> Outputs:
    all_poses = kinematics.poses(tree)
    places = [tree.places[body] for body in tree.model.bodies]
    at = [kinematics.pose_at(place, all_poses) for place in places]
    return {
        **_dynamics(tree, options),
        "position": _stack([p.P for p in at], (3,)),
        "rotation": _stack([_flat(p.R) for p in at], (3, 3)),
        "J": _stack([_flat(kinematics.jacobian_at(tree, place, all_poses)) for place in places], (6, tree.nv)),
    }


def _mass(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"M": _mass_output(tree, options)}


def _bias(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"c": vector_output(inverse_dynamics(tree, accelerations=False))}


def joint_forces(tree: Tree) -> Vec:
    """The given joint forces Q."""
    return variables("Q", tree.nv)


def _direct(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"qdd": vector_output(order_n(tree, joint_forces(tree)))}


def _kinematics(tree: Tree, options: GenerationOptions) -> Outputs:
    all_poses = kinematics.poses(tree)
    at = [kinematics.pose_at(tree.places[body], all_poses) for body in tree.model.bodies]
    return {
        "position": _stack([p.P for p in at], (3,)),
        "rotation": _stack([_flat(p.R) for p in at], (3, 3)),
        "velocity": _stack([p.v for p in at], (3,)),
        "omega": _stack([p.omega for p in at], (3,)),
    }


def _point_outputs(tree: Tree, path: str, quantities: Sequence[str], all_poses: list[kinematics.Pose]) -> Outputs:
    place = tree.place(path)
    pose = kinematics.pose_at(place, all_poses)
    vectors = {"position": pose.P, "velocity": pose.v, "omega": pose.omega, "acceleration": pose.a}
    vectors["omega_dot"] = pose.omega_dot
    made: Outputs = {}
    for quantity in quantities:
        if quantity in vectors:
            made[quantity] = vector_output(vectors[quantity])
        elif quantity == "rotation":
            made[quantity] = _matrix(pose.R)
        else:
            made[quantity] = _matrix(kinematics.jacobian_at(tree, place, all_poses))
    return made


def _sensors(tree: Tree, options: GenerationOptions) -> Outputs:
    if not tree.model.sensors:
        raise ModelError(
            "the model has no sensors", element=tree.model.name, cure="add sensors, or use 'point' with point="
        )
    all_poses = kinematics.poses(tree)
    made: Outputs = {}
    for sensor in tree.model.sensors.values():
        for name, output in _point_outputs(tree, sensor.point, sensor.quantities, all_poses).items():
            made[identifier(f"{sensor.name}_{name}")] = output
    return made


def _point(tree: Tree, options: GenerationOptions) -> Outputs:
    everything = ("position", "rotation", "velocity", "omega", "acceleration", "omega_dot", "jacobian")
    return _point_outputs(tree, options.point, everything, kinematics.poses(tree))


def _jacobian(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"J": _matrix(kinematics.jacobian_at(tree, tree.place(options.point), kinematics.poses(tree)))}


def _pose(tree: Tree, options: GenerationOptions) -> Outputs:
    return _point_outputs(tree, options.point, ("position", "rotation", "jacobian"), kinematics.poses(tree))


def _jacobian_rate(tree: Tree, options: GenerationOptions) -> Outputs:
    """J and dJ/dt in the frame that `reference` names, as Pinocchio's ReferenceFrame does."""
    all_poses, place = kinematics.poses(tree), tree.place(options.point)
    pose = kinematics.pose_at(place, all_poses)
    J, rate = kinematics.jacobian_at(tree, place, all_poses), kinematics.jacobian_rate_at(tree, place, all_poses)
    made_J, made_rate = zero_matrix(6, tree.nv), zero_matrix(6, tree.nv)
    for column in range(tree.nv):
        v, w = (Vec([J[row][column] for row in part]) for part in (range(3), range(3, 6)))
        v_dot, w_dot = (Vec([rate[row][column] for row in part]) for part in (range(3), range(3, 6)))
        if options.reference == "world":  # the velocity of the body's point at the ground's origin: v + p × ω
            v, v_dot = v + cross(pose.P, w), v_dot + cross(pose.v, w) + cross(pose.P, w_dot)
        elif options.reference == "local":  # d/dt Rᵀv = Rᵀ(v̇ − ω × v)
            v_dot, w_dot = pose.R.T @ (v_dot - cross(pose.omega, v)), pose.R.T @ (w_dot - cross(pose.omega, w))
            v, w = pose.R.T @ v, pose.R.T @ w
        for row, (x, x_dot) in enumerate(zip(stack(v, w), stack(v_dot, w_dot), strict=True)):
            made_J[row][column], made_rate[row][column] = x, x_dot
    return {"J": _matrix(made_J), "dJ": _matrix(made_rate)}


def _centroidal(tree: Tree, options: GenerationOptions) -> Outputs:
    found = centroidal(tree)
    return {
        "mass": _scalar(found.m),
        "com": vector_output(found.com),
        "h": vector_output(found.h),
        "A": _matrix(found.A),
        "h_dot": vector_output(found.h_dot),
    }


def _energy(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"kinetic": _scalar(energy.kinetic_energy(tree)), "potential": _scalar(energy.potential_energy(tree))}


def _reaction(tree: Tree, options: GenerationOptions) -> Outputs:
    wrenches, (force, torque) = joint_wrenches(tree)
    at = [wrenches[tree.places[body].frame] for body in tree.model.bodies if tree.places[body].frame >= 0]
    return {
        "force": vector_output(force),
        "torque": vector_output(torque),
        "joint_force": _stack([f for f, _ in at], (3,)),
        "joint_torque": _stack([n for _, n in at], (3,)),
    }


def _links(tree: Tree, options: GenerationOptions) -> Outputs:
    length, rate = forces.link_kinematics(tree)
    return {"length": vector_output(length), "rate": vector_output(rate)}


def _link_forces(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"Q": vector_output(forces.link_forces(tree))}


def _site_forces(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"Q": vector_output(forces.site_forces(tree))}


def _constraints(tree: Tree, options: GenerationOptions) -> Outputs:
    equations = _loop_equations(tree)
    return {"h": vector_output([e.h for e in equations]), "J": _matrix(constraint_jacobian(equations, range(tree.nv)))}


def _constraint_bias(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"Jdqd": vector_output([e.bias for e in _loop_equations(tree)])}


def _loop_equations(tree: Tree) -> list[Equation]:
    if not tree.model.has_loops:
        raise ModelError("the model has no loops", element=tree.model.name, cure="add cuts to close loops")
    return constraints(tree)


def _nonholonomic(tree: Tree, options: GenerationOptions) -> Outputs:
    if not tree.model.has_nonholonomic:
        cure = "add rolling contacts, or constraints between velocities"
        raise ModelError("the model has no nonholonomic constraints", element=tree.model.name, cure=cure)
    equations = nonholonomic(tree)
    return {
        "psi": vector_output([e.h for e in equations]),
        "A": _matrix(constraint_jacobian(equations, range(tree.nv))),
        "bias": vector_output([e.bias for e in equations]),
    }


def _regressor(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"Y": _matrix(regressor.regressor(tree))}


def _energy_regressor(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"h": vector_output(regressor.energy_regressor(tree))}


def _rates(tree: Tree, options: GenerationOptions) -> Outputs:
    return {"q_dot": vector_output(kinematics.coordinate_rates(tree))}


# -- the register ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spec:
    """A function: its builder, its inputs by name, and its summary."""

    build: Callable[[Tree, GenerationOptions], Outputs]
    inputs: str
    summary: str
    lumps: bool = False  # whether the equivalent, lumped tree gives the same result
    needs_point: bool = False


FUNCTIONS: dict[str, Spec] = {
    "inverse": Spec(_inverse, "q qd qdd frc trq", "Q = M qdd + c: joint forces (N, N m) for given accelerations", True),
    "dynamics": Spec(_dynamics, "q qd frc trq", "M qdd + c = Q: mass matrix M and bias c", True),
    "linkage": Spec(
        _linkage, "q qd frc trq", "M and c; position, rotation, 6 x nv Jacobian of all bodies, ground frame"
    ),
    "mass": Spec(_mass, "q", "mass matrix M", True),
    "bias": Spec(_bias, "q qd frc trq", "c = Q for qdd = 0: gravity, gyroscopic and external forces", True),
    "direct": Spec(_direct, "q qd Q frc trq", "qdd = M^-1 (Q - c): accelerations for given joint forces", True),
    "kinematics": Spec(
        _kinematics, "q qd", "position, rotation, velocity, angular velocity of all bodies, ground frame"
    ),
    "sensors": Spec(_sensors, "q qd qdd", "the quantities asked of the model's sensors, ground frame"),
    "point": Spec(
        _point, "q qd qdd", "position, rotation, velocities, accelerations, Jacobian of a point", False, True
    ),
    "jacobian": Spec(_jacobian, "q", "6 x nv Jacobian of a point: velocity, then angular velocity", False, True),
    "pose": Spec(_pose, "q", "position, rotation and 6 x nv Jacobian of a point, ground frame", False, True),
    "jacobian_rate": Spec(
        _jacobian_rate, "q qd", "Jacobian J of a point and dJ/dt, in the frame that `reference` names", False, True
    ),
    "centroidal": Spec(
        _centroidal, "q qd qdd", "mass, centre of mass, momentum h = A qd about it, its matrix A (6 x nv), dh/dt"
    ),
    "energy": Spec(_energy, "q qd", "kinetic and potential energy (J)"),
    "reaction": Spec(_reaction, "q qd qdd frc trq", "force and torque of the ground, and of each body's last joint"),
    "links": Spec(_links, "q qd", "length (m) and rate (m/s) of each link"),
    "link_forces": Spec(_link_forces, "q Z", "joint forces Q of the tensions Z in the links"),
    "site_forces": Spec(
        _site_forces, "q F T", "joint forces Q of forces F, torques T (ground frame) at the force sites"
    ),
    "constraints": Spec(_constraints, "q", "h(q) = 0 of the closed loops (m, or pure numbers) and its Jacobian J"),
    "constraint_bias": Spec(_constraint_bias, "q qd", "(dJ/dt) qd of the closed loops"),
    "nonholonomic": Spec(_nonholonomic, "q qd", "psi = A qd + b = 0 between velocities, A, and (dA/dt) qd + db/dt"),
    "regressor": Spec(_regressor, "q qd qdd", "Q = Y d with the ten inertial parameters d of each body"),
    "energy_regressor": Spec(
        _energy_regressor, "q qd", "T + V = h d (J) with the ten inertial parameters d of each body"
    ),
    "rates": Spec(_rates, "q qd", "dq/dt from the velocities"),
}


def input_sizes(model: Model) -> dict[str, int]:
    """Sizes of all inputs that functions may have."""
    loads, sites = 3 * len(model.bodies), 3 * len(model.force_sites)
    sizes = {"q": model.nq, "qd": model.nv, "qdd": model.nv, "Q": model.nv, "frc": loads, "trq": loads}
    return sizes | {"Z": len(model.links), "F": sites, "T": sites}


def make_program(model: Model, function: str, options: GenerationOptions = DEFAULTS) -> Program:
    """The equations of a model as a program for code generation, in the cheapest known form."""
    spec = _spec(model, function, options)
    check(model)
    with fresh_graph():
        tree = build_tree(model, options.live, options.loads and "frc" in spec.inputs)
        found = {name: _compacted(outputs) for name, outputs in _candidates(tree, function, spec, options)}
        costs = {name: cost for name, (_, cost) in found.items()}
        name = min(costs, key=costs.__getitem__)
        notes = tuple(f"{n}: {cost} operations{' (chosen)' if n == name else ''}" for n, cost in costs.items())
        sizes = input_sizes(model)
        taken = [i for i in spec.inputs.split() if options.loads or i not in ("frc", "trq")]
        inputs = {i: Input(sizes[i], optional=i in ("frc", "trq")) for i in taken}
        return Program(function, identifier(model.name), spec.summary, inputs, found[name][0], dict(tree.live), notes)


def _spec(model: Model, function: str, options: GenerationOptions) -> Spec:
    if function not in FUNCTIONS:
        cure = did_you_mean(function, FUNCTIONS, "functions")
        raise ModelError(f"unknown function '{function}'", element=model.name, cure=cure, file=model.file)
    spec = FUNCTIONS[function]
    if spec.needs_point and not options.point:
        raise ModelError(f"'{function}' needs a point", element=model.name, cure='use point="body.point"')
    return spec


def _candidates(tree: Tree, function: str, spec: Spec, options: GenerationOptions) -> list[tuple[str, Outputs]]:
    """The forms to compare, with their names for the notes."""
    if not spec.lumps:
        return [("recursive", spec.build(tree, options))]
    if function == "direct":
        forms_of_direct = direct_forms(tree, joint_forces(tree), options.form)
        return [(name, {"qdd": vector_output(qdd)}) for name, qdd in forms_of_direct.items()]
    lean = lumped(tree)
    forms = [("lumped", spec.build(lean, options))]
    return forms if tree.nv > AS_GIVEN_UP_TO else [*forms, ("as given", spec.build(tree, options))]


def direct_forms(tree: Tree, Q: Vec, form: str = "auto", held: Collection[int] = ()) -> dict[str, Vec]:
    """q̈ of a tree in the forms to compare; for held joints it is given."""
    builders = {"order-n": order_n, "factorised": factorised}
    if form != "auto":
        builders = {form: builders[form]}
    elif sum(d * d for d in depths(tree)) > FACTORISED_UP_TO * len(tree.frames):
        del builders["factorised"]
    lean = lumped(tree)
    return {name: build(lean, Q, held) for name, build in builders.items()}


def cheapest_direct(tree: Tree, Q: Vec, held: Collection[int] = ()) -> Vec:
    """q̈ of a tree by the form with the fewest operations."""
    return min(direct_forms(tree, Q, held=held).values(), key=lambda qdd: operations(qdd).total)


def _compacted(outputs: Outputs) -> tuple[Outputs, int]:
    """The outputs with common factors extracted, unless that takes too long; and their number of operations."""
    cost = operations_of(outputs).total
    if cost > COMPACT_UP_TO:
        return outputs, cost
    everything = [x for output in outputs.values() for x in output.expressions]
    new = dict(zip(everything, compacted(everything), strict=True))
    outputs = {name: _replaced(output, new) for name, output in outputs.items()}
    return outputs, operations_of(outputs).total


def _replaced(output: Output, new: dict[Expr, Expr]) -> Output:
    gram = output.gram
    if gram:
        left, right = (tuple(tuple(new[x] for x in v) for v in side) for side in (gram.left, gram.right))
        gram = replace(gram, left=left, right=right)
    return Output(output.shape, tuple(new[x] for x in output.elements), gram)

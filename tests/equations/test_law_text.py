"""Python laws as formulas: they give the same values, read like the functions, and files hold them."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbody as sb
from symbody import machines
from symbody.equations.formula_text import WORDS, as_formulas
from symbody.equations.law_text import with_formulas
from symbody.equations.law_values import FORMULA_FUNCTIONS
from symbody.expr import functions as f
from symbody.expr.derive import derivative
from symbody.expr.graph import evaluate, needed
from symbody.expr.node import Expr, parameter, variable
from symbody.expr.node_table import fresh_graph
from symbody.files import load
from symbody.model import check
from symbody.model.every_law import every_law
from symbody.model.formula import MAX_FORMULA
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.law_check import MAX_LETS


def machine() -> sb.Model:
    """Two arms, a buoy and a driven table: a Python law in each family, over all that it may ask for."""
    m = sb.Model("machine")
    for name, value in (("k", 40.0), ("c", 1.5), ("rest", 0.7), ("load", 3.0)):
        m.parameter(name, value)
    m.input("torque", 0.4)
    for name, x in (("left", 0.0), ("right", 1.2)):
        m.ground.point(name, (x, 0.1 * x, 0.0))
        arm = m.body(name, m.ground[name], "R2 R1", mass=1.0, com=(0, 0, -0.4), inertia=(0.05, 0.06, 0.01))
        arm.point("tip", (0.05, 0.0, -0.8), (0.1, 0.2, 0.3))
        for joint, q0, v0 in zip(arm.joints, (0.3, -0.2), (0.5, 1.0), strict=True):
            joint.q0, joint.v0 = (q0 * (1 + x),), (v0 * (1 - x),)
    m.body("buoy", m.ground, "free", mass=2.0, inertia=(0.1, 0.2, 0.3)).joints[0].v0 = (0.1, 0, 0.2, 0.3, -0.4, 0.5)
    m.body("table", m.ground, [sb.Joint("table", "T1", "driven")], mass=1.0)
    m.body("pinion", m.ground, [sb.Joint("pinion", "R2", "dependent", q0=(0.15,))], mass=0.5, inertia=(0.1, 0.1, 0.1))

    @m.link("spring", "left.tip", "right.tip")
    def spring(length, rate, p):
        gap = length - p.rest
        return f.where(f.both(gap > 0, rate < 5.0), p.k * gap + p.c * rate, f.exp(gap) - 1) * f.sqrt(p.k + gap * gap)

    @m.force_site("wind", "buoy")
    def wind(at, p):
        load = p.c * f.hypot(*at.velocity)
        drag = [-load * v for v in at.velocity]
        return *drag, *(at.rotation[0][i] * load - w * p.c for i, w in enumerate(at.omega))

    @m.interaction("magnet", "left.tip", "buoy")
    def magnet(a, b, p):
        d = [y - x for x, y in zip(a.position, b.position, strict=True)]
        square = sum(x * x for x in d)
        pull = p.k / (1 + square**1.5) * f.tanh(a.rotation[2][1] + b.omega[0])
        return [-pull * x for x in d]

    m.joint_force("left.R1")(lambda q, qd, p: p.torque - p.c * f.atan2(qd, 1 + q * q) - p.filter)
    m.trajectory("table")(lambda t, p: p.rest * f.sin(2 * t) ** 3)

    @m.coupling("bar", "left.R2", "right.R2")
    def bar(s, p):
        twist = p.k * (s.q["left.R2"] - s.q["right.R2"]) * (s.rate("spring") < 10.0)
        return -twist, twist + p.c * s.qd["left.R1"]

    @m.state("filter", start=0.2, scale=0.5)
    def filtered(s, p):
        tip = s.point("right.tip")
        x = f.clip(tip.position[2], -1.0, 0.0) + f.table(tip.velocity[0], (-1, 0, 2), (0.3, 0.1, 0.7))
        return x - p.filter + f.table2(s.length("spring"), p.t, (0, 1, 3), (0, 1), ((1, 2), (3, 5), (4, 4)))

    m.constraint("gear")(lambda s, p: s.q["left.R2"] - 2.0 * s.q["pinion"])

    @m.nonholonomic("drift")
    def drift(s, p):
        return s.qd["buoy.vy"] - 0.1 * f.cos(s.q["right.R2"]) * (s.qd["left.R1"] + 5.0 * s.qd["right.R1"])

    m.limit("room")(lambda s, p: 5.0 - s.length("spring") * f.absolute(s.q["buoy.z"]))
    m.signal("pair", 2)(lambda s, p: (s.point("left").omega[1] ** 2, f.sign(s.qd["buoy.wx"]) * p.load))
    return m


def laws_of(model: sb.Model) -> dict[str, FormulaLaw]:
    return {f"{family}.{name}": law for family, name, law, _ in every_law(model)}


# -- the same law ----------------------------------------------------------------------------------------------------


def test_each_law_becomes_a_formula_and_a_file_that_moves_alike(tmp_path):
    model = machine()
    sb.save(model, tmp_path / "machine.yaml")
    read = load(tmp_path / "machine.yaml")
    assert {key.partition(".")[0] for key in laws_of(read)} == set(ARGUMENTS)
    assert all(isinstance(law, FormulaLaw) for law in laws_of(read).values())
    assert read == model
    assert not any(isinstance(law, FormulaLaw) for law in laws_of(model).values())  # the model itself is left alone
    watched = ["*.q", "*.qd", "*.tension", "*.force.*", "*.torque.*", "*.Q", "pair*", "filter"]
    first, second = (sb.system(m, outputs=watched) for m in (model, read))
    assert (first.states, first.outputs) == (second.states, second.outputs)
    rng = np.random.default_rng(1)
    for t in (0.0, 0.4, 1.3):
        x = first.x0 + 0.2 * rng.normal(size=len(first.x0))
        for q, _ in first.quaternions:
            x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        for s in (first, second):
            s.parameters.update({"k": 40.0 + t, "load": 3.0 - t})  # they stay live
        u = rng.normal(size=1)
        np.testing.assert_allclose(second.rates(t, x, u), first.rates(t, x, u), rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(second.observe(t, x, u), first.observe(t, x, u), rtol=1e-9, atol=1e-11)


def test_saving_again_changes_nothing(tmp_path):
    once = with_formulas(machine())
    assert laws_of(with_formulas(once)) == laws_of(once)
    sb.save(once, tmp_path / "machine.yaml")
    assert laws_of(load(tmp_path / "machine.yaml")) == laws_of(once)


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in machines.entries() if one.file])
def test_every_machine_with_a_file_can_be_said_in_formulas(name):
    told = with_formulas(machines.model(name))
    check(told)
    assert all(isinstance(law, FormulaLaw) for law in laws_of(told).values() if law is not None)


A, B, P = "x", "y", "p"
NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-2, 2).filter(lambda v: v == 0 or abs(v) > 1e-3))
LEAVES = st.one_of(st.sampled_from((A, B, P)), NUMBERS)
UNARY = [f.sin, f.cos, f.atan, f.tanh, f.absolute, f.sign, lambda a: -a, lambda a: f.exp(f.clip(a, -3, 3))]
UNARY += [lambda a: f.sqrt(1 + a * a), lambda a: (1 + a * a) ** 1.3, lambda a: f.log(2 + a * a), lambda a: a**3]
UNARY += [lambda a: f.table(a, (-1, 0, 1), (0.5, -1, 2)), lambda a: f.asin(a / (1 + a * a)), lambda a: f.tan(f.tanh(a))]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (1 + b * b),
    f.minimum,
    f.maximum,
]
BINARY += [lambda a, b: a < b, lambda a, b: a >= b, lambda a, b: f.where(a < b, a, b * b), f.atan2]
BINARY += [lambda a, b: (1 + a * a) ** f.tanh(b), lambda a, b: f.where(f.either(a < 0, b < 0), a, 2.0)]
BINARY += [lambda a, b: f.table2(a, b, (0, 1), (-1, 0, 1), ((1, 2, 3), (3, 1, -1)))]


@settings(max_examples=300, deadline=None)
@given(st.lists(LEAVES, min_size=2, max_size=5), st.lists(st.tuples(*[st.integers(0, 10**6)] * 3), max_size=40))
def test_any_graph_is_said_and_read_back(leaves, steps):
    """Nodes are made of earlier ones, chosen anywhere, so that much is shared and deep."""
    with fresh_graph():
        symbols = {A: variable(A), B: variable(B), P: parameter(P)}
        nodes: list[Expr] = [symbols[leaf] if isinstance(leaf, str) else f.wrap(leaf) for leaf in leaves]
        for kind, i, j in steps:
            a, b = nodes[i % len(nodes)], nodes[-1 - j % len(nodes)]
            made = [*UNARY, *BINARY][kind % (len(UNARY) + len(BINARY))]
            nodes.append(made(a) if kind % (len(UNARY) + len(BINARY)) < len(UNARY) else made(a, b))
        values = nodes[-3:]
        texts, lets = as_formulas(values, {}, {A, B, P})
        read = FormulaLaw(texts, lets=lets).evaluate(symbols, FORMULA_FUNCTIONS)
        for x, y, p in ((0.3, -0.7, 1.1), (-1.2, 0.4, 0.6)):
            numbers = {symbols[A]: x, symbols[B]: y, symbols[P]: p}
            try:
                expected = evaluate(values, {s.value: v for s, v in numbers.items()})
            except (OverflowError, ZeroDivisionError):
                continue
            found = evaluate([f.wrap(r) for r in read], {s.value: v for s, v in numbers.items()})
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_formulas_name_the_motion_as_the_documentation_says():
    """Against sensors: position, rotation by rows, velocity, angular velocity; of a site, a pair and any point."""
    m = machine()
    for name in ("left.tip", "right.tip"):
        m.sensor(name.partition(".")[0], name, ("position", "rotation", "velocity", "omega"))
    texts = [f'{name}("left.tip")' for name in ARGUMENTS["force_sites"]]
    m.signal("all", 18)(FormulaLaw(tuple(texts)))
    m.signal("line", 2)(FormulaLaw(('length("spring")', 'rate("spring")')))
    m.force_site("site", "left.tip")(FormulaLaw(("r12", "vx", "wz", "y", "r31", "wy"), ARGUMENTS["force_sites"]))
    pair = FormulaLaw(("a_r12", "a_vx", "a_wz", "b_y", "b_r31", "b_wy"), ARGUMENTS["interactions"])
    m.interaction("pair of tips", "left.tip", "right.tip")(pair)
    s = sb.system(m, outputs=["*"])
    at = s.at(0.1, s.x0)
    axes = ("x", "y", "z")
    sensed = [f"position.{k}" for k in axes] + [f"rotation.{i}{j}" for i in "123" for j in "123"]
    sensed += [f"{what}.{k}" for what in ("velocity", "omega") for k in axes]
    assert [at[f"all.{i}"] for i in range(1, 19)] == pytest.approx([at[f"left.{key}"] for key in sensed])
    assert [at["line.1"], at["line.2"]] == pytest.approx([at["spring.length"], at["spring.rate"]])
    wrench = [f"{what}.{k}" for what in ("force", "torque") for k in axes]
    first, second = ("rotation.12", "velocity.x", "omega.z"), ("position.y", "rotation.31", "omega.y")
    assert [at[f"site.{key}"] for key in wrench] == pytest.approx([at[f"left.{key}"] for key in (*first, *second)])
    expected = [*(at[f"left.{key}"] for key in first), *(at[f"right.{key}"] for key in second)]
    assert [at[f"pair of tips.{key}"] for key in wrench] == pytest.approx(expected)


# -- how they read ---------------------------------------------------------------------------------------------------


def test_lets_are_named_as_the_function_names_its_variables():
    laws = laws_of(with_formulas(machine()))
    assert laws["links.spring"].lets[0] == ("gap", "length - rest")
    assert [name for name, _ in laws["force_sites.wind"].lets] == ["load_2"]  # `load` is a parameter
    assert [name for name, _ in laws["interactions.magnet"].lets] == ["d_x", "d_y", "d_z", "e1", "pull"]
    assert laws["couplings.bar"].texts[0] == "-twist"
    assert laws["constraints.gear"] == FormulaLaw(('q("left.R2") - 2*q("pinion")',))
    assert laws["limits.room"].texts == ('5 - length("spring")*abs(q("buoy.z"))',)


def test_numbers_are_exact_and_parameters_are_named():
    m = sb.Model("m")
    m.parameter("k", 3.0)
    m.signal("s")(lambda s, p: p.t / p.k + (0.1 + 0.2) * p.t**2 - 1e-300)
    (text,) = laws_of(with_formulas(m))["signals.s"].texts
    assert text == "t/k + 0.30000000000000004*(t*t) - 1e-300"


def test_long_sums_are_broken_into_lines_that_can_be_read(tmp_path):
    m = sb.Model("m")
    m.signal("s")(lambda s, p: sum(f.sin(p.t + 0.1 * i) / (1 + i) for i in range(800)))
    sb.save(m, tmp_path / "m.yaml")
    law = laws_of(load(tmp_path / "m.yaml"))["signals.s"]
    assert 50 < len(law.lets) < MAX_LETS
    assert max(len(text) for _, text in law.lets) < MAX_FORMULA / 10
    with fresh_graph():
        (read,) = law.evaluate({"t": variable("t")}, FORMULA_FUNCTIONS)
        expected = sum(np.sin(0.7 + 0.1 * i) / (1 + i) for i in range(800))
        assert evaluate([read], {"t": 0.7})[0] == pytest.approx(expected, rel=1e-12)


def test_what_is_shared_is_written_once():
    with fresh_graph():
        x = variable("x")
        for _ in range(30):
            x = f.sin(x) * x + x
        texts, lets = as_formulas([x], {}, ())
        assert len(lets) + 1 <= len(needed([x]))
        assert sum(len(text) for _, text in lets) + len(texts[0]) < 2000  # written out it would be 3**30


# -- what cannot be said ---------------------------------------------------------------------------------------------


def test_numeric_laws_and_c_stay_and_are_refused_or_dropped(tmp_path):
    m = machine()
    m.joint_force("left.R1")(sb.numeric(lambda q, qd, p: -q if q > 0 else 0.0))
    m.joint_force("right.R1")(sb.c_law("f", "double f(double q, double qd) { return -q; }"))
    told = with_formulas(m)
    assert told.joint_laws == m.joint_laws
    with pytest.raises(sb.ModelError, match=r"joint_forces\.left\.R1.*function, which a file cannot hold"):
        sb.save(m, tmp_path / "m.yaml")
    assert list(tmp_path.iterdir()) == []
    sb.save(m, tmp_path / "m.yaml", laws="drop")
    assert set(load(tmp_path / "m.yaml").joint_laws) == set()
    assert set(load(tmp_path / "m.yaml").couplings) == {"bar"}


@pytest.mark.parametrize("family", ["couplings", "limits", "signals"])
def test_mbs_files_refuse_laws_or_drop_them(tmp_path, family):
    m = sb.Model("m")
    m.body("slide", joints="T1", mass=1.0)
    attached = {"couplings": m.coupling, "limits": m.limit, "signals": m.signal}[family]
    attached("own", *["slide"] * (family == "couplings"))(lambda s, p: s.q["slide"])
    with pytest.raises(sb.ModelError, match=rf"{family}\.own.*not support laws"):
        sb.save(m, tmp_path / "m.mbs")
    sb.save(m, tmp_path / "m.mbs", laws="drop")
    assert not any(law for _, _, law, _ in every_law(load(tmp_path / "m.mbs")))


def test_a_law_with_what_formulas_have_no_words_for_stays():
    m = sb.Model("m")
    m.body("slide", joints="T1", mass=1.0)

    @m.joint_force("slide")
    def slope(q, qd, p):
        return derivative(f.table(q, (0, 1, 2), (0, 1, 5)), q)

    assert "table_slope" not in WORDS
    assert with_formulas(m).joint_laws["slide"] is slope


def test_a_law_that_cannot_be_traced_is_named(tmp_path):
    m = machine()
    m.joint_force("left.R1")(lambda q, qd, p: -q if q > 0 else 0.0)
    before = sys.getprofile()
    with pytest.raises(sb.ModelError, match=r"joint_forces\.left\.R1.*cannot be traced"):
        sb.save(m, tmp_path / "m.yaml")
    assert sys.getprofile() is before
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_that_an_argument_hides_is_refused(tmp_path):
    m = machine()
    m.parameter("length", 2.0)
    m.links["spring"](lambda length, rate, p: length - p.length)
    with pytest.raises(sb.ModelError, match=r"links\.spring.*'length' is both an argument of the law and a name"):
        sb.save(m, tmp_path / "m.yaml")

"""FMUs run by FMPy, against the simulation in this package.

Tests of model_description.py, variables.py, parts.py.
"""

import ctypes
import importlib

import numpy as np
import pytest
from exported_systems import CHANGED, MODELS, made
from scipy.integrate import solve_ivp

import symbody as sb
from symbody.export import export_fmu

fmpy = pytest.importorskip("fmpy")
validation = pytest.importorskip("fmpy.validation")
VERSIONS = [2, 3]


def has_cvode() -> bool:
    try:
        importlib.import_module("fmpy.sundials")
    except (OSError, ImportError):  # FMPy brings the library for some machines only
        return False
    return True


def changed_run(name: str, until: float, dt: float, every: float | None = None) -> sb.Run:
    """The simulation with changed parameters and inputs."""
    s = sb.system(made(name).model)
    parameters, inputs = CHANGED[name]
    s.parameters.update(parameters)
    return sb.simulate(s, until, dt, inputs=inputs, every=every)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MODELS)
def test_valid(fmu, name, version):
    path = str(fmu(name, version))
    assert validation.validate_fmu(path) == []
    about = fmpy.read_model_description(path, validate=True)
    s = made(name)
    assert about.fmiVersion == f"{version}.0"
    assert about.coSimulation is not None
    assert about.modelExchange is not None
    assert about.numberOfContinuousStates == len(s.states)
    kinds = {v.name: v for v in about.modelVariables}
    assert {n for n, v in kinds.items() if v.causality == "output"} >= set(s.outputs)
    assert {n for n, v in kinds.items() if v.causality == "input"} == set(s.inputs)
    assert {n for n, v in kinds.items() if v.variability == "tunable"} == set(s.parameters)
    assert all(float(kinds[n].start) == x for n, x in zip(s.states, s.x0, strict=True))
    assert kinds["time"].causality == "independent"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MODELS)
def test_co_simulation(unit, name, version):
    parameters, inputs = CHANGED[name]
    expected = changed_run(name, 0.5, 1e-3, every=0.01)
    found = unit(name, version).simulate(
        stop_time=0.5, output_interval=0.01,
        start_values=parameters | inputs, output=expected.names,
    )  # fmt: skip
    for channel in expected.names:
        size = 1.0 + np.abs(expected[channel]).max()
        np.testing.assert_allclose(found[channel], expected[channel], rtol=0, atol=1e-9 * size, err_msg=channel)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MODELS)
def test_model_exchange_with_the_solver_of_fmpy(unit, name, version):
    """Euler's steps of FMPy, against the same steps here."""
    parameters, inputs = CHANGED[name]
    s = sb.system(made(name).model)
    s.parameters.update(parameters)
    u = np.array([inputs.get(n, x) for n, x in zip(s.inputs, s.u0, strict=True)])
    x, h, rows = s.x0.copy(), 1e-4, []
    for k in range(501):
        rows.append(s.at(k * h, x, u))
        x = x + h * s.rates(k * h, x, u)
    found = unit(name, version, "me").simulate(
        solver="Euler", step_size=h, output_interval=h,
        stop_time=500 * h, start_values=parameters | inputs, output=s.outputs,
    )  # fmt: skip
    for channel in s.outputs:
        expected = [row[channel] for row in rows]
        size = 1.0 + np.abs(expected).max()
        np.testing.assert_allclose(found[channel], expected, rtol=0, atol=1e-9 * size, err_msg=channel)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MODELS)
def test_model_exchange_with_variable_steps(unit, name, version):
    parameters, inputs = CHANGED[name]
    s = made(name)
    one = unit(name, version, "me").initialise(parameters | inputs)
    if version == 2:
        one.fmu.newDiscreteStates()
    one.fmu.enterContinuousTimeMode()
    end = solve_ivp(one.rates, (0.0, 0.2), s.x0, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    expected = changed_run(name, 0.2, 1e-4)
    one.rates(0.2, end)
    assert one.fmu.completedIntegratorStep() == (0, 0)
    for channel, value in zip(s.outputs, one.get(*s.outputs), strict=True):
        size = 1.0 + np.abs(expected[channel]).max()
        assert abs(value - expected[channel][-1]) < 1e-7 * size, channel


@pytest.mark.skipif(not has_cvode(), reason="FMPy has no CVode for this machine")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MODELS)
def test_model_exchange_with_cvode(unit, name, version):
    parameters, inputs = CHANGED[name]
    expected = changed_run(name, 0.2, 1e-4, every=0.01)
    found = unit(name, version, "me").simulate(
        solver="CVode", relative_tolerance=1e-9, stop_time=0.2,
        output_interval=0.01, start_values=parameters | inputs, output=expected.names,
    )  # fmt: skip
    for channel in expected.names:
        size = 1.0 + np.abs(expected[channel]).max()
        np.testing.assert_allclose(found[channel], expected[channel], rtol=0, atol=1e-5 * size, err_msg=channel)


def test_inputs_with_slopes(unit):
    """FMI 2: with their derivatives, inputs run linearly within a communication step, as they do in a simulation."""
    s, h = made("four-bar"), 0.01
    torque = 0.2 * np.sin(np.arange(52) * 10 * h)
    fine = np.interp(np.arange(511) * 1e-3, np.arange(52) * h, torque)
    expected = sb.simulate(s, 0.5, 1e-3, inputs={"torque": fine}, every=0.01)
    one = unit("four-bar", 2).initialise()
    reference, order = (ctypes.c_uint * 1)(one.references["torque"]), (ctypes.c_int * 1)(1)
    for k in range(50):
        one.set({"torque": torque[k]})
        slope = (ctypes.c_double * 1)((torque[k + 1] - torque[k]) / h)
        one.fmu.fmi2SetRealInputDerivatives(one.fmu.component, reference, 1, order, slope)
        one.step(k * h, h)
        now = [expected[n][k + 1] for n in s.states]
        np.testing.assert_allclose(one.get(*s.states), now, rtol=0, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_held_inputs_and_parameters_on_the_way(unit, version):
    """Inputs and tunable parameters change between communication steps; against steps of fourth order in Python."""
    s, h = sb.system(made("four-bar").model), 0.005
    one = unit("four-bar", version).initialise({"internal.step": h})
    x = s.x0.copy()
    for k in range(40):
        change = {"torque": 0.1 * np.cos(k), "friction": 0.005 + 0.0002 * k}
        one.set(change)
        one.step(k * h, h)
        s.parameters["friction"] = change["friction"]
        u, t = np.array([change["torque"]]), k * h
        a = s.rates(t, x, u)
        b = s.rates(t, x + h / 2 * a, u)
        c = s.rates(t, x + h / 2 * b, u)
        d = s.rates(t, x + h * c, u)
        x = x + h / 6 * (a + 2 * b + 2 * c + d)
        np.testing.assert_allclose(one.get(*s.states), x, rtol=0, atol=1e-10)


@pytest.mark.parametrize("version", VERSIONS)
def test_communication_steps_of_any_length(unit, version):
    s = made("four-bar")
    one = unit("four-bar", version).initialise({"torque": 0.1, "internal.step": 1e-4})
    t = 0.0
    for length in (1e-4, 0.0303, 0.0696, 0.1):
        one.step(t, length)
        t += length
    expected = sb.simulate(s, 0.2, 1e-4, inputs={"torque": 0.1})
    np.testing.assert_allclose(one.get(*s.outputs), expected.values[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_instances_are_independent(unit, version):
    s = made("four-bar")
    changes = ({"torque": 0.1}, {"torque": -0.05, "friction": 0.02}, {})
    both = [unit("four-bar", version).initialise(values) for values in changes]
    for k in range(20):
        for one in both:
            one.step(k * 0.01, 0.01)
    for one, change in zip(both, changes, strict=True):
        alone = unit("four-bar", version).initialise(change)
        for k in range(20):
            alone.step(k * 0.01, 0.01)
        assert np.array_equal(one.get(*s.outputs), alone.get(*s.outputs))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("serial", [False, True])
def test_saved_states(unit, version, serial):
    s = made("four-bar")
    one = unit("four-bar", version).initialise({"torque": 0.1, "crank.q": -0.8})
    one.step(0.0, 0.1)
    state, now = one.save(), one.get(*s.outputs)
    one.set({"torque": -0.3, "friction": 0.05})
    one.step(0.1, 0.2)
    later = one.get(*s.outputs)
    if serial:
        data = one.to_bytes(state)
        one.free(state)
        state = one.from_bytes(data)
    one.restore(state)
    assert np.array_equal(one.get(*s.outputs), now)
    assert one.get("friction") == 0.005
    one.set({"torque": -0.3, "friction": 0.05})
    one.step(0.1, 0.2)
    assert np.array_equal(one.get(*s.outputs), later)
    other = unit("four-bar", version).initialise()
    if serial:
        copied = other.from_bytes(data)
        other.restore(copied)
        assert np.array_equal(other.get(*s.outputs), now)
        other.free(copied)
        with pytest.raises(Exception, match="rror"):
            other.from_bytes(data[:-8])
        with pytest.raises(Exception, match="rror"):
            other.from_bytes(b"?" + data[1:])
    one.free(state)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", [*MODELS[:3], pytest.param("stewart", marks=pytest.mark.slow)])
def test_derivatives(unit, tmp_path, name, version):
    path = export_fmu(made(name), tmp_path / "big.fmu", version, derivatives=True) if name == "stewart" else None
    s = sb.system(made(name).model)
    parameters, inputs = CHANGED[name]
    s.parameters.update(parameters)
    u = np.array([inputs.get(n, x) for n, x in zip(s.inputs, s.u0, strict=True)])
    one = unit(name, version, "me", path).initialise(parameters | inputs)
    expected = s.linear(0.0, s.x0, u)
    rows = np.block([[expected.A, expected.B, expected.P], [expected.C, expected.D, expected.S]])
    unknowns = [one.references[n] for n in [f"der({x})" for x in s.states] + s.outputs]
    knowns = [one.references[n] for n in [*s.states, *s.inputs, *s.parameters]]
    rng = np.random.default_rng(3)
    for _ in range(2):
        seed = rng.normal(size=len(knowns))
        found = one.fmu.getDirectionalDerivative(unknowns, knowns, list(seed))
        np.testing.assert_allclose(found, rows @ seed, rtol=1e-9, atol=1e-9 * np.abs(rows).max())
    if version == 3:
        seed = rng.normal(size=len(unknowns))
        found = one.fmu.getAdjointDerivative(unknowns, knowns, list(seed), len(knowns))
        np.testing.assert_allclose(found, seed @ rows, rtol=1e-9, atol=1e-9 * np.abs(rows).max())
    with pytest.raises(Exception, match="rror"):
        one.fmu.getDirectionalDerivative(unknowns[:1], [one.references["time"]], [1.0])


def test_without_derivatives(tmp_path, unit):
    path = export_fmu(made("double-pendulum"), tmp_path / "lean.fmu", 3, derivatives=False)
    assert not fmpy.read_model_description(str(path)).modelExchange.providesDirectionalDerivative
    one = unit("", 3, path=path).initialise()
    with pytest.raises(Exception, match="rror"):
        one.fmu.getDirectionalDerivative([one.references["der(elbow.q)"]], [one.references["elbow.q"]], [1.0])
    assert "without derivatives" in one.messages[-1]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_start_far_away(unit, version):
    """Newton's method would not get there from the model's start in one leap."""
    s = made("four-bar")
    for angle in (2.0, -3.0, 5.0):
        one = unit("four-bar", version).initialise({"crank.q": angle})
        v, x = s.start_guess, s.x0.copy()
        for q in np.linspace(s.x0[0], angle, 200):
            x[0] = q
            v = s.rates_function(np.zeros(1), x, s.u0, v).v
        assert np.all(np.isfinite(v))
        np.testing.assert_allclose(one.get("coupler.q", "rocker.q"), v, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_reset_and_start_time(unit, version):
    s = made("double-pendulum")
    one = unit("double-pendulum", version).initialise({"L1": 0.7, "elbow.q": 0.1}, t=2.0)
    one.step(2.0, 0.1)
    assert one.get("time") == pytest.approx(2.1)
    one.fmu.reset()
    assert one.get("L1") == 0.5
    one.initialise()
    one.step(0.0, 0.1)
    np.testing.assert_allclose(one.get(*s.outputs), sb.simulate(s, 0.1, 1e-3).values[-1], atol=1e-12)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_singular_position_ends_it(tmp_path, unit, version):
    """The rocker does not determine the crank where it turns back."""
    s = sb.system(made("four-bar").model, independent=["rocker"])
    with pytest.raises(sb.SingularityError) as stopped:
        sb.simulate(s, 2.0, 1e-3)
    one = unit("", version, path=export_fmu(s, tmp_path / "rocker.fmu", version)).initialise()
    with pytest.raises(Exception, match="rror"):
        one.step(0.0, 2.0)
    assert "pivot of the loops vanishes" in one.messages[-1]
    assert one.get("time") == pytest.approx(stopped.value.time)


@pytest.mark.parametrize("name", MODELS[:3])
def test_dependencies(fmu, name):
    """What is said not to depend on a state or an input has a zero there; both versions say the same."""
    s = made(name)
    rng = np.random.default_rng(1)
    slopes = s.linear(0.0, s.x0 + 1e-3 * rng.normal(size=len(s.x0)), s.u0 + 0.01)
    blocks = {"rates": np.hstack([slopes.A, slopes.B]), "outputs": np.hstack([slopes.C, slopes.D])}
    said = []
    for version in VERSIONS:
        about = fmpy.read_model_description(str(fmu(name, version)))
        knowns = [*s.states, *s.inputs]
        found = {"rates": about.derivatives, "outputs": about.outputs}
        names = {"rates": [f"der({x})" for x in s.states], "outputs": s.outputs}
        for group, unknowns in found.items():
            for unknown in unknowns:
                row = blocks[group][names[group].index(unknown.variable.name)]
                listed = knowns if unknown.dependencies is None else [v.name for v in unknown.dependencies]
                missing = [k not in listed for k in knowns]
                assert np.all(row[missing] == 0.0)
                said.append((unknown.variable.name, listed))
    assert said[: len(said) // 2] == said[len(said) // 2 :]
    assert any(len(listed) < len(s.states) for _, listed in said)


def driven():
    m = sb.Model("driven")
    m.body("crank", joints=[sb.Joint("crank", "R2", "driven")], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.trajectory("crank")(lambda t, p: 0.2 + 3.0 * t * t)
    return sb.system(m)


def measured():
    m = sb.Model("measured")
    m.body("crank", joints=[sb.Joint("crank", "R2", "driven")], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    return sb.system(m, inputs=["crank.q"], outputs=["*"], live="all")


UNUSUAL = {
    "no states": driven,
    "motion from outside": measured,
    "no outputs": lambda: sb.system(made("double-pendulum").model, outputs=[]),
    "some outputs": lambda: sb.system(made("four-bar").model, outputs=["loop.force.*", "rocker.q"]),
    "all live": lambda: sb.system(made("four-bar").model, live="all"),
    "penalty": lambda: sb.system(made("four-bar").model, closure="penalty"),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_systems(tmp_path, unit, kind, version):
    s = UNUSUAL[kind]()
    path = export_fmu(s, tmp_path / "unusual.fmu", version, derivatives=kind != "all live")
    assert validation.validate_fmu(str(path)) == []
    one = unit("", version, path=path).initialise()
    one.step(0.0, 0.1)
    expected = sb.simulate(s, 0.1, 1e-3)
    names = [n if n not in s.inputs else f"{n}.out" for n in s.outputs]
    size = 1.0 + np.abs(expected.values).max(axis=0)
    np.testing.assert_allclose(one.get(*names) / size, expected.values[-1] / size, atol=1e-9)
    other = unit("", version, "me", path=path).initialise()
    np.testing.assert_allclose(other.rates(0.0, s.x0), s.rates(0.0, s.x0), atol=1e-9)

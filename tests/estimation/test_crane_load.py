"""The crane weighs its load: by pressures in its cylinders and two angles, within the filter's own band."""

import numpy as np
import pytest

import symbody as sb
from symbody.estimation.estimate import estimate
from symbody.machines.crane.model import LOAD_MASS, model

SENSORS = dict.fromkeys(("lift_piston_p", "lift_rod_p", "fold_piston_p", "fold_rod_p"), 1e5) | {
    "boom.q": 1e-3,
    "jib.q": 1e-3,
}
DOUBT = dict.fromkeys(("slew.qd", "boom.qd", "jib.qd", "swing.qd", "sway.qd"), 0.01)
DOUBT |= {"lift_piston_p": 1e5, "fold_piston_p": 1e5}


@pytest.fixture(scope="module")
def crane():
    m = model()
    m.bodies["load"].mass = m.parameter("load_mass", LOAD_MASS, "kg")
    return sb.system(m)


@pytest.mark.parametrize("mass", [650.0, 950.0])
def test_a_load_that_is_not_what_was_told_is_found(crane, mass):
    crane.parameters["load_mass"] = mass
    truth = sb.simulate(crane, 0.3, 1e-3, method="trapezoidal", inputs={"lift_command": 1.0})
    crane.parameters["load_mass"] = LOAD_MASS
    start = {name: 1e5 if name.endswith("_p") else 1e-3 for name in crane.states}
    twin = estimate(
        crane, list(SENSORS), SENSORS, DOUBT, parameters={"load_mass": 200.0}, method="trapezoidal", start=start
    )
    rng = np.random.default_rng(0)
    for k in range(1, len(truth)):
        twin.step([1.0, 0.0, 0.0], [truth[name][k] + sigma * rng.normal() for name, sigma in SENSORS.items()])
    assert twin.sigma["load_mass"] < 15.0
    assert abs(twin.mean["load_mass"] - mass) < 2.5 * twin.sigma["load_mass"]
    assert crane.parameters["load_mass"] == LOAD_MASS

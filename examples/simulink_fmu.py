"""A cart with a pole for Simulink: the FMU with an external controller, as its block steps it; here run by FMPy."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import symbody as sb
from symbody import machines

SAMPLE, SECONDS = 0.01, 3.0  # s
GAINS = np.array([3.2, 45.0, 4.9, 11.0])  # of the force u = K x

MATLAB = """\
% a new model with the FMU as a block, in co-simulation at 10 ms
new_system('balance'); open_system('balance');
load_system('simulink_extras');
add_block('simulink_extras/FMU Import/FMU', 'balance/cart_pole', 'FMUName', 'cart_pole.fmu');
set_param('balance', 'StopTime', '3', 'SolverType', 'Fixed-step', 'FixedStep', '0.01');
% then wire its outputs x.q, tilt.q, x.qd, tilt.qd through the gain [3.2 45 4.9 11] to its input force
"""


def main() -> None:
    s = sb.system(machines.model("cart-pole"))
    fmu = sb.export_fmu(s, "out/cart_pole.fmu", step=1e-3)
    script = Path("out/balance.m")
    script.write_text(MATLAB, encoding="utf-8")
    print(f"{fmu} and {script}: in MATLAB, in that folder, run balance")
    here = balanced_here(s)
    if find_spec("fmpy"):
        there = balanced_in_fmpy(str(fmu))
        print(f"the tilt after {SECONDS:g} s is {there:.3e} rad in the FMU, {here:.3e} rad here")
        assert abs(there - here) < 1e-9
    assert abs(here) < 1e-2


def balanced_here(s: sb.System) -> float:
    """The tilt at the end, with steps of 1 ms and a force that is held for ten of them."""
    stepper = sb.stepper(s, "rk4", dt=SAMPLE, substeps=10)
    x = stepper.reset()
    for _ in range(round(SECONDS / SAMPLE)):
        x = stepper.step(x, np.array([GAINS @ x]))
    return float(x[1])


def balanced_in_fmpy(path: str) -> float:
    """The same by the calls that Simulink's block makes: read outputs, set the input, do a step."""
    import fmpy
    from fmpy.simulation import instantiate_fmu

    about, folder = fmpy.read_model_description(path), fmpy.extract(path)
    places = {variable.name: variable.valueReference for variable in about.modelVariables}
    outputs, force = [places[name] for name in ("x.q", "tilt.q", "x.qd", "tilt.qd")], [places["force"]]
    unit = instantiate_fmu(folder, about, "CoSimulation")
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    for k in range(round(SECONDS / SAMPLE)):
        unit.setReal(force, [float(GAINS @ unit.getReal(outputs))])
        unit.doStep(currentCommunicationPoint=k * SAMPLE, communicationStepSize=SAMPLE)
    tilt = unit.getReal(outputs)[1]
    unit.freeInstance()
    return float(tilt)


if __name__ == "__main__":
    main()

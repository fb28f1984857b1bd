"""A four-bar linkage for Modelica: an FMU for model exchange, solved by the tool; here by SciPy, through FMPy."""

import ctypes
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import symbody as sb
from symbody import machines

OPENMODELICA = """\
// omc four_bar.mos: the FMU becomes a Modelica block, which is simulated with a torque of 0.12 N m
loadModel(Modelica); getErrorString();
importFMU("four_bar.fmu"); getErrorString();
loadFile("four_bar_me_FMU.mo"); getErrorString();
loadString("model Driven four_bar_me_FMU linkage(torque = 0.12); end Driven;");
simulate(Driven, stopTime = 1.0, tolerance = 1e-8, outputFormat = "csv"); getErrorString();
"""


def main() -> None:
    s = sb.system(machines.model("four-bar"))
    fmu = sb.export_fmu(s, "out/four_bar.fmu")
    script = Path("out/four_bar.mos")
    script.write_text(OPENMODELICA, encoding="utf-8")
    print(f"{fmu} and {script}: cd {script.parent} && omc {script.name}")
    here = sb.simulate(s, 1.0, method=sb.VariableStep(rtol=1e-10, atol=1e-12), inputs={"torque": 0.12})["crank.q"][-1]
    if find_spec("fmpy"):
        there = integrated(str(fmu), len(s.states))
        print(f"crank after 1 s: {there:.8f} rad by SciPy over the FMU, {here:.8f} rad here")
        assert abs(there - here) < 1e-6
    assert here > 1.0  # the crank has turned


def integrated(path: str, states: int) -> float:
    """The crank's angle after a second, by a solver that sees the FMU only: it sets time and states, asks for rates."""
    import fmpy
    from fmpy.simulation import instantiate_fmu

    about, folder = fmpy.read_model_description(path), fmpy.extract(path)
    places = {variable.name: variable.valueReference for variable in about.modelVariables}
    unit = instantiate_fmu(folder, about, "ModelExchange")
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.setReal([places["torque"]], [0.12])
    unit.exitInitializationMode()
    unit.newDiscreteStates()
    unit.enterContinuousTimeMode()
    x, xd = (ctypes.c_double * states)(), (ctypes.c_double * states)()
    unit.getContinuousStates(x, states)

    def rates(t: float, now: np.ndarray) -> np.ndarray:
        unit.setTime(t)
        unit.setContinuousStates((ctypes.c_double * states)(*now), states)
        unit.getDerivatives(xd, states)
        return np.array(xd)

    found = solve_ivp(rates, (0.0, 1.0), np.array(x), method="DOP853", rtol=1e-10, atol=1e-12, t_eval=[1.0]).y[:, -1]
    rates(1.0, found)
    (angle,) = unit.getReal([places["crank.q"]])
    unit.freeInstance()
    return float(angle)


if __name__ == "__main__":
    main()

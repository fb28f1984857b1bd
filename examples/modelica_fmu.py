"""A four-bar linkage for Modelica: an FMU for model exchange, whose solver is the tool's; here FMPy's in its place."""

from importlib.util import find_spec
from pathlib import Path

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
    fmu = sb.export_fmu(s, "four_bar.fmu")
    Path("four_bar.mos").write_text(OPENMODELICA, encoding="utf-8")
    print(f"{fmu} and four_bar.mos: omc four_bar.mos")
    here = sb.simulate(s, 1.0, rtol=1e-10, atol=1e-12, inputs={"torque": 0.12})["crank.q"][-1]
    if find_spec("fmpy"):
        import fmpy

        run = fmpy.simulate_fmu(
            str(fmu), fmi_type="ModelExchange", solver="CVode", stop_time=1.0, output_interval=0.01,
            relative_tolerance=1e-9, start_values={"torque": 0.12}, output=["crank.q"],
        )  # fmt: skip
        there = float(run["crank.q"][-1])
        print(f"crank after 1 s: {there:.8f} rad by CVode over the FMU, {here:.8f} rad here")
        assert abs(there - here) < 1e-5
    assert here > 1.0  # it has turned


if __name__ == "__main__":
    main()

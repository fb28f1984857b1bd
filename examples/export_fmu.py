"""Export of a four-bar linkage: as an FMU, run with FMPy if it is installed, and as a folder of C."""

from importlib.util import find_spec

import symbody as sb
from symbody import machines


def main() -> None:
    linkage = sb.system(machines.model("four-bar"))
    linkage.parameters["friction"] = 0.01
    expected = sb.simulate(linkage, until=1.0, dt=1e-3, inputs={"torque": 0.12})

    fmu = sb.export_fmu(linkage, "out/four_bar.fmu", version=3)
    print(f"{fmu}: {fmu.stat().st_size // 1024} kB, model exchange and co-simulation, sources inside")
    if find_spec("fmpy"):
        there, here = with_fmpy(str(fmu)), expected["crank.q"][-1]
        print(f"crank after 1 s: {there:.9f} rad in FMPy, {here:.9f} rad here")
        assert abs(there - here) < 1e-9

    files = sb.export_c(linkage, "out/four_bar_c", overwrite=True)
    print(f"{files[0].parent}: {', '.join(file.name for file in files)}")
    print("  make -C out/four_bar_c && out/four_bar_c/four_bar 1 0.001 torque=0.12 > run.csv")


def with_fmpy(path: str) -> float:
    """Steps of 10 ms in co-simulation, each of which the FMU makes in ten of its own."""
    import fmpy
    from fmpy.simulation import instantiate_fmu

    about, folder = fmpy.read_model_description(path), fmpy.extract(path)
    references = {variable.name: variable.valueReference for variable in about.modelVariables}
    unit = instantiate_fmu(folder, about, "CoSimulation")
    unit.setFloat64([references["torque"]], [0.12])
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    for k in range(100):
        unit.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
    (angle,) = unit.getFloat64([references["crank.q"]])
    unit.freeInstance()
    return float(angle)


if __name__ == "__main__":
    main()

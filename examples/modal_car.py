"""A quarter of a car: its equilibrium, its modes, and its landing on the tyre after a fall."""

import symbody as sb
from symbody import machines


def main() -> None:
    s = sb.system(machines.model("quarter-car"), outputs=["*.q", "*.qd", "strut.*", "tyre.force.z", "energy.*"])
    at = sb.equilibrium(s)
    print(f"at rest: {at.outputs['tyre.force.z']:.0f} N on its tyre, {'' if at.stable else 'un'}stable")

    print(sb.modal(s, at))
    s.parameters["c_strut"] = 850.0  # a worn damper: no new compilation
    worn = sb.modal(s)
    print("with a worn damper:", ", ".join(f"{m.frequency:.2f} Hz at {m.damping:.0%}" for m in worn))

    lands = sb.Event("tyre.force.z", crosses=1.0, direction=1, name="lands")
    lifts = sb.Event("tyre.force.z", crosses=1.0, direction=-1, name="lifts off")
    dropped = s.x0 + [0.3 * (name == "heave.q") for name in s.states]
    run = sb.simulate(s, 3.0, method=sb.VariableStep("lsoda", events=[lands, lifts], dense=True), x0=dropped)
    for event in run.events:
        print(f"t = {event.t:.4f} s: the tyre {event.name}")
    print(f"{run.steps} steps; it comes to rest at {run.dense(3.0)['heave.q'][0]:+.4f} m")
    assert abs(at.outputs["tyre.force.z"] - 9.81 * 386.0) < 1e-3  # N: the tyre carries all 386 kg


if __name__ == "__main__":
    main()

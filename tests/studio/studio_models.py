"""Small machines for the studio."""

import math

import symbody as sb
from symbody.expr.functions import maximum
from symbody.realtime.tracking import LowPass
from symbody.studio.machine import Aim, Control, Grip, Hum, Instruction, Machine, Struck


def swing():
    """A pendulum of 1 m that a torque turns; nothing but gravity moves it at first."""
    m = sb.Model("swing", gravity=(0, 0, -9.81))
    m.parameter("friction", 0.3, "N m s")
    m.input("torque", 0.0, "N m")
    arm = m.body("arm", joints=[sb.Joint("arm", "R2", q0=(0.4,))], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    arm.point("tip", (0, 0, -1.0))
    m.joint_force("arm")(lambda q, qd, p: p.torque - p.friction * qd)
    return m


def crank_machine(**more):
    """A hand wheel that a person turns, with a spring that resists and a bell that is struck beyond half a radian."""
    m = sb.Model("crank")
    m.parameter("stiffness", 2.0, "N m/rad")
    arm = m.parameter("arm", 0.2, "m")
    wheel = m.body("wheel", joints=[sb.Joint("wheel", "R2", "driven")], mass=1.0, inertia=(0.01, 0.01, 0.01))
    wheel.point("grip", (arm, 0, 0))
    m.body("load", wheel["grip"], [sb.Joint("load", "R2")], mass=0.1, com=(0, 0, -0.05), inertia=(1e-4, 1e-4, 1e-4))
    m.joint_force("wheel")(lambda q, qd, p: -p.stiffness * q)
    m.signal("bell")(lambda s, p: maximum(s.q["wheel"] - 0.5, 0.0))
    s = sb.system(m, inputs=["wheel.q"], outputs=["*.q", "*.qd", "wheel.effort", "bell"])
    keys = {"a": Aim(0.8), "d": Aim(-0.8, 2.0), "w": Aim(0.7, 0.5, whole=True), "PageUp": Aim(0.8)}
    turn = Control(
        "wheel.q", "Wheel", -1.0, 1.0, unit="rad", seconds=0.2, keys=keys, axis=0, buttons={7: Aim(1.0)},
        grips=[Grip("wheel", (0.0, 0.0, -5.0))], shape="wheel",
    )  # fmt: skip
    given = {
        "track": {"wheel": LowPass(20.0)},
        "effort_limits": {"wheel.effort": 5.0},
        "controls": [turn],
        "pilots": {"swaying": lambda t, channels: {"wheel.q": 0.9 * math.sin(3.0 * t)}},
        "plots": ["wheel.effort", ("wheel.q", "wheel.effort")],
        "sounds": [Struck("bell", 0.5), Hum("wheel.qd", 10.0, "wheel.qd", 50.0)],
        "shows": lambda channels: [f"{channels['wheel.q']:.2f} rad"],
        "help": [Instruction("turn the wheel: drag it, or press A and D", touch="turn the wheel: drag it")],
    }
    return Machine("crank", s, **given | more)

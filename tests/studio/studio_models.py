"""A small machine for the studio, and waiting for it: nothing here asserts how long anything takes."""

import time

import symbody as sb

PATIENCE = 60.0  # s after which something that must happen has failed


def swing():
    """A pendulum of 1 m that a torque turns; nothing but gravity moves it at first."""
    m = sb.Model("swing", gravity=(0, 0, -9.81))
    m.parameter("friction", 0.3, "N m s")
    m.input("torque", 0.0, "N m")
    arm = m.body("arm", joints=[sb.Joint("arm", "R2", q0=(0.4,))], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    arm.point("tip", (0, 0, -1.0))
    m.joint_force("arm")(lambda q, qd, p: p.torque - p.friction * qd)
    return m


def eventually(happened):
    """Wait until something is true: a loaded machine may take its time."""
    until = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(5e-3)

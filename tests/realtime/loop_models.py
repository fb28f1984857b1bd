"""Small systems for the real-time loop."""

import symbody as sb


def cart(law=None):
    """A mass of 2 kg on a spring, pushed by the input `push` (N); its output `drive` (N) is what an actuator gives."""
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.parameter("k", 50.0, "N/m")
    m.input("push", 0.0, "N")
    m.body("cart", joints=[sb.Joint("x", "T1", q0=(0.1,))], mass=2.0)
    m.joint_force("x")(law or (lambda q, qd, p: p.push - p.k * q))
    m.signal("drive")(lambda s, p: 10.0 * p.push)
    return m


def swinging():
    """A pendulum that nothing pushes."""
    m = sb.Model("swing", gravity=(0, 0, -9.81))
    m.body("bob", joints=[sb.Joint("bob", "R2", q0=(0.5,))], mass=1.0, com=(0.0, 0.0, -1.0))
    return m


def copies(count):
    """Outputs that all tell the same: the time, the input `u0`, and the parameter `a`, as many times as wanted."""
    m = sb.Model("copies", gravity=(0, 0, 0))
    m.parameter("a", 1.0)
    m.parameter("b", 1.0)
    m.body("stone", joints="T1", mass=1.0)
    for k in range(count):
        m.signal(f"time{k}")(lambda s, p: p.t)
    for k in range(count):
        m.input(f"u{k}", 0.0)
        m.signal(f"input{k}")(lambda s, p, k=k: p[f"u{k}"])
    m.signal("difference")(lambda s, p: p.a - p.b)
    m.state("drift", start=0.0)(lambda s, p: p.a - p.b)
    return m

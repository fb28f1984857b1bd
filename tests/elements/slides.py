"""A slide rubbed by a friction law: moved as prescribed, or drawn by a spring whose end moves steadily."""

from functools import cache

import numpy as np

import symbody as sb
from symbody.elements.attach import on_joint, on_link
from symbody.elements.friction import FRICTION
from symbody.elements.springs import Spring

LOAD = 1000.0  # N, for friction by efficiency


def load(x, v, p):
    return LOAD


@cache
def moved(law):
    """A driven slide; its motion is an input. `work` is what friction takes, `lost` what it loses (J)."""
    m = sb.Model("moved", gravity=(0, 0, 0))
    m.body("slide", m.ground, [sb.Joint("slide", "T1", nature="driven")], mass=1.0)
    on_joint(m, "seal", "slide", law, load=load)

    def z(p):
        return [p[f"seal_{state}"] for state in law.states]

    @m.state("work")
    def work(s, p):
        return law.force(s.qd["slide"], z(p), LOAD) * s.qd["slide"]

    @m.state("lost")
    def lost(s, p):
        return law.dissipated(s.qd["slide"], z(p), LOAD)

    return sb.system(m, inputs=["slide.q"], outputs=["slide.*", "seal*", "work", "lost"])


def slid(law, until, velocity, dt=1e-5, method="rk4"):
    """Friction along a course of velocities (m/s), a function of an array of times."""
    t = dt * np.arange(round(until / dt) + 1)
    v = velocity(t)
    x = np.concatenate([[0.0], np.cumsum((v[1:] + v[:-1]) / 2 * dt)])
    run = sb.simulate(moved(law), until, dt, method=method, inputs={"slide.q": x, "slide.qd": v, "slide.qdd": 0.0 * t})
    return run.t, x, v, -run["seal.slide.Q"], run


@cache
def drawn(law, speed=2e-3, stiffness=2e4, mass=100.0):
    """A block on a spring whose other end moves at a constant speed (m/s)."""
    m = sb.Model("drawn", gravity=(0, 0, 0))
    puller = m.body("puller", m.ground, [sb.Joint("puller", "T1", "driven", (1.0,), (speed,))], mass=1.0)
    block = m.body("block", m.ground, "T1", mass=mass)
    m.trajectory("puller")(lambda t, p: 1.0 + speed * t)
    on_link(m, "spring", block, puller, Spring(stiffness, rest=1.0))
    on_joint(m, "seal", "block", law, load=load)
    outputs = ["energy.kinetic", "*.stored", "*.dissipated", "puller.*", "block.*", "spring.tension"]
    return sb.system(m, outputs=outputs)


def each(*names):
    """(name, law with the numbers of the seal), for parametrised tests."""
    return [(name, FRICTION[name]()) for name in names or FRICTION]

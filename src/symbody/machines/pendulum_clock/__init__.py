"""A longcase clock: a seconds pendulum, Graham's escapement, and a weight that drives it."""

from symbody.machines.pendulum_clock.measures import period, swing_energies, theory_period

__all__ = ["period", "swing_energies", "theory_period"]

STEPS = {"until": 10.0, "dt": 1e-4, "every": 0.01}

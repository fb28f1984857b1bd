"""A longcase clock: a seconds pendulum, Graham's escapement, and a weight that falls and keeps it swinging."""

STEPS = {"until": 10.0, "dt": 1e-4}

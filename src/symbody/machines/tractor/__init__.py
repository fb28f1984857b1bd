"""A tractor with a front loader that digs, carries and dumps soil."""

STEPS = {"until": 3.0, "dt": 1.2e-3}

"""A car on four multi-link suspensions, in a lane change or yours to drive around an obstacle at 75 km/h."""

VARIANTS = {"kind": ("lane-change", "driven")}

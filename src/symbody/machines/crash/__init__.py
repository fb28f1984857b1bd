"""A car or a bus drives into an attenuator behind a truck: more than 300 degrees of freedom."""

VARIANTS = {"vehicle": ("car", "bus")}
STEPS = {"until": 0.7, "dt": 2.5e-5}

"""Time integration: one file for each method with its C file, one registry, and a stepper for controllers."""

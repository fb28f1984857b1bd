"""How a system advances: one file a method with its C beside it, one registry, and a stepper for controllers."""

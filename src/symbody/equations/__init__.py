"""Model → expressions: kinematics, dynamics, constraints, energy, links, regressor; laws traced into them."""

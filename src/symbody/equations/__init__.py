"""From a model to expressions: kinematics, dynamics, constraints, energy, links, regressor, and traced laws."""

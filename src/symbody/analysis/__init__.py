"""What is computed with compiled systems: simulation, equilibrium, modes, sensitivities, optimisation, fitting."""

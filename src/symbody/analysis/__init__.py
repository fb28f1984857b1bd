"""Analyses of compiled systems: simulation, equilibrium, modes, sensitivities, optimisation, fitting."""

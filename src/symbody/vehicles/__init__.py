"""Vehicles: axles, wheels and tyres, driver's controls, roads and their scenery, structures that crush in a crash."""

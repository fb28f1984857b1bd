"""Filters on compiled systems: what a machine does, known from some sensors and its model, with its uncertainty."""

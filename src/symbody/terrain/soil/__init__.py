"""Deformable soil: cells that sink, flow and are cut, particles, and the wheels, tyres and tools that work in it."""

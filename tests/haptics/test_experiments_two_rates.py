"""Experiments of two rates: orderings of E5, E8, E10 to E13 over seeds.

experiments/static_wall.py, experiments/tight_hole.py, experiments/dynamic_contact.py, experiments/local_corner.py,
experiments/two_rate_testbed.py, experiments/many_planes.py.
"""

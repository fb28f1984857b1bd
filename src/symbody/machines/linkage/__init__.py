"""A linkage of three links in the hand, held from any link, between walls and through singular positions."""

from symbody.machines.linkage.arena import arena

__all__ = ["arena"]

STEPS = {"until": 2.0, "dt": 5e-4, "every": 0.002}

"""A linkage of three links in the hand, held from any link, between walls and through singular positions."""

from symbody.machines.linkage.arena import arena
from symbody.machines.linkage.two_rates import two_rates

__all__ = ["arena", "two_rates"]

STEPS = {"until": 2.0, "dt": 5e-4, "every": 0.002}

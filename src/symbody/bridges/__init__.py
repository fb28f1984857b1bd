"""Bridges to other tools: functions and systems inside JAX, PyTorch and CasADi, with exact derivatives.

Environments for learning are in `symbody.bridges.gymnasium`.
"""

from symbody.bridges.casadi import to_casadi
from symbody.bridges.jax import jax_rollout, to_jax
from symbody.bridges.torch import to_torch, torch_rollout

__all__ = ["jax_rollout", "to_casadi", "to_jax", "to_torch", "torch_rollout"]

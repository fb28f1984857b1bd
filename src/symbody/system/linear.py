"""The linearisation of a system: exact derivatives with names, and the conversion to python-control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.suggestions import nearest_or_first

Array = np.ndarray


@dataclass(frozen=True)
class Linear:
    """ẋ ≈ A δx + B δu + P δp, y ≈ C δx + D δu + S δp about the time t, the state x and the inputs u.

    As a sequence it is A, B, C, D.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    P: Array
    S: Array
    name: str = ""
    states: Sequence[str] = ()
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    parameters: Sequence[str] = ()
    t: float = 0.0  # s
    x: Array | None = None
    u: Array | None = None

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def to_control(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> Any:
        """A `control.StateSpace` of python-control with the names of states, inputs and outputs; default: all of them.

        python-control does not allow dots: `cart.q` becomes `cart_q`.
        """
        try:
            import control
        except ImportError as error:
            raise ModelError("control is not installed", cure="pip install 'symbody[control]'") from error
        if self.A.ndim != 2:
            raise ModelError("this is a batch of linear systems", element=self.name, cure="linearise about one state")
        u, y = _places(inputs, self.inputs, "input"), _places(outputs, self.outputs, "output")
        labels = {
            "states": list(self.states),
            "inputs": [self.inputs[k] for k in u],
            "outputs": [self.outputs[k] for k in y],
        }
        plain = {kind: [name.replace(".", "_") for name in names] for kind, names in labels.items()}
        matrices = self.A, self.B[:, u], self.C[y], self.D[np.ix_(y, u)]
        return control.ss(*matrices, name=self.name.replace(".", "_") or None, **plain)


def _places(wanted: Sequence[str] | None, known: Sequence[str], kind: str) -> list[int]:
    """Indices of the wanted names; default: all."""
    for name in wanted or ():
        if name not in known:
            near = ", ".join(nearest_or_first(name, known)) or "none"
            raise ModelError(f"unknown {kind}", element=name, cure=f"similar names: {near}")
    return [known.index(name) for name in (known if wanted is None else wanted)]

"""A haptic scene for two processes: the remote world, the local model, and a simulated hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from symbody.errors import ModelError
from symbody.haptics.settings import ContactModel, one_of
from symbody.haptics.shapes import Array
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.world import World


@dataclass(frozen=True)
class RemoteScene:
    """make_world: by engine and ε (m). make_local: by port, rate (Hz) and held link ("": the scene's default).

    hand: target of the hand at t (s), inputs by name. contact: of walls, as in packets. holds: links that can be held.
    into_walls: penetration of the tool into walls (m), by its coordinates (n, nq).
    """

    name: str
    make_world: Callable[[str, float], World]
    make_local: Callable[[Port, float, str], LocalModel]
    hand: Callable[[float], Mapping[str, float]]
    contact: ContactModel = field(default_factory=ContactModel)
    engines: tuple[str, ...] = ("symbody",)
    holds: tuple[str, ...] = ()
    into_walls: Callable[[Array], Array] | None = None

    def world(self, engine: str | None = None, *, epsilon: float) -> World:
        """The world, simulated by an engine."""
        chosen = engine or self.engines[0]
        one_of(chosen, self.engines, "engine")
        return self.make_world(chosen, epsilon)

    def local(self, port: Port, rate: float, hold: str = "") -> LocalModel:
        """The local model, held at a link by its name."""
        if hold and hold not in self.holds:
            cure = f"use one of {', '.join(self.holds)}" if self.holds else "leave it out: its tool is one body"
            raise ModelError(f"unknown link '{hold}' to hold", element=self.name, cure=cure)
        return self.make_local(port, rate, hold)

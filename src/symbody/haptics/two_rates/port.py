"""The port between a local model and the world behind a line (port.h): whose energy it is, and what silence means."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from math import inf
from typing import Any

from symbody.errors import ModelError
from symbody.haptics.settings import finite
from symbody.haptics.structures import integers, reals
from symbody.realtime.block import Mailbox

ENDLESS = 1e300  # an infinite time, as C has it
CEILING = 0.1  # J


class PortOf(ctypes.Structure):
    """port_t: energy, silence, and mailboxes of packets."""

    _fields_ = (
        *integers("on"),
        *reals("entered stored received paid discarded least given ceiling still patience fading"),
        *integers("held lifted let_go posted taken told"),
        ("inbox", Mailbox),
        ("outbox", Mailbox),
        ("packets", ctypes.c_void_p),
        ("proxies", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Port:
    """passive: surfaces move only where there is energy for it, so that the line gives none; else it is only counted.

    ceiling: energy (J) that is kept for later at most. After `still` s of silence surfaces stand still; after
    `patience` s they soften for `fading` s, and are let go.
    """

    passive: bool = False
    ceiling: float = CEILING
    still: float = inf
    patience: float = inf
    fading: float = 0.5

    def structure(self) -> PortOf:
        """As local_t has it."""
        for name in ("still", "patience"):
            if not getattr(self, name) >= 0.0:
                raise ModelError(f"{name} = {getattr(self, name)}", element="port", cure="give seconds, or infinity")
        made = PortOf(int(self.passive), ceiling=finite("ceiling", self.ceiling), fading=finite("fading", self.fading))
        made.still, made.patience = min(self.still, ENDLESS), min(self.patience, ENDLESS)
        made.inbox, made.outbox = Mailbox.empty(), Mailbox.empty()
        return made


def port_counts(port: PortOf) -> dict[str, Any]:
    """Energies (J), moves that were held back, ticks in which surfaces gave way, times that all were let go."""
    energies = ("entered", "stored", "received", "paid", "discarded", "least", "given")
    return {name: getattr(port, name) for name in (*energies, "held", "lifted", "let_go")}

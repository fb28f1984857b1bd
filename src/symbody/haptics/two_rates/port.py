"""The port between a local model and a remote world (port.h): its energy, and its reaction to silence."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from math import inf
from typing import Any

from symbody.codegen.mirror import Mirror
from symbody.errors import ModelError
from symbody.haptics.settings import finite
from symbody.haptics.structures import integers, reals
from symbody.realtime.loop_layout import Mailbox

ENDLESS = 1e300  # represents infinity in C
CEILING = 0.1  # J


class PortOf(Mirror):
    """port_t: energy, silence, and mailboxes of packets."""

    c_type = "port_t"
    _fields_ = (
        *integers("on"),
        *reals("entered stored received paid discarded least given ceiling still patience fading"),
        *integers("held lifted let_go returned posted taken sent"),
        ("inbox", Mailbox),
        ("outbox", Mailbox),
        ("packets", ctypes.c_void_p),
        ("proxies", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Port:
    """Energy and silence of the link to a world.

    Parameters
    ----------
    passive : bool
        Whether surfaces move only if there is energy for it, so that the link generates none; otherwise it is only
        counted. Default False.
    ceiling : float
        Largest stored energy (J). Default 0.1.
    still : float
        Silence (s) after which surfaces stop. Default inf.
    patience : float
        Silence (s) after which they soften. Default inf.
    fading : float
        Time (s) until they are then removed. Default 0.5.
    """

    passive: bool = False
    ceiling: float = CEILING
    still: float = inf
    patience: float = inf
    fading: float = 0.5

    def structure(self) -> PortOf:
        """Values of the C structure."""
        for name in ("still", "patience"):
            if not getattr(self, name) >= 0.0:
                raise ModelError(
                    f"{name} = {getattr(self, name)}", element="port", cure="give seconds ≥ 0, or infinity"
                )
        made = PortOf(int(self.passive), ceiling=finite("ceiling", self.ceiling), fading=finite("fading", self.fading))
        made.still, made.patience = min(self.still, ENDLESS), min(self.patience, ENDLESS)
        made.inbox, made.outbox = Mailbox.empty(), Mailbox.empty()
        return made


def port_counts(port: PortOf) -> dict[str, Any]:
    """Energies (J), motions held back, ticks with surfaces that yielded, removals of all, ticks with a braked proxy."""
    energies = ("entered", "stored", "received", "paid", "discarded", "least", "given")
    return {name: getattr(port, name) for name in (*energies, "held", "lifted", "let_go", "returned")}

"""The link between a world and a local model: UDP, or shared memory of one computer; optionally impaired.

line = HapticLine(address=("127.0.0.1", 47610))
WorldNode(WorldEnd(world), line.for_world()).run()   # in one process
WorldLink(local, line.for_hand())                    # in the other: it listens, and worlds may come and go
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symbody.haptics.settings import one_of
from symbody.haptics.two_rates.impaired import ImpairedTransport
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.wire import PROXY, WORLD
from symbody.links.packet import Transport
from symbody.links.shared_memory import MemoryTransport
from symbody.links.udp import PORT, Address, UdpTransport

KINDS = ("udp", "memory")
HERE: Address = ("127.0.0.1", PORT + 10)


@dataclass(frozen=True)
class HapticLine:
    """The link between a world and a local model.

    Parameters
    ----------
    kind : str
        "udp" or "memory". Default "udp".
    address : (str, int)
        Address and port of a UDP link. Default ("127.0.0.1", 47610).
    name : str
        Name of a memory link. Default "haptic".
    token : bytes, optional
        Shared secret; needed beyond this computer.
    impairment : Impairment, optional
        Simulated delay and loss, each way.
    """

    kind: str = "udp"
    address: Address = HERE
    name: str = "haptic"
    token: bytes = b""
    impairment: Impairment = field(default_factory=Impairment)

    def __post_init__(self) -> None:
        one_of(self.kind, KINDS, "line")

    def for_world(self) -> Transport:
        """The world's end, which connects to the other."""
        return self._opened(WORLD, PROXY, listens=False)

    def for_hand(self) -> Transport:
        """The hand's end, which listens."""
        return self._opened(PROXY, WORLD, listens=True)

    def _opened(self, sends: str, hears: str, listens: bool) -> Transport:
        made: Transport
        if self.kind == "memory":
            made = MemoryTransport(self.name, sends, hears, owner=listens)
        else:
            bind, partner = (self.address, None) if listens else (None, self.address)
            made = UdpTransport([sends], [hears], bind, partner, self.token, varying=True)
        perfect = self.impairment == Impairment(seed=self.impairment.seed)
        return made if perfect else ImpairedTransport(made, self.impairment, int(listens))


def line_pair(impairment: Impairment) -> tuple[ImpairedTransport, ImpairedTransport]:
    """The world's and the hand's end of a link on this computer, at a free port; `end.line.impairment` may change."""
    hand = UdpTransport([PROXY], [WORLD], (HERE[0], 0), varying=True)
    world = UdpTransport([WORLD], [PROXY], partner=hand.address, varying=True)
    return ImpairedTransport(world, impairment, 0), ImpairedTransport(hand, impairment, 1)

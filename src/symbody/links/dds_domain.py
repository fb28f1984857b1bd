"""DDS domains: participants, and the quality of service of writers and readers."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

from symbody.errors import ModelError
from symbody.links.dds_types import cyclone

DEPTH = 16  # samples queued in a reader or writer; older ones are dropped
LAST = 230  # domain whose ports exist (OMG DDSI-RTPS, section 9.6.1.3)
BLOCKING = 1_000_000  # ns that a write may wait for a reliable reader
LOCAL = """
<CycloneDDS><Domain>
  <General>
    <Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false</AllowMulticast>
  </General>
  <Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>99</MaxAutoParticipantIndex>
    <Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>
"""


def participant(domain: int, local: bool) -> Any:
    """A participant of a domain; local: on this computer only."""
    cure = f"choose a domain from 0 to {LAST} that this process does not use yet, and check CYCLONEDDS_URI"
    if not (isinstance(domain, int) and 0 <= domain <= LAST):  # Cyclone would use the last 32 bits of the number
        raise ModelError(f"there is no domain {domain}", element="dds", cure=cure)
    try:
        if not local:
            return cyclone("domain").DomainParticipant(domain)
        before = _sockets()
        _local_domain(domain)
        made = cyclone("domain").DomainParticipant(domain)
        _keep_on_loopback(_sockets() - before)
        return made
    except cyclone("core").DDSException as error:
        raise ModelError(f"cannot join domain {domain}: {error}", element="dds", cure=cure) from error


@cache
def _local_domain(domain: int) -> Any:
    """A domain on this computer only; it lives as long as the process."""
    return cyclone("domain").Domain(domain, LOCAL)


def _sockets() -> set[int]:
    """Descriptors of the open sockets of this process, on Linux."""
    found = set[int]()
    for name in os.listdir("/proc/self/fd") if sys.platform == "linux" else ():
        with suppress(OSError):  # closed meanwhile
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                found.add(int(name))
    return found


def _keep_on_loopback(descriptors: Iterable[int]) -> None:
    """Let sockets receive from the loopback interface only: Cyclone DDS opens the ports of all interfaces."""
    for descriptor in descriptors:
        with socket.socket(fileno=os.dup(descriptor)) as opened:
            if opened.family == socket.AF_INET and opened.type == socket.SOCK_DGRAM:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")


def quality(reliable: bool = True) -> Any:
    """Writers offer reliable delivery; our readers keep only the newest samples."""
    core = cyclone("core")
    reliability = core.Policy.Reliability.Reliable(BLOCKING) if reliable else core.Policy.Reliability.BestEffort
    encoding = core.Policy.DataRepresentation(use_cdrv0_representation=True)
    return core.Qos(reliability, core.Policy.History.KeepLast(DEPTH), core.Policy.Durability.Volatile, encoding)


def wait_set(participant: Any, readers: Iterable[Any]) -> Any:
    """A wait set that wakes when any of the readers has new data."""
    core = cyclone("core")
    made = core.WaitSet(participant)
    fresh = core.ViewState.Any | core.InstanceState.Any | core.SampleState.NotRead
    for reader in readers:
        made.attach(core.ReadCondition(reader, fresh))
    return made

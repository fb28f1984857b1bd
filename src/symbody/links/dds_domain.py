"""DDS domains: participants, and the quality of service of writers and readers."""

from __future__ import annotations

from collections.abc import Iterable
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
        if local:
            _local_domain(domain)
        return cyclone("domain").DomainParticipant(domain)
    except cyclone("core").DDSException as error:
        raise ModelError(f"cannot join domain {domain}: {error}", element="dds", cure=cure) from error


@cache
def _local_domain(domain: int) -> Any:
    """A domain on this computer only; it lives as long as the process."""
    return cyclone("domain").Domain(domain, LOCAL)


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

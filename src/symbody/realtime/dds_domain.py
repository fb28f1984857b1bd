"""A way into a domain of DDS, and what our writers and readers there promise and want."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from symbody.errors import ModelError
from symbody.realtime.dds_types import cyclone

DEPTH = 16  # samples that wait in a reader or writer; older ones are dropped
BLOCKING = 1_000_000  # ns that a write may wait for a reader that wants every sample
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
    """One who takes part in a domain; local: which does not leave this machine."""
    try:
        if local:
            _local_domain(domain)
        return cyclone("domain").DomainParticipant(domain)
    except cyclone("core").DDSException as error:
        cure = "choose a domain from 0 to 230 that this process does not use otherwise, and look at CYCLONEDDS_URI"
        raise ModelError(f"domain {domain} cannot be entered: {error}", element="dds", cure=cure) from error


@cache
def _local_domain(domain: int) -> Any:
    """A domain that does not leave this machine; it lives as long as the process."""
    return cyclone("domain").Domain(domain, LOCAL)


def quality(reliable: bool = True) -> Any:
    """Writers offer all samples to those who want them; our readers want the newest only."""
    core = cyclone("core")
    reliability = core.Policy.Reliability.Reliable(BLOCKING) if reliable else core.Policy.Reliability.BestEffort
    encoding = core.Policy.DataRepresentation(use_cdrv0_representation=True)
    return core.Qos(reliability, core.Policy.History.KeepLast(DEPTH), core.Policy.Durability.Volatile, encoding)


def wait_set(participant: Any, readers: Iterable[Any]) -> Any:
    """What wakes when any of the readers has something new."""
    core = cyclone("core")
    made = core.WaitSet(participant)
    fresh = core.ViewState.Any | core.InstanceState.Any | core.SampleState.NotRead
    for reader in readers:
        made.attach(core.ReadCondition(reader, fresh))
    return made

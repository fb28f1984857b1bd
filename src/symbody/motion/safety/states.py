"""The states of a ride and the only transitions between them."""

from __future__ import annotations

from enum import Enum

from symbody.errors import ModelError


class RideState(Enum):
    """off: drives without power; ready: at rest at a known position; stopping: a fast stop; fault: needs a reset."""

    OFF = "off"
    HOMING = "homing"
    READY = "ready"
    RUNNING = "running"
    STOPPING = "stopping"
    FAULT = "fault"


class RideEvent(Enum):
    """What can change the state: commands of a person, and what the supervisor finds."""

    POWER_ON = "power on"
    HOMED = "homed"
    START = "start"
    STOP = "stop"
    AT_REST = "at rest"
    FAIL = "fail"
    FAILED_AT_REST = "failed, at rest"
    RESET = "reset"
    POWER_OFF = "power off"


S, E = RideState, RideEvent
TRANSITIONS = {
    (S.OFF, E.POWER_ON): S.HOMING,
    (S.HOMING, E.HOMED): S.READY,
    (S.READY, E.START): S.RUNNING,
    (S.RUNNING, E.STOP): S.STOPPING,
    (S.STOPPING, E.AT_REST): S.READY,
    (S.STOPPING, E.FAILED_AT_REST): S.FAULT,
    (S.HOMING, E.FAIL): S.FAULT,
    (S.READY, E.FAIL): S.FAULT,
    (S.RUNNING, E.FAIL): S.STOPPING,
    (S.STOPPING, E.FAIL): S.STOPPING,
    (S.FAULT, E.FAIL): S.FAULT,
    (S.OFF, E.FAIL): S.OFF,
    (S.FAULT, E.RESET): S.OFF,  # the position counts as unknown: homing is next
    (S.HOMING, E.POWER_OFF): S.OFF,
    (S.READY, E.POWER_OFF): S.OFF,
    (S.FAULT, E.POWER_OFF): S.OFF,
}


def transition(state: RideState, event: RideEvent) -> RideState:
    """The next state; ModelError for an event that the state does not allow, with the events that it does."""
    found = TRANSITIONS.get((state, event))
    if found is None:
        possible = ", ".join(e.value for s, e in TRANSITIONS if s is state)
        raise ModelError(f"'{event.value}' is not possible in the state '{state.value}'", cure=f"possible: {possible}")
    return found

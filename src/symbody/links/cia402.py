"""The drive profile CiA 402 (IEC 61800-7-201): modes of operation, and the states of a drive.

A drive reports its state in the status word (object 6041h), and changes it by the control word (object 6040h).
"""

from __future__ import annotations

from dataclasses import dataclass

INT16, INT32 = 2**15 - 1, 2**31 - 1


@dataclass(frozen=True)
class OperationMode:
    """A mode: its number in object 6060h, the quantity of its set point, and the largest set point."""

    number: int
    quantity: str  # "position" (increments), "speed" (rpm) or "torque" (per mille of the rated torque)
    largest: int


MODES = {
    "profile position": OperationMode(1, "position", INT32),
    "profile velocity": OperationMode(3, "speed", INT32),
    "profile torque": OperationMode(4, "torque", INT16),
    "cyclic position": OperationMode(8, "position", INT32),
    "cyclic velocity": OperationMode(9, "speed", INT32),
    "cyclic torque": OperationMode(10, "torque", INT16),
}

# -- states ------------------------------------------------------------------------------------------------------------

NOT_READY, DISABLED, READY, ON, ENABLED, QUICK_STOP, FAULT_REACTION, FAULT = (
    "not ready to switch on", "switch on disabled", "ready to switch on", "switched on", "operation enabled",
    "quick stop active", "fault reaction active", "fault",
)  # fmt: skip
STATUS = {  # state → bits of the status word that count, and their values
    NOT_READY: (0x4F, 0x00), DISABLED: (0x4F, 0x40), READY: (0x6F, 0x21), ON: (0x6F, 0x23), ENABLED: (0x6F, 0x27),
    QUICK_STOP: (0x6F, 0x07), FAULT_REACTION: (0x4F, 0x0F), FAULT: (0x4F, 0x08),
}  # fmt: skip
COMMANDS = {  # name → bits of the control word that count, and their values
    "shutdown": (0x87, 0x06), "switch on": (0x8F, 0x07), "enable operation": (0x8F, 0x0F),
    "disable voltage": (0x82, 0x00), "quick stop": (0x86, 0x02), "fault reset": (0x80, 0x80),
}  # fmt: skip
TRANSITIONS = {
    (DISABLED, "shutdown"): READY, (READY, "switch on"): ON, (ON, "enable operation"): ENABLED,
    (READY, "enable operation"): ENABLED, (ENABLED, "switch on"): ON, (ON, "shutdown"): READY,
    (ENABLED, "shutdown"): READY, (ENABLED, "quick stop"): QUICK_STOP, (FAULT, "fault reset"): DISABLED,
    **{(state, "disable voltage"): DISABLED for state in (READY, ON, ENABLED, QUICK_STOP)},
    **{(state, "quick stop"): DISABLED for state in (READY, ON)},
}  # fmt: skip
TO_ENABLED = {FAULT: "fault reset", DISABLED: "shutdown", READY: "switch on", ON: "enable operation"}


def state_of(status: int) -> str | None:
    """The state in a status word; None if its bits are not those of any state."""
    return next((state for state, (mask, bits) in STATUS.items() if status & mask == bits), None)


def status_of(state: str) -> int:
    """The status word of a state."""
    return STATUS[state][1]


def control_word(command: str) -> int:
    """The control word of a command."""
    return COMMANDS[command][1]


def command_of(control: int) -> str | None:
    """The command in a control word, or None."""
    return next((name for name, (mask, bits) in COMMANDS.items() if control & mask == bits), None)


def next_state(state: str, control: int) -> str:
    """The state after a control word; a command that a state does not know changes nothing."""
    command = command_of(control)
    return state if command is None else TRANSITIONS.get((state, command), state)

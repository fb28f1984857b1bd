"""One family of errors; each says where, what, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symbody.nearest import did_you_mean


def printable(text: str) -> str:
    """Text for a terminal: what would steer it, or cannot be encoded, is written as \\x1b or \\ud800."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


class SymbodyError(Exception):
    """Anything symbody reports on purpose; its text may quote what a file holds, and is safe to print."""

    def __str__(self) -> str:
        return printable(super().__str__())


class ModelError(SymbodyError):
    """A model that cannot be used: which file, which element, what is wrong, what would mend it."""

    def __init__(self, problem: str, *, element: str = "", cure: str = "", file: str | Path | None = None):
        self.problem, self.element, self.cure, self.file = problem, element, cure, file
        super().__init__(problem)

    def __str__(self) -> str:
        where = ": ".join(str(part) for part in (self.file, self.element) if part)
        text = f"{where}: {self.problem}" if where else self.problem
        return printable(f"{text} ({self.cure})" if self.cure else text)


class ChannelError(SymbodyError, KeyError):
    """A channel that was not recorded; those of similar names are told."""

    def __str__(self) -> str:
        return printable(str(self.args[0]))


class ParameterError(SymbodyError, KeyError):
    """A live parameter that there is not; those of similar names are told."""

    def __init__(self, name: str, known: Iterable[str]):
        super().__init__(f"{name!r} is not a live parameter ({did_you_mean(str(name), known, 'live parameters')})")

    def __str__(self) -> str:
        return printable(str(self.args[0]))


class AssemblyError(SymbodyError):
    """A loop that does not close: which one, and by how much."""


class SingularityError(SymbodyError):
    """Coordinates that lost their grip on the mechanism: which, and at what time; what was computed is in `state`."""

    def __init__(self, problem: str, *, time: float | None = None, state: object = None):
        self.time, self.state = time, state
        super().__init__(problem)


class CompileError(SymbodyError):
    """The C compiler is missing or failed; its output is kept in `output`."""

    def __init__(self, problem: str, output: str = ""):
        self.output = output
        super().__init__(f"{problem}\n{output}".rstrip())


class DivergenceError(SymbodyError):
    """A computation that left the finite numbers: at what time; the state is kept in `state`."""

    def __init__(self, problem: str, *, time: float | None = None, state: object = None):
        self.time, self.state = time, state
        super().__init__(problem)


class LimitError(DivergenceError):
    """A number that must stay positive did not: which one, its value and the time; what was computed is in `state`."""

    def __init__(self, problem: str, *, limit: str, value: float, time: float, state: object = None):
        self.limit, self.value = limit, value
        super().__init__(problem, time=time, state=state)


class EnergyError(DivergenceError):
    """A conservative motion whose energy drifts: by what share of its exchange, since when; the run is in `state`."""

    def __init__(self, problem: str, *, drift: float, time: float, state: object = None):
        self.drift = drift
        super().__init__(problem, time=time, state=state)


class EnergyWarning(UserWarning):
    """A conservative motion whose energy drifts, where that is no error."""


class DroppedWarning(UserWarning):
    """What a model file holds and the model does not, though the motion would feel it."""


class IdleWarning(UserWarning):
    """Parts of a model that do nothing, since they have no law."""

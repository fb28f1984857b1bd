"""The errors and warnings of symbody. Each message names the place, the problem and the cure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symbody.suggestions import did_you_mean


def printable(text: str) -> str:
    """Text that is safe on a terminal: control characters and what cannot be encoded become escapes such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


class SymbodyError(Exception):
    """Base class of all errors that symbody raises on purpose. Its text is safe to print, even if it quotes a file."""

    def __str__(self) -> str:
        return printable(super().__str__())


class ModelError(SymbodyError):
    """A model that cannot be used.

    Parameters
    ----------
    problem : str
        What is wrong.
    element : str
        The element that has the problem, if any.
    cure : str
        What to do about it.
    file : str or Path, optional
        The file that the model comes from.
    """

    def __init__(self, problem: str, *, element: str = "", cure: str = "", file: str | Path | None = None):
        self.problem, self.element, self.cure, self.file = problem, element, cure, file
        super().__init__(problem)

    def __str__(self) -> str:
        where = ": ".join(str(part) for part in (self.file, self.element) if part)
        text = f"{where}: {self.problem}" if where else self.problem
        return printable(f"{text} ({self.cure})" if self.cure else text)


class NotFiniteError(ModelError, ValueError):
    """A number in the equations of a model is infinite or not a number."""


class ChannelError(SymbodyError, KeyError):
    """A channel that was not recorded. The message suggests similar names."""

    def __str__(self) -> str:
        return printable(str(self.args[0]))


class ParameterError(SymbodyError, KeyError):
    """An unknown live parameter. The message suggests similar names."""

    def __init__(self, name: str, known: Iterable[str]):
        super().__init__(f"{name!r} is not a live parameter ({did_you_mean(str(name), known, 'live parameters')})")

    def __str__(self) -> str:
        return printable(str(self.args[0]))


class AssemblyError(SymbodyError):
    """A loop that does not close. The message names the loop and its gap."""


class SingularityError(SymbodyError):
    """The independent coordinates no longer determine the motion.

    `time` (s) says when; `state` has the results so far.
    """

    def __init__(self, problem: str, *, time: float | None = None, state: object = None):
        self.time, self.state = time, state
        super().__init__(problem)


class CompileError(SymbodyError):
    """The C compiler is missing or failed. `output` has what it printed."""

    def __init__(self, problem: str, output: str = ""):
        self.output = output
        super().__init__(f"{problem}\n{output}".rstrip())


class DivergenceError(SymbodyError):
    """A result is not finite any more. `time` (s) says when; `state` has the last state or the results so far."""

    def __init__(self, problem: str, *, time: float | None = None, state: object = None):
        self.time, self.state = time, state
        super().__init__(problem)


class LimitError(DivergenceError):
    """A quantity that must stay positive did not.

    `limit` names it; `value` and `time` (s) say when; `state` is the run.
    """

    def __init__(self, problem: str, *, limit: str, value: float, time: float, state: object = None):
        self.limit, self.value = limit, value
        super().__init__(problem, time=time, state=state)


class EnergyError(DivergenceError):
    """Energy is not accounted for. `drift` is its share of the exchanged energy; `state` is the run."""

    def __init__(self, problem: str, *, drift: float, time: float, state: object = None):
        self.drift = drift
        super().__init__(problem, time=time, state=state)


class EnergyWarning(UserWarning):
    """Energy is not accounted for, in a run where this is not an error."""


class DroppedWarning(UserWarning):
    """A model file has something that the model leaves out although it would change the motion."""


class MassWarning(UserWarning):
    """So little mass resists a motion that few digits of its acceleration are right."""


class AssemblyWarning(UserWarning):
    """Some states of a batch have loops that do not close; their results are NaN."""


class PenaltyWarning(UserWarning):
    """A penalty factor is too small for a loop: accelerations and forces are inexact."""


class ReachError(SymbodyError):
    """Inverse kinematics did not reach a target. The message has the largest error."""


class ReachWarning(UserWarning):
    """Inverse kinematics did not reach a target; the result is the nearest position that was found."""


class IdleWarning(UserWarning):
    """Parts of a model have no effect, because they have no law."""


class SizeWarning(UserWarning):
    """A number of a model is so large that its unit is probably wrong: a length in mm, or an angle in degrees."""

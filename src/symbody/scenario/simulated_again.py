"""An attempt in the real-time loop, simulated again without a clock from its logged inputs: the same score.

The loop restarts from its start state, and its steps have consecutive numbers. Inputs are logged at the steps at which
they take effect. So the same build of the code on the same machine gives the same outputs, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symbody.errors import DivergenceError, ModelError
from symbody.realtime.stepper import LoopSource
from symbody.realtime.unclocked import Unclocked
from symbody.scenario.attempt import Attempt, AttemptState
from symbody.scenario.game import Game
from symbody.scenario.input_log import Drive
from symbody.scenario.referee import ScenarioReferee
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System

BLOCK = 100  # steps that the referee sees at once
LONGEST = 3600.0  # s after the last change of an input


def simulated_again(
    source: System | LoopSource,
    game: Game,
    drive: Drive,
    steps: FixedStep | None = None,
    prepare: Callable[[], object] = lambda: None,
) -> Attempt:
    """The attempt that the inputs of a drive give.

    Parameters
    ----------
    source : System or LoopSource
        As in the loop, at its start; a system that no loop steps meanwhile.
    game : Game
    drive : Drive
    steps : FixedStep, optional
        Method of a system, as in the loop.
    prepare : function, optional
        Sets the options of the attempt, after the start values of the source were computed, as a page does.

    Returns
    -------
    Attempt
        As it ended.

    Raises
    ------
    ModelError
        If the log of the inputs is empty or belongs to another machine.
    DivergenceError
        If a step fails.
    """
    again = Unclocked(source, drive.period, steps)
    if not len(drive.rows) or list(drive.inputs) != again.model.inputs:
        cure = "use the machine and the version with which it was played"
        raise ModelError("inputs that do not belong to this machine", element=game.name, cure=cure)
    prepare()
    for name, value in drive.parameters.items():
        again.model.parameters[name] = value
    again.done = drive.first
    referee = ScenarioReferee(game.scenario)
    columns = [again.model.outputs.index(name) for name in referee.channels]
    changes = {int(row[0]): row[1:] for row in drive.rows}
    last = int(drive.rows[-1, 0]) + round(LONGEST / drive.period)
    times, seen = [], []
    for step in range(drive.first, last):
        if step in changes:
            again.give(changes[step])
        if not again.step():
            t = step * drive.period
            raise DivergenceError(f"{again.model.name} stopped at t = {t:g} s", time=t)
        times.append(step * drive.period)
        seen.append(again.row[columns])
        if len(times) == BLOCK:
            referee.see(np.array(times), np.array(seen))
            times, seen = [], []
            if referee.attempt.state is not AttemptState.RUNNING:
                break
    return referee.attempt

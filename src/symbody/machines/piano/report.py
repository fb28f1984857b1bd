"""The report of the piano action: double keystrokes, forces over the dip, settings, repetition, computing time."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.elements.planar_drawing import GRAM
from symbody.errors import ModelError
from symbody.machines.piano import play, plots
from symbody.machines.piano.model import MISSING, drawing
from symbody.machines.piano.repetition import EVERY, limits, repetition_map
from symbody.machines.piano.strokes import FAST, SLOW, Staccato, through
from symbody.results.run import Run
from symbody.system.system import System
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A grand-piano action: touch, let-off and repetition, and the effect of its settings"
TEXT = """A key drives whippen, jack, repetition lever, hammer and damper through fourteen felts. The motion of the key
is given, and the effort of its joint is the force on the finger, as in a haptic key.

All runs begin at rest. Steps are implicit, of 50 µs; a step of a haptic loop is a millisecond of the action."""
LET_OFF = {"low": -0.5e-3, "normal": 0.0, "high": 0.5e-3}  # m, Docquier 2021, Figure 25
ADDED = (-6.0, -3.0, 0.0, 3.0, 6.0)  # g, Docquier 2021, Figure 26
HELD = (0.7, 0.9)  # s, of the slow double keystroke
IN_CHECK = 0.2  # s, of the fast one
STACCATO, SWEEP = Staccato(), Staccato(fastest=60.0, until=6.0)


@cache
def compiled(escapement: str = "double", damper: bool = True) -> System:
    """The action, traced and compiled once."""
    return play.action(escapement, damper)


@cache
def slow() -> Run:
    """A slow double keystroke."""
    return play.played(compiled(), through(SLOW, 2.7))


@cache
def fast() -> Run:
    """A fast double keystroke."""
    return play.played(compiled(), through(FAST, 1.1))


@cache
def dip_with_let_off(setting: str) -> Run:
    """The dip at 10 mm/s with the let-off button low, normal or high."""
    return play.varied(compiled(), play.slow_dip(), let_off_height=LET_OFF[setting])


@cache
def dip_with_hammer(added: float) -> Run:
    """The dip at 10 mm/s with a hammer that is heavier by `added` grams."""
    return play.varied(compiled(), play.slow_dip(), hammer_mass=(drawing()["head"]["mass"] + added) * GRAM)


@cache
def dip_without_damper() -> Run:
    """The dip at 10 mm/s without the damper."""
    return play.played(compiled(damper=False), play.slow_dip())


@cache
def staccato(escapement: str) -> Run:
    """The whole dip with increasing frequency."""
    return play.played(compiled(escapement), STACCATO.stroke)


@cache
def repetitions() -> list[Record]:
    """The map of repetition over depth of the sine and criterion."""
    return repetition_map({escapement: compiled(escapement) for escapement in MISSING}, SWEEP)


def moments(run: Run) -> dict[str, float]:
    """Times (s) of the events of a stroke."""
    first = {name: float(run.t[np.argmax(run[f"{name}.load"] > 0.0)]) for name in ("let_off", "string")}
    return {"rest": 0.0, "let-off": first["let_off"], "string": first["string"], "in check": IN_CHECK}


def figures() -> Record:
    """Figures; the page of the piano has the published ones."""
    return {
        "plateau_N": play.plateau(slow(), HELD),
        "bump_N": {setting: play.bump(dip_with_let_off(setting)) for setting in LET_OFF},
        "mean_force_N": {f"{added:+g} g": play.mean_force(dip_with_hammer(added)) for added in ADDED},
        "repetition_Hz": {escapement: limits(staccato(escapement), STACCATO)[EVERY] for escapement in MISSING},
        "step_us": play.step_times(compiled(), through(FAST, 1.1)),
    }


def report(options: ReportOptions) -> Report:
    """The report of all runs."""
    options.check()
    if options.until is not None:
        raise ModelError("the ends of the strokes are fixed", element="piano", cure="leave out `until`")
    drawn = [
        plots.action_plot(fast(), moments(fast())),
        plots.keystrokes_plot("Slow double keystroke", slow()),
        plots.keystrokes_plot("Fast double keystroke", fast()),
        plots.phases_plot(dip_with_let_off("normal"), dip_without_damper()),
        plots.settings_plot(
            {setting: dip_with_let_off(setting) for setting in LET_OFF},
            {f"{added:+g} g": dip_with_hammer(added) for added in ADDED},
        ),
        plots.staccato_plot({escapement: staccato(escapement) for escapement in MISSING}, STACCATO),
        plots.repetition_plot(repetitions()),
        plots.sensors_plot(slow()),
    ]
    tables = {"Repetition (Hz)": repetitions()}
    return Report("piano", TITLE, paragraphs(TEXT), [figures()], drawn, slow(), tables)

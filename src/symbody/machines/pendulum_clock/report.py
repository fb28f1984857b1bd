"""The report of the clock: period and swing compared with theory, and the energies of a swing."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.analysis.balance import energy_balance
from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.machines.pendulum_clock import STEPS
from symbody.machines.pendulum_clock.laws import TEETH
from symbody.machines.pendulum_clock.measures import (
    amplitudes,
    kept_amplitude,
    period,
    quality,
    swing_energies,
    theory_amplitude,
    theory_period,
)
from symbody.machines.pendulum_clock.model import AMPLITUDE, model
from symbody.results.run import Run
from symbody.system.system import System, system
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish, frames_plot

TITLE = "A pendulum clock: rate, swing and energies"
TEXT = """A seconds pendulum with Graham's deadbeat escapement. A weight drives the escape wheel. Its teeth push the
pendulum at two pallets in turn, when it passes the middle. Otherwise the wheel is locked, and the pendulum is free.

In theory the period is 2π √(ℓ/g) (1 + A²/16), and at the amplitude A the loss in air equals the energy from the teeth.
Two runs, one from a smaller and one from a larger amplitude, determine A."""
DT = float(STEPS["dt"])
WHOLE, SEEN = 60.0, 6.0  # s: of a run that is measured, and of it in plots
STARTS = (0.8, 1.0, 1.2)  # of the amplitude with which it is drawn
DAY = 86400.0  # s
RECORDED = ("*.q", "*.qd", "escapement.*", "air.*", "energy.*")


def swung(s: System, start: float, until: float) -> Run:
    """The clock from an end of a swing, at a share of the amplitude with which it is drawn."""
    x0 = s.x0.copy()
    x0[s.states.index("pendulum.q")] = start * AMPLITUDE
    return simulate(s, until, DT, x0=x0)


def figures(s: System, runs: dict[float, Run]) -> Record:
    """Period, amplitude and energies of a swing, with theory."""
    kept = kept_amplitude(runs[STARTS[0]], runs[STARTS[-1]])
    run = runs[1.0]
    swing = float(amplitudes(run)[1].mean())
    found, expected = period(run), theory_period(s, swing)
    return {
        "period_s": found,
        "theory_s": expected,
        "apart_s_per_day": DAY * (found - expected) / expected,
        "amplitude_deg": float(np.degrees(kept)),
        "theory_deg": float(np.degrees(theory_amplitude(s))),
        "quality": quality(s),
        "swing": swing_energies(run),
        "drift_J": energy_balance(run, elements=["*"]).drift,
    }


def report(options: ReportOptions) -> Report:
    """The clock from three amplitudes; one is near the steady amplitude."""
    options.check()
    until = options.end(WHOLE)
    if until < SEEN:
        raise ModelError(f"{until:g} s are too few swings", element="pendulum-clock", cure=f"give {SEEN:g} s or more")
    s = system(model(), outputs=list(RECORDED))
    runs = {start: swung(s, start, until) for start in options.counted(STARTS, "run", "pendulum-clock")}
    drawn = [frames_plot(runs[1.0]), beat_plot(runs[1.0]), impulse_plot(runs[1.0]), keeping_plot(s, runs)]
    return Report("pendulum-clock", TITLE, paragraphs(TEXT), [figures(s, runs)], drawn, shown(runs[1.0]))


def shown(run: Run) -> Run:
    """The first seconds of a run, in steps of a hundredth of a second."""
    k = np.arange(0, np.searchsorted(run.t, SEEN), round(0.01 / DT))
    return Run(run.system, run.t[k], run.values[k], names=run.names, units=run.units, meta=run.meta)


def beat_plot(run: Run) -> Plot:
    """Pendulum, escape wheel and its load over some beats."""

    def draw(figure: Any) -> None:
        early = run.t < SEEN
        swing, wheel, load = figure.subplots(3, 1, sharex=True)
        swing.plot(run.t[early], np.degrees(run["pendulum.q"][early]), lw=1.2, label="pendulum (°)")
        wheel.plot(run.t[early], run["wheel.q"][early] * TEETH / (2.0 * np.pi), lw=1.2, label="escape wheel (teeth)")
        load.plot(run.t[early], 1e3 * run["escapement.load"][early], lw=0.8, label="torque on it (mN m)")
        load.set(xlabel=TIME, ylim=(0.0, 3.0))
        finish(swing, wheel, load)

    return Plot("Beats", draw, "Half a tooth at each passage: it pushes, drops, and the other pallet stops it.", 5.0)


def impulse_plot(run: Run) -> Plot:
    """The torque of the escapement on the pendulum over its angle."""

    def draw(figure: Any) -> None:
        axes, early = figure.add_subplot(), run.t < SEEN
        angle, torque = np.degrees(run["pendulum.q"][early]), 1e3 * run["escapement.impulse"][early]
        axes.plot(angle, torque, lw=0.8, label="both pallets")
        axes.set(xlabel="angle of the pendulum (°)", ylabel="torque on it (mN m)", ylim=(-3.5, 3.5))
        finish(axes)

    return Plot("Impulse", draw, "Pushed forwards and backwards within a degree of the middle, and left alone outside.")


def keeping_plot(s: System, runs: dict[float, Run]) -> Plot:
    """The swing from a smaller and from a larger amplitude, and theory."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for start, run in runs.items():
            t, a = amplitudes(run)
            axes.plot(t, np.degrees(a), ".-", ms=3.0, lw=0.8, label=f"from {np.degrees(start * AMPLITUDE):.1f}°")
        axes.axhline(np.degrees(theory_amplitude(s)), color="k", lw=0.8, ls="--", label="theory")
        axes.set(xlabel=TIME, ylabel="amplitude (°)")
        finish(axes)

    return Plot("The swing that it keeps", draw, "What swings too little gains, what swings too much loses.")

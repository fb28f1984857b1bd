"""The report of the tractor: the work cycle of the publication, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from symbody.errors import ModelError
from symbody.machines.tractor.measures import PRINTED, figures, timeline, work
from symbody.machines.tractor.plots import commands_plot, cylinders_plot, load_plot, soil_plot, times_plot
from symbody.machines.tractor.work_cycle import TESTS, UNTIL, Worked, cycle, hud_commands
from symbody.results.run import Run
from symbody.scenario import compared_attempts, drivers_plot, scenario_of
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

DRIVERS = "drivers"  # `--only drivers` adds the four tests of Publication IV
TITLE = "A tractor with a front loader digs, carries and dumps soil"
TEXT = """A tractor of 13 bodies with 28 joint coordinates and three closed loops drives over undulating sand. It
fills its bucket at a heap, reverses along a curved path, and dumps the load. Cylinders in pairs, a pump and two valves
move the loader; a diesel with clutch and gears drives four tyres on ground that gives way.

The times of all levers are those of the publication (S. Jaiswal et al., LUT 2021, Publication V). Masses, lengths,
voltages and the soil are not printed; they are chosen for the class of machine."""


@cache
def worked(until: float = UNTIL) -> Worked:
    """The scripted cycle, once."""
    return cycle(until)


def drivers(until: float) -> dict[str, Run]:
    """The runs of the four tests of Publication IV; the last is the script."""
    others = {name: cycle(until, moves=hud_commands(name)).run for name in [*TESTS][:-1]}
    return {**others, [*TESTS][-1]: worked(until).run}


def report(options: ReportOptions) -> Report:
    """The report of the work cycle."""
    options.check([DRIVERS])
    if options.until is not None and not 20.0 <= options.until <= UNTIL:
        raise ModelError(f"an end at {options.until:g} s", element="tractor", cure=f"use 20 to {UNTIL:g} s")
    done = worked(options.until or UNTIL)
    found = timeline(done.run)
    rows = [{"event": name, "printed_s": printed, "here_s": found[name]} for name, printed in PRINTED.items()]
    tables: dict[str, Sequence[Record]] = {"Timeline": rows}
    drawn = [load_plot(done.run), commands_plot(done.run), cylinders_plot(done.run), soil_plot(done), times_plot(done)]
    if options.only:
        runs = drivers(options.until or UNTIL)
        tables["Drivers"] = compared_attempts(scenario_of(__package__), runs, work)
        drawn.append(drivers_plot(scenario_of(__package__), runs, ["load", "height", "tilt", "fuel"]))
    return Report("tractor", TITLE, paragraphs(TEXT), [figures(done)], drawn, done.run, tables)

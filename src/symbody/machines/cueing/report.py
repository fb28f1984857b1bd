"""The report of cueing: five methods with and without the table on a ski descent."""

from __future__ import annotations

from typing import Any

from symbody.errors import ModelError
from symbody.machines.cueing.plots import (
    felt_errors_plot,
    felt_plot,
    filters_plot,
    fitness_plot,
    lack_plot,
    restored_plot,
    senses_plot,
    split_plot,
    tilt_plot,
    travel_plot,
)
from symbody.motion.built_in_platform import platform_data
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.comparison import METHODS, CuedRun, cued
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.cueing.response import lack
from symbody.motion.cueing.scene_record import descent
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "Motion cueing: a ski descent on a hexapod with an XY table"
TEXT = """A platform with some decimetres of travel restores the acceleration of a ski descent: the hexapod its fast
part, a tilt its sustained part, and the table what lies between. Five methods do so, each for the hexapod alone and
with the table: classic filters, adaptive gains, classic filters tuned by a particle swarm, a linear-quadratic
regulator, and predictive cueing, which knows the descent two seconds ahead and keeps all limits of axes and legs.

The indicator is 100 (1 − ‖a − a_s‖/‖a‖) of surge and sway together; a_s is restored by hexapod, table and tilt. Methods
and senses follow a thesis (T. Houda, Paris-Saclay 2020, chapter 4); predictive cueing is our own."""
STEP = 5e-3  # s, of the record
UNTIL = 60.0  # s
SHORTEST = 1.0  # s
SPLIT = "optimal, table"  # its whole translation is split, as in the source
KINDS = tuple(dict.fromkeys(name.partition(", ")[0] for name in METHODS))


def report(options: ReportOptions) -> Report:
    """Figures and plots of all methods; `only`: some of them (`classic`, …); `until`: end of the descent (s)."""
    options.check(KINDS)
    chosen = options.chosen(KINDS)
    names = [name for name in METHODS if name.partition(", ")[0] in chosen]
    until = options.end(UNTIL)
    if not until >= SHORTEST:
        raise ModelError(f"a descent of {until:g} s is too short", element="cueing", cure=f"give at least {SHORTEST} s")
    record, data = descent(STEP).until(until), platform_data()
    runs = {name: cued(name, record, data) for name in options.counted(names, "method", "cueing")}
    figures = [row(name, one) for name, one in runs.items()]
    return Report("cueing", TITLE, paragraphs(TEXT), figures, plots(runs))


def row(name: str, one: CuedRun) -> Record:
    """The figures of a method."""
    found = one.score
    return {
        "method": name,
        "pi_percent": found.pi,
        "tilt_rate_deg_s": found.tilt_rate,
        "table_m": found.table,
        "hexapod_m": found.hexapod,
        "felt_percent": found.felt,
        "tilt_deg": found.tilt,
        "left_at_end": found.left,
    }


def plots(runs: dict[str, CuedRun]) -> list[Plot]:
    """Responses, then accelerations, felt accelerations, tilt and travel of hexapod and table, lack and swarm."""
    made = [senses_plot(), filters_plot(Classic(), Optimal())]
    for moved in ("hexapod", "table"):
        some = {name.partition(", ")[0]: one for name, one in runs.items() if name.endswith(moved)}
        title = "hexapod alone" if moved == "hexapod" else "hexapod and table"
        made += [draw(title, some) for draw in (restored_plot, felt_plot, felt_errors_plot, tilt_plot, travel_plot)]
    lacks: dict[str, Any] = {
        name: lack(runs[name].run) for name in ("classic, hexapod", "adaptive, hexapod") if name in runs
    }
    if lacks:
        made.append(lack_plot(lacks))
    if SPLIT in runs:
        made.append(split_plot(runs[SPLIT].run, platform_data()))
    searches = {name: one.search for name, one in runs.items() if one.search is not None}
    return [*made, fitness_plot(searches)] if searches else made

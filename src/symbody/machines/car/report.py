"""The car around an obstacle at 75 km/h: a scripted driver, the torque on his wheel, and what settings change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from symbody.errors import ModelError
from symbody.machines.car.driver import Driver, compiled_car, drive, replay, varied
from symbody.machines.car.measures import measured, peak_torque, step_times
from symbody.machines.car.plots import grip_plot, settings_plot, swerve_plot
from symbody.machines.car.road import Road
from symbody.machines.report_options import ReportOptions
from symbody.results.run import Run
from symbody.system.system import System
from symbody.visual.report import Record, Report, paragraphs

TITLE = "A car at 75 km/h swerves around an obstacle: what the wheel feels, and what settings change"
TEXT = """A multi-link car of 88 coordinates and 24 loops at 75 km/h; its steering wheel is moved, and the torque that
this takes is the effort of its joint, as in a driving simulator. An obstacle appears 33 m before it, too near to stop.

The driver reacts after half a second and looks 0.6 s ahead along a way to the other lane and back. Explicit steps of
1 ms."""
UNTIL = 9.0  # s
ROAD = Road()
CASTERS = {"3.5° less": -0.02, "as drawn": 0.0, "3.5° more": 0.02}  # m, that the front upper rods are shifted
USUAL = "as drawn"
SLIPPERY = "friction 0.5"
SETTINGS: Mapping[str, Mapping[str, float]] = {
    USUAL: {},
    "no anti-roll bars": {"bar_front": 0.0, "bar_rear": 0.0},
    "twice as stiff": {"bar_front": 1400.0, "bar_rear": 600.0},
    "roll centre lower": {"roll_centre": -0.02},
    "roll centre higher": {"roll_centre": 0.02},
    "toe-in in front": {"toe_front": 0.002},
    "power steering": {"assist": 2.0},
    SLIPPERY: {"friction": 0.5},
}


@cache
def compiled() -> System:
    """The car, traced and compiled once."""
    return compiled_car()


@cache
def driven(setting: str = USUAL) -> Run:
    """Around the obstacle with other settings."""
    with varied(compiled(), **SETTINGS[setting]):
        return drive(compiled(), Driver(ROAD), UNTIL)


@cache
def with_caster(name: str) -> Run:
    """The same motion of the wheel with another caster."""
    return replay(compiled(), driven(), caster_shift=CASTERS[name])


def figures() -> Record:
    """What is measured of the car as it is drawn."""
    return {
        **measured(driven(), ROAD),
        "peak_torque_Nm": {name: peak_torque(with_caster(name)) for name in CASTERS},
        "step_us": step_times(compiled(), driven()),
    }


def report(options: ReportOptions) -> Report:
    """The report of all drives."""
    options.check()
    if options.until is not None:
        raise ModelError("another end", element="car", cure="leave it out: the road has an end of its own")
    drives = options.counted(list(SETTINGS), "drive", "car")
    settings = [{"setting": name, **measured(driven(name), ROAD)} for name in drives]
    casters = {name: with_caster(name) for name in CASTERS}
    rolls = {name: driven(name) for name in SETTINGS if not name.startswith(("toe", "power", "friction"))}
    drawn = [
        swerve_plot(ROAD, driven(), casters),
        settings_plot(casters, rolls),
        grip_plot(ROAD, {"friction 0.95": driven(), SLIPPERY: driven(SLIPPERY)}),
    ]
    return Report("car", TITLE, paragraphs(TEXT), [figures()], drawn, driven(), {"Settings": settings})

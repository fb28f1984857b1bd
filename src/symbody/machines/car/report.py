"""The report of the car: a scripted driver around an obstacle at 75 km/h, and the effect of settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from symbody.errors import ModelError
from symbody.machines.car.driver import compiled_car, drive, replay, step_times
from symbody.machines.car.plots import grip_plot, settings_plot, swerve_plot
from symbody.results.run import Run
from symbody.system.system import System
from symbody.system.varied_parameters import varied
from symbody.vehicles.measures import measured, peak_torque
from symbody.vehicles.preview_driver import Driver
from symbody.vehicles.road import Road
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A car at 75 km/h swerves around an obstacle: steering torque, and the effect of settings"
TEXT = """A multi-link car with 88 coordinates and 24 loops drives at 75 km/h. The motion of its steering wheel is
given, and the effort of this joint is the steering torque, as in a driving simulator. An obstacle appears 33 m ahead,
too near to stop.

The driver reacts after half a second and looks 0.6 s ahead along a way to the other lane and back. Steps are explicit,
of 1 ms."""
UNTIL = 9.0  # s
ROAD = Road()
CASTERS = {"3.5° less": -0.02, "as drawn": 0.0, "3.5° more": 0.02}  # m, shift of the front upper rods
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
    """A drive around the obstacle with other settings."""
    with varied(compiled(), **SETTINGS[setting]):
        return drive(compiled(), Driver(ROAD), UNTIL)


@cache
def with_caster(name: str) -> Run:
    """The same motion of the wheel with another caster."""
    return replay(compiled(), driven(), caster_shift=CASTERS[name])


def figures() -> Record:
    """Figures of the car with its default settings."""
    return {
        **measured(driven(), ROAD),
        "peak_torque_Nm": {name: peak_torque(with_caster(name)) for name in CASTERS},
        "step_us": step_times(compiled(), driven()),
    }


def report(options: ReportOptions) -> Report:
    """The report of all drives."""
    options.check()
    if options.until is not None:
        raise ModelError("the end of the drive is fixed", element="car", cure="leave out `until`")
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

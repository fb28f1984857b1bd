"""A cueing method as a model of its own: with what the seat of the scene and that of the platform feel."""

from __future__ import annotations

from collections.abc import Mapping

from symbody.analysis.simulate import simulate
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import CHANNELS, SCENE, CueingMethod, References, added, scaled, scene
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import AXES, POSE, TURNS, Array
from symbody.motion.filter_chain import Law, Reference
from symbody.motion.vestibular import Canal, Otolith, add_sense
from symbody.results.run import Run
from symbody.system.system import System

DIRECTIONS = POSE[:3]


def still(s: object, p: object) -> float:
    """The law of an axis that does not move."""
    return 0.0


STILL = Reference(still, still, still)


def cueing_model(method: CueingMethod, otolith: Otolith | None = None, canal: Canal | None = None) -> Model:
    """A model of a cueing method with the inputs `SCENE`.

    Signals: references `table.x`, …, `yaw` of the eight axes with `.rate` and `.second` (relative to neutral);
    `given.x` and `restored.x` (m/s²), the acceleration of the scene and of the platform with its tilt; `scene.felt.x`
    and `felt.x`, `scene.felt.pitch` and `felt.pitch` …, what the vestibular system reports of both.

    Parameters
    ----------
    method : CueingMethod
        Adds its filters.
    otolith, canal : Otolith, optional
        Models of the vestibular system. Default: of the literature.

    Returns
    -------
    Model
        With the inputs `SCENE`.
    """
    m, references = _referred(method)
    for axis in AXES:
        reference = references.get(axis, STILL)
        m.signal(f"{axis}.rate")(reference.rate)
        m.signal(f"{axis}.second")(reference.second)
    add_felt(m, references, otolith or Otolith(), canal or Canal())
    return m


def reference_model(method: CueingMethod) -> Model:
    """A model of a cueing method with the inputs `SCENE` and the positions of the eight axes as signals only."""
    return _referred(method)[0]


def _referred(method: CueingMethod) -> tuple[Model, References]:
    m = Model(f"cueing {method.name}")
    add_scene(m)
    references = method.add(m)
    for axis in AXES:
        m.signal(axis)(references.get(axis, STILL).position)
    return m, references


def add_felt(m: Model, references: References, otolith: Otolith, canal: Canal) -> None:
    """Add the signals of what seat and passenger of scene and platform undergo and feel."""
    for name, (given, made) in add_senses(m, references, otolith, canal).items():
        m.signal(f"scene.felt.{name}")(given)
        m.signal(f"felt.{name}")(made)
    for axis in DIRECTIONS:
        m.signal(f"given.{axis}")(scene(axis))
        m.signal(f"restored.{axis}")(restored(references, axis))


def add_scene(m: Model, start: Mapping[str, float] | None = None) -> None:
    """Add the inputs `SCENE`; start: initial values by name, zero for the others."""
    for name, unit in SCENE.items():
        m.input(name, (start or {}).get(name, 0.0), unit)


def restored(references: References, axis: str) -> Law:
    """a_hexapod + a_table + g θ of a direction (m/s²), for small angles."""
    laws = [references[name].second for name in (axis, f"table.{axis}") if name in references]
    for channel in CHANNELS:
        if channel.axis == axis and channel.turn in references:
            laws.append(scaled(references[channel.turn].position, channel.sign * GRAVITY))
    return added(*laws)


def add_senses(m: Model, references: References, otolith: Otolith, canal: Canal) -> dict[str, tuple[Law, Law]]:
    """Add organs for the scene and the platform in all directions; returns what they report, by direction or turn."""
    stimuli: dict[str, tuple[Otolith | Canal, Law, Law]] = {
        axis: (otolith, scene(axis), restored(references, axis)) for axis in DIRECTIONS
    }
    stimuli |= {turn: (canal, scene(turn), references.get(turn, STILL).rate) for turn in TURNS}
    return {
        name: (add_sense(m, f"scene_sense_{name}", organ, given), add_sense(m, f"sense_{name}", organ, made))
        for name, (organ, given, made) in stimuli.items()
    }


def run_over(
    s: System, record: SceneRecord, every: float | None = None, inputs: Mapping[str, Array] | None = None
) -> Run:
    """Run a compiled cueing model over a record of a scene.

    Parameters
    ----------
    s : System
        The compiled model.
    record : SceneRecord
        The scene.
    every : float, optional
        Time between records of the run (s). Default: all steps.
    inputs : mapping of str to array, optional
        Further inputs, such as those of `Predictive.plans`.

    Returns
    -------
    Run
        Until the end of the record.
    """
    given = {**record.inputs(), **(inputs or {})}
    return simulate(s, float(record.t[-1]), record.step, inputs=given, every=every, energy="ignore")

"""The platform in the studio: a control for each axis, pilots for trajectories and logs, and a display of margins."""

from __future__ import annotations

from functools import reduce
from math import degrees
from typing import Any

import numpy as np

from symbody.elements.element import Motion, Named
from symbody.expr.functions import absolute, maximum
from symbody.files.safe_file import FilePath
from symbody.machines.platform.data import platform_data
from symbody.machines.platform.model import model
from symbody.machines.platform.trajectories import shipped_log, trajectories
from symbody.model.model import Model
from symbody.motion.data import ACTUATORS, AXES, POSE, Array, PlatformData
from symbody.motion.limits import leg_states
from symbody.motion.mechanism import PAYLOAD, add_payload
from symbody.motion.platform_looks import looks, scenery
from symbody.motion.servo import drive_force, goal, reference
from symbody.motion.singularity import distance
from symbody.motion.trajectories import Trajectory, recorded, replayed
from symbody.motion.workspace import margins
from symbody.studio.appearance import Viewpoint
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Grip, Instruction, Machine, Particles, Pilot
from symbody.system.system import system
from symbody.visual.scene import Cloud

TICK = 1e-3  # s
KEYS = {
    "table.x": ("ArrowLeft", "ArrowRight"), "table.y": ("ArrowDown", "ArrowUp"), "x": ("j", "l"), "y": ("k", "i"),
    "z": ("u", "o"), "roll": ("a", "d"), "pitch": ("s", "w"), "yaw": ("e", "q"),
}  # fmt: skip
LABELS = {"table.x": "Table X", "table.y": "Table Y", "x": "Surge", "y": "Sway", "z": "Heave"}
GRIPS = {"table.x": "table_x", "table.y": "table_y", "x": "platform", "y": "platform", "z": "platform"}
ALONG = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SEEN = ("*.q", "*.qd", "*.force", "legs.*", "singularity.*", "reference_*")
SEAT = (0.0, 0.0, 0.2)  # m, from O_u: place of the payload
RIDER = 20.0  # kg, at first
REACHED = 1e-3  # of the range of an axis: nearer to its end, it is at its limit
RAYS, STEPS, FARTHEST = 240, 24, 0.45  # of the drawn workspace: directions, positions along each, m
TURNED = 0.02  # rad of rotation after which the workspace is drawn again
HELP = (
    Instruction(
        "Each axis has a control: drag it, or hold its keys. Mouse: pull the platform, the X slider or the Y slider.",
        "Each axis has a control: drag it, or pull the platform, the X slider or the Y slider.",
    ),
    Instruction("Keys: arrows table, J L surge, I K sway, U O heave, A D roll, W S pitch, Q E yaw."),
    "Pilots follow trajectories or a recorded log. The references always stay within the limits.",
    "Dots: positions that the centre of the platform can reach at this orientation, relative to the X slider.",
)


def page(log: FilePath | None = None) -> Machine:
    """The platform on its servo; `log`: a file with t and the eight axes for a pilot (default: `slalom.csv`)."""
    data = platform_data()
    m = model("servo", {})  # starts level, where its controls rest
    add_payload(m, SEAT, RIDER)  # the servo does not know it
    add_watch(m, data)
    s = system(m, outputs=[*SEEN, "energy.*"], work=True)
    display = MarginDisplay(data)
    replay = shipped_log(data) if log is None else replayed(*recorded(log, data))
    return Machine(
        "Motion platform",
        s,
        rate=1.0 / TICK,
        controls=[axis_control(axis, data) for axis in AXES],
        dials=[Dial(PAYLOAD, RIDER, 0.0, data.payload, "kg", "Payload")],
        pilots={name: pilot(way) for name, way in (trajectories(data) | {"recorded log": replay}).items()},
        plots=["legs.heaviest", "singularity.distance", "rod1.force", "rod4.force"],
        labels={
            "legs.heaviest": "largest leg force",
            "singularity.distance": "nearest singular position",
            **{f"rod{k}.force": f"force of leg {k}" for k in range(1, 7)},
        },
        looks=looks(data),
        scenery=scenery(data),
        particles=[Particles(Cloud(list(m.bodies).index("table_x") + 1, RAYS, 0.005, "#2f7fd0"), display.points)],
        view=Viewpoint(-55.0, 20.0, [(-0.8, -0.8, -0.5), (0.8, 0.8, -0.5), (0.0, 0.0, 1.05)]),
        ground="concrete",
        marks=False,
        help=HELP,
        shows=display,
    )


def add_watch(m: Model, data: PlatformData) -> None:
    """Add signals: the largest leg force `legs.heaviest` (N), and the distance to a singularity (m)."""

    @m.signal("singularity.distance", unit="m")
    def nearest(s: Motion, p: Named) -> Any:
        return np.asarray(distance(np.array([s.q[axis] for axis in POSE], dtype=object), data)).item()

    laws = [signal.law for name, signal in m.signals.items() if name.startswith("rod") and name.endswith(".force")]
    if laws:

        @m.signal("legs.heaviest", unit="N")
        def heaviest(s: Motion, p: Named) -> Any:
            return reduce(maximum, (absolute(law(s, p)) for law in laws if callable(law)))


def axis_control(axis: str, data: PlatformData) -> Control:
    """The set point of an axis; it does not return to its rest."""
    limit = data.limits[axis]
    rest = float(data.neutral_axes[AXES.index(axis)])
    less, more = KEYS[axis]
    body = GRIPS.get(axis)
    return Control(
        goal(axis),
        LABELS.get(axis, axis.capitalize()),
        limit.low,
        limit.high,
        rest,
        unit=data.unit(axis),
        seconds=(limit.high - limit.low) / limit.speed,
        keys={less: Aim(limit.low), more: Aim(limit.high)},
        grips=[Grip(body, ALONG[axis[-1]])] if body else [],
        returns=False,
    )


def pilot(way: Trajectory) -> Pilot:
    """A pilot that moves the set points along a trajectory."""
    return lambda since, channels: {goal(axis): float(x) for axis, x in zip(AXES, way(since), strict=True)}


class MarginDisplay:
    """Shows margins and loads, and stores the orientation for which the workspace is drawn."""

    def __init__(self, data: PlatformData):
        self._data, self._turn, self._drawn = data, np.zeros(3), np.full(3, np.inf)
        self._points: Array = np.zeros((RAYS, 3))

    def __call__(self, channels: Channels) -> list[str]:
        pose = np.array([channels[f"{axis}.q"] for axis in POSE])
        self._turn = pose[3:]
        legs, foot, top = leg_states(pose, self._data)
        ends = self._data.legs
        stroke = 1e3 * min(float(legs.min()) - ends.shortest, ends.longest - float(legs.max()))
        lean = degrees(min(ends.foot_tilt - float(foot.max()), ends.top_tilt - float(top.max())))
        lines = [f"at its limit: {axis}" for axis in self._reached(channels)]
        lines += [
            f"legs {legs.min():.3f} … {legs.max():.3f} m, {stroke:.0f} mm to an end, {lean:.0f}° to a joint limit"
        ]
        lines.append(f"nearest singular position: {1e3 * channels['singularity.distance']:.0f} mm")
        loads = " ".join(f"{channels[f'{name}.force']:+.0f}" for name in ACTUATORS[2:])
        lines.append(f"leg forces {loads} N, rated {drive_force(ACTUATORS[2], self._data, peak=False):.0f} N")
        return lines

    def _reached(self, channels: Channels) -> list[str]:
        """The axes whose reference is at an end of its range."""
        limits = [(axis, self._data.limits[axis], channels[reference(axis)]) for axis in AXES]
        ends = [(axis, min(r - to.low, to.high - r), to.high - to.low) for axis, to, r in limits]
        return [LABELS.get(axis, axis.capitalize()) for axis, left, wide in ends if left < REACHED * wide]

    def points(self) -> Array:
        """The edge of the workspace (RAYS, 3) at the stored orientation, from O_l (m)."""
        if np.abs(self._turn - self._drawn).max() > TURNED:
            self._drawn = self._turn.copy()
            self._points = workspace_edge(self._turn, self._data)
        return self._points


def workspace_edge(turn: Array, data: PlatformData) -> Array:
    """Farthest allowed positions of O_u from the neutral one, in many directions (RAYS, 3) (m)."""
    k = np.arange(RAYS) + 0.5  # a spiral that covers the sphere evenly
    polar, around = np.arccos(1.0 - 2.0 * k / RAYS), np.pi * (1.0 + 5.0**0.5) * k
    rays = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    far = np.linspace(0.0, FARTHEST, STEPS)
    places = data.neutral[:3] + far[:, None, None] * rays
    pose = np.concatenate([places, np.broadcast_to(turn, places.shape)], axis=-1)
    inside = np.logical_and.reduce([margin > 0.0 for margin in margins(pose, data)])
    reached = np.maximum(np.logical_and.accumulate(inside, axis=0).sum(axis=0) - 1, 0)
    edge: Array = data.neutral[:3] + far[reached][:, None] * rays
    return edge

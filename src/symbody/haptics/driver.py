"""A real device as the hand of a scene in a loop: its measurements go in, the motor commands come out.

Any device of `symbody.realtime` can be used, simulated or remote (UDP, serial). It measures `x.q` and, if it can, `x.Q`
of each axis, and takes `x.Q`. If the loop stops or the device is silent, the force is zero.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from symbody.errors import ModelError
from symbody.haptics.scene import HapticScene
from symbody.haptics.steps import axes_of
from symbody.links.devices.device import Device
from symbody.realtime.background_thread import BackgroundThread
from symbody.realtime.loop_memory import Shared

PERIOD = 1e-3  # s between two exchanges
MEASURED, TAKEN = ".q", ".Q"


class DeviceDriver(BackgroundThread):
    """Exchanges with a device until `close()`; `counts`: exchanges, silences of the device, failures of its link.

    Parameters
    ----------
    scene : HapticScene
        A planar scene with `HapticDevice(external=True)`.
    loop : Shared
        The loop that steps the scene.
    device : Device
        The real device.
    period : float
        Time between exchanges (s). Default 0.001.

    Examples
    --------
    >>> from symbody.haptics import DeviceDriver, HapticBody, HapticDevice, HapticScene, SceneSource, rectangle
    >>> from symbody.links import SimulatedImpedance
    >>> from symbody.realtime import Loop
    >>> peg = HapticBody("peg", rectangle(0.042, 0.021), mass=2.0, inertia=0.005)
    >>> scene = HapticScene([peg], tool="peg", rate=1000.0, device=HapticDevice(external=True))
    >>> loop = Loop(SceneSource(scene), 1000.0)  # not started here
    >>> driver = DeviceDriver(scene, loop, SimulatedImpedance(("x", "y", "turn")))
    """

    def __init__(self, scene: HapticScene, loop: Shared, device: Device, period: float = PERIOD):
        if not scene.planar or not scene.device.external:
            cure = "use a planar scene with HapticDevice(external=True)"
            raise ModelError("the scene simulates its device itself", element="device", cure=cure)
        self._axes = axes_of(scene)
        for axis in self._axes:
            if axis + MEASURED not in device.measures or axis + TAKEN not in device.takes:
                cure = f"it must measure {axis}{MEASURED} and take {axis}{TAKEN}"
                raise ModelError(f"the device has no axis '{axis}'", element="device", cure=cure)
        self._loop, self._device, self._period = loop, device, period
        self._poses = [device.measures.index(axis + MEASURED) for axis in self._axes]
        self._forces = {
            axis: device.measures.index(axis + TAKEN) for axis in self._axes if axis + TAKEN in device.measures
        }
        self._commands = [loop.outputs.index(f"haptic.command_{axis}") for axis in self._axes]
        self._taken = [device.takes.index(axis + TAKEN) for axis in self._axes]
        self.counts: Counter[str] = Counter()
        super().__init__("device")

    def exchange(self) -> None:
        """Pass measurements to the loop and its commands to the device; commands are zero if either is silent."""
        self.counts["exchanges"] += 1
        try:
            measured = np.asarray(self._device.read(), dtype=float)
            if not np.isfinite(measured[self._poses]).all():
                self.counts["silent"] += 1
                self._device.safe()
                return  # the loop's own watchdog ends its forces
            given = {f"hand_{axis}": float(measured[k]) for axis, k in zip(self._axes, self._poses, strict=True)}
            given |= {f"push_{axis}": float(np.nan_to_num(measured[k])) for axis, k in self._forces.items()}
            self._loop.give(given)
            if self._loop.state != "running":
                self._device.safe()
                return
            force = np.zeros(len(self._device.takes))
            force[self._taken] = self._loop.latest().outputs[self._commands]
            self._device.command(force)
        except OSError:
            self.counts["failed"] += 1

    def close(self) -> None:
        """End the thread and bring the device to its safe state."""
        super().close()
        self._device.close()

    def _run(self) -> None:
        while not self._end.wait(self._period):
            self.exchange()

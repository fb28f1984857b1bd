"""Acceleration Severity Index of EN 1317: a measure of a crash for the people in a vehicle."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.model.plain_numbers import GRAVITY

Array = np.ndarray
WINDOW = 0.05  # s: seat belts and padding average over this time
LIMITS = (12.0, 9.0, 10.0)  # g, bearable with a belt: along, across, up


def felt(channels: Any, sensor: str) -> Array:
    """Accelerations in the vehicle's axes from a sensor of a run.

    Parameters
    ----------
    channels : mapping of str to array, or Run
        With the channels of the sensor.
    sensor : str
        Its name.

    Returns
    -------
    array, shape (n, 3)
        m/s².
    """
    ground = np.stack([channels[f"{sensor}.acceleration.{k}"] for k in "xyz"], axis=1)
    rotation = np.stack([channels[f"{sensor}.rotation.{i}{j}"] for i in "123" for j in "123"], axis=1)
    found: Array = np.einsum("tij,ti->tj", rotation.reshape(-1, 3, 3), ground)
    return found


def severity(t: Array, acceleration: Array) -> Array:
    """ASI(t) = √Σ (ā/â)², with the accelerations ā as means over 50 ms.

    Parameters
    ----------
    t : array, shape (n,)
        Equally spaced times (s).
    acceleration : array, shape (n, 3)
        In the vehicle's axes (m/s²).

    Returns
    -------
    array
        A value belongs to the window that begins at its time.

    Examples
    --------
    A constant 12 g forward has the index 1; `felt` returns such rows from the sensor of a run:

    >>> import numpy as np
    >>> from symbody.machines.crash import felt, severity
    >>> t = np.arange(0.0, 0.2, 1e-3)
    >>> channels = {f"seat.acceleration.{axis}": np.full(len(t), 12 * 9.81 * (axis == "x")) for axis in "xyz"}
    >>> channels |= {f"seat.rotation.{i}{j}": np.full(len(t), float(i == j)) for i in "123" for j in "123"}
    >>> float(severity(t, felt(channels, "seat")).max().round(2))
    1.0
    """
    count = round(WINDOW / float(t[1] - t[0]))
    sums = np.cumsum(np.vstack([np.zeros(3), (acceleration[1:] + acceleration[:-1]) / 2.0]), axis=0)
    means = (sums[count:] - sums[:-count]) / count
    found: Array = np.sqrt(np.sum((means / (GRAVITY * np.array(LIMITS))) ** 2, axis=1))
    return found

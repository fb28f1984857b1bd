"""The built-in motion platform of Houda 2020, from `xy_platform.yaml`, which names the origin of each number."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from symbody.motion.data import PlatformData, load_platform


@cache
def platform_data() -> PlatformData:
    """The platform of `xy_platform.yaml`.

    Returns
    -------
    PlatformData
        Read once.

    Examples
    --------
    >>> from symbody.machines.platform import platform_data
    >>> platform_data().feet.shape
    (6, 3)
    """
    return load_platform(str(files(__package__) / "xy_platform.yaml"))

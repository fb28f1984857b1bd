"""The data of this machine: the built-in platform, which other machines use, too."""

from symbody.motion.built_in_platform import platform_data

__all__ = ["platform_data"]

"""Models as files: .yaml, .mbs, URDF, xacro, MJCF, SDF and meshes. Every reader limits what it reads."""

from symbody.files.formats import load, save

__all__ = ["load", "save"]

# Written by tests/stubs.py from the table in __init__.py.
from symbody.terrain.ground_path import GroundPath, seat_frames, seat_motion
from symbody.terrain.height_map import HeightMap
from symbody.terrain.image_file import read_height_map
from symbody.terrain.mountain import Mountain, mountain
from symbody.terrain.piste import Piste
from symbody.terrain.skier import Skier, SkierState, ski_path, ski_step
from symbody.terrain.soil.material import SOILS, Soil
from symbody.terrain.soil.terrain import Terrain
from symbody.terrain.soil.tool_shape import ToolBox
from symbody.terrain.spline_planner import spline_path
from symbody.terrain.waypoint_planner import waypoint_path

__all__ = [
    "SOILS",
    "GroundPath",
    "HeightMap",
    "Mountain",
    "Piste",
    "Skier",
    "SkierState",
    "Soil",
    "Terrain",
    "ToolBox",
    "mountain",
    "read_height_map",
    "seat_frames",
    "seat_motion",
    "ski_path",
    "ski_step",
    "spline_path",
    "waypoint_path",
]

"""Ground for machines: height maps, a synthetic mountain with a piste, paths over it, and soil that machines deform.

x and y are horizontal and z is up, in m. Headings are measured from the x axis, positive to the left (rad).
"""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "terrain.ground_path": "GroundPath seat_frames seat_motion",
    "terrain.height_map": "HeightMap",
    "terrain.image_file": "read_height_map",
    "terrain.mountain": "Mountain mountain",
    "terrain.piste": "Piste",
    "terrain.skier": "Skier SkierState ski_path ski_step",
    "terrain.soil.material": "SOILS Soil",
    "terrain.soil.terrain": "Terrain",
    "terrain.soil.tool_shape": "ToolBox",
    "terrain.spline_planner": "spline_path",
    "terrain.waypoint_planner": "waypoint_path",
}

__all__ = lazy_names(__name__, _NAMES)

"""Ground for machines: height maps, a synthetic mountain with a piste, paths over it, and soil that machines deform.

x and y are horizontal and z is up, in m. Headings are measured from the x axis, positive to the left (rad).

Examples
--------
Ground from heights, and paths over it:

>>> import numpy as np
>>> from symbody.terrain import GroundPath, HeightMap, Piste, Skier, SkierState, seat_frames, seat_motion
>>> from symbody.terrain import ski_path, ski_step, spline_path, waypoint_path
>>> y = np.arange(0.0, 400.0, 8.0)
>>> slope = HeightMap(np.tile(-0.3 * y[:, None], (1, 20)), 8.0)
>>> down = [(76.0, 20.0), (80.0, 120.0), (76.0, 220.0)]
>>> path: GroundPath = spline_path(np.array(down), slope, speed=12.0)
>>> acceleration, rate = seat_motion(path, slope)
>>> seat_frames(path, slope).shape[1:], acceleration.shape == rate.shape
((3, 3), True)
>>> straight = waypoint_path(np.array(down), slope)
>>> line = np.column_stack([np.full(101, 76.0), np.linspace(20, 220, 101), -0.3 * np.linspace(20, 220, 101)])
>>> descent = ski_path(Piste(line), slope, Skier(friction=0.1), step=0.02)
>>> now = SkierState(line[0], np.array([0.0, 5.0, -1.5]), np.pi / 2)
>>> bool(ski_step(now, steer=0.0, brake=0.0, dt=0.02, ground=slope).position[1] > now.position[1])
True
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

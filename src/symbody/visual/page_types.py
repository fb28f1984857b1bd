"""The scene as pages read it, in JSON: `page_data` and `scene_difference` write it, `frontend/` reads it.

`frontend/contract.py` makes TypeScript of these declarations, and a test checks real scenes against them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

from symbody.visual.materials import Ground, Material

Triple = tuple[float, float, float]
CameraKind = Literal["seat", "chase", "orbit", "fixed"]
ShapeList = Literal["meshes", "colours", "textures", "parts", "spans", "labels"]


class MeshRow(NamedTuple):
    """A mesh: its sizes, and the box about it (m)."""

    vertices: int
    triangles: int
    coarser: int  # number of the next coarser mesh; -1: there is none
    deviation: float  # m, between a round shape and its triangles
    corner: Triple  # the least one
    extents: Triple
    uv: tuple[float, float, float, float] | None  # texture coordinates: least u and v, extents; None: it has none


class PartRow(NamedTuple):
    """A mesh on a frame."""

    mesh: int
    frame: int
    place: list[float]  # columns of 3 × 4
    colour: int
    role: str
    opacity: float
    material: Material
    texture: int  # number of the image; -1: there is none


class SpanRow(NamedTuple):
    """A mesh between points of two frames (m)."""

    mesh: int
    frame: int
    other: int
    start: Triple
    end: Triple
    radius: float
    colour: int
    role: str
    side: int  # the axis of the first frame that stays across it
    material: Material


class LabelRow(NamedTuple):
    """A text at a point (m) of a frame."""

    text: str
    frame: int
    position: Triple


class CloudRow(NamedTuple):
    """Balls whose positions come as binary messages."""

    frame: int
    most: int  # balls
    radius: float
    colour: str


class FieldRow(NamedTuple):
    """A surface over a grid, whose heights come as binary messages; lengths in m."""

    frame: int
    rows: int
    columns: int
    spacing: tuple[float, float]
    corner: Triple  # of the first height
    colour: str


class CameraData(TypedDict):
    """Where the camera stands at first."""

    azimuth: float  # degrees
    elevation: float
    points: list[Triple]  # to be seen (m)
    middle: Triple
    size: float  # radius of the motion (m)
    floor: float
    step: float  # of the grid on the floor (m)
    follow: bool
    keeps: bool  # whether the view glides after bodies that leave the picture
    most_turn: float | None  # degrees, by a person from there or from a named direction; None: no limit
    field: float  # degrees, from top to bottom
    grid: bool
    sky: bool
    ground: Ground


class RigData(TypedDict):
    """A camera of the machine (m); its eye depends on its kind.

    seat: eye and ahead in the frame. chase: eye behind, beside and above the frame, with ahead as its heading.
    orbit: eye away from the frame, in directions that stay. fixed: eye in the ground frame, turned to the frame;
    frame 0: along ahead.
    """

    name: str
    kind: CameraKind
    frame: int
    eye: Triple
    ahead: Triple
    field: float  # degrees
    lag: float  # s, time constant with which it follows rotations


class LandscapeData(TypedDict):
    """Ground in tiles (m), which are asked for and come as binary messages; its frame is that of the ground."""

    corner: tuple[float, float]  # least x and y
    size: tuple[float, float]
    finest: float  # between two heights of a tile of level 0; twice as much at each further level
    quads: int  # of a tile, along an edge
    levels: int
    snow: float  # height from which snow lies
    trees: str  # float32 in base64: x y z of each foot
    tree_height: float


class TrailRow(NamedTuple):
    """A track that a point (m) of a frame leaves on the ground."""

    frame: int
    at: Triple
    width: float  # m
    colour: str


class ShapesData(TypedDict):
    """The shapes, which change when a parameter does."""

    meshes: list[MeshRow]
    geometry: str  # zlib in base64: vertices, normals and triangles of each mesh, see geometry.ts
    colours: list[str]
    textures: list[str]  # images as data: addresses
    parts: list[PartRow]
    spans: list[SpanRow]
    labels: list[LabelRow]


class SceneData(ShapesData):
    """A scene with its start poses, or with those of a whole animation."""

    note: str
    start: float  # s
    dt: float
    frames: int
    bodies: int
    speed: float
    poses: str  # float32 in base64: frames × bodies × (x y z, quaternion w x y z)
    clouds: list[CloudRow]
    fields: list[FieldRow]
    camera: CameraData
    cameras: list[RigData]
    landscape: LandscapeData | None
    trails: list[TrailRow]
    hidden: list[str]


class SceneDifference(TypedDict):
    """Rows that have changed, by their numbers; `geometry` has the meshes in `meshes` only."""

    count: dict[ShapeList, int]
    meshes: list[tuple[int, MeshRow]]
    geometry: str
    colours: list[tuple[int, str]]
    textures: list[tuple[int, str]]
    parts: list[tuple[int, PartRow]]
    spans: list[tuple[int, SpanRow]]
    labels: list[tuple[int, LabelRow]]

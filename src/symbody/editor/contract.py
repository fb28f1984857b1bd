"""Messages to the page of the editor, as JSON: the declarations from which `frontend/contract.py` makes TypeScript.

A test checks real messages against them. What a page sends is declared in `messages.py`.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from symbody.editor.analyses import Analysis
from symbody.editor.diagram import Diagram
from symbody.editor.properties import Curve, Property
from symbody.editor.report import Remark
from symbody.editor.view import ViewNews
from symbody.editor.yaml_edit import DataPath

JobState = Literal["running", "done", "failed", "cancelled"]


class PalettePart(TypedDict):
    """A part of the palette."""

    name: str
    group: str
    line: str


class Welcome(TypedDict):
    """What does not change while the editor runs."""

    palette: list[PalettePart]
    properties: dict[str, list[Property]]
    about: dict[str, str]  # documentation of the elements, by section
    words: dict[str, list[str]]  # of formulas, by section
    live: bool
    done: bool


class Drawing(TypedDict):
    """What the drawing adds to the model."""

    at: dict[str, tuple[float, float]]  # pixels
    notes: dict[str, str]
    groups: dict[str, list[str]]


class DocumentNews(TypedDict):
    """Everything that a page shows of a version of the document."""

    name: str
    title: str
    kind: str
    saved: bool
    saves: bool
    version: int
    undo: str | None
    redo: str | None
    text: str
    data: dict[str, Any]
    drawing: Drawing
    diagram: Diagram
    remarks: list[Remark]
    outside: bool
    draftProblem: str
    restored: bool


class FiguresNews(TypedDict):
    """Freedoms and loops; only version and problem if the model cannot be analysed."""

    version: int
    problem: str
    freedoms: NotRequired[str]
    independent: NotRequired[list[str]]
    dependent: NotRequired[list[str]]
    redundant: NotRequired[int]
    loops: NotRequired[int]


class OperationsRow(TypedDict):
    """Operations of a function, and a rough time of a call (s)."""

    function: str
    operations: int
    seconds: float


class OperationsNews(TypedDict):
    """Operations of a version, before anything is compiled."""

    version: int
    rows: list[OperationsRow]


class Film(TypedDict):
    """Poses as float32 in base64: pictures × frames × (x y z, quaternion w x y z)."""

    pictures: int
    seconds: float
    poses: str


class ResultTable(TypedDict):
    """A table of a result."""

    head: list[str]
    rows: list[list[str | float | None]]
    title: NotRequired[str]


class SavedFile(TypedDict):
    """A file that the page saves."""

    name: str
    base64: str


class JobResult(TypedDict, total=False):
    """What an analysis has found."""

    table: ResultTable
    tables: list[ResultTable]
    note: str
    start: dict[str, float]
    films: list[Film]
    film: Film
    t: list[float | None]
    channels: dict[str, list[float | None]]
    units: dict[str, str]
    last: dict[str, float]
    files: dict[str, str]
    pictures: dict[str, str]  # PNG in base64
    download: SavedFile
    downloads: list[SavedFile]


class JobNews(TypedDict):
    """The state of an analysis."""

    kind: str
    state: JobState
    stage: NotRequired[str]
    share: NotRequired[float]
    problem: NotRequired[str]
    result: NotRequired[JobResult]


class Tried(TypedDict):
    """A value that was checked without being set."""

    path: DataPath
    problem: str
    curve: Curve | None


class PenNews(TypedDict):
    """Whether this browser edits."""

    own: bool
    touch: bool
    others: int


class RefusedOrder(TypedDict):
    """Why an order was not carried out."""

    reason: str
    detail: str


class EditorNews(TypedDict, total=False):
    """A message of the server; each part may be missing."""

    welcome: Welcome
    analyses: list[Analysis]
    files: list[str]  # that an analysis may read: beside the model, or sent by a browser
    document: DocumentNews
    figures: FiguresNews
    view: ViewNews
    operations: OperationsNews
    job: JobNews
    pen: PenNews
    outside: bool
    draftProblem: str
    tried: Tried
    script: str
    live: str
    refused: RefusedOrder
    said: str  # a short report, such as of a mesh that was attached

"""Pages of a machine as plain data: their panels, forms, tables and charts, and the verbs of forms."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict

from symbody.errors import ModelError, SymbodyError
from symbody.links.rejected import Rejected
from symbody.studio.charts import Chart, ChartContent, ChartData, chart_data, checked_content
from symbody.web.store import KeyValueStore
from symbody.web.verbs import Verb

Panel = Literal["view", "controls", "dials", "plots"]
FieldKind = Literal["text", "number", "choice"]
PANELS: tuple[Panel, ...] = ("view", "controls", "dials", "plots")
MOST_PAGES, MOST_ROWS = 8, 50
FAULT = "an error of the machine; the terminal shows it"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    Parameters
    ----------
    name : str
        Of the field of the verb's dataclass.
    label : str
        On the page.
    kind : FieldKind
        A text, a number or a choice. Default "text".
    low, high : float
        Ends of a number. Defaults 0, 1.
    most : int
        Characters of a text. Default 40.
    choices : sequence of str, optional
        Texts of a choice.
    """

    name: str
    label: str
    kind: FieldKind = "text"
    low: float = 0.0
    high: float = 1.0
    most: int = 40
    choices: Sequence[str] = ()


@dataclass(frozen=True)
class Form:
    """Fields that a person fills in.

    Parameters
    ----------
    verb : str
        Of the machine, which gets them.
    title : str
        On the page.
    fields : sequence of FormField
        From top to bottom.
    button : str
        Its text. Default "Send".
    """

    verb: str
    title: str
    fields: Sequence[FormField]
    button: str = "Send"


@dataclass(frozen=True)
class Board:
    """A table of rows that the store keeps under a key: a list of dictionaries.

    Parameters
    ----------
    key : str
        Of the store.
    title : str
        On the page.
    columns : mapping of str to str
        Headings by the names of values.
    order : str
        Name of the value that sorts the rows, the largest first.
    most : int
        Rows. Default 20.
    ascending : bool
        Whether the smallest is first. Default False.
    """

    key: str
    title: str
    columns: Mapping[str, str]
    order: str
    most: int = 20
    ascending: bool = False


@dataclass(frozen=True)
class MachinePage:
    """A page of a machine, such as "Drive" or "Leaderboard".

    Parameters
    ----------
    name : str
        Of its tab.
    panels : sequence of Panel
        That it shows. Default: all.
    plots : sequence of str, optional
        Instead of the machine's plots.
    boards : sequence of Board, optional
        Tables.
    forms : sequence of Form, optional
        Below the tables.
    charts : sequence of Chart, optional
        Below the forms.
    """

    name: str
    panels: Sequence[Panel] = PANELS
    plots: Sequence[str] = ()
    boards: Sequence[Board] = ()
    forms: Sequence[Form] = ()
    charts: Sequence[Chart] = ()


# (message, newest channels, store) → parameters, and values of dials of inputs, that the machine gets, if any
Act = Callable[[Any, Mapping[str, float], KeyValueStore], Mapping[str, float] | None]


@dataclass(frozen=True)
class MachineVerb:
    """A verb of a machine, which forms of its pages send.

    Parameters
    ----------
    kind : type
        Frozen dataclass of its messages, whose fields are checked.
    act : Act
        Called in a thread of the server, one message at a time; it raises `Rejected` with a reason.
    touches : bool
        Whether it needs the right to touch the machine. Default True.
    rate : float
        Messages a second of one browser. Default 1.
    longest : int
        Characters of a message. Default 500.
    resets : bool
        Whether the machine begins again after it. Default False.
    """

    kind: type
    act: Act
    touches: bool = True
    rate: float = 1.0
    longest: int = 500
    resets: bool = False

    @property
    def verb(self) -> Verb[Any]:
        """As the gate checks it."""
        return Verb(self.kind, self.touches, rate=self.rate, longest=self.longest)


class FieldData(TypedDict):
    """A field of a form."""

    name: str
    label: str
    kind: FieldKind
    low: float
    high: float
    most: int  # characters
    choices: list[str]


class FormContent(TypedDict):
    """A form, and the verb that it sends."""

    verb: str
    title: str
    fields: list[FieldData]
    button: str


class BoardData(TypedDict):
    """A table, whose rows come with the status under its key."""

    key: str
    title: str
    columns: list[str]  # headings


class PageData(TypedDict):
    """A page of a machine."""

    name: str
    panels: list[Panel]
    plots: list[str]
    boards: list[BoardData]
    forms: list[FormContent]
    charts: list[ChartData]


Row = list[str | float]


@dataclass
class PageDesk:
    """Pages, verbs and store of a running machine; tables and charts are read again after each change."""

    pages: Sequence[MachinePage] = ()
    verbs: Mapping[str, MachineVerb] = field(default_factory=dict)
    store: KeyValueStore | None = None
    rows: dict[str, list[Row]] = field(default_factory=dict)
    charts: dict[str, ChartContent] = field(default_factory=dict)
    revision: int = 0  # of the charts
    _version: Any = None

    def __post_init__(self) -> None:
        _check(self)
        self._read()

    @property
    def data(self) -> list[PageData]:
        """The pages for the browser."""
        return [_page_data(page) for page in self.pages]

    def current_rows(self) -> dict[str, list[Row]]:
        """Rows of the tables by key; a store with a `version` is read again whenever that changes."""
        self._renew()
        return self.rows

    def current_charts(self) -> tuple[int, dict[str, ChartContent]]:
        """Number of the revision and content of the charts by key, read again as the tables are."""
        self._renew()
        return self.revision, self.charts

    def _renew(self) -> None:
        version = getattr(self.store, "version", None)
        if version != self._version:
            self._version = version
            self._read()

    def act(self, message: Any, channels: Mapping[str, float]) -> tuple[Mapping[str, float], bool]:
        """Carry out a message of a registered verb; `Rejected` if it belongs to none, or is refused.

        Returns parameters that the machine gets, and whether it begins again.
        """
        verb = next((one for one in self.verbs.values() if type(message) is one.kind), None)
        if verb is None or self.store is None:
            raise Rejected("no such command")
        try:
            values = verb.act(message, channels, self.store)
        except SymbodyError:
            raise
        except Exception as error:  # in code of the machine's page: the machine runs on
            log.exception("a verb of the machine failed")
            raise Rejected("not possible", FAULT) from error
        self._read()
        return values or {}, verb.resets

    def _read(self) -> None:
        for board in (board for page in self.pages for board in page.boards):
            try:
                self.rows[board.key] = _rows(board, self.store.get(board.key, []) if self.store else [])
            except ModelError as error:  # a damaged file: the machine runs without this table
                self.rows[board.key] = []
                log.warning("%s", error)
        drawn = {chart.key: self._drawn(chart) for page in self.pages for chart in page.charts}
        if drawn != self.charts:
            self.charts, self.revision = drawn, self.revision + 1

    def _drawn(self, chart: Chart) -> ChartContent:
        try:
            return checked_content(self.store.get(chart.key) if self.store else None)
        except ModelError as error:
            log.warning("%s", error)
            return checked_content(None)


def _rows(board: Board, kept: Any) -> list[Row]:
    """Rows of a table; what is not a row is left out, because a person may have edited the file."""
    whole = [one for one in kept if isinstance(one, dict) and set(board.columns) <= set(one)] if kept else []
    numbers = [one for one in whole if isinstance(one.get(board.order), int | float)]
    ordered = sorted(numbers, key=lambda one: float(one[board.order]), reverse=not board.ascending)
    return [[one[name] for name in board.columns] for one in ordered[: min(board.most, MOST_ROWS)]]


def _check(desk: PageDesk) -> None:
    """Raise if pages, forms, verbs and store do not fit together."""
    names = [page.name for page in desk.pages]
    if len(set(names)) != len(names) or len(names) > MOST_PAGES:
        raise ModelError(f"pages {', '.join(names)}", element="pages", cure=f"give up to {MOST_PAGES} different names")
    if desk.store is None and (desk.verbs or any(page.boards or page.charts for page in desk.pages)):
        raise ModelError("verbs or tables without a store", element="pages", cure="give `store`, such as FileStore(…)")
    for form in (form for page in desk.pages for form in page.forms):
        if form.verb not in desk.verbs:
            raise ModelError(f"unknown verb {form.verb!r}", element=form.title, cure="declare it in `verbs`")
        wanted = {one.name for one in fields(desk.verbs[form.verb].kind)}
        if (given := {one.name for one in form.fields}) != wanted:
            cure = f"give a field for each of {', '.join(sorted(wanted))}"
            raise ModelError(f"fields {', '.join(sorted(given))}", element=form.title, cure=cure)


def _page_data(page: MachinePage) -> PageData:
    boards = [BoardData(key=one.key, title=one.title, columns=[*one.columns.values()]) for one in page.boards]
    forms = [
        FormContent(verb=one.verb, title=one.title, button=one.button, fields=[_field_data(f) for f in one.fields])
        for one in page.forms
    ]
    charts = [chart_data(one) for one in page.charts]
    panels, plots = [*page.panels], [*page.plots]
    return PageData(name=page.name, panels=panels, plots=plots, boards=boards, forms=forms, charts=charts)


def _field_data(one: FormField) -> FieldData:
    return FieldData(
        name=one.name, label=one.label, kind=one.kind, low=one.low, high=one.high, most=one.most, choices=[*one.choices]
    )

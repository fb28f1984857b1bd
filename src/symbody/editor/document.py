"""The document of the editor: the text of a model file, with undo and redo without limit.

The text is the only state. Models, diagrams and scenes are computed from it, so undo restores the file byte for byte.
Files of other formats become text in YAML when they are opened; a .mbs file is written back into its own XML.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from symbody.editor.yaml_edit import data_of
from symbody.equations.law_text import with_formulas
from symbody.errors import ModelError
from symbody.files.formats import READERS, load
from symbody.files.mbs_file import read_mbs
from symbody.files.mbs_update import mbs_text
from symbody.files.safe_file import decode, naming, read_bytes
from symbody.files.yaml_file import model_of_text
from symbody.files.yaml_text import inline_text, yaml_text
from symbody.model.dropped import dropped_table
from symbody.model.file_shape import FileShape
from symbody.model.model import Model
from symbody.output_file import write_text

YAML = (".yaml", ".yml")
SAVED = (*YAML, ".mbs")
MOST_DROPPED = 50  # broken entries that are left out to show the rest of a file
LONGEST_TEXT = 5_000_000  # characters of a document
NEW = """symbody: 1
name: machine
gravity: [0, 0, -9.81]
"""


@dataclass(frozen=True)
class Change:
    """A step of the history: at a place of the text, `old` became `new`."""

    label: str
    at: int
    old: str
    new: str

    def after(self, text: str) -> str:
        return text[: self.at] + self.new + text[self.at + len(self.old) :]

    def before(self, text: str) -> str:
        return text[: self.at] + self.old + text[self.at + len(self.new) :]


def change(label: str, old: str, new: str) -> Change:
    """The shortest change from one text to another."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Change(label, start, old[start : len(old) - end], new[start : len(new) - end])


@dataclass
class ModelDocument:
    """The text of a model and its history. `path` is the file that it stands for; None: not saved yet."""

    text: str
    path: Path | None = None
    source: Any = None  # the XML of a .mbs file
    shapes: dict[str, list[FileShape]] = field(default_factory=dict)  # looks of a robot's file, by body
    notes: list[str] = field(default_factory=list)  # what a reader left out or changed
    saved: str | None = None  # the text that the file has
    on_disk: bytes | None = None  # content of the file when it was read or written last
    version: int = 0
    done: list[Change] = field(default_factory=list)
    undone: list[Change] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.name if self.path else "new model"

    @property
    def is_saved(self) -> bool:
        return self.text == self.saved

    # -- history ---------------------------------------------------------------------------------------------------

    def edit(self, label: str, text: str) -> bool:
        """Replace the text; return whether it changed. What was undone before cannot be redone any more."""
        if text == self.text:
            return False
        if len(text) > LONGEST_TEXT:
            raise ModelError(f"the text has {len(text)} characters", cure=f"at most {LONGEST_TEXT} can be edited")
        self.done.append(change(label, self.text, text))
        self.undone.clear()
        self._show(text)
        return True

    def slide(self, label: str, text: str, *, first: bool) -> bool:
        """Replace the text; a drag of a slider is one step of the history. first: of the drag."""
        last = self.done[-1] if self.done else None
        if first or last is None or last.label != label or self.undone:
            return self.edit(label, text)
        if text == self.text:
            return False
        self.done[-1] = change(label, last.before(self.text), text)
        self._show(text)
        return True

    def splice(self, at: int, removed: int, inserted: str) -> bool:
        """Replace a part of the text, as a text editor does; typing goes on in the same step of the history."""
        if not 0 <= at <= at + removed <= len(self.text):
            raise ModelError("the place is outside of the text", element=f"{at}", cure="reload the page")
        text = self.text[:at] + inserted + self.text[at + removed :]
        last = self.done[-1] if self.done else None
        label, grows = "type", len(inserted) == 1 and removed == 0 and not inserted.isspace()
        if grows and last and last.label == label and not self.undone and last.at + len(last.new) == at:
            self.done[-1] = replace(last, new=last.new + inserted)
            self._show(text)
            return True
        return self.edit(label, text)

    def undo(self) -> str | None:
        """Undo the last change; its label, or None if there is none."""
        if not self.done:
            return None
        last = self.done.pop()
        self.undone.append(last)
        self._show(last.before(self.text))
        return last.label

    def redo(self) -> str | None:
        """Do again what was undone last; its label, or None if there is none."""
        if not self.undone:
            return None
        last = self.undone.pop()
        self.done.append(last)
        self._show(last.after(self.text))
        return last.label

    def _show(self, text: str) -> None:
        self.text, self.version = text, self.version + 1

    # -- the file --------------------------------------------------------------------------------------------------

    def content(self, suffix: str) -> str:
        """The text of the file in its own format."""
        if suffix in YAML:
            return self.text
        if suffix != ".mbs":
            raise ModelError(f"cannot write '{suffix}' files", element="file", cure="save it as .yaml")
        model = model_of_text(self.text)
        model.source = self.source
        return mbs_text(model)

    def save(self, path: Path | None = None, *, over: bool = False) -> Path:
        """Write the file in one step. over: also if another program has changed it, or if a new name exists."""
        target = path or self.path
        if target is None or target.suffix.lower() not in SAVED:
            raise ModelError("the model has no file of its own", element="file", cure="save it as NAME.yaml")
        if not over and (self.changed_outside() if target == self.path else target.exists()):
            cure = "load the file, or save over it"
            raise ModelError("another program has changed the file", element=target.name, cure=cure)
        content = self.content(target.suffix.lower())
        write_text(target, content)
        self.path, self.saved, self.on_disk = target, self.text, content.encode("utf-8")
        return target

    def changed_outside(self) -> bool:
        """Whether the file has another content than when it was read or written last."""
        if self.path is None or self.on_disk is None:
            return False
        try:
            return read_bytes(self.path) != self.on_disk
        except ModelError:
            return False  # removed: saving writes it again

    def load_outside(self) -> None:
        """Take over the file as it is now. It is one step of the history, so the own changes can be restored."""
        assert self.path is not None
        found = open_document(self.path)
        self.edit("load the file", found.text)
        self.source, self.shapes, self.notes = found.source, found.shapes, found.notes
        self.saved, self.on_disk = found.text, found.on_disk

    def keep_own(self) -> None:
        """Save over the change of another program. The other text becomes a step of the history first."""
        assert self.path is not None
        own = self.text
        with suppress(ModelError):  # a file that cannot be read has no text to keep
            self.edit("load the file", open_document(self.path).text)
        self.edit("keep the own text", own)
        self.save(over=True)


def open_document(path: str | Path) -> ModelDocument:
    """The document of a file. A broken .yaml file is opened as text; other broken files raise ModelError."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise ModelError(f"unknown kind of file '{suffix}'", cure=f"use {', '.join(READERS)}", file=path)
    with naming(path):
        raw = read_bytes(path)
        if suffix in YAML:
            text = decode(raw)
            return ModelDocument(text, path, saved=text, on_disk=raw)
    if suffix == ".mbs":
        model = read_mbs(path)
        text = yaml_text(model)
        return ModelDocument(text, path, source=model.source, saved=text, on_disk=raw)
    made = model_document(load(path))
    return replace(made, path=path, on_disk=raw, saved=made.text)


def model_document(model: Model) -> ModelDocument:
    """The document of a model; laws that are functions become formulas. Laws that a file cannot hold raise an error."""
    left_out = [f"not in the model:\n{dropped_table(model.dropped)}"] if model.dropped else []
    return ModelDocument(yaml_text(with_formulas(model)), shapes=dict(model.shapes), notes=[*model.notes, *left_out])


def readable_model(text: str) -> tuple[Model, list[ModelError]]:
    """What can be read of a text, and the problems of its structure. Broken entries are left out of the model."""
    problems: list[ModelError] = []
    dropped: set[str] = set()
    for _ in range(MOST_DROPPED):
        try:
            return model_of_text(text if not dropped else _without(text, dropped)), problems
        except ModelError as error:
            problems.append(error)
            text, known = _shortened(text, error, dropped)
            if not known:
                break
    return Model("unreadable"), problems


def _shortened(text: str, error: ModelError, dropped: set[str]) -> tuple[str, bool]:
    """The text without the broken part: an entry, or everything from the line on where the text is not YAML."""
    place = error.element.partition(" (line ")[0].split(".")
    if len(place) > 1 and place[0] and ".".join(place[:2]) not in dropped:
        dropped.add(".".join(place[:2]))
        return text, True
    if place[0] in ("gravity", "ground") and place[0] not in dropped:
        dropped.add(place[0])
        return text, True
    if "not YAML" in error.problem and text.count("\n") > 1:
        return _readable_beginning(text), True
    return text, False


def _readable_beginning(text: str) -> str:
    """The longest beginning of whole lines that is YAML."""
    lines = text.splitlines()
    low, high = 0, len(lines) - 1  # mostly monotonic: text before a mistake can be read
    while low < high:
        middle = (low + high + 1) // 2
        try:
            data_of("\n".join(lines[:middle]) + "\n")
            low = middle
        except ModelError:
            high = middle - 1
    return "\n".join(lines[:low]) + "\n"


def _without(text: str, dropped: set[str]) -> str:
    data = data_of(text)
    for one in dropped:
        section, _, name = one.partition(".")
        if not name:
            data.pop(section, None)
        elif isinstance(data.get(section), dict):
            data[section].pop(name, None)
    return "".join(f"{key}: {inline_text(value)}\n" for key, value in data.items())

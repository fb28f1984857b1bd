"""The desk: a document with everything around it, for one editor and any number of lookers; knows no sockets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symbody.editor.analyses import Analysis, analyses, arguments_of
from symbody.editor.analysis_job import AnalysisJob
from symbody.editor.analyst import Analyst
from symbody.editor.axes import turned_axis
from symbody.editor.commands import copied, removed, renamed
from symbody.editor.data_files import DataFiles
from symbody.editor.diagram import diagram
from symbody.editor.diagram_notes import changed_notes, diagram_notes, without_notes
from symbody.editor.document import SAVED, YAML, ModelDocument, readable_model
from symbody.editor.drafts import Draft, DraftKeeper, digest, forget_draft, kept_draft
from symbody.editor.jobs import Job
from symbody.editor.meshes import kept_beside, look_entry, read_dropped_mesh
from symbody.editor.messages import (
    AddPart,
    CancelJob,
    Copy,
    Draw,
    Edit,
    Finish,
    GoLive,
    KeepOwn,
    LoadOutside,
    Order,
    Redo,
    Remove,
    Rename,
    RunAnalysis,
    RunJob,
    Save,
    SendFile,
    Slide,
    Splice,
    TakePen,
    TurnAxis,
    Undo,
)
from symbody.editor.parts import added_part
from symbody.editor.properties import law_curve
from symbody.editor.report import place_of, remarks
from symbody.editor.script import python_script
from symbody.editor.yaml_edit import DataPath, Put, data_of, edited, value_at
from symbody.errors import ModelError
from symbody.files.yaml_file import model_of_text
from symbody.links.rejected import Rejected
from symbody.model.body import GROUND
from symbody.model.check import problems
from symbody.model.model import Model

WATCH = 1.0  # s between two looks at the file

Tell = Callable[[dict[str, Any]], None]


class Desk:
    """A document that is edited; `tell` gets the news for all browsers, from any thread."""

    def __init__(self, document: ModelDocument, tell: Tell, live: Callable[[Model], str] | None = None):
        self.document, self._tell, self._live = document, tell, live
        self.finished = threading.Event()
        self.outside, self.draft_problem, self.restored = False, "", False
        self.latest: dict[str, Any] = {}  # the newest figures, view and operations
        self._job: Job | None = None
        self._forms: list[Analysis] = []
        self._analysed_text = self._geometry = ""
        self._parsed: tuple[str, Model, list[ModelError], dict[str, Any]] | None = None
        self.data_files = DataFiles(lambda: self.document.path)
        self._lock = threading.RLock()
        self._drafts = DraftKeeper(self._draft_failed)
        self._restore()
        self._analyst = Analyst(self._analysed)
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="file watch", daemon=True).start()
        self._show()

    def close(self) -> None:
        """Cancel the job, and write the draft."""
        self._closed.set()
        if self._job is not None and self._job.runs:
            self._job.cancel()
        self._analyst.close()
        self._drafts.close()
        self.data_files.close()

    # -- news --------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything that a page shows of the document."""
        with self._lock:
            document = self.document
            model, broken, data = self._readable()
            return {
                "document": {
                    "name": document.name,
                    "title": model.name,
                    "kind": document.path.suffix.lower() if document.path else ".yaml",
                    "saved": document.is_saved,
                    "saves": document.path is not None and document.path.suffix.lower() in SAVED,
                    "version": document.version,
                    "undo": document.done[-1].label if document.done else None,
                    "redo": document.undone[-1].label if document.undone else None,
                    "text": document.text,
                    "data": data,
                    "drawing": diagram_notes(document.text),
                    "diagram": diagram(model),
                    "remarks": remarks(model, data, broken, document.notes),
                    "outside": self.outside,
                    "draftProblem": self.draft_problem,
                    "restored": self.restored,
                }
            }

    def _show(self) -> None:
        self._tell(self.state())
        content = without_notes(self.document.text)
        if content == self._analysed_text:  # only the drawing has changed
            return
        self._analysed_text = content
        model, broken, _ = self._readable()
        if not broken:
            self._analyst.look_at(self.document.version, model)

    def _readable(self) -> tuple[Model, list[ModelError], dict[str, Any]]:
        """What can be read of the text: model, problems and data; parsed once for each text."""
        text = self.document.text
        if self._parsed is None or self._parsed[0] != text:
            model, broken = readable_model(text)
            try:
                data = data_of(text)
            except ModelError:
                data = {}
            self._parsed = text, model, broken, data
        _, model, broken, data = self._parsed
        return self._placed(model), broken, data

    def _placed(self, model: Model) -> Model:
        """The model with the looks of its file, and with the file beside which its meshes are."""
        document = self.document
        model.shapes = document.shapes
        if document.path is not None and document.path.suffix.lower() in YAML:
            model.file = str(document.path)
        return model

    def _analysed(self, news: dict[str, Any]) -> None:
        self.latest |= news
        view = news.get("view")
        if view is not None:  # meshes may be large: they are sent when they change
            geometry = view["scene"]["geometry"]
            if geometry == self._geometry:
                news = {"view": {**view, "scene": {**view["scene"], "geometry": ""}}}
            self._geometry = geometry
        self._tell(news)

    def _draft_failed(self, problem: str) -> None:
        if problem != self.draft_problem:
            self.draft_problem = problem
            self._tell({"draftProblem": problem})

    # -- drafts and the file -----------------------------------------------------------------------------------------

    def _restore(self) -> None:
        """Take over a draft that was not saved, as a step of the history."""
        draft = kept_draft(self.document.path)
        if draft is not None and draft.text != self.document.text and self.document.path is not None:
            self.restored = self.document.edit("restore the draft", draft.text)

    def _keep(self) -> None:
        document = self.document
        draft = None if document.is_saved else Draft(document.text, digest(document.on_disk))
        self._drafts.keep(document.path, draft)

    def _watch(self) -> None:
        seen: tuple[float, int] | None = None
        while not self._closed.wait(WATCH):
            path = self.document.path
            try:
                found = path.stat() if path else None
            except OSError:
                continue
            now = (found.st_mtime, found.st_size) if found else None
            if now == seen:
                continue
            seen = now
            with self._lock:
                outside = self.document.changed_outside()
                if outside and self.document.is_saved:
                    try:
                        self.document.load_outside()  # nothing of our own is lost
                        outside = False
                    except ModelError:
                        pass
                    else:
                        self._show()
                if outside != self.outside:
                    self.outside = outside
                    self._tell({"outside": outside})

    # -- orders ------------------------------------------------------------------------------------------------------

    def obey(self, order: Order) -> None:
        """Carry out an order of the browser that edits; errors say what is wrong."""
        with self._lock:
            match order:
                case RunJob() | RunAnalysis():
                    return self._run(order)
                case CancelJob():
                    return self._job.cancel() if self._job is not None and self._job.runs else None
                case GoLive():
                    return self._go_live()
                case Finish():
                    return self.finished.set()
                case TakePen():
                    return None
            before = self.document.version
            self._change(order)
            if self.document.version != before or isinstance(order, Save | KeepOwn | LoadOutside):
                self._keep()
                self._show()

    def _change(self, order: Order) -> None:
        document, text = self.document, self.document.text
        match order:
            case Edit(label, changes):
                document.edit(label or "edit", edited(text, changes))
            case Rename(path, name):
                document.edit(
                    f"rename {path[-1]}", self._retitled(edited(text, renamed(data_of(text), path, name)), path, name)
                )
            case Remove(paths):
                document.edit("remove", edited(text, removed(data_of(text), [*paths])))
            case Copy(paths):
                edits, names = copied(data_of(text), [*paths])
                at = diagram_notes(text)["at"]
                moved = {new: [at[old][0] + 40, at[old][1] + 40] for old, new in names.items() if old in at}
                made = edited(text, edits)
                document.edit("copy", changed_notes(made, "at", moved) if moved else made)
            case AddPart(name, on, at):
                edits, bodies = added_part(data_of(text), name, on)
                made = edited(text, edits)
                if len(at) == 2 and bodies:
                    made = changed_notes(made, "at", {bodies[0]: [*at]})
                document.edit(f"add {name}", made)
            case Draw(kind, changes):
                document.edit(
                    {"at": "move", "notes": "comment"}.get(kind, "group"), changed_notes(text, kind, dict(changes))
                )
            case Slide(path, value, first):
                mapped = isinstance(value_at(data_of(text), path), dict)
                where = (*path, "value") if mapped else path
                document.slide(f"set {path[-1]}", edited(text, [Put(where, value)]), first=first)
            case TurnAxis(body, joint, direction):
                document.edit("axis", edited(text, turned_axis(data_of(text), self.model(), body, joint, direction)))
            case Splice(version, start, count, inserted):
                if version != document.version:
                    raise Rejected("outdated", "the text has changed meanwhile")
                document.splice(start, count, inserted)
            case Undo():
                document.undo()
            case Redo():
                document.redo()
            case Save(name, over):
                old = document.path
                document.save(self._named(name) if name else None, over=over)
                if old != document.path:
                    forget_draft(old)
                self.outside = self.restored = False
            case LoadOutside():
                document.load_outside()
                self.outside = False
            case KeepOwn():
                document.keep_own()
                self.outside = False

    @staticmethod
    def _retitled(text: str, path: DataPath, name: str) -> str:
        """The text with the drawing's own entries under the new name of a body."""
        if len(path) != 2 or path[0] != "bodies":
            return text
        notes = diagram_notes(text)
        for kind in ("at", "notes"):
            if path[1] in notes[kind]:
                text = changed_notes(text, kind, {str(path[1]): None, name: notes[kind][str(path[1])]})
        return text

    def _named(self, name: str) -> Path:
        """Another file in the folder of the document."""
        path = Path(name)
        if path.name != name or name.startswith(".") or not name.isprintable() or path.suffix.lower() not in SAVED:
            raise Rejected("not a file name", f"give a name such as machine.yaml, in {', '.join(SAVED)}")
        folder = self.document.path.parent if self.document.path else Path()
        return folder / name

    # -- files of a browser ----------------------------------------------------------------------------------------

    def check_upload(self, order: SendFile) -> None:
        """Raise Rejected if a file cannot be taken, before its content is sent."""
        if not order.body:
            return
        path = self.document.path
        if path is None or path.suffix.lower() not in YAML:
            raise Rejected("not possible", "save the model as .yaml first: a mesh is kept beside the file")
        if order.body != GROUND and value_at(data_of(self.document.text), ("bodies", order.body)) is None:
            raise Rejected("no such body", order.body)

    def take_file(self, name: str, content: bytes, body: str) -> dict[str, Any]:
        """Attach a mesh to a body, or keep data for analyses; what the page says about it."""
        with self._lock:
            if not body:
                self.data_files.keep(name, content)
                self._tell({"files": self.data_files.names()})
                return {"said": f"{name}: {len(content)} bytes"}
            self.check_upload(SendFile(name, len(content), body))
            mesh = read_dropped_mesh(name, content)
            assert self.document.path is not None  # checked
            entry = look_entry(kept_beside(self.document.path.parent, name, content), mesh)
            holder: DataPath = (GROUND,) if body == GROUND else ("bodies", body)
            text = self.document.text
            looks = value_at(data_of(text), (*holder, "looks")) or []
            self.document.edit("mesh", edited(text, [Put((*holder, "looks"), [*looks, entry])]))
            self._keep()
            self._show()
            size = mesh.extent * mesh.scale
            return {"said": f"{entry['file']}: {mesh.triangles} triangles, {size:.3g} m"}

    # -- jobs --------------------------------------------------------------------------------------------------------

    def _run(self, order: RunJob | RunAnalysis) -> None:
        if self._job is not None and self._job.runs:
            self._job.cancel()
        if isinstance(order, RunAnalysis):
            form = next((one for one in self.analyses()["analyses"] if one["name"] == order.name), None)
            if form is None:
                raise Rejected("no such analysis", order.name)
            arguments = arguments_of(form, order.values, self.data_files.path)
            self._job = AnalysisJob(form, self.document.text, arguments, lambda news: self._tell({"job": news}))
            return
        options = {"until": order.until, "dt": order.dt, "values": dict(order.values)}
        self._job = Job(order.kind, self.document.text, options, lambda news: self._tell({"job": news}))

    def _go_live(self) -> None:
        if self._live is None:
            raise Rejected("not possible", "this editor cannot run models live")
        self._tell({"live": self._live(self.model())})

    # -- questions ---------------------------------------------------------------------------------------------------

    def model(self) -> Model:
        """The model of the text as it is."""
        return self._placed(model_of_text(self.document.text))

    def tried(self, path: DataPath, value: Any) -> dict[str, Any]:
        """What the check says about a value at a place, and the law over its range."""
        text = self.document.text
        try:
            model = model_of_text(edited(text, [Put(path, value)]))
            data = data_of(text)
            own = [e for e in problems(model) if place_of(e.element, data) == [str(key) for key in path[:2]]]
            said = f"{own[0].problem} ({own[0].cure})" if own else ""
        except ModelError as error:
            model, said = None, f"{error.problem} ({error.cure})" if error.cure else error.problem
        curve = law_curve(model, str(path[0]), str(path[1])) if model and len(path) > 1 and not said else None
        return {"tried": {"path": [*path], "problem": said, "curve": curve}}

    def analyses(self) -> dict[str, Any]:
        """The forms of all analyses, listed once, and the files that they may read."""
        self._forms = self._forms or analyses()
        return {"analyses": self._forms, "files": self.data_files.names()}

    def script(self) -> dict[str, Any]:
        """The Python script of the model."""
        return {"script": python_script(self.model())}

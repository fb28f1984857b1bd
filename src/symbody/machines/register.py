"""The register of machines, found from their folders: what lies there is what there is, and no list is kept.

A machine NAME (dashes where its folder has underscores) is a folder with a `model.py`, or a file of `textbook/`.
Names, lines and constants are read from the sources as text; nothing of a machine is imported before it is used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError
from symbody.nearest import did_you_mean, either, nearest

if TYPE_CHECKING:  # models, plots and the studio need packages that names do not
    from symbody.haptics.two_rates.remote_scene import RemoteScene
    from symbody.machines.report_options import ReportOptions
    from symbody.model.model import Model
    from symbody.studio.machine import Machine
    from symbody.visual.report import Report

HERE = Path(__file__).parent
TEXTBOOK = "textbook"
SUFFIXES = (
    ".yaml",
    ".yml",
    ".mbs",
    ".urdf",
    ".xacro",
    ".xml",
    ".mjcf",
    ".sdf",
)  # of models in files, as `load` has them
DEFAULTS: Mapping[str, Any] = {
    "until": 3.0, "dt": 1e-3, "every": None, "method": None, "closure": "partitioning",
}  # fmt: skip
RATE = 1000.0  # Hz, at which the studio steps a model


@dataclass(frozen=True)
class MachineEntry:
    """A machine of the register: what there is of it, and the way to its model, report and studio page.

    variants: names of its variants, each with the argument of `model()` that chooses it; the first is what it is
    without one. steps: how it is simulated unless told otherwise: `until`, `dt` and `every` (s), `method`, `closure`.
    notes: fields of `PageNotes`, what the studio says of it where it has no page of its own.
    """

    name: str
    line: str
    module: str  # of `model()`
    file: Path | None = None
    picture: Path | None = None
    has_report: bool = False  # of its own; every machine has a general one
    has_page: bool = False
    has_remote: bool = False  # a haptic scene for two processes
    variants: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, Any] = field(default_factory=lambda: dict(DEFAULTS))
    notes: Mapping[str, Any] = field(default_factory=dict)
    variant: str | None = None  # the one that this entry is about

    @property
    def kind(self) -> str:
        """Whether it is there to touch, computes figures of its own, or is a model like any other."""
        return "touch" if self.has_page else "figures" if self.has_report else "model"

    @property
    def package(self) -> str:
        """What report and page are imported from."""
        return self.module.rpartition(".")[0]

    def model(self, *arguments: Any, **options: Any) -> Model:
        """Build the model; arguments are those of its `model()`."""
        made: Model = import_module(self.module).model(*arguments, **self._chosen(), **options)
        return made

    def open(self, **options: Any) -> Model:
        """The model as its file says it, or built where it has none; options are those of `load`."""
        if self.file is not None:
            return _load(self.file, **options)
        if options:
            listed, cure = ", ".join(options), "leave them out: they are for files"
            raise ModelError(f"a machine that is built in Python takes no {listed}", element=self.name, cure=cure)
        return self.model()

    def moving_model(self) -> Model:
        """The model with its laws: as its file says it, or built where it has none, or one that cannot hold them."""
        return self.model() if self.file is None or self.file.suffix == ".mbs" else self.open()

    def report(self, options: ReportOptions) -> Report:
        """Compute its own report; the general one where it has none, or of a variant."""
        if self.has_report and self.variant is None:
            made: Report = import_module(f"{self.package}.report").report(options)
            return made
        from symbody.machines.general_report import general_report

        options.check(list(self.variants))
        chosen = self.of(options.only[-1]) if options.only else self
        return general_report(chosen.name, chosen.line, chosen.model(), chosen.steps, options)

    def page(self, *arguments: Any, **options: Any) -> Machine:
        """What the studio shows and steps: its own page where that has the variant, else the model as any other.

        Arguments are those of its `page()`, where it has one.
        """
        if self.has_page:
            page = import_module(f"{self.package}.page").page
            if set(self._chosen()) <= set(signature(page).parameters):
                made: Machine = page(*arguments, **self._chosen(), **options)
                return made
        return self.bare_page(self.moving_model())

    def remote(self) -> RemoteScene:
        """Its haptic scene for two processes."""
        made: RemoteScene = import_module(f"{self.package}.two_rates").remote()
        return made

    def bare_page(
        self,
        model: Model,
        rate: float | None = None,
        method: str | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Machine:
        """What the studio shows of its model without a page, at a rate (Hz) and by a method, with other values."""
        from symbody.studio.model_machine import PageNotes, model_machine

        rate, method, notes = rate or RATE, method or self.steps["method"], PageNotes(**self.notes)
        plain = model_machine(model, rate, method, values or {}, notes, self.steps["closure"])
        return replace(plain, substeps=max(1, round(1.0 / rate / (notes.dt or self.steps["dt"]))))

    def of(self, variant: str) -> MachineEntry:
        """The entry of one of its variants; a file is only of the first."""
        if variant not in self.variants:
            cure = did_you_mean(variant, self.variants, "variants")
            raise ModelError("no such variant", element=f"{self.name}, {variant}", cure=cure)
        kept = self.file if variant == next(iter(self.variants)) else None
        return replace(self, name=f"{self.name}-{variant}", file=kept, variant=variant)

    def _chosen(self) -> dict[str, str]:
        return {} if self.variant is None else {self.variants[self.variant]: self.variant}


@cache
def register() -> Mapping[str, MachineEntry]:
    """All machines by name: those to touch, those with figures, the others; each by the alphabet."""
    found = [*_folders(), *_textbook()]
    order = ("touch", "figures", "model")
    return {one.name: one for one in sorted(found, key=lambda one: (order.index(one.kind), one.name))}


def _folders() -> Iterator[MachineEntry]:
    for source in HERE.glob("*/model.py"):
        folder = source.parent
        made = _entry(folder.name, folder / "__init__.py", folder, "model", f"{folder.name}.model")
        report, page, remote = ((folder / name).is_file() for name in ("report.py", "page.py", "two_rates.py"))
        yield replace(made, has_report=report, has_page=page, has_remote=remote)


def _textbook() -> Iterator[MachineEntry]:
    for source in (HERE / TEXTBOOK).glob("[!_]*.py"):
        yield _entry(source.stem, source, source.parent, source.stem, f"{TEXTBOOK}.{source.stem}")


def _entry(stem: str, source: Path, folder: Path, file_stem: str, module: str) -> MachineEntry:
    """An entry from the docstring and the constants of a source, and from the files beside it."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    line = (ast.get_docstring(tree) or "").partition("\n")[0]
    variants = {name: argument for argument, names in _constant(tree, "VARIANTS").items() for name in names}
    picture = folder / ("picture.png" if file_stem == "model" else f"{file_stem}.png")
    return MachineEntry(
        stem.replace("_", "-"),
        line,
        f"{__package__}.{module}",
        next((path for suffix in SUFFIXES if (path := folder / (file_stem + suffix)).is_file()), None),
        picture if picture.is_file() else None,
        variants=variants,
        steps={**DEFAULTS, **_constant(tree, "STEPS")},
        notes=_constant(tree, "STUDIO"),
    )


def _constant(tree: ast.Module, name: str) -> Mapping[str, Any]:
    """A dictionary written out in a source; empty where there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            value: Mapping[str, Any] = ast.literal_eval(node.value)
            return value
    return {}


# -- by name -----------------------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Names of all machines, as every command takes them."""
    return list(register())


def entries() -> list[MachineEntry]:
    """All machines."""
    return list(register().values())


def entry(name: str) -> MachineEntry:
    """A machine by its name, or by the first words of one only; or a variant as NAME-VARIANT."""
    known = register()
    if name in known:
        return known[name]
    begun = [one for one in known if one.startswith(f"{name}-")]
    if len(begun) == 1:
        return known[begun[0]]
    variants = {f"{one.name}-{variant}": (one, variant) for one in known.values() for variant in one.variants}
    if name in variants:
        one, variant = variants[name]
        return one.of(variant)
    near = nearest(name, [*known, *variants], 3, cutoff=0.7)
    cure = f"did you mean {either(near)}?" if near else f"give a model file, or one of {', '.join(known)}"
    raise ModelError("no such model", element=name, cure=cure)


def model(name: str, /, *arguments: Any, **options: Any) -> Model:
    """Build a machine's model by its name; arguments are those of its builder, as `model("n-pendulum", 10)`."""
    return entry(name).model(*arguments, **options)


def find(what: str | Path) -> MachineEntry | None:
    """The machine that a word names; None where it is the path of a file."""
    path = Path(what)
    return None if path.suffix or path.exists() else entry(str(what))


def open(what: str | Path, **options: Any) -> Model:
    """A model from a file of any kind that `load` reads, or a machine by its name; options are those of `load`."""
    machine = find(what)
    return machine.open(**options) if machine else _load(what, **options)


def _load(path: str | Path, **options: Any) -> Model:
    from symbody.model.files import load  # here: who only wants a name waits for nothing

    return load(path, **options)


def steps(what: str | Path) -> Mapping[str, Any]:
    """How a machine or a file is simulated unless told otherwise: `until`, `dt`, `every` (s), `method`, `closure`."""
    machine = find(what)
    return machine.steps if machine else DEFAULTS

"""The register of machines. It reads the folders of this package, so there is no list to maintain.

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
from typing import TYPE_CHECKING, Any, Literal

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean, either, nearest

if TYPE_CHECKING:  # models, plots and the studio import more packages than names need
    from symbody.haptics.two_rates.remote_scene import RemoteScene
    from symbody.model.model import Model
    from symbody.studio.machine import Machine
    from symbody.visual.report import Report
    from symbody.visual.report_options import ReportOptions

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
    """A machine of the register: its files, and access to its model, report and studio page.

    Parameters
    ----------
    name : str
        For commands and `sb.machines.model`.
    line : str
        One line about it.
    module : str
        Python module of `model()`.
    file : path, optional
        Of a model that is a file.
    picture : path, optional
        A .png file.
    motion : path, optional
        A short film, which docs/loops.py makes.
    has_report : bool
        Whether it has a report of its own; every machine has a general one. Default False.
    has_page : bool
        Whether it has a studio page of its own. Default False.
    has_looks : bool
        Whether it has looks but no page; `looks.py` has `looks(model)`. Default False.
    has_remote : bool
        Whether it is a haptic scene for two processes. Default False.
    variants : mapping of str to str, optional
        Names of its variants, each with the argument of `model()` that selects it. The first is the default.
    steps : mapping of str to object, optional
        Defaults of its simulation: `until`, `dt` and `every` (s), `method`, `closure`.
    notes : mapping of str to object, optional
        Fields of `PageNotes`, for the studio if it has no page.
    variant : str, optional
        The one that this entry is about.
    """

    name: str
    line: str
    module: str
    file: Path | None = None
    picture: Path | None = None
    motion: Path | None = None
    has_report: bool = False
    has_page: bool = False
    has_looks: bool = False
    has_remote: bool = False
    variants: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, Any] = field(default_factory=lambda: dict(DEFAULTS))
    notes: Mapping[str, Any] = field(default_factory=dict)
    variant: str | None = None

    @property
    def kind(self) -> str:
        """ "touch": interactive; "figures": with its own report; "model": neither."""
        return "touch" if self.has_page else "figures" if self.has_report else "model"

    @property
    def package(self) -> str:
        """The package of its report and page."""
        return self.module.rpartition(".")[0]

    def model(self, *arguments: Any, **options: Any) -> Model:
        """Build the model; arguments as of its `model()`."""
        made: Model = import_module(self.module).model(*arguments, **self._chosen(), **options)
        return made

    def open(self, **options: Any) -> Model:
        """The model from its file, or built if it has no file; options are those of `load`."""
        if self.file is not None:
            return _load(self.file, **options)
        if options:
            listed, cure = ", ".join(options), "leave them out: they are for files"
            raise ModelError(f"a machine built in Python has no {listed}", element=self.name, cure=cure)
        return self.model()

    def moving_model(self) -> Model:
        """The model with its laws: from its file, or built if it has no file, or a file without laws."""
        return self.model() if self.file is None or self.file.suffix == ".mbs" else self.open()

    def report(self, options: ReportOptions, **given: Any) -> Report:
        """Compute its report; a machine without its own report, and a variant, have the general one.

        given: further arguments of its `report()`.
        """
        own = import_module(f"{self.package}.report").report if self.has_report and self.variant is None else None
        self._check(given, own, "report")
        if own is not None:
            made: Report = own(options, **given)
            return made
        from symbody.machines.general_report import general_report

        options.check(list(self.variants))
        chosen = self.of(options.only[-1]) if options.only else self
        return general_report(chosen.name, chosen.line, chosen.model(), chosen.steps, options)

    def page(self, *arguments: Any, **options: Any) -> Machine:
        """Its studio page, or a general page of its model if it has none for this variant.

        Arguments are those of its `page()`.
        """
        if self.has_page:
            page = import_module(f"{self.package}.page").page
            if set(self._chosen()) <= set(signature(page).parameters):
                self._check(options, page, "page")
                made: Machine = page(*arguments, **self._chosen(), **options)
                return made
        self._check(options, None, "page")
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
        energy: Literal["warn", "ignore"] = "warn",
    ) -> Machine:
        """The general page of its model, at a rate (Hz), with a method and other parameter values.

        energy: as in `Live`.
        """
        from symbody.studio.model_machine import PageNotes, model_machine

        looks = import_module(f"{self.package}.looks").looks(model) if self.has_looks else {}
        rate, method, notes = rate or RATE, method or self.steps["method"], PageNotes(**self.notes, looks=looks)
        plain = model_machine(model, rate, method, values or {}, notes, self.steps["closure"], energy)
        return replace(plain, substeps=max(1, round(1.0 / rate / (notes.dt or self.steps["dt"]))))

    def of(self, variant: str) -> MachineEntry:
        """The entry of one of its variants; only the first has a file."""
        if variant not in self.variants:
            cure = did_you_mean(variant, self.variants, "variants")
            raise ModelError("unknown variant", element=f"{self.name}, {variant}", cure=cure)
        kept = self.file if variant == next(iter(self.variants)) else None
        return replace(self, name=f"{self.name}-{variant}", file=kept, variant=variant)

    def _check(self, given: Mapping[str, Any], called: Any, what: str) -> None:
        """ModelError for an argument that the machine's page or report does not have."""
        known = signature(called).parameters if called else ()
        for name in given:
            if name not in known:
                cure = f"leave out `{name}`"
                raise ModelError(f"the {what} of this machine has no option `{name}`", element=self.name, cure=cure)

    def _chosen(self) -> dict[str, str]:
        return {} if self.variant is None else {self.variants[self.variant]: self.variant}


@cache
def register() -> Mapping[str, MachineEntry]:
    """All machines by name: interactive ones, then those with figures, then the others, each in alphabetical order."""
    found = [*_folders(), *_textbook()]
    order = ("touch", "figures", "model")
    return {one.name: one for one in sorted(found, key=lambda one: (order.index(one.kind), one.name))}


def _folders() -> Iterator[MachineEntry]:
    for source in HERE.glob("*/model.py"):
        folder = source.parent
        made = _entry(folder.name, folder / "__init__.py", folder, "model", f"{folder.name}.model")
        files = ("report.py", "page.py", "looks.py", "two_rates.py")
        report, page, looks, remote = ((folder / name).is_file() for name in files)
        yield replace(made, has_report=report, has_page=page, has_looks=looks and not page, has_remote=remote)


def _textbook() -> Iterator[MachineEntry]:
    for source in (HERE / TEXTBOOK).glob("[!_]*.py"):
        yield _entry(source.stem, source, source.parent, source.stem, f"{TEXTBOOK}.{source.stem}")


def _entry(stem: str, source: Path, folder: Path, file_stem: str, module: str) -> MachineEntry:
    """An entry from the docstring and constants of a source, and from the files next to it."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    line = (ast.get_docstring(tree) or "").partition("\n")[0]
    variants = {name: argument for argument, names in _constant(tree, "VARIANTS").items() for name in names}
    picture = folder / ("picture.png" if file_stem == "model" else f"{file_stem}.png")
    motion = folder / ("motion.webp" if file_stem == "model" else f"{file_stem}.webp")
    return MachineEntry(
        stem.replace("_", "-"),
        line,
        f"{__package__}.{module}",
        next((path for suffix in SUFFIXES if (path := folder / (file_stem + suffix)).is_file()), None),
        picture if picture.is_file() else None,
        motion if motion.is_file() else None,
        variants=variants,
        steps={**DEFAULTS, **_constant(tree, "STEPS")},
        notes=_constant(tree, "STUDIO"),
    )


def _constant(tree: ast.Module, name: str) -> Mapping[str, Any]:
    """A literal dictionary of a source; empty if it is missing."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            value: Mapping[str, Any] = ast.literal_eval(node.value)
            return value
    return {}


# -- by name -----------------------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Names of all machines, for every command.

    Returns
    -------
    list of str
        Such as "four-bar".
    """
    return list(register())


def entries() -> list[MachineEntry]:
    """All machines.

    Returns
    -------
    list of MachineEntry
        In the order of the register.
    """
    return list(register().values())


def entry(name: str) -> MachineEntry:
    """Look up a machine.

    Parameters
    ----------
    name : str
        Its name or unique first words of it, or a variant as NAME-VARIANT.

    Returns
    -------
    MachineEntry
        Its files and defaults.

    Raises
    ------
    ModelError
        If no machine, or more than one, has this name; similar names are suggested.
    """
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
    """Build the model of a machine.

    Parameters
    ----------
    name
        As in `entry`.
    *arguments, **options
        Of its builder, as in `model("n-pendulum", 10)`.

    Returns
    -------
    Model
        A new one at each call.
    """
    return entry(name).model(*arguments, **options)


def find(what: str | Path) -> MachineEntry | None:
    """Distinguish a machine from a file.

    Parameters
    ----------
    what : str or path
        Name of a machine, or path of a file.

    Returns
    -------
    MachineEntry or None
        None for the path of a file.
    """
    path = Path(what)
    return None if path.suffix or path.exists() else entry(str(what))


def open(what: str | Path, **options: Any) -> Model:
    """A model from a file, or a machine by its name.

    Parameters
    ----------
    what : str or path
        Name of a machine, or path of a file.
    **options
        Of `sb.load`.

    Returns
    -------
    Model
        Ready to simulate.
    """
    machine = find(what)
    return machine.open(**options) if machine else _load(what, **options)


def _load(path: str | Path, **options: Any) -> Model:
    from symbody.files.formats import load  # here, so that names are available without this import

    return load(path, **options)


def steps(what: str | Path) -> Mapping[str, Any]:
    """Defaults for the simulation of a machine or a file.

    Parameters
    ----------
    what : str or path
        Name of a machine, or path of a file.

    Returns
    -------
    mapping of str to object
        `until`, `dt`, `every` (s), `method`, `closure`.
    """
    machine = find(what)
    return machine.steps if machine else DEFAULTS

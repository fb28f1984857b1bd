"""Public modules: what they list is documented, typed and on the API page; docs and examples import nothing else."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import doc_blocks
import symbody

BASE = (
    "symbody", "symbody.batch", "symbody.bridges", "symbody.bridges.gymnasium", "symbody.elements",
    "symbody.estimation", "symbody.expr.functions", "symbody.files", "symbody.haptics", "symbody.links",
    "symbody.links.canopen", "symbody.machines", "symbody.motion", "symbody.realtime", "symbody.scenario",
    "symbody.studio", "symbody.terrain", "symbody.web",
)  # fmt: skip
PAGE = (doc_blocks.ROOT / "docs" / "api.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^\.\. (auto\w+|py:data):: (\S+)$", PAGE, re.MULTILINE)


def machine_packages() -> list[str]:
    """Packages of machines that offer more than their model."""
    folder = Path(str(importlib.import_module("symbody.machines").__file__)).parent
    names = [f"symbody.machines.{path.parent.name}" for path in sorted(folder.glob("*/__init__.py"))]
    return [name for name in names if hasattr(importlib.import_module(name), "__all__")]


def public_modules() -> dict[str, ModuleType]:
    """The public modules by name, with those that they list."""
    found = {name: importlib.import_module(name) for name in (*BASE, *machine_packages())}
    for name, module in list(found.items()):
        members = {f"{name}.{listed}": getattr(module, listed) for listed in module.__all__}
        found |= {path: member for path, member in members.items() if inspect.ismodule(member)}
    return found


MODULES = public_modules()
NAMES = [(m, x) for m, module in MODULES.items() for x in module.__all__ if not inspect.ismodule(getattr(module, x))]
FUNCTIONS = ("symbody.batch",)  # packages whose name is a function of `symbody`, as that of `symbody.system`


def is_automatic(cls: type) -> bool:
    """Whether a class has only the signature that `dataclass` or `NamedTuple` writes for a docstring."""
    return (vars(cls).get("__doc__") or "").startswith(f"{cls.__name__}(")


def undocumented(cls: type) -> list[str]:
    """Public methods and properties without a docstring of their own or of a base class."""
    members = ((name, inspect.getattr_static(cls, name)) for name in dir(cls) if not name.startswith("_"))
    functions = {name: m for name, m in members if isinstance(m, property | staticmethod | classmethod)
                 or (inspect.isfunction(m) and m.__name__ == name)}  # fmt: skip
    return [name for name in functions if not inspect.getdoc(getattr(cls, name))]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_public_name_is_documented(module, name):
    found = getattr(MODULES[module], name)
    if inspect.isclass(found):
        assert found.__doc__, f"{module}.{name}"
        assert not is_automatic(found)
        assert undocumented(found) == []
    elif not name.isupper():  # data: the page says what it is
        assert found.__doc__


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_public_function_has_types(module, name):
    found = getattr(MODULES[module], name)
    if inspect.isfunction(found) and not name.isupper():
        parameters = inspect.signature(found).parameters.values()
        assert [p.name for p in parameters if p.annotation is p.empty] == []
        assert inspect.signature(found).return_annotation is not inspect.Signature.empty


def test_a_missing_docstring_would_be_found():
    class Bare:
        """A class."""

        def speak(self): ...

    assert undocumented(Bare) == ["speak"]


def test_public_modules_are_attributes_of_symbody():
    for name in [name for name in BASE[1:] if name not in FUNCTIONS]:
        path, found = name.split(".")[1:], symbody
        for part in path[-1:] if path[0] == "expr" else path:  # sb.functions is symbody.expr.functions
            found = getattr(found, part)
        assert found is MODULES[name]


# -- the API page ----------------------------------------------------------------------------------------------------


def located(path: str) -> object:
    """What a dotted path of the page means; `symbody.system` is a package as well as a function."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def shown() -> dict[int, str]:
    """What the page shows, by identity."""
    found = {id(located(path)): path for kind, path in LISTED if kind != "automodule"}
    for kind, path in LISTED:
        if kind == "automodule":
            found |= {id(getattr(MODULES[path], name)): f"{path}.{name}" for name in MODULES[path].__all__}
    return found


def test_the_api_page_shows_all_that_is_public_and_nothing_else():
    public = {id(getattr(MODULES[module], name)): f"{module}.{name}" for module, name in NAMES}
    assert {public[key] for key in public.keys() - shown().keys()} == set(), "not on the page"
    own = {id(module) for module in MODULES.values()}
    assert {shown()[key] for key in shown().keys() - public.keys() - own} == set(), "on the page, but private"


# -- docs and examples -----------------------------------------------------------------------------------------------


def is_public(module: str, name: str) -> bool:
    """Whether a name of a module may be imported."""
    listed = module in MODULES and name in MODULES[module].__all__
    return listed or f"{module}.{name}" in MODULES or (module, name) == ("symbody", "functions")


def private_imports(text: str, known: dict[str, str]) -> list[str]:
    """What a piece of Python takes from symbody that is not public; known: modules by the names they have in it.

    Followed: imports, and attributes of imported modules.
    """
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "symbody":
            for alias in node.names:
                found += [] if is_public(node.module, alias.name) else [f"{node.module}.{alias.name}"]
                if f"{node.module}.{alias.name}" in MODULES:
                    known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "symbody":
                    found += [] if alias.name in MODULES else [alias.name]
                    known[alias.asname or alias.name] = alias.name
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and (module := module_of(node.value, known)):
            found += [] if is_public(module, node.attr) or node.attr.startswith("__") else [f"{module}.{node.attr}"]
    return found


def module_of(node: ast.AST, known: dict[str, str]) -> str | None:
    """The public module that an expression such as `sb.functions` stands for."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and (parent := module_of(node.value, known)):
        path = "symbody.expr.functions" if (parent, node.attr) == ("symbody", "functions") else f"{parent}.{node.attr}"
        return path if path in MODULES else None
    return None


def sources() -> list:
    """The Python blocks of each page, in order, and the examples."""
    found = []
    for page in doc_blocks.pages():
        blocks = [block.text for block in doc_blocks.blocks(page) if block.language == "python"]
        found += [pytest.param(blocks, id=str(page.relative_to(doc_blocks.ROOT)))] if blocks else []
    examples = sorted((doc_blocks.ROOT / "examples").glob("*.py"))
    return found + [pytest.param([path.read_text(encoding="utf-8")], id=path.stem) for path in examples]


@pytest.mark.parametrize("texts", sources())
def test_docs_and_examples_use_public_names_only(texts):
    known: dict[str, str] = {}
    assert [name for text in texts for name in private_imports(text, known)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from symbody.haptics.steps import HANDLE",
        "from symbody.realtime import record",
        "import symbody.codegen",
        "import symbody as sb\nsb.expr.node",
        "import symbody as sb\nsb.functions.node_of",
    ],
)
def test_a_private_import_would_be_found(text):
    assert private_imports(text, {})


@pytest.mark.parametrize("page", doc_blocks.pages(), ids=lambda page: page.stem)
def test_names_in_the_prose_exist(page):
    for name in re.findall(r"\bsb\.(\w+)", page.read_text(encoding="utf-8")):
        assert is_public("symbody", name), f"{page}: sb.{name}"

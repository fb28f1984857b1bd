"""The public doors: what they list is documented and on the API page, and docs and examples use nothing else."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import doc_blocks

DOORS = (
    "symbody", "symbody.elements", "symbody.machines", "symbody.bridges", "symbody.bridges.gymnasium",
    "symbody.estimation", "symbody.realtime", "symbody.haptics", "symbody.studio",
)  # fmt: skip
PUBLIC = [(d, name) for d in DOORS for name in importlib.import_module(d).__all__ if f"{d}.{name}" not in DOORS]
OWN = [  # what machines offer besides their models, each in its package
    (f"symbody.machines.{path.parent.name}", name)
    for path in sorted(Path(importlib.import_module("symbody.machines").__file__).parent.glob("*/__init__.py"))
    for name in getattr(importlib.import_module(f"symbody.machines.{path.parent.name}"), "__all__", ())
]
PAGE = (doc_blocks.ROOT / "docs" / "api.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)$", PAGE, re.MULTILINE)


def is_automatic(cls: type) -> bool:
    """Whether a class has only the signature that `dataclass` or `NamedTuple` writes for a docstring."""
    return (vars(cls).get("__doc__") or "").startswith(f"{cls.__name__}(")


def undocumented(cls: type) -> list[str]:
    """Public methods and properties without a docstring of their own or of a base class."""
    members = ((name, inspect.getattr_static(cls, name)) for name in dir(cls) if not name.startswith("_"))
    functions = {name: m for name, m in members if isinstance(m, property | staticmethod | classmethod)
                 or (inspect.isfunction(m) and m.__name__ == name)}  # fmt: skip
    return [name for name in functions if not inspect.getdoc(getattr(cls, name))]


@pytest.mark.parametrize(("door", "name"), PUBLIC + OWN)
def test_a_public_name_is_documented(door, name):
    found = getattr(importlib.import_module(door), name)
    if inspect.isclass(found):
        assert found.__doc__, f"{door}.{name}"
        assert not is_automatic(found)
        assert undocumented(found) == []
    elif not name.isupper():  # data: the page says what it is
        assert found.__doc__


def located(path: str) -> object:
    """What a dotted path of the page means; `symbody.system` is a package as well as a function."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_the_api_page_shows_all_that_is_public_and_nothing_else():
    shown = {id(located(path)): path for path in LISTED}
    public = {id(getattr(importlib.import_module(door), name)): f"{door}.{name}" for door, name in PUBLIC}
    assert {public[key] for key in public.keys() - shown.keys()} == set(), "not on the page"
    assert {shown[key] for key in shown.keys() - public.keys()} == set(), "on the page, but private"


def test_a_missing_docstring_would_be_found():
    class Bare:
        """A class."""

        def speak(self): ...

    assert undocumented(Bare) == ["speak"]


def imports(text: str) -> list[tuple[str, str]]:
    """(module, name) of what a piece of Python takes from symbody: by import, or as an attribute of `sb`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "symbody":
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "symbody"]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sb":
            found.append(("symbody", node.attr))
    return found


def sources() -> list:
    """Python blocks of all pages, and the examples."""
    found = [
        pytest.param(block.text, id=f"{page.stem}:{block.line}")
        for page in doc_blocks.pages()
        for block in doc_blocks.blocks(page)
        if block.language == "python"
    ]
    examples = sorted((doc_blocks.ROOT / "examples").glob("*.py"))
    return found + [pytest.param(path.read_text(encoding="utf-8"), id=path.stem) for path in examples]


@pytest.mark.parametrize("text", sources())
def test_docs_and_examples_go_through_the_doors(text):
    for module, name in imports(text):
        known = not name or (module, name) in PUBLIC + OWN or f"{module}.{name}" in DOORS
        assert known, f"{module}.{name} is private"
        assert name or module in DOORS, f"{module} is private"


@pytest.mark.parametrize("page", doc_blocks.pages(), ids=lambda page: page.stem)
def test_names_in_the_prose_exist(page):
    for name in re.findall(r"\bsb\.(\w+)", page.read_text(encoding="utf-8")):
        assert ("symbody", name) in PUBLIC or f"symbody.{name}" in DOORS, f"{page}: sb.{name}"

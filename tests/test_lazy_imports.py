"""Names of a package that are imported when they are first used (lazy_imports.py)."""

import sys
from types import ModuleType

import pytest

from symbody.lazy_imports import import_registered, lazy_names, register_lazy


@pytest.fixture
def package(monkeypatch):
    made = ModuleType("lazy_example")
    monkeypatch.setitem(sys.modules, "lazy_example", made)
    return made


def test_names_are_imported_when_they_are_first_used(package):
    listed = lazy_names(
        "lazy_example", {"units": "si", "version": "VERSION"}, ["expr.functions"], {"errors": "ModelError"}
    )
    assert listed == ["VERSION", "si"]
    assert "si" not in vars(package)
    assert package.si(36.0, "km/h") == pytest.approx(10.0)
    assert "si" in vars(package)
    assert package.functions.__name__ == "symbody.expr.functions"
    assert package.ModelError.__name__ == "ModelError"  # deprecated names are found, but not listed
    assert {"VERSION", "functions", "si"} <= set(dir(package))
    with pytest.raises(AttributeError, match="'lazy_example' has no attribute 'speed'"):
        _ = package.speed


def test_a_submodule_does_not_replace_a_name(package):
    lazy_names("lazy_example", {"units": "si"})
    package.si = ModuleType("lazy_example.si")
    assert callable(package.si)


def test_registered_modules_are_imported_once(monkeypatch):
    monkeypatch.delitem(sys.modules, "symbody.suggestions", raising=False)
    register_lazy("an example", "symbody.suggestions")
    import_registered("an example")
    assert "symbody.suggestions" in sys.modules
    monkeypatch.delitem(sys.modules, "symbody.suggestions")
    import_registered("an example")
    assert "symbody.suggestions" not in sys.modules

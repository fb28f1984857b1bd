"""Mirrors of C structures: a field at another place, of another size or unknown is refused by name."""

import ctypes

import pytest

from symbody.codegen import native
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.errors import CompileError
from symbody.haptics import structures
from symbody.stepping.fixed_step import FrameOf, structure_of
from symbody.stepping.rk4 import RK4_T

HAPTICS = "symbody.haptics.tick"
STEPPING = "symbody.stepping"


@pytest.fixture(params=["quick", "optimised"])
def tier(request, monkeypatch):
    monkeypatch.setenv("SYMBODY_TIER", request.param)


@pytest.fixture
def quick(monkeypatch):
    """By TinyCC, also what conftest.py optimises: scene.c takes gcc ten seconds for each layout; stepping has both."""
    monkeypatch.setenv("SYMBODY_TIER", "quick")
    monkeypatch.setattr(native, "_runtime", native._Runtime)


def changed(kind: type[Mirror], fields) -> type[Mirror]:
    """A mirror of the same structure with other fields."""
    return type(kind.__name__, (Mirror,), {"c_type": kind.c_type, "_fields_": fields})


def swapped(kind: type[Mirror], a: str, b: str) -> type[Mirror]:
    """The mirror with two fields exchanged."""
    fields = dict(kind._fields_)
    other = {a: b, b: a}
    return changed(kind, [(other.get(name, name), fields[other.get(name, name)]) for name in fields])


def test_the_mirrors_of_the_runtime_are_right(tier):
    runtime_library("rk4.c", RK4_T, package=STEPPING)
    runtime_library("scene.c", structures.SceneOf, package=HAPTICS)


def test_two_swapped_fields_of_equal_size_are_refused(quick):
    wrong = swapped(structures.SettingsOf, "mu_s", "mu_k")
    assert ctypes.sizeof(wrong) == ctypes.sizeof(structures.SettingsOf)
    with pytest.raises(CompileError, match=r"scene\.c: the field 'mu_k' of settings_t has offset \d+ and 8 bytes"):
        runtime_library("scene.c", wrong, package=HAPTICS)


def test_swapped_fields_of_a_structure_within_another_are_refused(tier):
    frame = swapped(FrameOf, "nq", "nv")
    wrong = changed(RK4_T, [("frame", frame), ("stages", ctypes.c_void_p)])
    with pytest.raises(CompileError, match=r"the field 'nv' of fixed_t"):
        runtime_library("rk4.c", wrong, package=STEPPING)


def test_a_field_of_another_size_is_refused(quick):
    *fields, (last, kind) = structures.LinkOf._fields_
    wrong = changed(structures.LinkOf, [*fields, (last, kind._type_ * 4)])
    with pytest.raises(CompileError, match=r"the field 'hold' of link_t .* 24 bytes in C, .* 32 bytes in its mirror"):
        runtime_library("scene.c", wrong, package=HAPTICS)


def test_a_missing_last_field_is_refused(quick):
    wrong = changed(structures.LinkOf, structures.LinkOf._fields_[:-1])
    with pytest.raises(CompileError, match=r"link_t has 128 bytes in C, but 104 in its mirror LinkOf"):
        runtime_library("scene.c", wrong, package=HAPTICS)


def test_a_field_that_c_does_not_have_is_refused_by_name(tier):
    with pytest.raises(CompileError, match="corridor"):
        runtime_library("rk4.c", structure_of("rk4_t", pointers="corridor"), package=STEPPING)

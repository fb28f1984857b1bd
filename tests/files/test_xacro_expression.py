"""Expressions of xacro give what Python gives for them, as far as they are allowed."""

import math

import pytest

from symbody.errors import ModelError
from symbody.files.xacro_expression import evaluate_expression, literal_of

NAMES = {"a": 3, "b": 0.5, "name": "left", "sizes": [1.0, 2.0], "limits": {"lower": -1, "upper": {"x": 7}}}
SAME = [
    "2*pi*b", "a**2 - a//2 % 2", "-a + +b", "a if b > 1 else -a", "not a or b and 2", "1 < a <= 3 != 4",
    "sin(b) + math.sqrt(a)", "sizes[1]*len(sizes)", "limits['lower'] + limits['upper']['x']", "name + '_arm'",
    "name == 'left'", "'ef' in name", "2 in sizes", "max(a, b, 7)", "abs(-b)", "int('12') + float('1.5')", "[a, b][0]",
    "{'x': 1}['x']", "name.upper()", "round(b*7.123, 2)", "degrees(1)", "a * [1]",
]  # fmt: skip


@pytest.mark.parametrize("text", SAME)
def test_is_what_python_says(text):
    known = {name: getattr(math, name) for name in ("pi", "sin", "degrees")} | {"math": math}
    assert evaluate_expression(text, NAMES, {}) == eval(text, known, NAMES)


def test_items_of_dictionaries_by_their_names():
    assert evaluate_expression("limits.upper.x", NAMES, {}) == 7


@pytest.mark.parametrize(
    "text",
    ["lambda: 1", "a.real", "name.format(1)", "'%s' % a", "open('x')", "a[0]", "sizes == sizes", "(yield)", "a := 1",
     "f'{a}'", "sizes[0:1]", "print(1)", "b'x'", "...", "1j", "*a", "**", "", "9**9**9", "str(sizes)"],
)  # fmt: skip
def test_is_refused(text):
    with pytest.raises(ModelError):
        evaluate_expression(text, NAMES, {})


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("0.5", 0.5), ("true", True), ("False", False), ("'3'", "3"), ("1_000", "1_000"), ("left", "left")],
)
def test_properties_are_numbers_where_they_look_like_them(text, value):
    found = literal_of(text)
    assert found == value
    assert type(found) is type(value)

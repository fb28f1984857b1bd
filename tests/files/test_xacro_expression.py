"""Expressions of xacro give what Python gives for them, as far as they are allowed."""

import math

import pytest

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("round(1, -20000000)", "too many digits"),
        ("round(1, 10**200)", "too many digits"),
        ("3**500000", "too many digits"),
        ("7**165000", "too many digits"),
        ("2**100000", "too many digits"),
        ("3**1024", "too many digits"),
        ("10**300 * 10**300", "too many digits"),
        ("int('9'*1000)", "too many digits"),
        ("('a'*10000).replace('a', 'b'*10000)", "longer than"),
        ("('a'*10000).replace('', 'b'*10000)", "longer than"),
        ("'a'*10001", "too often"),
        ("[0]*9000 + [0]*9000", "longer than"),
        ("max([[1]], [[2]])", "cannot be compared"),
        ("min([[1], [2]])", "cannot be compared"),
        (r"'\ud800'", "not valid Unicode"),
    ],
)
def test_large_results_are_refused_before_they_are_computed(text, says):
    with pytest.raises(ModelError, match=says):
        evaluate_expression(text, NAMES, {})


@pytest.mark.parametrize("text", ["10**300", "2**1000", "-(2**1000)", "1**10**30", "2**-9999", "max([3, 1, 2])",
                                  "min('b', 'a')", "round(1234, -2)", "'aab'.replace('a', 'xy')"])  # fmt: skip
def test_large_results_that_are_small_enough(text):
    assert evaluate_expression(text, NAMES, {}) == eval(text)


def test_long_sums_need_no_deep_stack():
    assert evaluate_expression("+".join(["a"] * 900), NAMES, {}) == 2700


def test_steps_grow_with_the_length_of_an_expression():
    spent = []
    for count in (100, 200):
        budget = ReadBudget()
        evaluate_expression("+".join(["a"] * count), NAMES, {}, budget)
        spent.append(budget.spent["steps"])
    assert spent[1] < 2.1 * spent[0]


def test_texts_of_all_expressions_share_one_budget():
    budget = ReadBudget()
    for _ in range(799):
        evaluate_expression("'a'*10000", NAMES, {}, budget)
    with pytest.raises(ModelError, match="unpacks to more than 32 MB"):
        evaluate_expression("'a'*10000", NAMES, {}, budget)

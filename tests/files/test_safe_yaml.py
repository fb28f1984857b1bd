"""YAML as nodes with their lines; anchors, tags and second documents are refused."""

import pytest
import yaml

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_yaml import YamlNode, parse_nodes, plain, read_nodes

NESTED = """a: {b: [1, [2, 3], {c: 4}], d: 5}
e:
  - f: 6
    g: [7]
  - 8
h: 9
"""


def test_nested_values_and_their_lines():
    root = parse_nodes(NESTED)
    assert plain(root) == {"a": {"b": [1, [2, 3], {"c": 4}], "d": 5}, "e": [{"f": 6, "g": [7]}, 8], "h": 9}
    assert (root.line, root.value["a"].line, root.value["h"].line) == (1, 1, 6)
    assert [node.line for node in root.value["e"].value] == [3, 5]
    assert parse_nodes("") == YamlNode(None, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("Null", None), ("true", True), ("FALSE", False), ("on", "on"), ("'true'", "true"),
        ("12", 12), ("+12", 12), ("-3", -3), ("1.0", 1.0), ("-1.5e-3", -1.5e-3), ('"12"', "12"), ('! "12"', "12"),
        ("a b", "a b"), ("1:30", "1:30"),
    ],
)  # fmt: skip
def test_values_of_words(text, value):
    found = plain(parse_nodes(f"x: {text}"))["x"]
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: 1\nb: &x 2", 2, "anchors and aliases"),
        ("a: 1\nb: *x", 2, "anchors and aliases"),
        ("a: !!str 1", 1, "the tag tag:yaml.org,2002:str is not supported"),
        ("a: 1\n---\nb: 2", 3, "second document"),
        ("a: 1\n? [1, 2]\n: 3", 2, "not a word"),
        ("a: 1\nb: 2\n" + "c" * 90 + ": 3\n" + "c" * 90 + ": 4", 4, f"the key '{'c' * 80}' appears twice"),
        ("a:\n " + "[" * 100, 2, "nested more than 100 deep"),
    ],
)
def test_errors_give_their_line(text, line, says):
    with pytest.raises(ModelError, match=says) as caught:
        parse_nodes(text)
    assert caught.value.element == f"line {line}"
    assert caught.value.cure


def test_a_long_message_of_the_parser_is_cut(monkeypatch):
    def failing(text, Loader):
        raise yaml.YAMLError("x" * 400)

    monkeypatch.setattr(yaml, "parse", failing)
    with pytest.raises(ModelError) as caught:
        parse_nodes("a")
    assert str(caught.value).startswith(f"not YAML: {'x' * 300}")
    assert "x" * 301 not in str(caught.value)
    assert "indentation" in caught.value.cure


def test_a_file_counts_in_the_budget_of_its_reading(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("a: [1, 2]")
    assert plain(read_nodes(path)) == {"a": [1, 2]}
    budget = ReadBudget()
    read_nodes(path, budget)
    assert (budget.size, budget.spent["values"], budget.spent["files"]) == (9, 5, 1)

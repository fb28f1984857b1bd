"""Every promise of docs/trust.md names tests that exist, and a cost that was seen."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows(title):
    """Cells of the rows of the table below a heading."""
    part = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[2:]]


def functions_of(file):
    return {node.name for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.FunctionDef)}


PROMISES, AUDITED = rows("What is promised, and how it is tested"), rows("What an audit found")
READ, LISTENS = rows("What is read, and what may run code"), rows("What listens")


def test_there_are_promises_and_findings():
    assert len(PROMISES) > 25
    assert len(AUDITED) > 20
    assert {len(row) for row in PROMISES} == {len(row) for row in AUDITED} == {3}
    assert {len(row) for row in READ} == {len(row) for row in LISTENS} == {4}


@pytest.mark.parametrize("row", [*PROMISES, *AUDITED, *READ, *LISTENS], ids=lambda row: row[0].strip()[:60])
def test_a_row_names_tests_that_exist(row):
    named = NAMED.findall("|".join(row))
    assert named, row
    for file, name in named:
        assert name in functions_of(file), f"{file}::{name}"


@pytest.mark.parametrize("row", PROMISES, ids=lambda row: row[0].strip()[:60])
def test_a_promise_has_a_cost_that_was_seen(row):
    assert re.search(r"\d(\.\d+)? (s|ms|MB)\b", row[2]), row

"""The table of the documents: rows are found, computed within their time, compared, and written into a page.

Tests of validate/documents/run.py, validate/documents/row.py, validate/markdown_table.py.
"""

import json
import re
from pathlib import Path

import pytest

from symbody.cli import main
from symbody.errors import ModelError
from symbody_bench.validate.documents import run as documents
from symbody_bench.validate.documents.row import (
    FAILED,
    NOT,
    ORDER,
    SAME,
    Outcome,
    Row,
    at_most,
    holds,
    number,
    ordered,
    same_order_as,
)
from symbody_bench.validate.documents.run import run_documents, selection, subjects, unexplained, write_documents
from symbody_bench.validate.markdown_table import END

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"


def rows():
    return [subjects()[name][k] for name, k in selection()]


def row(compute, why=""):
    return Row("Somebody 2000", "E1", "a figure", "1 J", compute, why)


# -- comparisons -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.04, SAME), (0.96, SAME), (1.1, ORDER), (0.4, ORDER), (3.1, NOT), (-1.0, NOT)]
)
def test_a_figure_is_the_same_within_five_percent_and_of_the_same_order_within_a_factor_of_three(value, verdict):
    assert number(value, 1.0, "J").verdict == verdict


def test_a_figure_that_is_no_number_is_not_the_same():
    assert number(float("nan"), 1.0).verdict == NOT
    assert at_most(float("nan"), 1.0).verdict == NOT


def test_a_bound_is_kept_nearly_or_not():
    assert [at_most(x, 2.0).verdict for x in (2.0, 5.0, 7.0)] == [SAME, ORDER, NOT]


def test_an_order_must_hold_in_every_seed_and_fails_with_exchanged_names():
    worse, better = [3.0, 2.0, 5.0], [1.0, 1.5, 4.0]
    assert ordered({"better": better, "worse": worse}) == Outcome("better 2.17 < worse 3.33", SAME, 3)
    assert ordered({"worse": worse, "better": better}).verdict == NOT
    one = ordered({"better": [1.0, 3.0], "worse": [2.0, 2.0]}, "mm")
    assert one == Outcome("better 2 mm < worse 2 mm; in 1 of 2", NOT, 2)


def test_figures_in_the_printed_order_are_of_the_same_order():
    assert same_order_as({"a": (1.0, 1.01), "b": (2.0, 2.0)}).verdict == SAME
    assert same_order_as({"a": (1.0, 30.0), "b": (2.0, 40.0)}).verdict == ORDER
    assert same_order_as({"a": (3.0, 30.0), "b": (2.0, 40.0)}).verdict == NOT


# -- rows --------------------------------------------------------------------------------------------------------------


def test_a_reason_is_shown_only_where_the_outcome_differs():
    known = row(lambda: Outcome("1 J", SAME), "the law is not printed")
    assert known.record(Outcome("1 J", SAME))["reason"] == ""
    assert known.record(Outcome("9 J", NOT))["reason"] == "the law is not printed"


def test_differences_without_a_reason_and_failures_are_missed():
    found = [
        row(int).record(Outcome("9 J", NOT)), row(int, "why").record(Outcome("9 J", NOT)),
        row(int).record(holds([True], "so")), row(int, "why").failed("TypeError: no"),
    ]  # fmt: skip
    assert unexplained(found) == ["E1, a figure: differs without a reason", "E1, a figure: TypeError: no"]


def test_every_row_has_its_texts_and_no_two_are_alike():
    made = rows()
    assert all(r.document and r.item and r.what and r.says and "|" not in f"{r.what}{r.says}{r.why}" for r in made)
    keys = [(r.document, r.item, r.what) for r in made]
    assert len(keys) == len(set(keys))


def test_rows_are_chosen_by_item_subject_or_words():
    assert {name for name, _ in selection(["piano"])} == {"piano"}
    assert len(selection()) == len(rows())
    with pytest.raises(ModelError, match=r"no row of the documents.*piano"):
        selection(["nonsense"])


def test_items_are_in_the_order_of_their_numbers():
    items = [r.item for r in rows() if r.document == "Constantinescu 2004"]
    assert items == sorted(items, key=lambda item: int(item[1:]))


# -- the command -------------------------------------------------------------------------------------------------------

TROUBLED = """
import os, time
from symbody_bench.validate.documents.row import Outcome, Row

def late():
    time.sleep(60.0)

def ended():
    os._exit(3)

def wrong():
    raise ValueError("no such thing")

def fine():
    print("not a line of the table")
    return Outcome("1 J", "same", 2)

ROWS = [Row("X", str(k), "w", "s", make) for k, make in enumerate((fine, late, wrong, ended, fine))]
"""


def test_a_row_that_is_late_or_fails_or_ends_its_process_leaves_the_others(monkeypatch):
    """A subject of the folder, for this test only: processes read it, too."""
    place = documents.HERE / "troubled_for_a_test.py"
    place.write_text(TROUBLED, encoding="utf-8")
    documents.subjects.cache_clear()
    try:
        found = run_documents(["troubled_for_a_test"], limit=1.0, jobs=2)
    finally:
        place.unlink()
        documents.subjects.cache_clear()
    assert [r["verdict"] for r in found] == [SAME, FAILED, FAILED, FAILED, SAME]
    assert [r["seeds"] for r in found] == [2, 0, 0, 0, 2]
    assert "more than 1 s" in found[1]["reason"]
    assert found[2]["reason"] == "ValueError: no such thing"


def test_the_command_prints_records_and_writes_the_table(tmp_path, capsys):
    page = tmp_path / "page.md"
    assert main(["validate", "--documents", "--only", "centre of percussion", "--json", "--table", str(page)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["item"], found["verdict"]) == ("E1", SAME)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(documents.START)
    assert text.rstrip().endswith(END)
    assert "| Constantinescu 2004 | E1 |" in text


def test_rows_that_were_not_computed_stay_in_the_table(tmp_path):
    """Written in two parts, the page is the same as written at once; a row that is computed again is replaced."""
    keys = selection()
    records = [subjects()[name][k].record(Outcome(f"{n} m", SAME)) for n, (name, k) in enumerate(keys)]
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    write_documents(page, records)
    write_documents(other, records[1::2])
    write_documents(other, records[::2])
    assert other.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    name, k = keys[3]
    write_documents(page, [subjects()[name][k].record(Outcome("other", SAME))])
    lines = page.read_text(encoding="utf-8").splitlines()
    assert sum(" | other | " in line for line in lines) == 1
    assert len(lines) == len(other.read_text(encoding="utf-8").splitlines())


def test_a_page_without_a_place_for_the_table_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    with pytest.raises(ModelError, match="no place for the table"):
        write_documents(page, [])


def test_the_page_of_validation_has_all_rows_and_no_others():
    table = PAGE.read_text(encoding="utf-8").partition(documents.START)[2].partition(END)[0]
    written = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|", table, re.MULTILINE)[1:]
    assert written == [(r.document, r.item, r.what) for r in rows()]

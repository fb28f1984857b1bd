"""The budget of a reading: its amounts for small and large files, and its errors at the limit and not before."""

import pytest

from symbody.errors import ModelError
from symbody.files.read_budget import MODEL, TABLE, Amount, ReadBudget, check_level


@pytest.mark.parametrize(
    ("amounts", "what", "empty", "megabyte", "gigabyte"),
    [
        (MODEL, "bytes", 32_000_000, 132_000_000, 100_032_000_000),
        (MODEL, "elements", 50_000, 300_000, 1_000_000),
        (MODEL, "values", 50_000, 550_000, 2_000_000),
        (MODEL, "steps", 250_000, 5_250_000, 5_000_250_000),
        (MODEL, "files", 200, 1200, 1_000_200),
        (MODEL, "textures", 32_000_000, 32_000_000, 32_000_000),
        (TABLE, "bytes", 16_000_000, 716_000_000, 700_016_000_000),
        (TABLE, "records", 10_000, 135_000, 125_010_000),
        (TABLE, "names", 100_000, 1_100_000, 1_000_100_000),
    ],
)
def test_what_a_file_may_cost(amounts, what, empty, megabyte, gigabyte):
    assert ReadBudget(amounts).left(what) == empty
    assert ReadBudget.of(10**6, amounts).left(what) == megabyte
    assert ReadBudget.of(10**9, amounts).left(what) == gigabyte


def test_the_whole_amount_may_be_spent_and_no_more():
    budget = ReadBudget()
    for _ in range(200):
        budget.spend("files")
    assert budget.left("files") == 0
    with pytest.raises(ModelError, match="more files than its size allows, 200") as caught:
        budget.spend("files")
    assert "split the file" in caught.value.cure


def test_an_error_of_memory_gives_megabytes():
    budget = ReadBudget({"bytes": Amount(32_999_999)})
    budget.spend("bytes", 32_999_999)
    with pytest.raises(ModelError, match="unpacks to more than 32 MB") as caught:
        budget.spend("bytes")
    assert "uncompressed" in caught.value.cure


def test_each_file_adds_its_bytes_once():
    budget = ReadBudget()
    assert budget.size == 0
    for name in "aab":
        budget.opened(name, 1000)
    assert budget.size == 2000


def test_levels_are_counted_to_a_hundred():
    check_level(100)
    with pytest.raises(ModelError, match="nested more than 100 deep"):
        check_level(101)

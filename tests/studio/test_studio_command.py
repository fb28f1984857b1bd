"""`symbody studio` as a person meets it."""

import json

import pytest

from symbody.cli import main
from symbody.gallery import MODELS


def test_without_a_model_it_lists_them(capsys):
    assert main(["studio", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["models"]
    assert [row["model"] for row in told] == list(MODELS)
    assert all(row["about"] for row in told)


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["no-such-model"], "pendulum"),
        (["pendulum", "--port", "70000"], "65535"),
        (["pendulum", "--set", "nothing=1"], "no such parameter or input"),
        (["--run", "missing.parquet"], "missing.parquet"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(capsys, arguments, cure):
    assert main(["studio", "--no-open", *arguments]) == 2
    said = capsys.readouterr().err
    assert cure in said
    assert said.count("\n") == 1


def test_a_weak_token_is_refused_before_anything_is_served(capsys):
    assert main(["studio", "pendulum", "--host", "0.0.0.0", "--token", "1234", "--no-open"]) == 2
    assert "letters and digits" in capsys.readouterr().err

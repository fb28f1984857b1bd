"""Notebooks of docs/notebooks keep no outputs, and become pages. The site runs them all: tests/test_docs.py."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from notebook_pages import NOTEBOOKS, Cell, lacking, page, run_notebook  # noqa: E402

every_notebook = pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)


def test_they_are_there():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} >= {
        "pendulum_to_lqr", "four_bar_to_fmu", "crane_twin", "delta_robot", "robot_beside_pinocchio", "cart_pole_lqr",
        "identify_an_arm", "crane_with_a_filter", "trajectory_optimisation", "policy_by_gradients",
        "wheel_loader_hydraulics", "piano_key", "platform_workspace",
    }  # fmt: skip


def test_a_package_that_is_not_installed_is_named(tmp_path):
    path = tmp_path / "other.ipynb"
    path.write_text(json.dumps({"cells": [], "metadata": {"symbody": {"needs": ["json", "no_such_package"]}}}))
    assert lacking(path) == ["no_such_package"]


@every_notebook
def test_keeps_no_outputs(notebook):
    for cell in json.loads(notebook.read_text())["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_an_error_names_the_cell(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "bad.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# a"]},
                                          {"cell_type": "code", "source": ["1 / 0"]}]}))  # fmt: skip
    with pytest.raises(RuntimeError, match=r"bad\.ipynb, cell 2: division by zero"):
        run_notebook(path, tmp_path)


def test_a_page_shows_what_was_printed_and_drawn(tmp_path):
    text = page([Cell("markdown", "# A"), Cell("code", "print(1)", "1\n", [b"png"])], "a", tmp_path)
    assert text == "# A\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n![what cell 2 draws](a-2-1.png)\n"
    assert (tmp_path / "a-2-1.png").read_bytes() == b"png"

"""Examples are run as a reader would run them."""

import ast
import runpy
from pathlib import Path

import pytest

SLOW = (
    "lane_change",
    "attenuator",
    "export_fmu",
    "modal_car",
    "identify_arm",
    "friction_models",
    "optimise_suspension",
    "cueing",
    "ride_loop",
)
EXAMPLES = [
    pytest.param(path, marks=pytest.mark.slow if path.stem in SLOW else (), id=path.stem)
    for path in sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_example(path, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", [param.values[0] for param in EXAMPLES], ids=lambda path: path.stem)
def test_an_example_asserts_a_number(path):
    """Not only that it prints: something that is known without it."""
    checks = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Assert)]
    assert any(isinstance(part, ast.Compare) for check in checks for part in ast.walk(check.test))


def test_the_list_of_examples_has_each_with_its_first_line():
    listed = (Path(__file__).parents[1] / "examples" / "README.md").read_text(encoding="utf-8")
    for path in (param.values[0] for param in EXAMPLES):
        line = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert f"| [`{path.name}`]({path.name}) | {line} |" in listed, path.name

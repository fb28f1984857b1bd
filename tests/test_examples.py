"""Examples are run as a reader would run them."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_readme_python_blocks_run():
    text = (Path(__file__).parents[1] / "README.md").read_text()
    names: dict = {}
    for block in text.split("```python\n")[1:]:
        exec(block.split("```")[0], names)
    assert names["batch"].shape == (1000, 2)
    assert names["M"].shape == (2, 2)
    assert names["torque"].shape == (1,)

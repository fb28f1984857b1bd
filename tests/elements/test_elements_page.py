"""The Python of docs/elements.md, block after block."""

from pathlib import Path

import numpy as np


def test_the_page_of_elements_runs():
    text = (Path(__file__).parents[2] / "docs" / "elements.md").read_text()
    first, *others = (block.split("```")[0] for block in text.split("```python\n")[1:])
    names: dict = {}
    exec(first, names)
    run = names["run"]
    assert abs(run["block.qd"][-1]) < 1e-3  # strut and seal have brought it to rest
    assert abs(run["strut.tension"][-1]) < 40.0  # within the break-away force of the seal
    assert np.all(run["seal.dissipated"] >= 0.0)
    for block in others:
        exec(block, names)

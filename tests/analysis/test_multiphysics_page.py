"""The Python of docs/multiphysics.md, block after block: strong and weak coupling of the same machine."""

from pathlib import Path

import numpy as np


def test_the_page_of_multiphysics_runs():
    text = (Path(__file__).parents[2] / "docs" / "multiphysics.md").read_text()
    names: dict = {}
    for block in text.split("```python\n")[1:]:
        exec(block.split("```")[0], names)
    strong, weak = names["run"], names["weak"]
    assert 1.3 < strong.meta["iterations_mean"] < 1.6
    apart = np.abs(weak["crank.q"] - strong["crank.q"][: len(weak)]).max()
    assert 1e-5 < apart < 1e-3  # they are not the same computation, and come to nearly the same

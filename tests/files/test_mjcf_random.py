"""Random MJCF files (mjcf_random.py) read by us and by MuJoCo: fields of the compiled model, and accelerations."""

import warnings

import pytest
from mjcf_random import random_mjcf

import symbody as sb


def compared(path, seed):
    """ "equal", or why a file was not compared; any difference without a warning fails."""
    from symbody_bench.validate.corpus_mujoco import NotCompared, mujoco_error, mujoco_fields

    path.write_text(random_mjcf(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = sb.load(path)
            silent = [str(one) for one in mujoco_fields(path) if not one.said]
        except (NotCompared, sb.ModelError) as error:
            return str(error)
        assert silent == [], f"seed {seed}"
        assert mujoco_error(model, path) < 1e-7, f"seed {seed}"
    return "equal"


def test_random_files_have_the_numbers_of_mujoco(tmp_path):
    pytest.importorskip("mujoco")
    assert [compared(tmp_path / "model.xml", seed) for seed in range(6)].count("equal") >= 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6, 51, 15))
def test_more_random_files_have_the_numbers_of_mujoco(first, tmp_path):
    """Files that MuJoCo rejects (a damper with a negative range, …) are a quarter of them."""
    pytest.importorskip("mujoco")
    found = [compared(tmp_path / "model.xml", seed) for seed in range(first, first + 15)]
    assert found.count("equal") >= 8
    assert all("MuJoCo" in why or "cannot read" in why or why == "equal" for why in found)

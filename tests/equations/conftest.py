"""The published model files, where they lie beside the checkout."""

from pathlib import Path

import pytest

from symbody.files import load

ROBOTRAN = Path(__file__).resolve().parents[3] / "shared" / "robotran"


@pytest.fixture(params=["suspension", "coman", "coman_skywalker"])
def public_model(request):
    """Three published model files, read where they lie; absent in most checkouts."""
    path = ROBOTRAN / f"{request.param}.mbs"
    if not path.exists():
        pytest.skip("the published model files are not beside this checkout")
    return load(path)

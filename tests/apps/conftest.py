"""One cache for all tests of a worker: they compile the same few machines."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    before = os.environ.get("SYMBODY_CACHE")
    os.environ["SYMBODY_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    os.environ.pop("SYMBODY_CACHE")
    if before is not None:
        os.environ["SYMBODY_CACHE"] = before

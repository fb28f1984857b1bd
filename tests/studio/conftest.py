"""One browser for the tests of a file, and a page of its studio for each of them."""

import pytest
from studio_pages import opened

from symbody.studio.photograph import browser


@pytest.fixture(scope="module")
def chrome():
    with browser() as started:
        yield started


@pytest.fixture
def page(chrome, studio):
    """The page of the file's own `studio`, which runs; there are no errors in it."""
    studio.source.loop.resume()
    made = opened(chrome, studio)
    yield made
    made.close()
    assert made.errors == []

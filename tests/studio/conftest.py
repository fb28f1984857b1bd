"""One browser for the tests of a file, and a page of its studio: one each, or one for all that leave it as it was."""

import pytest
from studio_pages import opened

from symbody.studio.photograph import browser


@pytest.fixture(scope="module")
def chrome():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def kept_open(chrome, studio):
    """For tests that use it, `page` is this one: to open it takes longer than most of them."""
    made = opened(chrome, studio)
    yield made
    made.close()


@pytest.fixture
def page(request, chrome, studio):
    """A page of the file's own `studio`, which runs; there are no errors in it."""
    studio.source.loop.resume()
    kept = "kept_open" in request.fixturenames
    made = request.getfixturevalue("kept_open") if kept else opened(chrome, studio)
    made.wait_for_function("studio.status.state !== 'paused'")
    yield made
    if not kept:
        made.close()
    assert made.errors == []

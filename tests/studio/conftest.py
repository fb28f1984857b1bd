"""One browser for all tests that need one; pages of a file's studio: one each, or one for all that leave it as it was.

A browser takes a second and a half of the processor to start, a page two seconds to open, and half a second each second
that it is open. Therefore tests with a browser come after the others of this folder, and in each file those of the page
that is kept open come last.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest
from studio_pages import opened

from symbody.studio.photograph import browser

HERE = Path(__file__).parent


def needs_browser(item):
    return item.path.parent == HERE and "chrome" in getattr(item, "fixturenames", ())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    places = [k for k, item in enumerate(items) if item.path.parent == HERE]
    order = sorted(
        (items[k] for k in places),
        key=lambda item: (needs_browser(item), item.path, "kept_open" in getattr(item, "fixturenames", ())),
    )
    for k, item in zip(places, order, strict=True):
        items[k] = item


class OneBrowser:
    """Started when it is first asked for; closed before a test that needs none, since it runs an event loop here."""

    def __init__(self):
        self._stack, self._started = ExitStack(), None

    def started(self):
        if self._started is None or not self._started.is_connected():
            self.close()
            self._started = self._stack.enter_context(browser())
        return self._started

    def close(self):
        self._started = None
        self._stack.close()


ONE = OneBrowser()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    try:
        return (yield)
    finally:
        if nextitem is None or not (needs_browser(nextitem) or nextitem.path == item.path):
            ONE.close()


@pytest.fixture(scope="module")
def chrome():
    started = ONE.started()
    yield started
    for context in started.contexts:  # that a test which failed has left
        context.close()


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

"""One browser for all tests that need one; pages of a file's studio: one each, or one for all that leave it as it was.

A browser takes a second and a half of the processor to start, a page more than two seconds to open, one second less if
it is the page of an earlier test (spare_page.py), and half a second each second that it is open. Therefore tests with a
browser come after the others of this folder, and in each file those of the page that is kept open come last.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest
from studio_pages import opened

from spare_page import SPARE
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
        self._stack, self._started, self._file = ExitStack(), None, None

    def started(self):
        if self._started is None or not self._started.is_connected():
            self.close()
            self._started = self._stack.enter_context(browser())
        return self._started

    def close(self):
        self._started = None
        self._stack.close()

    def contexts(self):
        return list(self._started.contexts) if self._started is not None and self._started.is_connected() else []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        """Not after the test before: if that one failed, it may be run again, and it needs the same browser."""
        if needs_browser(item):
            self._file = item.path
        elif item.path != self._file:  # its file's `chrome` lasts until the end of the file
            self.close()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        self.close()


ONE = OneBrowser()


def pytest_configure(config):
    config.pluginmanager.register(ONE)  # for the tests of other folders, too


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test that fails leaves no pages open, and the kept page is replaced: it is in the state of the failure.

    In CI it is run once more, and would find the kept page, for example, looking back: its time stands still.
    """
    before = [context for context in ONE.contexts() if context is not SPARE.context()]
    try:
        return (yield)
    except BaseException:
        SPARE.forget_lent()
        for context in ONE.contexts():
            if context not in before:
                context.close()
        if "kept_open" in item.funcargs:
            item.funcargs["kept_open"].close()
        raise


@pytest.fixture(scope="module")
def chrome():
    return ONE.started()


class KeptPage:
    """The page of a studio for all tests that leave it as it was; a new one after a test that failed."""

    def __init__(self, chrome, studio):
        self._chrome, self._studio, self._page = chrome, studio, None

    def page(self):
        if self._page is None or self._page.is_closed():
            self._page = opened(self._chrome, self._studio)
        return self._page

    def close(self):
        if self._page is not None and not self._page.is_closed():
            self._page.close()


@pytest.fixture(scope="module")
def kept_open(chrome, studio):
    """For tests that use it, `page` is the same one: to open it takes longer than most of them."""
    kept = KeptPage(chrome, studio)
    yield kept
    kept.close()


@pytest.fixture
def page(request, chrome, studio):
    """A page of the file's own `studio`, which runs; there are no errors in it."""
    studio.source.loop.resume()
    kept = "kept_open" in request.fixturenames
    made = request.getfixturevalue("kept_open").page() if kept else opened(chrome, studio)
    try:
        made.wait_for_function("studio.status.state !== 'paused'")
    except BaseException:
        made.close()
        raise
    yield made
    if not kept:
        made.close()
    assert made.errors == []

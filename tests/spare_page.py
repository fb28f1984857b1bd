"""Pages of a browser for tests: the next test takes the page that the one before has left."""

from waiting import PATIENCE

SELDOM = "window.mostPictures = 5;"  # without a graphics card, drawing more takes most of the processor from the tests


class SparePage:
    """A page that one test leaves and the next one takes: its process has compiled the scripts, a new one has not.

    Nothing of a test stays: neither storage nor cookies, emulation or routes.
    """

    def __init__(self):
        self._page, self._options, self._lent = None, {}, []

    def take(self, chrome, viewport, color_scheme, **options):
        """The spare page of this browser, or a new one that becomes the spare page when it is closed."""
        page, self._page = self._page, None
        if page is not None and (page.is_closed() or page.context.browser is not chrome):
            page = None  # its browser has ended
        if page is not None and options != self._options:
            page.really_close()
            page = None
        if page is None:
            page = new_page(chrome, viewport, **options)
            page.really_close, page.close = page.close, lambda: self._give(page, options)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme, reduced_motion="no-preference")
        page.set_default_timeout(1000 * PATIENCE)
        page.errors.clear()
        self._lent.append(page)
        return page

    def _give(self, page, options):
        if page not in self._lent or self._page is not None:  # a test that failed had it, or there is one already
            page.really_close()
            return
        self._lent.remove(page)
        page.evaluate("localStorage.clear(); sessionStorage.clear();")
        page.goto("about:blank")
        page.mouse.up()
        page.mouse.move(0, 0)
        page.unroute_all()
        page.context.clear_cookies()
        self._page, self._options = page, options

    def context(self):
        """The context of the page that waits for a test."""
        return None if self._page is None else self._page.context

    def forget_lent(self):
        """Pages of a test that failed are closed for good, and none becomes the spare page."""
        self._lent.clear()


SPARE = SparePage()


def new_page(chrome, viewport, script="", **options):
    """An empty page that draws few pictures, waits long, and keeps the errors of what it will show."""
    page = chrome.new_page(viewport=viewport, **options)
    page.add_init_script(SELDOM + script)
    page.set_default_timeout(1000 * PATIENCE)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    return page


def blank(chrome, viewport, own=False, bypass_csp=False, color_scheme="light", **options):
    """An empty page, with a script that runs before all others.

    own: no other test uses the page, since this one adds listeners, or leaves keys down.
    """
    if own or not bypass_csp:  # without bypass_csp the page is not cleared: its policy forbids to evaluate
        return new_page(chrome, viewport, bypass_csp=bypass_csp, color_scheme=color_scheme, **options)
    return SPARE.take(chrome, viewport, color_scheme, bypass_csp=True, **options)

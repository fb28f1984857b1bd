"""Pages of a studio in a browser, and where things are seen in them."""

import spare_page

SMALL = {"width": 900, "height": 500}  # what is drawn without a graphics card is drawn slowly


def blank(chrome, viewport=SMALL, **more):
    """An empty page, small unless the test needs more of it."""
    return spare_page.blank(chrome, viewport, **more)


def opened(chrome, studio, **more):
    """The page of a studio, once it draws."""
    page = blank(chrome, bypass_csp=True, **more)  # the driver evaluates text, which the page itself may not
    page.goto(studio.address)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    page.keyboard.press("Escape")  # the card of the start
    return page


def open_tools(page):
    """The menu with the tools of the view, on a narrow page."""
    if page.locator("#tools").is_visible() and not page.locator("#tools").evaluate("menu => menu.open"):
        page.click("#tools > summary")


def press_tool(page, selector):
    """Press a tool of the view, which is in the menu of a narrow page."""
    open_tools(page)
    page.click(selector)
    page.locator("#tools").evaluate("menu => { menu.open = false; }")


def pixels(page, frame, place):
    """Where a place (m) of a frame is seen, in pixels of the page."""
    return page.evaluate(
        """([frame, place]) => {
          const [x, y] = studio.seen.onCanvas(studio.seen.onFrame(frame, place));
          const box = document.getElementById("view").getBoundingClientRect(), words = document.getElementById("words");
          return [box.left + x * box.width / words.width, box.top + y * box.height / words.height];
        }""",
        [frame, list(place)],
    )

"""Screenshots of the page by a headless browser, for documents and tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.output_file import replacing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The popups of the address line are pages of their own, which every window loads although nobody sees it: half of the
# processor time of a page. The option replaces the list of Playwright, so that list is here, too.
POPUPS = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")
UNUSED = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch", "Translate",
)  # fmt: skip
SOFTWARE = (
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    f"--disable-features={','.join((*POPUPS, *UNUSED))}",
)  # WebGL without a graphics card
SETTLED = 0.3  # s after which plots and texts are drawn, too
SIZE = {"width": 1400, "height": 860}
BEST = "window.wantsBest = true;"  # what stands still is drawn as with a graphics card, which takes ten seconds or more


def chromium() -> str | None:
    """Path of a Chromium on this machine; None: not found."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium without a graphics card, driven by Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ModelError("a screenshot of the page needs playwright", cure="pip install symbody[dev]") from error
    path = chromium()
    if path is None:
        raise ModelError("a screenshot of the page needs Chromium", cure="install it: apt install chromium")
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=path, args=list(SOFTWARE))
        try:
            yield opened
        finally:
            opened.close()


def photograph(address: str, path: Path, after: float) -> None:
    """Open the page, let the machine move for some seconds, and save a screenshot (.png)."""
    with browser() as opened:
        page = opened.new_page(viewport=SIZE, bypass_csp=True)  # the driver evaluates code, which the policy forbids
        page.add_init_script(BEST)
        page.goto(address)
        page.wait_for_function("studio.drawn > 0")
        page.keyboard.press("Escape")  # hides the start card
        page.evaluate("studio.send({do: 'play'})")  # for a machine that waits for a touch
        page.wait_for_timeout(1000.0 * after)
        page.evaluate("studio.send({do: 'pause'})")
        page.wait_for_function("studio.status.state !== 'running' && studio.care === 'best'")  # one time
        page.wait_for_timeout(1000.0 * SETTLED)
        with replacing(path) as partial:
            page.screenshot(path=str(partial), type="png")

"""The pictures of the studio in docs/images, taken anew: `make screenshots`, or `python docs/screenshots.py NAME …`."""

import io
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from symbody import machines
from symbody.studio import Live, Studio
from symbody.studio.photograph import browser

IMAGES = Path(__file__).parent / "images"
LARGEST = 60_000  # bytes of a picture
COLOURS, SHARES = (128, 64, 32), (1.0, 0.85, 0.7, 0.6)  # as many colours and pixels as fit
DESKTOP, PHONE, ASIDE = (1200, 720), (390, 844), (844, 390)


@dataclass
class Picture:
    """A machine, the size of the page, and what is done before the picture is taken: JavaScript."""

    machine: str
    size: tuple[int, int] = DESKTOP
    scheme: str = "light"
    after: float = 2.0  # s
    start: bool = False  # with the card of the start
    script: list[str] = field(default_factory=list)


PICTURES = {
    "studio": Picture(
        "stewart", script=["studio.send({do: 'settings', values: {target_rod1: 1.45, target_rod2: 1.45}})"]
    ),
    "studio-start": Picture("car", start=True),
    "studio-dark": Picture(
        "piano",
        scheme="dark",
        script=["studio.send({do: 'pilot', name: document.getElementById('pilot').options[1].value})"],
    ),
    "studio-phone": Picture("arm6", PHONE, script=["document.getElementById('show-dials').click()"]),
    "studio-phone-wide": Picture("car", ASIDE, script=["studio.send({do: 'pilot', name: 'scripted driver'})"]),
}


def main(names: list[str]) -> None:
    """Take the pictures of these names, or all."""
    with browser() as chrome:
        for name in names or PICTURES:
            path = IMAGES / f"{name}.png"
            path.write_bytes(small(taken(chrome, PICTURES[name])))
            print(path.name, path.stat().st_size)


def taken(chrome, wanted: Picture) -> bytes:
    """The page of a machine as PNG."""
    with ExitStack() as opened:
        studio = opened.enter_context(Studio(Live(machines.entry(wanted.machine).page())))
        wide, high = wanted.size
        size = {"width": wide, "height": high}
        page = chrome.new_page(viewport=size, color_scheme=wanted.scheme, bypass_csp=True, reduced_motion="reduce")
        opened.callback(page.close)
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        if not wanted.start:
            page.keyboard.press("Escape")
            page.evaluate("studio.send({do: 'play'})")
        for script in wanted.script:
            page.evaluate(script)
        page.wait_for_timeout(1000.0 * wanted.after)
        page.evaluate("studio.send({do: 'pause'})")
        page.wait_for_function("studio.status.state !== 'running' && studio.care === 'best'")
        page.wait_for_timeout(500.0)
        return page.screenshot()


def small(png: bytes) -> bytes:
    """The same picture in as many colours and pixels as the size allows."""
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    for share in SHARES:
        picture = whole.resize((round(share * whole.width), round(share * whole.height)), Image.Resampling.LANCZOS)
        for colours in COLOURS:
            found = io.BytesIO()
            picture.quantize(colours, dither=Image.Dither.NONE).save(found, "PNG", optimize=True)
            if found.tell() <= LARGEST:
                return found.getvalue()
    raise SystemExit(f"a picture of {found.tell()} bytes: make it smaller")


if __name__ == "__main__":
    main(sys.argv[1:])

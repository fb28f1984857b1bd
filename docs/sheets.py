"""The pages of all machines on sheets: `python docs/sheets.py`, in light colours, in dark ones, and on a phone.

Each machine is moved by its first pilot, if it has one. The sheets go to docs/images. `python docs/sheets.py car ride`
takes these pages again, and keeps the pictures of all others.
"""

import io
import sys
from collections.abc import Iterator

from PIL import Image, ImageDraw
from screenshots import DESKTOP, IMAGES, PHONE, PILOT

from symbody import machines
from symbody.studio import Live, Studio
from symbody.studio.photograph import browser

SHEETS = {"light": (300, 5), "dark": (300, 5), "phone": (130, 11)}  # width of a picture, and pictures in a row
SIZES = {"desktop": (DESKTOP, {}), "phone": (PHONE, {"has_touch": True, "is_mobile": True})}
MOVED, CHANGED = 2.5, 0.7  # s until a picture is taken, and after a change of colours
GAP, TITLE = 8, 16  # pixels between pictures, and of a name above one
QUALITY = 62  # of WebP


def main(names: list[str]) -> None:
    """Take the pages of these machines, or of all, and write the sheets."""
    entries = [one for one in machines.entries() if not names or one.name in names]
    order = [one.name for one in machines.entries()]
    sheets = {kind: kept(kind, order) if names else {} for kind in SHEETS}
    with browser() as chrome:
        for one in entries:
            with Studio(Live(one.page())) as studio:
                for kind, picture in pages(chrome, studio.address):
                    sheets[kind][one.name] = picture
            print(one.name, flush=True)
    for kind, pictures in sheets.items():
        path = IMAGES / f"pages-{kind}.webp"
        sheet([(name, pictures[name]) for name in order], *SHEETS[kind]).save(path, "WEBP", quality=QUALITY, method=6)
        print(path, path.stat().st_size)


def pages(chrome, address: str) -> Iterator[tuple[str, Image.Image]]:
    """The page of a running machine in each kind."""
    for device, (size, how) in SIZES.items():
        page = chrome.new_page(viewport=dict(zip(("width", "height"), size, strict=True)), bypass_csp=True, **how)
        page.set_default_timeout(120_000)
        page.goto(address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        page.keyboard.press("Escape")
        page.evaluate("studio.send({do: 'play'})")
        page.evaluate(PILOT)
        page.wait_for_timeout(1e3 * MOVED)
        yield "phone" if device == "phone" else "light", taken(page)
        if device != "phone":
            page.emulate_media(color_scheme="dark")
            page.wait_for_timeout(1e3 * CHANGED)
            yield "dark", taken(page)
        page.close()


def taken(page) -> Image.Image:
    """The page as it is."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def kept(kind: str, order: list[str]) -> dict[str, Image.Image]:
    """The pictures of the present sheet, which has the same machines in the same order."""
    wide, columns = SHEETS[kind]
    whole = Image.open(IMAGES / f"pages-{kind}.webp").convert("RGB")
    high = (whole.height - GAP) // -(-len(order) // columns) - TITLE - GAP
    corners = [
        (GAP + k % columns * (wide + GAP), GAP + k // columns * (high + TITLE + GAP) + TITLE) for k in range(len(order))
    ]
    return {name: whole.crop((x, y, x + wide, y + high)) for name, (x, y) in zip(order, corners, strict=True)}


def sheet(pictures: list[tuple[str, Image.Image]], wide: int, columns: int) -> Image.Image:
    """Pictures of one width in rows, each below its name."""
    high = round(wide * pictures[0][1].height / pictures[0][1].width)
    rows = -(-len(pictures) // columns)
    made = Image.new("RGB", (columns * (wide + GAP) + GAP, rows * (high + TITLE + GAP) + GAP), "white")
    pen = ImageDraw.Draw(made)
    for k, (name, picture) in enumerate(pictures):
        x, y = GAP + k % columns * (wide + GAP), GAP + k // columns * (high + TITLE + GAP)
        pen.text((x, y), name, fill="black")
        made.paste(picture.resize((wide, high), Image.Resampling.LANCZOS), (x, y + TITLE))
    return made


if __name__ == "__main__":
    main(sys.argv[1:])

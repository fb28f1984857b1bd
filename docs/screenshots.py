"""Screenshots of the studio and pictures of machines: `python docs/screenshots.py [NAME …]`; see also docs/pictures.py.

Screenshots for the docs go to docs/images, pictures of machines to their own folders.
"""

import io
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

import symbody as sb
from symbody import machines
from symbody.editor.application import EditorApplication
from symbody.editor.document import ModelDocument, model_document
from symbody.studio import Live, Studio
from symbody.studio.photograph import BEST, browser
from symbody.visual.plots import save_picture
from symbody.web.server import WebServer

IMAGES = Path(__file__).parent / "images"
LARGEST = 120_000  # bytes of a picture
COLOURS, SHARES = (256, 128, 64), (1.0, 0.85, 0.7, 0.6)  # as many colours and pixels as fit
DESKTOP, PHONE, ASIDE = (1200, 720), (390, 844), (844, 390)
PILOT = (  # the first pilot, if there is one, from the start
    "const pilot = document.getElementById('pilot').options[1]?.value;"
    " if (pilot) studio.send({do: 'pilot', name: pilot}); studio.send({do: 'reset'})"
)
OUTSIDE = "const list = document.querySelector('#switches select'); list.value = 'Outside'; list.onchange()"
TILT = "studio.send({do: 'settings', values: {target_rod1: 1.45, target_rod2: 1.45}})"


@dataclass
class Picture:
    """A machine, the size of the page, and the JavaScript that runs before the picture is taken."""

    machine: str
    size: tuple[int, int] = DESKTOP
    scheme: str = "light"
    after: float = 2.0  # s of the machine
    start: bool = False  # with the start card
    script: list[str] = field(default_factory=list)


PICTURES = {
    "studio": Picture("stewart", script=[TILT]),
    "studio-start": Picture("car", start=True),
    "studio-car": Picture("car", after=6.9, script=[PILOT, OUTSIDE]),
    "studio-dark": Picture("piano", scheme="dark", script=[PILOT]),
    "studio-phone": Picture("arm6", PHONE, script=["document.getElementById('show-dials').click()"]),
    "studio-phone-wide": Picture("car", ASIDE, script=[PILOT]),
}
EDITORS = {  # pictures of the editor: a model, the size of the page, the scheme and the element that is selected
    "editor": ("four-bar", (1360, 820), "light", "bodies.coupler"),
    "editor-dark": ("four-bar", (1360, 820), "dark", "cuts.loop"),
    "editor-phone": ("slider-crank", PHONE, "light", ""),
}
TOUCHED = {  # machines with controls, and the time (s) that their pilot has moved them
    "car": 6.2,
    "car-observer": 6.0,
    "estimator": 6.0,
    "excavator": 12.0,
    "haptic-bench": 3.2,
    "kart-bench": 6.0,
    "linkage": 5.0,
    "pendulum-clock": 3.0,
    "piano": 6.0,
    "platform": 6.0,
    "ride": 14.0,  # the platform homes for 6 s
    "tractor": 8.0,
}
TEXTBOOK = {  # models, and the time (s) of the picture
    "andrews": 0.03,
    "arm6": 1.5,
    "bicycle": 0.35,
    "bricard": 3.0,
    "cart-pole": 1.5,
    "double-pendulum": 3.0,
    "double-wishbone": 1.5,
    "flyball": 3.0,
    "four-bar": 1.5,
    "n-four-bar": 3.0,
    "n-pendulum": 1.5,
    "pendulum": 3.0,
    "quarter-car": 1.5,
    "slider-crank": 1.5,
    "stewart": 0.7,
}
MOVED = {"stewart": {"f1": 800.0, "f2": 760.0}, "double-wishbone": {"road": 0.05}}  # inputs that move a model
VARIED = {"bicycle": {"speed": 4.6, "lean_rate": 0.5}}  # arguments of a model


def main(names: list[str]) -> None:
    """Take the pictures of these names, or all."""
    known = [*PICTURES, *EDITORS, *TOUCHED, *TEXTBOOK]
    if unknown := set(names) - set(known):
        raise SystemExit(f"no picture {', '.join(sorted(unknown))}: there are {', '.join(known)}")
    asked = names or known
    with nullcontext() if set(asked) <= set(TEXTBOOK) else browser() as chrome:
        for name in asked:
            path = picture_path(name)
            if name in EDITORS:
                path.write_bytes(small(edited_page(chrome, *EDITORS[name])))
            else:
                wanted = PICTURES.get(name) or Picture(name, after=TOUCHED.get(name, 0.0), script=[PILOT])
                path.write_bytes(small(drawn(name) if name in TEXTBOOK else taken(chrome, wanted)))
            print(path, path.stat().st_size)


def picture_path(name: str) -> Path:
    """The file of a picture."""
    return IMAGES / f"{name}.png" if name in {*PICTURES, *EDITORS} else machines.entry(name).picture


def drawn(name: str) -> bytes:
    """A model in motion as PNG."""
    steps = {**machines.steps(name), "until": TEXTBOOK[name]}
    s = sb.system(machines.model(name, **VARIED.get(name, {})), closure=steps.pop("closure"))
    run = sb.simulate(s, **steps, inputs=MOVED.get(name))
    with tempfile.TemporaryDirectory() as folder:
        return save_picture(run, Path(folder) / "picture.png").read_bytes()


def edited_page(chrome, machine: str, size: tuple[int, int], scheme: str, selected: str) -> bytes:
    """The page of the editor as PNG, after a simulation of the model; on a phone without it."""
    document: ModelDocument = model_document(machines.open(machine))
    with WebServer({"/": EditorApplication(document)}) as server:
        viewport = {"width": size[0], "height": size[1]}
        page = chrome.new_page(viewport=viewport, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
        page.goto(server.address)
        page.wait_for_function("window.shownVersion !== undefined", timeout=120_000)
        page.wait_for_function("document.getElementById('figures').textContent.includes('System')", timeout=120_000)
        if selected:
            page.locator(f'[data-id="{selected}"] rect').first.click()
            page.click('[data-run="simulate"]')
            page.wait_for_function("document.querySelector('#result canvas')", timeout=120_000)
        page.wait_for_timeout(3000.0)
        made = page.screenshot()
        page.close()
        return made


def taken(chrome, wanted: Picture) -> bytes:
    """The page of a machine as PNG."""
    with ExitStack() as opened:
        studio = opened.enter_context(Studio(Live(machines.entry(wanted.machine).page())))
        wide, high = wanted.size
        size = {"width": wide, "height": high}
        page = chrome.new_page(viewport=size, color_scheme=wanted.scheme, bypass_csp=True, reduced_motion="reduce")
        opened.callback(page.close)
        page.add_init_script(BEST)
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        if not wanted.start:
            page.keyboard.press("Escape")
            page.evaluate("studio.send({do: 'play'})")
        for script in wanted.script:
            page.evaluate(script)
        begun = page.evaluate("studio.t")
        if not wanted.start:
            page.wait_for_function(f"studio.t > {begun + wanted.after}", timeout=120_000)
        page.evaluate("studio.send({do: 'pause'})")
        page.wait_for_function("studio.status.state !== 'running' && studio.care === 'best'")
        page.wait_for_timeout(500.0)
        page.evaluate("document.getElementById('state').textContent = studio.status.state")  # without pictures a second
        return page.screenshot()


def small(png: bytes) -> bytes:
    """The same picture in as many colours and pixels as the size allows."""
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    for share in SHARES:
        picture = whole.resize((round(share * whole.width), round(share * whole.height)), Image.Resampling.LANCZOS)
        for colours in COLOURS:
            found = io.BytesIO()
            few = picture.quantize(colours, kmeans=4, dither=Image.Dither.NONE)  # rare colours stay what they are
            few.save(found, "PNG", optimize=True)
            if found.tell() <= LARGEST:
                return found.getvalue()
    raise SystemExit(f"a picture of {found.tell()} bytes: make it smaller")


if __name__ == "__main__":
    main(sys.argv[1:])

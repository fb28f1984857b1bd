"""Short films of the machines for the cards of the gallery: `python docs/loops.py [NAME …]`, beside their pictures.

A machine is moved by its first pilot, by its own laws, or by the slider of its first dial. The view alone is filmed.
"""

import base64
import io
import math
import sys

from PIL import Image

from symbody import machines
from symbody.studio import Live, Studio
from symbody.studio.photograph import browser

SIZE = {"width": 360, "height": 225}
FRAMES, BETWEEN = 20, 1.0 / 12.0  # pictures, and s of the machine between two of them
SPEED = 0.25  # of the machine while it is filmed: a picture takes time without a graphics card
LARGEST = 110_000  # bytes
QUALITIES = (70, 55, 40, 30)  # of WebP, the first that is small enough
BEFORE = {"car": 4.6, "piano": 0.3, "ride": 9.0}  # s until the film begins; the ride homes first
QUICK = {"andrews": 1 / 600.0, "attenuator": 1 / 240.0, "crash": 1 / 240.0, "piano": 1 / 40.0}  # s between two pictures
SLID = {"double-wishbone": "road", "quarter-car": "road", "tilting-vehicle": "steer", "slider-crank": "torque"}  # dials
OUTSIDE = """() => {
  const names = { "View from": "Outside", "Second view": "" };
  for (const list of document.querySelectorAll("#switches select")) {
    list.value = names[list.ariaLabel];
    list.onchange();
  }
}"""
DRAWN = """async () => { // after the newest poses are in place; in one task, because WebGL clears its buffer afterwards
  for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
  const view = document.getElementById("view"), sheet = document.createElement("canvas"), pen = sheet.getContext("2d");
  studio.seen.refine("best");
  studio.seen.draw();
  [sheet.width, sheet.height] = [view.width, view.height];
  pen.fillStyle = "#f4f6f8";
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(view, 0, 0);
  return sheet.toDataURL("image/png").split(",")[1];
}"""
BARE = """header, footer, aside, .edge, #start, #controls, #sheet, #hud, #help, #scale, #legend, #second, .card {
  display: none !important; } .pane { display: block !important; } #middle, #driven, #stage { height: 100vh; }"""


def main(names: list[str]) -> None:
    """Film the machines of these names, or all."""
    with browser() as chrome:
        for one in [machines.entry(name) for name in names] or machines.entries():
            assert one.picture is not None
            path = one.picture.with_name("motion.webp" if one.picture.stem == "picture" else f"{one.picture.stem}.webp")
            try:
                path.write_bytes(packed(filmed(chrome, one)))
            except Exception as error:  # the others are filmed all the same
                print(f"{one.name}: {error}", flush=True)
                continue
            print(path, path.stat().st_size, flush=True)


def filmed(chrome, one) -> list[Image.Image]:
    """Pictures of a machine that moves."""
    with Studio(Live(one.page())) as studio:
        page = chrome.new_page(viewport=SIZE, bypass_csp=True, reduced_motion="reduce")
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        page.keyboard.press("Escape")
        page.evaluate(OUTSIDE)
        page.add_style_tag(content=BARE)
        pilots, dials = list(studio.source.about()["pilots"]), studio.source.dials
        turned = [dials[name] for name in dials if name.startswith("target_") or name == SLID.get(one.name)][:2]
        page.evaluate("studio.send({do: 'play'})")
        if pilots:
            page.evaluate("name => studio.send({do: 'pilot', name})", pilots[0])
        page.evaluate("studio.send({do: 'reset'})")
        page.evaluate("document.getElementById('fit').click()")
        page.wait_for_function(f"studio.t >= {BEFORE.get(one.name, 0.0)}", timeout=120_000)
        page.evaluate(f"studio.send({{do: 'speed', factor: {SPEED * QUICK.get(one.name, BETWEEN) / BETWEEN}}})")
        begun, between = page.evaluate("studio.t"), QUICK.get(one.name, BETWEEN)
        pictures = []
        for k in range(FRAMES):
            for dial in () if pilots else turned:
                wave = 0.3 * math.sin(2.0 * math.pi * k / FRAMES) * (dial.high - dial.low)
                value = min(max(dial.value + wave, dial.low), dial.high)
                page.evaluate("([name, value]) => studio.send({do: 'set', name, value})", [dial.name, value])
            page.wait_for_function(f"studio.t >= {begun + k * between} || studio.status.state !== 'running'")
            pictures.append(Image.open(io.BytesIO(base64.b64decode(page.evaluate(DRAWN)))).convert("RGB"))
        page.close()
    return pictures


def packed(pictures: list[Image.Image]) -> bytes:
    """The pictures as an animated WebP, in as good a quality as the size allows."""
    first, *others = pictures
    for quality in QUALITIES:
        made = io.BytesIO()
        first.save(made, "WEBP", save_all=True, append_images=others, duration=80, loop=0, quality=quality, method=6)
        if made.tell() <= LARGEST or quality == QUALITIES[-1]:
            return made.getvalue()
    raise AssertionError


if __name__ == "__main__":
    main(sys.argv[1:])

"""Short films of the machines for the cards of the gallery: `python docs/loops.py [NAME …]`, beside their pictures.

`film_takes.py` says what each film shows. Each picture is drawn alone, so a slow computer makes the same films.
"""

import base64
import io
import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from film_takes import Instant, filmed_motion, take_of
from PIL import Image

from symbody import machines
from symbody.studio.photograph import browser
from symbody.studio.tiles import TilePyramid
from symbody.visual.built_page import built_page

SIZE = (320, 200)  # pixels of a film; each picture is drawn twice as large
LASTS = 2400  # ms of a film
LARGEST = 75_000  # bytes
QUALITIES = (75, 62, 50, 40, 30, 20)  # of WebP; the first that is small enough
WORKERS = 2  # processes that compute motions
BARE = "header, footer, details, p { display: none !important; } #stage { position: fixed; inset: 0; }"
BEGIN = """({ scene, camera }) => {
  window.clock = 1e6;
  performance.now = () => clock; // cameras that follow a body move with the time of the film
  window.bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  window.floats = (text) => new Float32Array(bytes(text));
  const before = window.seen, ready = new Set(["floor", "scenery", "sky", "shadow", "glass"]);
  before?.forget();
  const opened = before ? [{ renderer: before.renderer, byProcessor: before.byProcessor, ready }] : [];
  window.seen = makeView(scene, document.getElementById("view"), document.getElementById("words"), [], ...opened);
  seen.fit();
  if (camera) seen.showViews({ names: [camera], arrangement: "inset" });
}"""
PLACE = """({ poses, clouds, fields, care, landscape, passed }) => { // returns the tiles of the landscape that are missing
  clock += passed;
  const rows = floats(poses);
  for (let k = 0; k < rows.length; k += 7) seen.put(k / 7, rows.subarray(k, k + 3), rows.subarray(k + 3, k + 7));
  clouds.forEach((points, k) => seen.cloud(k, floats(points)));
  fields.forEach(([rows, columns, heights], k) => seen.patch(k, 0, 0, rows, columns, floats(heights)));
  seen.refine(care);
  if (landscape) seen.draw();
  return landscape ? seen.wantedTiles(clock) : [];
}"""
TAKEN = """() => { // in the task that draws, because WebGL clears its buffer afterwards
  const view = document.getElementById("view"), sheet = document.createElement("canvas"), pen = sheet.getContext("2d");
  seen.draw();
  [sheet.width, sheet.height] = [view.width, view.height];
  pen.fillStyle = "#f4f6f8";
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(view, 0, 0);
  return sheet.toDataURL("image/png").split(",")[1];
}"""


def main(names: list[str]) -> None:
    """Film the machines of these names, or all."""
    os.environ.setdefault("SYMBODY_TIER", "quick")  # optimised code for some seconds would come too late
    with browser() as chrome:
        width, height = SIZE
        page = chrome.new_page(viewport={"width": width, "height": height}, device_scale_factor=2.0, bypass_csp=True)
        page.set_default_timeout(600_000)
        page.set_content(re.sub(r'<script type="application/json".*?</script>', "", built_page("viewer"), count=1))
        page.add_style_tag(content=BARE)
        page.wait_for_function("Boolean(window.makeView)")
        for one, motion in motions([machines.entry(name) for name in names] or machines.entries()):
            try:
                path = film_path(one)
                path.write_bytes(packed(list(pictures(page, one, *motion.result()))))
            except Exception as error:  # the others are filmed all the same
                print(f"{one.name}: {error}", flush=True)
                continue
            print(time.strftime("%X"), path, path.stat().st_size, flush=True)


def motions(chosen: list[machines.MachineEntry]) -> Iterator[tuple[machines.MachineEntry, Future]]:
    """The machines with their motions, in the order in which other processes have computed them."""
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as others:
        made = {others.submit(filmed_motion, one.name): one for one in chosen}
        yield from ((made[motion], motion) for motion in as_completed(made))


def film_path(one: machines.MachineEntry) -> Path:
    """Where the film of a machine is: beside its picture."""
    assert one.picture is not None
    return one.picture.with_name("motion.webp" if one.picture.stem == "picture" else f"{one.picture.stem}.webp")


def pictures(page, one: machines.MachineEntry, scene: dict[str, Any], instants: list[Instant]) -> Iterator[Image.Image]:
    """The pictures of a film, drawn by the view of the pages."""
    take, landscape = take_of(one.name), one.page().landscape if scene["landscape"] else None
    tiles = TilePyramid(landscape) if landscape else None
    page.evaluate(BEGIN, {"scene": scene, "camera": take.camera})
    for instant in instants:
        shown = {
            "poses": encoded(instant.poses),
            "clouds": [encoded(points) for points in instant.clouds],
            "fields": [[*heights.shape, encoded(heights)] for heights in instant.fields],
            "care": take.care,
            "landscape": tiles is not None,
            "passed": 1e3 * take.span / len(instants),
        }
        while missing := page.evaluate(PLACE, shown):
            assert tiles is not None
            for key in missing:
                message, _ = tiles.message(tuple(key), 0)
                page.evaluate("text => seen.tile(bytes(text))", base64.b64encode(message).decode())
            shown["passed"] = 1e3  # after which it asks again
        taken = Image.open(io.BytesIO(base64.b64decode(page.evaluate(TAKEN)))).convert("RGB")
        yield taken.resize(SIZE, Image.Resampling.LANCZOS)


def encoded(values: np.ndarray) -> str:
    """Numbers as the page reads them: float32, little-endian, as base64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def packed(taken: list[Image.Image]) -> bytes:
    """The pictures as an animated WebP, in as good a quality as the size allows."""
    first, *others = taken
    for quality in QUALITIES:
        made = io.BytesIO()
        lasting = round(LASTS / len(taken))
        first.save(
            made, "WEBP", save_all=True, append_images=others, duration=lasting, loop=0, quality=quality, method=4
        )
        if made.tell() <= LARGEST:
            break
    return made.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])

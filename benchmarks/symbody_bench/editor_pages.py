"""`symbody bench --editor`: pictures a second while a symbol is dragged, and the time to open and navigate a chain."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from symbody.editor.application import EditorApplication
from symbody.editor.document import model_document
from symbody.model.model import Model
from symbody.studio.photograph import SIZE, browser
from symbody.web.server import WebServer
from symbody_bench.models import chain

SECONDS = 5.0  # of each gesture
PATIENCE = 120_000  # ms until a page has opened
SETTLED = 1500  # ms between two gestures
TREE = 30  # bodies of the model whose symbols are dragged
CHAIN = 400


def tree(n: int) -> Model:
    """A binary tree of n hinged bodies, with a spring from each leaf to the ground."""
    model = Model(f"tree{n}")
    bodies = [model.ground]
    for k in range(n):
        carrier = bodies[k // 2]
        on = carrier.points.get(f"p{k}") or carrier.point(f"p{k}", (0.1 * (k % 2 + 1), 0.05 * k, 0.0))
        bodies.append(model.body(f"body{k}", on, "R2", 1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01)))
    for k in range(n // 2, n):
        model.link(f"spring{k}", "ground", bodies[k + 1])
    return model


MODELS: dict[str, Callable[[], Model]] = {f"tree{TREE}": lambda: tree(TREE), f"chain{CHAIN}": lambda: chain(CHAIN)}

# Events at every picture, so that the figure is that of the page and not of the program that drives it.
GESTURE = """([seconds, gesture]) => new Promise((resolve) => {
  const board = document.getElementById("drawing"), box = board.getBoundingClientRect();
  const node = document.querySelectorAll("#drawing .node.body > rect")[gesture === "drag" ? 5 : 0];
  const corner = { left: box.left, top: box.top, width: 10, height: 10 };
  const on = gesture === "drag" ? node.getBoundingClientRect() : corner;
  const from = [on.left + on.width / 2, on.top + on.height / 2];
  const point = (type, clientX, clientY) =>
    new PointerEvent(type, { clientX, clientY, pointerId: 1, bubbles: true, buttons: 1 });
  board.setPointerCapture = () => undefined;
  const target = gesture === "drag" ? node : board;
  if (gesture !== "zoom") target.dispatchEvent(point("pointerdown", ...from));
  let pictures = 0, last = 0, longest = 0;
  const start = performance.now();
  const step = (now) => {
    if (pictures) longest = Math.max(longest, now - last);
    last = now;
    const t = (now - start) / 1000, [x, y] = [from[0] + 60 * Math.sin(3 * t), from[1] + 40 * Math.cos(3 * t)];
    if (gesture === "zoom") board.dispatchEvent(new WheelEvent("wheel", { deltaY: 40 * Math.cos(2 * t), clientX:
      box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true }));
    else target.dispatchEvent(point("pointermove", x, y));
    pictures++;
    if (t < seconds) return requestAnimationFrame(step);
    if (gesture !== "zoom") target.dispatchEvent(point("pointerup", x, y));
    resolve({ pictures, seconds: t, longest });
  };
  requestAnimationFrame(step);
})"""


def editor_bench(
    output: Path, names: Sequence[str] | None = None, seconds: float = SECONDS, *, progress: bool = True
) -> dict[str, Any]:
    """Open models in the editor's page without a graphics card, and make gestures; write the rows into a folder."""
    rows = []
    with browser() as chrome:
        for name in names or MODELS:
            rows.append({"model": name, **measured(chrome, MODELS[name](), seconds)})
            if progress:
                print(rows[-1], flush=True)
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.release()}",
        "page": f"{SIZE['width']} × {SIZE['height']}, drawn by the processor",
        "rows": rows,
    }
    output.mkdir(parents=True, exist_ok=True)
    file = output / "editor.json"
    file.write_text(json.dumps(result, indent=2))
    return result | {"files": [str(file)]}


def thread_clock(page: Any) -> Callable[[], float]:
    """A clock of the CPU time (s) of the page's main thread, which other programs of the machine do not change."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    return read


def measured(chrome: Any, model: Model, seconds: float) -> dict[str, Any]:
    """Seconds until the diagram and the 3-D view are drawn, and pictures a second of each gesture.

    CPU: of server and main thread until then, or of the main thread for a picture.
    """
    row: dict[str, Any] = {"bodies": len(model.bodies), "load": round(os.getloadavg()[0], 1)}
    with WebServer({"/": EditorApplication(model_document(model))}) as server:
        page = chrome.new_page(viewport=SIZE, bypass_csp=True)
        page.set_default_timeout(PATIENCE)
        busy = thread_clock(page)
        start, server_start, page_start = time.perf_counter(), time.process_time(), busy()
        for what, shown in (("diagram", "window.shownVersion !== undefined"), ("3-D", "window.editor?.drawn() > 0")):
            if what == "diagram":
                page.goto(server.address)
            page.wait_for_function(shown)
            row[f"{what} s"] = round(time.perf_counter() - start, 2)
            row[f"{what} CPU s"] = round(time.process_time() - server_start + busy() - page_start, 2)
        row["layout ms"] = round(page.evaluate("editor.layoutTime()"), 1)
        row["diagram ms"] = round(page.evaluate("editor.drawTime()"), 1)
        page.wait_for_function("document.getElementById('figures').textContent !== ''")  # the server is done
        for gesture in ("drag", "pan", "zoom"):
            page.wait_for_timeout(SETTLED)  # a drag is an edit, which the page shows afterwards
            page.wait_for_function("editor.news().version === window.shownVersion")
            before = busy()
            found = page.evaluate(GESTURE, [seconds, gesture])
            row |= {
                f"{gesture} pictures/s": round(found["pictures"] / found["seconds"], 1),
                f"{gesture} CPU ms": round(1000 * (busy() - before) / found["pictures"], 2),
                f"{gesture} longest ms": round(found["longest"], 0),
            }
        page.close()
    return row

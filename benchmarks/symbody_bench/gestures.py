"""From an event in a browser to the first pose that shows it: a letter presses the key of the piano."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody import machines
from symbody.studio.live import Live
from symbody.studio.photograph import SIZE
from symbody.studio.server import Studio

LETTER, BODY = "a", "key"
GESTURES = 40
ANSWERED = """async ([letter, frame, count]) => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms)), found = [];
  const send = (type) => document.body.dispatchEvent(new KeyboardEvent(type, { key: letter, bubbles: true }));
  for (let i = 0; i < count; i++) {
    const rest = [...studio.poses[frame]], begin = performance.now();
    send("keydown");
    while (studio.poses[frame].every((x, k) => Math.abs(x - rest[k]) < 1e-6)) {
      if (performance.now() - begin > 2000) throw Error("nothing moved");
      await pause(0);
    }
    found.push(performance.now() - begin);
    send("keyup");
    await pause(800); // the key comes to rest
  }
  return found;
}"""


def gestures_bench(chrome: Any, count: int = GESTURES) -> dict[str, Any]:
    """Milliseconds from `keydown` to the first drawn pose in which the key has moved; it rests before each."""
    live = Live(machines.entry("piano").page()).start()
    frame = 1 + list(live.machine.system.model.bodies).index(BODY)
    with Studio(live) as studio:
        page = chrome.new_page(viewport=SIZE)
        try:
            page.goto(studio.address)
            page.wait_for_function("frame => studio.drawn > 0 && studio.poses[frame]", arg=frame)
            page.wait_for_timeout(2000)
            found = page.evaluate(ANSWERED, [LETTER, frame, count])
        finally:
            page.close()
    middle, late = np.percentile(found, [50, 95])
    return {"machine": "piano", "events": count, "median ms": round(middle, 1), "95 % ms": round(late, 1)}

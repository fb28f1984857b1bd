"""The machines as a gallery: a card for each, with its film, a line, and its motion, which loads when it is opened.

`python -m symbody.machines.gallery FOLDER NAME …` writes the motions, films and pictures of all machines, or of some.
"""

from __future__ import annotations

import html
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from symbody.analysis.simulate import simulate
from symbody.errors import SymbodyError
from symbody.machines.register import MachineEntry, entries, entry
from symbody.output_file import replacing
from symbody.results.run import Run
from symbody.system.motion_names import coordinate_names
from symbody.system.system import system
from symbody.visual.animate import animate

LONGEST = 2.0  # s of a motion
FRAMES = 30.0  # pictures a second
SHOWN = 3.0  # s, shortest duration on the screen; short motions are slowed down
CARD = """<article class="machine"><h3>{name}</h3>{picture}<p>{line}</p>
<p><code>symbody studio {name}</code></p>
<details><summary>Its motion</summary><iframe loading="lazy" src="{folder}/{name}.html" title="The motion of {name}"
style="width:100%;height:420px;border:1px solid #8884;border-radius:8px"></iframe></details></article>"""
PICTURE = '<img loading="lazy" src="{folder}/{name}.{kind}" alt="{name}" style="max-height:260px">'
STILL = '<source media="(prefers-reduced-motion: reduce)" srcset="{folder}/{name}.png">'  # instead of the film


def gallery_cards(machines: Iterable[MachineEntry], folder: str) -> str:
    """HTML of the cards; motions, films and pictures are in a folder next to the page."""
    return "\n".join(_card(one, folder) for one in machines)


def _card(one: MachineEntry, folder: str) -> str:
    name = html.escape(one.name)
    still = STILL.format(name=name, folder=folder) if one.picture and one.motion else ""
    shown = PICTURE.format(name=name, folder=folder, kind="webp" if one.motion else "png")
    picture = f"<picture>{still}{shown}</picture>" if one.picture or one.motion else ""
    return CARD.format(name=name, line=html.escape(one.line), folder=folder, picture=picture)


def write_gallery(folder: Path, machines: Iterable[MachineEntry]) -> None:
    """Write NAME.html, the motion of each machine, NAME.webp, its film, and NAME.png, its picture."""
    for one in machines:
        run = first_motion(one)
        speed = min(1.0, float(run.t[-1] - run.t[0]) / SHOWN)
        animate(run, folder / f"{one.name}.html", FRAMES, speed)
        for source in filter(None, [one.picture, one.motion]):
            with replacing(folder / f"{one.name}{source.suffix}") as partial:
                shutil.copyfile(source, partial)


def first_motion(one: MachineEntry) -> Run:
    """The first seconds of a machine's motion, as far as they can be computed."""
    steps = one.steps
    until, dt = min(steps["until"], LONGEST), steps["dt"]
    every = dt * max(1, round(min(until / SHOWN, 1.0) / FRAMES / dt))
    model = one.moving_model()
    s = system(model, closure=steps["closure"], outputs=coordinate_names(model))
    try:
        return simulate(s, until, dt, method=steps["method"], every=every, energy="ignore")
    except SymbodyError as error:
        state = getattr(error, "state", None)
        if isinstance(state, Run) and len(state) > 1:
            return state
        raise


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1]), [entry(name) for name in sys.argv[2:]] or entries())

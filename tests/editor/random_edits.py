"""Random edits of a document as a page could send them, valid or not."""

import random

from symbody.editor.messages import AddPart, Copy, Draw, Edit, Order, Redo, Remove, Rename, Splice, Undo
from symbody.editor.parts import parts
from symbody.editor.yaml_edit import Drop, Put, data_of
from symbody.errors import ModelError

NAMES = ("rod", "crank", "a b", "x" * 50, "<b>bold</b>", "на", "on", "12", "tip", "leg_2", "k", "q'uote")
VALUES = (
    0, 1.5, -2e-3, "k*2", "-L/2", "", "no", "<script>", [0, 0, 1], [1, "L", 0], {"kind": "ball"}, None, True, "12",
    {"value": 3, "unit": "N"}, [], {}, "a: b", "# no comment", "it's", 'say "x"', "R2", "R1 R2", "T3",
    [{"type": "R2", "q0": 0.1}], "ground", "__import__('os')", "line\nline",
)  # fmt: skip
SECTIONS = ("bodies", "cuts", "links", "parameters", "sensors", "force_sites", "ground", "joint_forces", "gravity")


def some_path(rng: random.Random, text: str) -> tuple:
    """A path that exists, or nearly."""
    try:
        inner = data_of(text)
    except ModelError:
        inner = {}
    path: tuple = ()
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner))) if isinstance(inner, list) else []
        if not keys or (path and rng.random() < 0.3):
            return path or (rng.choice(SECTIONS),)
        key = rng.choice(keys)
        path, inner = (*path, key), inner[key]


def some_order(rng: random.Random, document) -> Order:
    text = document.text
    path = some_path(rng, text)
    match rng.randrange(11):
        case 0 | 1:
            return Edit("set", (Put(path, rng.choice(VALUES)),))
        case 2:
            return Edit("new", (Put((rng.choice(SECTIONS), rng.choice(NAMES)), rng.choice(VALUES)),))
        case 3:
            return Edit("drop", (Drop(path),))
        case 4:
            return Rename(path, rng.choice(NAMES))
        case 5:
            return Remove((path,))
        case 6:
            return Copy((path,))
        case 7:
            return AddPart(rng.choice([*parts()]), rng.choice(["ground", "rod.tip", "crank"]), ())
        case 8:
            return Draw("at", {rng.choice(NAMES): [rng.randrange(500), rng.randrange(500)]})
        case 9:
            at = rng.randrange(len(text) + 1)
            removed = min(rng.randrange(4), len(text) - at)
            return Splice(document.version, at, removed, rng.choice(["", "1", " ", "\n", "x: 2", "{", "# c\n"]))
    return rng.choice([Undo(), Redo()])

"""Numbers and names that Python and C both have are the same: enumerations of C, read as text."""

import re
from pathlib import Path

import pytest

import symbody
from symbody.haptics import structures
from symbody.haptics.two_rates import extra_inputs, local_model, packet
from symbody.realtime import loop_file, loop_layout, loop_options, statistics
from symbody.stepping import fixed_step
from symbody.terrain.soil import structures as soil

ROOT = Path(symbody.__file__).parent
ENUM = re.compile(r"enum \{([^}]*)\}")


def enumerated(file: str) -> dict[str, int]:
    """Names of the enumerations in a file of C, and their numbers."""
    found: dict[str, int] = {}
    for body in ENUM.findall(re.sub(r"/\*.*?\*/", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.DOTALL)):
        number = -1
        for member in body.split(","):
            name, equals, value = (part.strip() for part in member.partition("="))
            number = eval(value, {}, dict(found)) if equals else number + 1
            found[name] = number
    return found


def test_enumerations_are_read_as_c_reads_them(tmp_path, monkeypatch):
    (tmp_path / "a.h").write_text("enum { A, B = 5, C }; /* enum { D } */\nenum { E = C + 1, F,\n G = -1 };")
    monkeypatch.setattr("test_c_constants.ROOT", tmp_path)
    assert enumerated("a.h") == {"A": 0, "B": 5, "C": 6, "E": 7, "F": 8, "G": -1}


@pytest.mark.parametrize(
    ("file", "module", "names"),
    [
        ("codegen/runtime/steps.h", fixed_step, "DONE NOT_FINITE NEAR_SINGULAR NOT_CONVERGED BEYOND_LIMIT ELSEWHERE"),
        ("haptics/tick/scene.h", structures, "OBJECTS LINKS SHAPES POINTS FACES CORNERS PAIRS NV DOF COORDINATES"),
        ("haptics/tick/scene.h", structures, "CONTACTS HAND POSE LONGEST LOOP FRICTIONS PLANAR SPATIAL LINKAGE GROUND"),
        ("haptics/tick/stepper.c", extra_inputs, "NUMBER CHOICE STANDING"),
        ("haptics/tick/packet.h", packet, "CONSTRAINTS"),
        ("haptics/tick/local_model.h", local_model, "STEPS_KEPT"),
        ("realtime/loop_memory.h", loop_layout, "BINS HISTOGRAMS"),
        ("realtime/loop.h", loop_layout, "CLEAR BEGIN_AGAIN PRIORITY LOCKED PINNED"),
        ("realtime/mailbox.h", loop_file, "NEW"),
        (
            "terrain/soil/soil.h",
            soil,
            "WHEEL TYRE TOOL FINE OFF_TERRAIN DEEP NOT_A_NUMBER CROWDED POINT POINT_STATE BOX",
        ),
        (
            "terrain/soil/soil.h",
            soil,
            "SLOTS SLOT TILE NEIGHBOURS STEP SEED POURED BORN MERGED ABSORBED TROUBLE CULPRIT",
        ),
        ("terrain/soil/soil.h", soil, "CHUNK PAIR SPRINGS REACTION LAYERS MOVING"),
    ],
)
def test_numbers_are_the_same(file, module, names):
    known = enumerated(file)
    assert {name: known[name] for name in names.split()} == {name: getattr(module, name) for name in names.split()}


@pytest.mark.parametrize(
    ("file", "first", "words"),
    [
        ("haptics/tick/scene.h", "IMPULSE", structures.CONTACT_MODELS),
        ("haptics/tick/scene.h", "FOUR_CHANNEL", structures.CONTROLLERS),
        ("haptics/tick/scene.h", "FULL", structures.LIMITING),
        ("haptics/tick/scene.h", "FREE", structures.STATES),
        ("haptics/tick/packet.h", "PLANE", packet.KINDS),
        ("realtime/loop_memory.h", "STOPPED", loop_layout.STATES),
        ("realtime/loop.h", "HOLD", loop_options.RECOVERIES),
        ("realtime/loop_memory.h", "STEP", tuple(name.removeprefix("loop.") for name in loop_layout.HEAD)),
    ],
)
def test_words_stand_in_the_order_of_their_numbers(file, first, words):
    names = list(enumerated(file))
    place = names.index(first)
    assert [name.lower().replace("_", "-") for name in names[place : place + len(words)]] == list(words)


def test_reasons_are_as_many_as_their_words():
    shared, faults = enumerated("realtime/loop_memory.h"), enumerated("realtime/loop.h")
    assert shared["REFUSALS"] == loop_layout.REFUSED == len(statistics.REFUSALS) == faults["WRONG_CLOCK"]
    assert shared["FAULTS"] == loop_layout.FAULTED == len(statistics.FAULTS) + 1 == faults["LEAPT"] + 1
    assert shared["FIRST"] == len(loop_layout.HEAD)
    assert enumerated("haptics/tick/local_model.h")["REASONS"] == len(packet.REASONS)
    assert enumerated("haptics/tick/stepper.c")["WHOLE"] == len(extra_inputs.STANDINGS) - 1
    magic = enumerated("haptics/tick/packet.h")
    assert (magic["PACKET_MAGIC"], magic["PACKET_VERSION"]) == (packet.MAGIC, packet.VERSION)

"""The document: history, files, drafts, random edits, kill −9."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from random_edits import some_order

from symbody.editor.desk import Desk
from symbody.editor.document import NEW, ModelDocument, open_document, readable_model
from symbody.editor.drafts import Draft, DraftKeeper, draft_path, keep_draft, kept_draft
from symbody.editor.messages import Edit, KeepOwn, LoadOutside, Save, Undo
from symbody.editor.yaml_edit import Put
from symbody.errors import ModelError, SymbodyError
from symbody.files.formats import load

SHARED = Path(__file__).parents[3] / "shared" / "robotran"
FOUR_BAR = """\
symbody: 1
name: four-bar   # of the README
parameters: {k: {value: 120, unit: N/m}}
ground:
  points: {pivot: [0.7, 0, 0]}
bodies:
  crank: {on: ground, joints: [{type: R2, q0: -1.2}], mass: 1.0, com: [0.15, 0, 0], points: {tip: [0.3, 0, 0]}}
  coupler: {on: crank.tip, joints: [{type: R2, q0: 0.6}], mass: 2.0, com: [0.4, 0, 0], points: {tip: [0.8, 0, 0]}}
  rocker: {on: ground.pivot, joints: [{type: R2, q0: -1.4}], mass: 1.5, com: [0.3, 0, 0], points: {tip: [0.6, 0, 0]}}
cuts:
  loop: {kind: ball, between: [coupler.tip, rocker.tip]}
links:
  spring: {between: [ground, rocker.tip], law: k*(length - 0.5) + 2.0*rate}  # N
"""


@pytest.fixture(autouse=True)
def own_drafts(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path_factory.mktemp("drafts")))


@pytest.fixture
def desk(tmp_path):
    path = tmp_path / "machine.yaml"
    path.write_text(FOUR_BAR)
    made = Desk(open_document(path), lambda news: None)
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(10))
def test_undo_of_random_edits_returns_the_identical_text(seed):
    """100 edits for each of ten seeds; every order is carried out or refused, and undo restores each byte."""
    rng, document = random.Random(seed), ModelDocument(FOUR_BAR)
    desk = Desk.__new__(Desk)  # only its commands: no threads
    desk.document = document
    texts = [document.text]
    for _ in range(100):
        try:
            desk._change(some_order(rng, document))
        except SymbodyError:
            continue
        readable_model(document.text)
        if document.text != texts[-1]:
            texts.append(document.text)
    assert len(texts) > 20
    document.edit("last", f"{document.text}# end\n")  # nothing is left to be redone
    end, steps = document.text, 0
    while document.undo() is not None:
        steps += 1
    assert document.text == FOUR_BAR
    while document.redo() is not None:
        steps -= 1
    assert (document.text, steps) == (end, 0)


@pytest.mark.slow
def test_undo_of_a_thousand_random_edits_restores_the_file(tmp_path):
    rng, path = random.Random(35), tmp_path / "machine.yaml"
    path.write_text(FOUR_BAR)
    document = open_document(path)
    desk = Desk.__new__(Desk)
    desk.document = document
    while len(document.done) < 1000:
        try:
            desk._change(some_order(rng, document))
        except SymbodyError:
            continue
        if len(document.text) > 20_000:
            document.edit("shorten", FOUR_BAR)
    while document.undo() is not None:
        pass
    document.save()
    assert path.read_bytes() == FOUR_BAR.encode()


def test_typing_is_one_step():
    document = ModelDocument("abc")
    for k, letter in enumerate("xyz"):
        document.splice(3 + k, 0, letter)
    assert (document.text, len(document.done)) == ("abcxyz", 1)
    assert document.undo() == "type"
    assert document.text == "abc"
    with pytest.raises(ModelError):
        document.splice(2, 5, "")


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED.exists(), reason="no shared .mbs files")
@pytest.mark.parametrize("name", ["suspension.mbs", "coman.mbs", "coman_skywalker.mbs"])
def test_an_mbs_file_differs_only_where_it_was_edited(name, tmp_path):
    original = (SHARED / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(original)
    document = open_document(path)
    document.save()
    assert path.read_bytes() == original
    body = next(body for body, one in load(path, hold_driven=True).bodies.items() if one.mass != 0)
    desk = Desk.__new__(Desk)
    desk.document = document
    desk._change(Edit("mass", (Put(("bodies", body, "mass"), 12.345),)))
    document.save()
    old, new = original.splitlines(), path.read_bytes().splitlines()
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert [b.strip() for _, b in changed] == [b"<mass>12.345</mass>"]
    desk._change(Undo())
    document.save()
    assert path.read_bytes() == original


def test_a_change_by_another_program_is_offered_and_never_lost(desk):
    path = desk.document.path
    desk.obey(Edit("mass", (Put(("bodies", "crank", "mass"), 3),)))
    theirs = FOUR_BAR.replace("mass: 1.5", "mass: 9.5")
    path.write_text(theirs)
    assert desk.document.changed_outside()
    with pytest.raises(ModelError, match="another program"):
        desk.obey(Save("", False))
    own = desk.document.text
    desk.obey(LoadOutside())
    assert desk.document.text == theirs
    desk.obey(Undo())
    assert desk.document.text == own
    path.write_text(theirs + "# more\n")
    desk.obey(KeepOwn())
    assert path.read_text() == own
    desk.obey(Undo())
    assert desk.document.text == theirs + "# more\n"


def test_a_saved_document_follows_the_file(desk):
    theirs = FOUR_BAR.replace("mass: 1.5", "mass: 9.5")
    desk.document.path.write_text(theirs)
    for _ in range(100):
        if desk.document.text == theirs:
            break
        time.sleep(0.1)
    assert desk.document.text == theirs
    assert desk.document.is_saved


@pytest.mark.parametrize("name", ["../machine.yaml", "/tmp/x.yaml", "x.exe", ".hidden.yaml", "a/b.yaml", "x"])
def test_a_page_cannot_save_outside_of_the_folder(desk, name):
    with pytest.raises(SymbodyError, match="file name"):
        desk.obey(Save(name, True))


def test_a_full_disk_keeps_the_old_file(desk, monkeypatch):
    desk.obey(Edit("mass", (Put(("bodies", "crank", "mass"), 3),)))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match="No space left"):
        desk.obey(Save("", False))
    assert desk.document.path.read_text() == FOUR_BAR
    assert not desk.document.is_saved
    monkeypatch.undo()


# -- broken files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "bodies", "said"),
    [
        (FOUR_BAR.replace("mass: 1.5", "mass: {}"), ["crank", "coupler"], "rocker"),
        (FOUR_BAR.replace("kind: ball", "knid: ball"), ["crank", "coupler", "rocker"], "loop"),
        (FOUR_BAR.replace("links:", "links: ["), ["crank", "coupler", "rocker"], "not YAML"),
        (FOUR_BAR.replace("gravity", "x").replace("symbody: 1", "symbody: 7"), [], "version"),
        ("", [], "mapping"),
        ("\x00", [], "YAML"),
        ("- a\n- b\n", [], "mapping"),
    ],
)
def test_what_can_be_read_of_a_broken_file_is_shown_with_the_place(text, bodies, said):
    model, broken = readable_model(text)
    assert [*model.bodies] == bodies
    assert said in " ".join(str(error) for error in broken)


def test_a_formula_cannot_run_code(desk):
    desk.obey(Edit("law", (Put(("links", "spring", "law"), "__import__('os').system('true')"),)))
    said = [one["text"] for one in desk.state()["document"]["remarks"] if one["kind"] == "error"]
    assert any("links.spring" in text for text in said)


# -- drafts ------------------------------------------------------------------------------------------------------------


def test_a_draft_is_restored_and_removed_after_saving(tmp_path):
    path = tmp_path / "machine.yaml"
    path.write_text(FOUR_BAR)
    first = Desk(open_document(path), lambda news: None)
    first.obey(Edit("mass", (Put(("bodies", "crank", "mass"), 3),)))
    first.close()
    second = Desk(open_document(path), lambda news: None)
    assert second.restored
    assert "mass: 3" in second.document.text
    second.obey(Save("", False))
    second.close()
    assert kept_draft(path) is None
    assert "mass: 3" in path.read_text()


def test_a_draft_that_cannot_be_written_is_reported(monkeypatch, tmp_path):
    (tmp_path / "drafts").write_text("a file in place of the folder")
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))
    said: list[str] = []
    keeper = DraftKeeper(said.append)
    keeper.keep(tmp_path / "x.yaml", Draft("text", ""))
    keeper.close()
    assert "cannot be kept" in said[-1]


WRITER = """
import sys
from pathlib import Path
from symbody.editor.drafts import Draft, keep_draft
path, k = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    k += 1
    keep_draft(path, Draft(f"{k}\\n" * 20000, "base"))
"""


def test_kill_at_random_moments_leaves_a_whole_draft(tmp_path):
    rng, path = random.Random(9), tmp_path / "machine.yaml"
    keep_draft(path, Draft("0\n" * 20000, "base"))
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, env=os.environ)
    writer.stdout.readline()
    for _ in range(10):
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(writer.pid, signal.SIGSTOP)  # as dead as after kill -9, at ten moments of one process
        lines = kept_draft(path).text.split()
        assert len(lines) == 20000
        assert len(set(lines)) == 1
        os.kill(writer.pid, signal.SIGCONT)
    writer.kill()
    writer.wait()
    assert len(set(kept_draft(path).text.split())) == 1


def test_a_damaged_draft_is_ignored(tmp_path):
    path = tmp_path / "machine.yaml"
    draft_path(path).parent.mkdir(parents=True, exist_ok=True)
    draft_path(path).write_text('{"text": "half')
    assert kept_draft(path) is None
    assert NEW.startswith("symbody: 1")

"""kill −9 of the whole server at random moments: the last good draft survives."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_document import FOUR_BAR

from symbody.editor.desk import Desk
from symbody.editor.document import open_document
from symbody.editor.drafts import kept_draft
from symbody.files.yaml_file import model_of_text
from symbody.web import rights
from waiting import PATIENCE, eventually

client = pytest.importorskip("websockets.sync.client")
pytestmark = [pytest.mark.clock, pytest.mark.slow, pytest.mark.posix]
TOKEN = "a-token-of-this-test"
SERVER = """
import sys
from symbody.editor.application import EditorApplication
from symbody.editor.document import open_document
from symbody.web.server import WebServer
with WebServer({"/": EditorApplication(open_document(sys.argv[1]))}, token=sys.argv[2]) as server:
    print(server.port, flush=True)
    server.wait()
"""


def mass_of(text: str) -> float:
    """The number that the test counts up; a text that is not whole raises."""
    return float(model_of_text(text).bodies["crank"].mass)


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_server_restores_the_last_good_draft(monkeypatch, tmp_path, seed):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))
    rng, path = random.Random(seed), tmp_path / "four-bar.yaml"
    path.write_text(FOUR_BAR)
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(path), TOKEN], stdout=subprocess.PIPE, env=os.environ)
    try:
        port = int(server.stdout.readline())
        address, offers = f"ws://127.0.0.1:{port}/socket", rights.offered(TOKEN)
        with client.connect(address, subprotocols=offers, open_timeout=PATIENCE, max_size=None) as browser:
            kept = sent = 0
            while kept == 0:  # until the first draft is on the disk; then a random time more
                sent = send_mass(browser, sent)
                draft = kept_draft(path)
                kept = 0 if draft is None else mass_of(draft.text)
            end = time.monotonic() + rng.uniform(0.0, 0.3)
            while time.monotonic() < end:
                sent = send_mass(browser, sent)
            kept = mass_of(kept_draft(path).text)
            os.kill(server.pid, signal.SIGKILL)
    finally:
        server.kill()
        server.wait()
    draft = kept_draft(path)
    assert kept <= mass_of(draft.text) <= sent  # whole, and never older than one that was on the disk before
    assert path.read_text() == FOUR_BAR
    desk = Desk(open_document(path), lambda news: None)  # the next start restores it, and undo returns to the file
    assert desk.restored
    assert mass_of(desk.document.text) == mass_of(draft.text)
    desk.document.undo()
    assert desk.document.text == FOUR_BAR
    desk.close()
    eventually(lambda: server.poll() is not None)


def send_mass(browser, sent: int) -> int:
    """Send the next edit, slowly enough for the limit of messages."""
    change = {"op": "set", "path": ["bodies", "crank", "mass"], "value": sent + 1}
    browser.send(json.dumps({"do": "edit", "label": "mass", "changes": [change]}))
    time.sleep(0.01)
    return sent + 1

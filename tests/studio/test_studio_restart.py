"""`symbody studio` that starts again at its address: an open tab drives again, without the token nobody does."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from studio_pages import blank

from symbody.studio.photograph import chromium
from symbody.web.rights import offered
from waiting import PATIENCE, eventually

pytest.importorskip("playwright.sync_api")
client = pytest.importorskip("websockets.sync.client")
pytestmark = [pytest.mark.posix, pytest.mark.slow]
SERVES = "import sys; from symbody.cli import main; sys.exit(main(sys.argv[1:]))"
DRIVES = "window.studio?.drawn > 0 && studio.about.touch && studio.status.state === 'running'"
NO_BROWSER = pytest.mark.skipif(chromium() is None, reason="no Chromium here")


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def started(port, folder, *more):
    """The command in a process of its own, and the token that it prints; killed at the end, as by a crash."""
    command = [sys.executable, "-c", SERVES, "studio", "pendulum", "--port", str(port), "--no-open", *more]
    env = os.environ | {"XDG_RUNTIME_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            said = process.stderr.readline()
            assert f":{port}/#token=" in said, said
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield said.split()[1].partition("#token=")[2]
        finally:
            process.send_signal(signal.SIGKILL)


def may_touch(port, token):
    """Whether a browser with this token may touch the machine."""
    with client.connect(
        f"ws://127.0.0.1:{port}/socket", subprotocols=offered(token), open_timeout=PATIENCE, max_size=None
    ) as browser:
        while True:
            message = browser.recv(timeout=PATIENCE)
            if isinstance(message, str) and "hello" in (told := json.loads(message)):
                return told["hello"]["touch"]


def test_the_next_start_at_an_address_has_its_token_and_nothing_else_opens_it(port, tmp_path):
    with started(port, tmp_path) as token:
        assert may_touch(port, token)
    with started(port, tmp_path) as again:
        assert again == token
        assert may_touch(port, token)
        assert not may_touch(port, "")
        assert not may_touch(port, token[:-1])
    with started(port, tmp_path, "--new-token") as new:
        assert new != token
        assert may_touch(port, new)
        assert not may_touch(port, token)
    next((tmp_path / "symbody-tokens").iterdir()).chmod(0o644)
    with started(port, tmp_path) as other:
        assert other not in (new, token)
        assert not may_touch(port, new)


@contextmanager
def stranger(port):
    """Another program that listens at the address, and answers everything with 404; all that it was sent."""
    heard, listener = [], socket.create_server(("127.0.0.1", port))

    def answer():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(65536).decode("latin-1"))
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    threading.Thread(target=answer, daemon=True).start()
    try:
        yield heard
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@NO_BROWSER
def test_an_open_tab_drives_again_and_gives_its_token_to_no_stranger(chrome, port, tmp_path):
    page = blank(chrome, bypass_csp=True)
    with started(port, tmp_path) as token:
        page.goto(f"http://127.0.0.1:{port}/#token={token}")
        page.wait_for_function(DRIVES)
        page.wait_for_function("performance.getEntriesByType('resource').some(({ name }) => name.includes('proof?'))")
        page.evaluate("window.before = true")
    page.wait_for_function("document.body.classList.contains('lost')")
    with started(port, tmp_path) as again:
        assert again == token
        page.wait_for_function(f"!window.before && {DRIVES}")
        page.evaluate("studio.send({ do: 'pause' })")
        page.wait_for_function("studio.status.state === 'paused'")
        page.wait_for_function("performance.getEntriesByType('resource').some(({ name }) => name.includes('proof?'))")
    page.wait_for_function("document.body.classList.contains('lost')")
    with stranger(port) as heard:
        eventually(lambda: any("/socket" in request for request in heard))
    assert any("/proof?" in request for request in heard)
    assert not any(secret in request for request in heard for secret in (token, token.encode().hex()))
    with started(port, tmp_path):  # without its token the tab only watches
        page.wait_for_function("window.studio?.drawn > 0 && studio.about.touch === false")
    page.close()

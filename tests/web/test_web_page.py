"""Scripts of a page as files with their hashes, which browsers keep (page.py)."""

import base64
import hashlib
import re
import urllib.error
import urllib.request

import pytest
from web_notes import Notes

from symbody.errors import ModelError
from symbody.web.page import LONG, WebPage, asset_name

pytest.importorskip("websockets")
from symbody.web.server import WebServer

SCRIPT = f"'{'x' * LONG}'"
PACKED = b"compressed when the page was built"


class Scripted(Notes):
    """An application whose page has a long script."""

    def __init__(self):
        super().__init__()
        self.page = WebPage(
            lambda: f"<h1>long</h1><script>{SCRIPT}</script>",
            lambda name: PACKED if name == asset_name(SCRIPT) else None,
        )


def fetched(address, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return answer.read(), answer.headers


@pytest.fixture(scope="module")
def server():
    with WebServer({"/": Scripted(), "/deep/": Scripted()}) as started:
        yield started


def test_a_long_script_is_a_file_with_its_hash_which_browsers_keep(server):
    text, headers = fetched(server.place)
    place = re.search(rb'<script src="([^"]+)" integrity="sha256-([^"]+)"></script>', text)
    assert SCRIPT.encode() not in text
    assert headers["Cache-Control"] == "no-store"
    assert "script-src 'sha256-" in headers["Content-Security-Policy"]
    script, kept = fetched(server.place + place[1].decode())
    assert script == SCRIPT.encode()
    assert base64.b64encode(hashlib.sha256(script).digest()) == place[2]
    assert kept["Cache-Control"] == "public, max-age=31536000, immutable"
    assert kept["Content-Type"].startswith("text/javascript")
    assert kept["Vary"] == "Accept-Encoding"
    packed, compressed = fetched(server.place + place[1].decode(), **{"Accept-Encoding": "gzip, br"})
    assert (packed, compressed["Content-Encoding"]) == (PACKED, "br")


def test_pages_at_any_depth_share_the_file(server):
    text, _ = fetched(server.place + "deep/")
    assert f'src="../assets/{asset_name(SCRIPT)}"'.encode() in text


@pytest.mark.parametrize("name", ["", "x.js", "../secret", asset_name(SCRIPT) + ".br", "socket"])
def test_no_other_file_is_served(server, name):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetched(server.place + "assets/" + name)


def test_the_folder_of_scripts_is_reserved():
    with pytest.raises(ModelError, match="reserved"):
        WebServer({"/assets/": Notes()})

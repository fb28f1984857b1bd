"""The random token of an address is kept for its user alone (kept_token.py), and a server proves that it knows it."""

import hashlib
import hmac
import os
import stat
import urllib.error
import urllib.request

import pytest
from web_notes import Notes

from symbody.web.kept_token import FOLDER, LASTS, kept_token
from symbody.web.rights import proof

pytestmark = pytest.mark.posix  # owners and modes
HERE = ("127.0.0.1", 8765)
NONCE = "0123456789abcdef" * 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where tokens are kept in this test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / FOLDER


def test_an_address_keeps_its_token_and_another_one_has_another(folder):
    token = kept_token(*HERE)
    assert kept_token(*HERE) == token
    others = {kept_token("127.0.0.1", 8766), kept_token("::1", 8765), kept_token("localhost", 8765)}
    assert len({token, *others}) == 4
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(list(folder.iterdir())) == 4


def test_a_new_token_replaces_the_kept_one(folder):
    token = kept_token(*HERE)
    new = kept_token(*HERE, renew=True)
    assert new != token
    assert kept_token(*HERE) == new


def test_nothing_is_kept_for_a_free_port_and_where_other_computers_may_listen(folder):
    for place in (("127.0.0.1", 0), ("0.0.0.0", 8765), ("", 8765), ("192.0.2.1", 8765), ("studio.example", 8765)):
        assert kept_token(*place) != kept_token(*place)
    assert not folder.exists()


def test_without_a_runtime_folder_it_is_next_to_the_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))
    token = kept_token(*HERE)
    assert (tmp_path / FOLDER / "127.0.0.1-8765").read_text() == token
    assert not (tmp_path / "cache").exists()


def old(file):
    then = file.stat().st_mtime - LASTS - 1.0
    os.utime(file, (then, then))


def made_tomorrow(file):
    os.utime(file, (file.stat().st_mtime + 86400.0,) * 2)


def readable_by_others(file):
    file.chmod(0o640)


def writable_by_others(file):
    file.chmod(0o602)


def with_a_second_name(file):
    os.link(file, file.with_name("second"))


def a_link(file):
    file.rename(file.with_name("real"))
    file.symlink_to("real")


def a_pipe(file):
    file.unlink()
    os.mkfifo(file, 0o600)


def another_text(file):
    file.write_text("0123456789abcdef\n")


CHANGES = [
    old, made_tomorrow, readable_by_others, writable_by_others, with_a_second_name, a_link, a_pipe, another_text,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_old_or_that_others_may_know_is_replaced(folder, change):
    token = kept_token(*HERE)
    file = folder / "127.0.0.1-8765"
    change(file)
    new = kept_token(*HERE)
    assert new != token
    assert file.is_file()
    assert not file.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == new == kept_token(*HERE)
    if change is a_link:  # nothing was written through it
        assert (folder / "real").read_text() == token


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_replaced(folder):
    token = kept_token(*HERE)
    os.chown(folder / "127.0.0.1-8765", 65534, 65534)
    assert kept_token(*HERE) not in (token, "")


def test_in_a_folder_that_others_may_write_nothing_is_kept(folder):
    folder.mkdir()
    folder.chmod(0o777)
    assert kept_token(*HERE) != kept_token(*HERE)
    assert not list(folder.iterdir())
    folder.rmdir()
    folder.symlink_to("nowhere")
    assert kept_token(*HERE) != kept_token(*HERE)


# -- proofs ------------------------------------------------------------------------------------------------------------


def asked(server, path):
    with urllib.request.urlopen(server.place.rstrip("/") + path) as answer:
        return answer.read().decode()


def test_a_server_proves_that_it_knows_a_random_token_and_nothing_else():
    pytest.importorskip("websockets.sync.client")
    from symbody.web.server import WebServer

    chosen = "a chosen token".replace(" ", "-") + "-of-16"
    with WebServer({"/": Notes("main"), "/other/": Notes("other")}) as server:
        right = hmac.new(server.token.encode(), f"symbody proof {NONCE}".encode(), hashlib.sha256).hexdigest()
        assert asked(server, f"/proof?{NONCE}") == asked(server, f"/other/proof?{NONCE}") == right
        for wrong in ("", NONCE[:-1], NONCE + "0", NONCE.upper(), "x" * 32):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                asked(server, f"/proof?{wrong}")
    with WebServer({"/": Notes("main")}, token=chosen) as server, pytest.raises(urllib.error.HTTPError, match="404"):
        asked(server, f"/proof?{NONCE}")  # it could be guessed from the answer


def test_a_proof_depends_on_token_and_nonce():
    tokens, nonces = ("0" * 32, "1" * 32), (NONCE, NONCE[::-1])
    assert len({proof(token, nonce) for token in tokens for nonce in nonces}) == 4
    assert proof("0" * 31, NONCE) is None
    assert proof("0" * 32, NONCE + "\n") is None

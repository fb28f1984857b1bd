"""Rights of a browser (rights.py), and how many messages it may send (gate.py)."""

import json
import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_notes import VERBS, Erase, Scroll, Write

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.web import rights
from symbody.web.gate import BURST, RATE, Gate, RateLimit
from symbody.web.rights import may_touch, offered, outward_address, page_address, same_site, server_token
from symbody.web.verbs import Verb

TOKEN = "0123456789abcdef0123"


def test_a_token_is_random_or_good_enough():
    tokens = {server_token() for _ in range(5)}
    assert len(tokens) == 5
    assert {len(token) for token in tokens} == {32}
    assert server_token("x" * 256)
    assert server_token(TOKEN) == TOKEN
    assert server_token("mN+3/0aa=Zk21!x_") == "mN+3/0aa=Zk21!x_"
    for weak in ("short", "", "sixteen letters ", "ünsichtbares_zeichen", "x" * 257, "line\nline_line_line"):
        with pytest.raises(ModelError, match="letters, digits and signs"):
            server_token(weak)


@pytest.mark.parametrize("token", [TOKEN, "mN+3/0aa=Zk21!x_"])
def test_who_offers_the_token_touches(token):
    assert may_touch(offered(token), token)
    assert all(re.fullmatch(r"[\w.]+", offer) for offer in offered(token))  # what a page may offer
    for offers in ([], ["symbody"], ["token."], offered(token + "x"), offered(token[:-1]), [token], ["token.\udcff"]):
        assert not may_touch(offers, token)


@given(st.text())
def test_no_other_token_opens(given_token):
    assert may_touch([f"token.{given_token}"], TOKEN) is (given_token == TOKEN.encode().hex())
    assert may_touch(offered(given_token), TOKEN) is (given_token == TOKEN)


@pytest.mark.parametrize(
    ("headers", "ours"),
    [
        ({"Host": "127.0.0.1:8765", "Origin": "http://127.0.0.1:8765"}, True),
        ({"Host": "localhost:8765"}, True),
        ({"Host": "lab:8765", "Origin": "http://lab:8765"}, True),
        ({"Host": "[::1]:8765", "Origin": "http://[::1]:8765"}, True),
        ({"Host": "127.0.0.1:8765", "Origin": "http://evil.example"}, False),
        ({"Host": "127.0.0.1:8765", "Origin": "http://127.0.0.1:9999"}, False),
        ({"Host": "evil.example:8765", "Origin": "http://evil.example:8765"}, False),
        ({"Host": "127.0.0.1:8765", "Origin": "null"}, False),
        ({}, False),
        ({"Host": "[::1"}, False),
        ({"Host": "::1]:80", "Origin": "http://::1]:80"}, False),
        ({"Host": "127.0.0.1:8765", "Origin": "http://[::1"}, False),
    ],
)
def test_pages_of_other_sites_get_no_socket(headers, ours):
    assert same_site(headers, "lab") is ours


def test_two_hosts_are_none():
    datastructures = pytest.importorskip("websockets.datastructures")
    assert same_site(datastructures.Headers([("Host", "127.0.0.1")]), "lab")
    assert not same_site(datastructures.Headers([("Host", "127.0.0.1"), ("Host", "127.0.0.1")]), "lab")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("0.0.0.0", "http://127.0.0.1:80/"),
        ("::", "http://[::1]:80/"),
        ("lab", "http://lab:80/"),
    ],
)
def test_addresses_can_be_opened(host, address):
    assert page_address(host, 80) == address
    assert page_address(host, 80, "a/b=") == f"{address}#token=a%2Fb%3D"


class Probe:
    """Stands for a socket: its own address is the one that the test gives."""

    mine, asked = "10.0.0.7", []

    def __init__(self, *kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def connect(self, there):
        self.asked.append((*self.kind, there))
        if self.mine is None:
            raise OSError

    def getsockname(self):
        return self.mine, 5


@pytest.mark.parametrize(
    ("host", "mine", "address", "there"),
    [
        ("0.0.0.0", "10.0.0.7", "http://10.0.0.7:80/", "192.0.2.1"),
        ("", "10.0.0.7", "http://10.0.0.7:80/", "192.0.2.1"),
        ("::", "fd00::7", "http://[fd00::7]:80/", "2001:db8::1"),
        ("0.0.0.0", "127.0.0.1", None, "192.0.2.1"),
        ("0.0.0.0", None, None, "192.0.2.1"),
        ("lab", "10.0.0.7", None, None),
    ],
)
def test_the_address_for_other_machines(monkeypatch, host, mine, address, there):
    monkeypatch.setattr(Probe, "mine", mine)
    monkeypatch.setattr(Probe, "asked", [])
    monkeypatch.setattr(rights.socket, "socket", Probe)
    assert outward_address(host, 80) == address
    family = rights.socket.AF_INET6 if host == "::" else rights.socket.AF_INET
    assert Probe.asked == ([] if there is None else [(family, rights.socket.SOCK_DGRAM, (there, 9))])


def test_a_browser_may_send_150_messages_at_once_and_150_in_a_second():
    now = [0.0]
    rate_limit = RateLimit(lambda: now[0])
    assert sum(rate_limit.take() for _ in range(1000)) == 150
    now[0] += 0.99
    assert sum(rate_limit.take() for _ in range(1000)) == 148
    assert not rate_limit.take()


def test_a_verb_may_have_a_rate_of_its_own():
    now = [0.0]
    rate_limit = RateLimit(lambda: now[0])
    often, seldom = Verb(Erase, rate=3.0), Verb(Scroll, touches=False, rate=0.5)
    assert all(rate_limit.take_of(Verb(Write)) for _ in range(1000))
    assert [rate_limit.take_of(often) for _ in range(4)] == [True] * 3 + [False]
    assert [rate_limit.take_of(seldom) for _ in range(2)] == [True, False]
    now[0] += 1.0
    assert [rate_limit.take_of(seldom), rate_limit.take_of(often)] == [False, True]
    now[0] += 1.0
    gate = Gate({"scroll": seldom})
    raw = json.dumps({"do": "scroll", "to": 0})
    assert gate.admit(raw, False, rate_limit) == Scroll(0)
    with pytest.raises(Rejected, match="too often"):
        gate.admit(raw, False, rate_limit)
    assert gate.refused == {"too often": 1}


@given(st.integers(0, 2**32 - 1), st.floats(1e-4, 0.1))
def test_nobody_says_more_than_allowed(seed, longest):
    pauses, now = np.random.default_rng(seed).uniform(0.0, longest, 400), [100.0]
    rate_limit = RateLimit(lambda: now[0])
    admitted = 0
    for pause in pauses:
        now[0] += pause
        admitted += rate_limit.take()
        assert admitted <= BURST + RATE * (now[0] - 100.0) + 1e-6


def test_silence_saves_up_no_more_than_one_burst():
    now = [0.0]
    rate_limit = RateLimit(lambda: now[0])
    assert rate_limit.take()
    now[0] += 3600.0
    assert sum(rate_limit.take() for _ in range(10 * int(BURST))) == BURST


def test_a_calm_browser_is_never_refused():
    now = [0.0]
    rate_limit = RateLimit(lambda: now[0])
    for _ in range(2000):
        now[0] += 1.0 / 60.0
        assert rate_limit.take()


def test_refusals_are_counted_by_reason():
    gate, calm = Gate(VERBS), RateLimit(lambda: 0.0)
    erase, scroll = json.dumps({"do": "erase"}), json.dumps({"do": "scroll", "to": 0})
    assert gate.admit(erase, True, calm) == Erase()
    assert gate.admit(scroll, False, calm) == Scroll(0)
    for raw, touch, reason in ((erase, False, "not allowed"), ("?", True, "not JSON")):
        with pytest.raises(Rejected, match=reason):
            gate.admit(raw, touch, calm)
    assert gate.refused == {"not allowed": 1, "not JSON": 1}
    for _ in range(int(BURST)):
        with suppress(Rejected):
            gate.admit(erase, True, calm)
    assert gate.refused["too many"] == 4  # of the burst, four were used before

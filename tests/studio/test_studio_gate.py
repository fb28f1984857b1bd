"""Who may watch and touch, and how much one browser may say."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.errors import ModelError
from symbody.studio.gate import BURST, RATE, Gate, RateLimit
from symbody.studio.messages import Pause, Watch
from symbody.studio.rights import is_loopback, may_touch, same_site, studio_token

TOKEN = "0123456789abcdef0123"


def test_loopback_needs_no_token_and_other_hosts_get_a_random_one():
    assert studio_token("127.0.0.1") is None
    assert studio_token("localhost") is None
    tokens = {studio_token(host) for host in ("0.0.0.0", "0.0.0.0", "::", "192.168.1.2", "lab.example")}
    assert len(tokens) == 5
    assert all(len(token) >= 32 for token in tokens)
    assert studio_token("0.0.0.0", TOKEN) == TOKEN
    with pytest.raises(ModelError, match="letters and digits"):
        studio_token("0.0.0.0", "short")


@pytest.mark.parametrize(
    ("peer", "path", "token", "allowed"),
    [
        ("127.0.0.1", "/socket", None, True),
        ("::1", "/socket", TOKEN, True),
        ("::ffff:127.0.0.1", "/socket", TOKEN, True),
        ("192.168.1.2", "/socket", TOKEN, False),
        ("192.168.1.2", f"/socket?token={TOKEN}", TOKEN, True),
        ("192.168.1.2", f"/socket?token={TOKEN}x", TOKEN, False),
        ("192.168.1.2", "/socket?token=", TOKEN, False),
        ("192.168.1.2", "/socket?token=", None, False),
        ("192.168.1.2", "/socket", None, False),
        ("::ffff:192.168.1.2", "/socket?token=%ff%ff", TOKEN, False),
    ],
)
def test_local_or_token_bearing_browsers_touch(peer, path, token, allowed):
    assert may_touch(peer, path, token) is allowed


@given(st.text(), st.text())
def test_no_other_token_opens(given_token, peer):
    assert may_touch(peer, f"/socket?token={given_token}", TOKEN) is (given_token == TOKEN or is_loopback(peer))


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
    ],
)
def test_pages_of_other_sites_get_no_socket(headers, ours):
    assert same_site(headers, "lab") is ours


@given(st.integers(0, 2**32 - 1), st.floats(1e-4, 0.1))
def test_nobody_says_more_than_allowed(seed, longest):
    pauses, now = np.random.default_rng(seed).uniform(0.0, longest, 400), [100.0]
    rate_limit = RateLimit(lambda: now[0])
    admitted = 0
    for pause in pauses:
        now[0] += pause
        admitted += rate_limit.take()
        assert admitted <= BURST + RATE * (now[0] - 100.0) + 1e-6


def test_a_calm_browser_is_never_refused():
    now = [0.0]
    rate_limit = RateLimit(lambda: now[0])
    for _ in range(2000):
        now[0] += 1.0 / 60.0
        assert rate_limit.take()


def test_refusals_are_counted_by_reason():
    gate, calm = Gate(), RateLimit(lambda: 0.0)
    pause, watch = json.dumps({"do": "pause"}), json.dumps({"do": "watch", "channels": []})
    assert gate.admit(pause, True, calm) == Pause()
    assert gate.admit(pause, False, calm) is None
    assert gate.admit(watch, False, calm) == Watch(())
    assert gate.admit("?", True, calm) is None
    assert gate.refused == {"not allowed": 1, "not JSON": 1}
    for _ in range(int(BURST)):
        gate.admit(pause, True, calm)
    assert gate.refused["too many"] == 4  # of the burst, four were used before

"""Compressed answers: Brotli or gzip (encodings.py)."""

import gzip
import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.web.encodings import WebContent, accepted_encodings

pytest.importorskip("websockets")

PACKED = b"compressed when the page was built"


@pytest.mark.parametrize(
    ("lines", "accepted"),
    [
        ([], set()),
        (["gzip, deflate, br"], {"gzip", "deflate", "br"}),
        (["br;q=0, gzip;q=0.5"], {"gzip"}),
        (["BR ; Q=0.2"], {"br"}),
        (["gzip", "br"], {"gzip", "br"}),
        (["br;q=x", ",,;"], set()),
    ],
)
def test_encodings_of_weight_zero_are_not_accepted(lines, accepted):
    assert accepted_encodings(lines) == accepted


@given(st.lists(st.text()))
def test_any_header_is_read(lines):
    assert all(isinstance(one, str) for one in accepted_encodings(lines))


def test_brotli_is_made_beforehand_or_by_the_package_or_gzip_is_used(monkeypatch):
    both, text = {"br", "gzip"}, b"abc" * 100
    assert WebContent(text, PACKED).encoded(both) == (PACKED, "br")
    monkeypatch.setitem(sys.modules, "brotli", types.SimpleNamespace(compress=lambda x, quality: x[:3]))
    assert WebContent(text).encoded(both) == (b"abc", "br")
    monkeypatch.setitem(sys.modules, "brotli", None)  # not installed
    packed, encoding = WebContent(text).encoded(both)
    assert (gzip.decompress(packed), encoding) == (text, "gzip")
    assert WebContent(text, PACKED).encoded({"gzip"})[1] == "gzip"
    assert WebContent(text, PACKED).encoded(set()) == (text, "")

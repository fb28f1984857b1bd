"""What a connection offers, and answers other than a socket (connection.py)."""

from http import HTTPStatus

import pytest

pytest.importorskip("websockets")
from websockets.datastructures import Headers
from websockets.http11 import Request

from symbody.web.connection import answer, offers, page_answer
from symbody.web.page import WebPage


def test_offers_are_the_subprotocols_of_all_lines():
    headers = Headers([("Sec-WebSocket-Protocol", "a, b"), ("Sec-WebSocket-Protocol", " token.x")])
    assert offers(Request("/", headers)) == ["a", "b", "token.x"]
    assert offers(Request("/", Headers())) == []


def test_an_answer_has_its_length_in_bytes_and_closes():
    made = answer(HTTPStatus.NOT_FOUND, "größer")
    assert (made.status_code, made.reason_phrase) == (404, "Not Found")
    assert made.body.decode() == "größer"
    assert made.headers["Content-Length"] == "8"
    assert made.headers["Connection"] == "close"


def test_no_answer_is_kept_sniffed_or_lets_scripts_of_others_run():
    headers = answer(HTTPStatus.OK, b"x", more={"Content-Encoding": "gzip", "Cache-Control": "public"}).headers
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("lines", "packed"), [([], False), (["br"], False), (["gzip"], True), (["br", "x, gzip"], True)]
)
def test_a_page_is_compressed_if_any_line_accepts_that(lines, packed):
    request = Request("/", Headers([("Accept-Encoding", line) for line in lines]))
    made = page_answer(request, WebPage(lambda: "<html></html>"))
    assert (made.headers.get("Content-Encoding") == "gzip") == packed

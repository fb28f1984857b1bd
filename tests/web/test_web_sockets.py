"""What is compressed on the way to a browser (`web/sockets.py`)."""

import pytest

from symbody.web.sockets import TextDeflate

frames = pytest.importorskip("websockets.frames")


def test_texts_are_compressed_and_numbers_are_not():
    answer, deflate = TextDeflate().process_request_params([("client_max_window_bits", None)], [])
    assert ("server_max_window_bits", "12") in answer
    text = frames.Frame(frames.Opcode.TEXT, b"pose " * 1000)
    packed = deflate.encode(text)
    assert packed.rsv1
    assert len(packed.data) < 100
    numbers = frames.Frame(frames.Opcode.BINARY, b"pose " * 1000)
    assert deflate.encode(numbers) is numbers
    assert not numbers.rsv1
    assert deflate.encode(text).rsv1  # a plain message between two packed ones disturbs neither

"""The library of the loop is refused where its threads and clocks do not exist."""

import sys

import pytest

import symbody as sb
from symbody.realtime.loop_layout import library


def test_where_there_is_no_posix_there_is_no_loop(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(sb.ModelError, match="POSIX"):
        library.__wrapped__()

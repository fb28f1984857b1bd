"""The gallery (gallery.py): a card for each machine, its motion as a page, its film and picture."""

import numpy as np
import pytest

from symbody import machines
from symbody.machines.gallery import LONGEST, first_motion, gallery_cards, write_gallery


def test_every_machine_has_a_card_with_its_line_and_its_motion():
    cards = gallery_cards(machines.entries(), "there")
    for one in machines.entries():
        assert f"<h3>{one.name}</h3>" in cards
        assert f'src="there/{one.name}.html"' in cards
        assert (f'src="there/{one.name}.webp"' in cards) is (one.motion is not None)
        assert f'"there/{one.name}.png"' in cards  # for readers who prefer reduced motion


def test_motions_and_pictures_are_written(tmp_path):
    write_gallery(tmp_path / "deep", [machines.entry("pendulum")])
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == [
        "pendulum.html",
        "pendulum.png",
        "pendulum.webp",
    ]
    assert "pendulum" in (tmp_path / "deep" / "pendulum.html").read_text()


def test_a_fast_machine_is_shown_slowly_and_a_long_one_only_at_first():
    fast, long = first_motion(machines.entry("andrews")), first_motion(machines.entry("pendulum"))
    assert fast.t[-1] == pytest.approx(machines.entry("andrews").steps["until"], rel=0.02)
    assert len(fast.t) >= 60
    assert long.t[-1] == pytest.approx(LONGEST, rel=0.02)
    assert np.isfinite(long.q).all()

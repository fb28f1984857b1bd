"""Films of the machines for the cards of the gallery."""

from itertools import pairwise

import numpy as np
import pytest

from symbody import machines

LEAST = 12  # pictures that differ
LARGEST, IN_ALL = 100_000, 3_000_000  # bytes
SEEN = 12.0  # of 255: a difference that a person sees, in at least
SHARE = 5e-4  # of the pixels: 32 of them


@pytest.mark.parametrize("one", machines.entries(), ids=lambda one: one.name)
def test_a_machine_has_a_film_in_which_it_moves(one):
    image = pytest.importorskip("PIL.Image")
    assert one.motion is not None, f"python docs/loops.py {one.name}"
    assert one.motion.stat().st_size <= LARGEST
    with image.open(one.motion) as film:
        pictures = []
        for k in range(film.n_frames):
            film.seek(k)
            pictures.append(np.asarray(film.convert("RGB"), dtype=float))
        lasts = film.info["duration"] * film.n_frames
    assert 1000 <= lasts <= 4000  # ms
    moved = [np.mean(np.abs(after - before).max(axis=2) > SEEN) for before, after in pairwise(pictures)]
    assert 1 + sum(share > SHARE for share in moved) >= LEAST


def test_films_are_small_in_all():
    assert sum(one.motion.stat().st_size for one in machines.entries() if one.motion) <= IN_ALL

"""Numbers of MJCF attributes: missing ones are the usual values, and errors name the element."""

import pytest

import symbody as sb
from symbody.files.mjcf_numbers import merged, reals, truth


@pytest.mark.parametrize("text", ["1 -2.5e-1\t3", "1 -0.25 " + " " * 90 + "3"])  # one short enough to be kept
def test_numbers_are_read_alike_at_first_and_again(text):
    for _ in range(2):
        assert reals({"pos": text}, "pos", "geom", (0.0, 0.0, 0.0)) == (1.0, -0.25, 3.0)


def test_missing_numbers_are_the_usual_ones():
    assert reals({"gear": "2"}, "gear", "motor", (1.0, 0.0, 0.0)) == (2.0, 0.0, 0.0)
    assert reals({}, "gear", "motor", (1.0, 0.0)) == reals({"gear": " "}, "gear", "motor", (1.0, 0.0)) == (1.0, 0.0)


@pytest.mark.parametrize("text", ["1 2 3 4", "1 x 3", "1e999 0 0", "nan 0 0"])
def test_wrong_numbers_name_their_element_each_time(text):
    for where in ("geom a", "geom b"):
        with pytest.raises(sb.ModelError, match=where):
            reals({"pos": text}, "pos", where, (0.0, 0.0, 0.0))


def test_an_element_writes_over_its_class():
    assert merged({"gear": "1 2 3", "name": "a"}, {"gear": "7"}) == {"gear": "7 2 3", "name": "a"}
    assert truth({"limited": "auto"}, "limited", True)
    assert not truth({"limited": "false"}, "limited", True)

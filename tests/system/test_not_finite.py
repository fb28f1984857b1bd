"""Which number is not finite before all others, in the order of causes."""

import numpy as np

import symbody as sb
from symbody import machines
from symbody.system.not_finite import NotFinite, first_not_finite


def test_causes_come_before_what_follows_from_them():
    s = sb.system(machines.model("four-bar"))
    assert s.culprit(0.0, s.x0, s.u0) is None
    assert s.culprit(0.0, s.x0, np.array([np.inf])) == NotFinite("input", "torque", np.inf)
    found = s.culprit(0.0, np.array([s.x0[0], -np.inf]), np.array([np.inf]))
    assert found == NotFinite("state", "crank.qd", -np.inf)
    assert str(found) == "the state crank.qd is -inf"


def test_the_first_is_told():
    assert first_not_finite("law", ["a.Q", "b.Q"], [1.0, np.inf]) == NotFinite("law", "b.Q", np.inf)
    assert str(NotFinite("law", "b.Q", np.inf)) == "the law of b.Q gives inf"
    assert first_not_finite("law", ["a.Q"], [1.0]) is None

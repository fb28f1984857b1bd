"""Otoliths and canals as states of a model, against their transfer functions."""

import numpy as np
import pytest
from scipy import signal

import symbody as sb
from symbody.errors import ModelError
from symbody.motion.vestibular import Canal, Otolith, add_sense


def reported(organ, stimulus, dt=1e-3):
    """What an organ reports of a stimulus (n,)."""
    m = sb.Model("head")
    m.input("stimulus", 0.0)
    m.signal("felt")(add_sense(m, "organ", organ, lambda s, p: p.stimulus))
    s = sb.system(m)
    t = (len(stimulus) - 1) * dt
    return sb.simulate(s, t, dt, inputs={"stimulus": stimulus}, energy="ignore")["felt"]


def transfer(organ):
    """Numerator and denominator of the printed transfer function, highest power first."""
    if isinstance(organ, Otolith):
        return organ.gain * np.array([organ.lead, 1.0]), np.polymul([organ.slow, 1.0], [organ.fast, 1.0])
    top = organ.gain * organ.slow * organ.adaptation * np.polymul([organ.lead, 1.0], [1.0, 0.0, 0.0])
    return top, np.polymul(np.polymul([organ.adaptation, 1.0], [organ.slow, 1.0]), [organ.fast, 1.0])


@pytest.mark.parametrize("organ", [Otolith(), Canal(), Canal(gain=1.0), Otolith(gain=1.0, lead=2.0)])
def test_organs_report_what_their_transfer_functions_do(organ):
    t = np.arange(0.0, 10.0, 1e-3)
    rng = np.random.default_rng(3)
    stimulus = sum(rng.normal() * np.sin(w * t) for w in (0.3, 1.1, 2.7, 5.0))
    _, expected, _ = signal.lsim(transfer(organ), stimulus, t)
    np.testing.assert_allclose(reported(organ, stimulus), expected, atol=2e-3 * np.abs(expected).max())


def test_a_canal_with_gain_one_reports_the_rate_of_a_medium_turn():
    top, bottom = transfer(Canal(gain=1.0))
    _, gain = signal.freqs(top, bottom, [3.0])
    assert abs(gain[0]) == pytest.approx(1.0, abs=0.01)


def test_a_time_constant_must_be_positive():
    with pytest.raises(ModelError, match="slow is 0"):
        add_sense(sb.Model("head"), "otolith", Otolith(slow=0.0), lambda s, p: 0.0)

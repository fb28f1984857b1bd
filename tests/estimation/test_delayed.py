"""What comes late tells as much as what comes in time: through the same steps, to the same estimate."""

import numpy as np
import pytest
from test_error_state import hydraulic_twin, pendulum

from symbody.errors import ModelError
from symbody.estimation.delayed import LateMeasurements
from symbody.estimation.estimate import FILTERS, estimate

NOISE = {"arm.q": 0.02, "arm.qd": 0.05}


def twin(kind="error-state"):
    return estimate(pendulum(), list(NOISE), NOISE, {"arm.qd": 0.1}, dt=0.01, filter=kind)


@pytest.mark.parametrize("kind", FILTERS)
def test_it_is_as_if_it_had_come_in_time(kind):
    """A camera that is four steps late beside a gyroscope in time."""
    rng = np.random.default_rng(0)
    q, qd = 0.8 + 0.02 * rng.normal(size=50), 0.05 * rng.normal(size=50)
    expected, late = twin(kind), LateMeasurements(twin(kind), 0.05)
    for k in range(50):
        expected.step(z=[np.nan, qd[k]])
        expected.correct([q[k] if k < 46 else np.nan, np.nan])
        late.step(z={"arm.qd": qd[k]})
        if k >= 4:
            assert late.late(0.01 * (k - 3), {"arm.q": q[k - 4]})
    assert late.twin.x == pytest.approx(expected.x, rel=1e-9)
    assert np.allclose(late.twin.P, expected.P, rtol=1e-9)
    assert late.twin.t == pytest.approx(expected.t)


def test_through_loops_and_oil():
    expected, late = hydraulic_twin("auto"), LateMeasurements(hydraulic_twin("auto"), 0.02)
    u = np.array([3.0])
    for _ in range(10):
        expected.step(u)
        late.step(u)
    seen = {"boom.q": expected.mean["boom.q"] + 0.01}
    expected.correct(seen)
    late.late(0.01, seen)
    for _ in range(10):
        expected.step(u)
        late.step(u)
    later = LateMeasurements(hydraulic_twin("auto"), 0.02)
    for _ in range(20):
        later.step(u)
    later.late(0.01, seen)
    for one in (late, later):
        assert one.twin.x == pytest.approx(expected.x, rel=1e-9)


def test_what_is_too_old_is_counted_and_the_future_is_refused():
    late = LateMeasurements(twin(), 0.03)
    for _ in range(20):
        late.step()
    before = late.twin.x
    assert not late.late(0.1, {"arm.q": 0.5})
    assert late.too_late == 1
    assert np.array_equal(late.twin.x, before)
    with pytest.raises(ModelError, match=r"is at 0\.2"):
        late.late(0.3, {"arm.q": 0.5})
    with pytest.raises(ModelError, match="positive"):
        LateMeasurements(twin(), 0.0)

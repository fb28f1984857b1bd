"""Several systems in one real-time loop: the same numbers as one after another, a delay for feedback, clear errors."""

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.inbox import LoopInbox
from symbody.stepping.step_options import FixedStep

DT = 1e-3


def lag(name="lag", rate=3.0):
    """ẋ = k (u − x), with the output x."""
    m = sb.Model(name)
    m.input("u", 1.0)
    m.parameter("rate", rate, "1/s")
    m.state("x")(lambda s, p: p.rate * (p.u - p.x))
    m.signal("y")(lambda s, p: p.x)
    return sb.system(m, outputs=["y"])


def stepped(chain, steps, inputs=lambda k: {}):
    """The model of a chain, and rows of its outputs."""
    stage = CStage(chain, DT)
    return stage.model, np.array([stage.step(**inputs(k)) for k in range(steps)])


def test_two_lags_in_a_row_are_the_product_of_their_decays():
    chain = Chain("two", [Stage(lag()), Stage(lag(rate=5.0), {"u": "y"}, "second.")])
    model, rows = stepped(chain, 1000)
    t = DT * np.arange(1000)
    assert model.inputs == ["u"]
    assert model.outputs == ["y", "second.y"]
    np.testing.assert_allclose(rows[:, 0], 1.0 - np.exp(-3.0 * t), atol=1e-9)
    exact = 1.0 - (5.0 * np.exp(-3.0 * t) - 3.0 * np.exp(-5.0 * t)) / 2.0
    np.testing.assert_allclose(rows[:, 1], exact, atol=3e-3)  # the second stage holds its input for a period


def test_a_later_stage_is_read_one_period_later():
    chain = Chain("back", [Stage(lag(), {"u": "second.y"}, "first."), Stage(lag(), prefix="second.")])
    _, rows = stepped(chain, 50)
    x, expected = 0.0, []
    for held in (0.0, *rows[:49, 1]):  # what the second stage had in the period before
        expected.append(x)
        x += (1.0 - np.exp(-3.0 * DT)) * (held - x)
    np.testing.assert_allclose(rows[:, 0], expected, atol=1e-12)


def test_parameters_have_the_prefix_of_their_stage():
    chain = Chain("two", [Stage(lag(), prefix="a."), Stage(lag(), {"u": "a.y"}, "b.")])
    model = chain.loop_model(DT, 1, FixedStep())
    assert list(model.parameters) == ["a.rate", "b.rate"]
    model.parameters["b.rate"] = 7.0
    assert (model.parameters["a.rate"], model.parameters["b.rate"]) == (3.0, 7.0)
    with pytest.raises(sb.ModelError, match="unknown parameter"):
        model.parameters["c.rate"] = 1.0


def test_start_values_and_shown_outputs():
    chain = Chain("one", [Stage(lag(), prefix="a."), Stage(lag(), prefix="b.")], outputs=["b.*"], start={"b.u": 2.0})
    model, rows = stepped(chain, 3)
    assert model.outputs == ["b.y"]
    assert dict(zip(model.inputs, model.u0, strict=True)) == {"a.u": 1.0, "b.u": 2.0}
    assert rows[2, 0] == pytest.approx(2.0 * (1.0 - np.exp(-3.0 * 2 * DT)), rel=1e-9)


@pytest.mark.parametrize(
    ("chain", "problem"),
    [
        (lambda: Chain("x", [Stage(lag(), {"u": "nothing"})]), "unknown source"),
        (lambda: Chain("x", [Stage(lag()), Stage(lag())]), "two values of a chain"),
        (lambda: Chain("x", [Stage(lag())], start={"v": 1.0}), "unknown input"),
    ],
)
def test_wrong_chains_are_refused(chain, problem):
    with pytest.raises(sb.ModelError, match=problem):
        chain().loop_model(DT, 1, FixedStep())


def test_an_inbox_gives_the_newest_numbers_and_their_age():
    inbox = LoopInbox({"a": "m", "b": ""})
    given = {0: (1.0, 2.0), 5: (3.0, 4.0)}

    def post(k):
        if k in given:
            inbox.post(given[k])
        return {}

    model, rows = stepped(Chain("inbox", [Stage(inbox)]), 8, post)
    assert model.outputs == ["a", "b", "age"]
    np.testing.assert_allclose(rows[4], [1.0, 2.0, 4 * DT])
    np.testing.assert_allclose(rows[5], [3.0, 4.0, 0.0])
    with pytest.raises(sb.ModelError, match="3 numbers"):
        inbox.post([1.0, 2.0, 3.0])


def test_a_chain_runs_in_the_loop():
    chain = Chain("two", [Stage(lag()), Stage(lag(), {"u": "y"}, "second.")])
    with sb.realtime.Loop(chain, 500.0, safety=sb.realtime.Safety(stale=None, overrun=None)) as loop:
        loop.give({"u": 4.0})
        assert loop.wait(200, timeout=20.0)
        assert loop.latest().outputs[1] > 0.0
    assert not loop.reason

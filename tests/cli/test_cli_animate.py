"""`symbody animate` as its module offers it: a model, a result, and what is refused."""

import argparse

import pytest

import symbody as sb
from symbody.cli import animate


def animated(*words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    animate.options(parser)
    return animate.run(parser.parse_args([*map(str, words), "--json"]))


def test_a_model_by_name(tmp_path):
    said = animated("double-pendulum", "--until", 0.2, "--dt", 0.01, "--set", "L1=0.7", "-o", tmp_path / "d.html")
    assert said["model"] == "double-pendulum"
    assert said["seconds"] == pytest.approx(0.2)
    assert said["bytes"] == (tmp_path / "d.html").stat().st_size > 10_000


def test_a_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    animated("double-pendulum", "--until", 0.1, "--dt", 0.01, "-o", "d.html")
    m = sb.Model("falling")
    m.body("stone", joints="T3", mass=1.0, inertia=(0.1, 0.1, 0.1))
    sb.simulate(m, 0.1, 0.01).save("stone.csv")
    assert animated("stone.csv")["animation"] == "out/falling.html"
    assert (tmp_path / "out" / "falling.html").exists()


def test_a_result_without_a_model_asks_for_one(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("t,shoulder.q,elbow.q\n0,0.1,0.2\n0.1,0.2,0.3\n")
    with pytest.raises(sb.ModelError, match="does not know its model"):
        animated(path, "-o", tmp_path / "x.html")
    assert animated(path, "--model", "double-pendulum", "-o", tmp_path / "x.html")["model"] == "double-pendulum"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--size", "big"), "720x540"),
        (("--mesh", "arm"), "BODY=FILE"),
        (("-o", "x.avi"), r"\.html, \.gif"),
        (("--fps", "0"), "fps > 0"),
    ],
)
def test_options_that_make_no_sense(words, problem):
    with pytest.raises(sb.ModelError, match=problem):
        animated("double-pendulum", "--until", 0.01, *words)


def test_a_motion_that_diverges_is_shown_as_far_as_it_came(tmp_path):
    text = """symbody: 1
name: wild
bodies: {arm: {joints: R2, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
joint_forces: {arm: "1e3*qd*qd*qd + 1"}
"""
    (tmp_path / "wild.yaml").write_text(text)
    said = animated(tmp_path / "wild.yaml", "--dt", 0.01, "-o", tmp_path / "wild.html")
    assert "diverged" in said["stopped"]
    assert said["seconds"] < 3

# ruff: noqa: E501  lines of XML
"""Loops of files that are open by the digits of their numbers. Tests of loop_gaps.py and mjcf_replicate.py."""

import numpy as np
import pytest

import symbody as sb

FOUR_BAR = (
    '<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" '
    'size="0.02"/><body name="b" pos="0 0 0.3"><joint name="k" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.6 0 0.1" size="0.02"/>'
    '<site name="s" pos="0.6 {} 0.1"/></body></body><body name="c" pos="0.6 0 0"><joint name="l" axis="0 1 0"/><geom type="capsule" '
    'fromto="0 0 0 0 0 0.4" size="0.02"/><site name="t" pos="0 0 0.4"/></body></worldbody><equality><connect name="pin" site1="s" site2="t"/>'
    "</equality></mujoco>"
)


def loaded(folder, text):
    path = folder / "model.xml"
    path.write_text(text)
    return sb.load(path)


@pytest.mark.filterwarnings("ignore::symbody.errors.DroppedWarning")
def test_a_gap_of_rounding_is_closed_and_reported(tmp_path):
    model = loaded(tmp_path, FOUR_BAR.format("1.4e-8"))
    (note,) = [note for note in model.notes if "were moved" in note]
    assert "1.4e-08 m (loop 'pin')" in note
    assert np.abs(np.array(model.point_at(model.cuts["pin"].b).position) - (0.0, 1.4e-8, 0.4)).max() < 1e-12
    assert model.bodies["c"].points["t"].position == (0.0, 0.0, 0.4)  # the site stays
    assert len(sb.system(model, backend="python").x0) == 2


@pytest.mark.filterwarnings("ignore::symbody.errors.DroppedWarning")
def test_a_gap_that_joints_close_moves_no_point(tmp_path):
    model = loaded(tmp_path, FOUR_BAR.format("0").replace('pos="0 0 0.4"/>', 'pos="0 0 0.4001"/>'))
    assert not any("were moved" in note for note in model.notes)


@pytest.mark.filterwarnings("ignore::symbody.errors.DroppedWarning")
def test_a_large_gap_is_an_error(tmp_path):
    model = loaded(tmp_path, FOUR_BAR.format("2e-6"))
    assert not any("were moved" in note for note in model.notes)
    with pytest.raises(sb.AssemblyError, match="stays open by 2e-06 m"):
        sb.system(model, backend="python")


def test_too_many_copies_are_refused(tmp_path):
    text = '<mujoco><worldbody><replicate count="{}"><body name="a"><joint/><geom size="0.1"/></body></replicate></worldbody></mujoco>'
    for count in ("0", "30000", "1e300"):
        with pytest.raises(sb.ModelError, match=r"replicate|more elements than its size allows"):
            loaded(tmp_path, text.format(count))

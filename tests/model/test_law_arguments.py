"""Arguments of laws; unknown ones are refused with the line to write. Tests of model/law.py, components.py."""

import pytest

import symbody as sb
from symbody.model.law import ARGUMENTS, CALLED_WITH, require_arguments


def pendulum() -> sb.Model:
    m = sb.Model("pendulum")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5)).point("tip", (0, 0, -1))
    return m


@pytest.mark.parametrize(
    ("attach", "said"),
    [
        (lambda m: m.joint_force("arm")(lambda q, p: -q), r"joint_forces\.arm: its law takes \(q, p\).*\(q, qd, p\)"),
        (lambda m: m.link("rope", "arm.tip", "ground")(lambda length: 1.0), r"links\.rope: its law takes \(length\)"),
        (
            lambda m: m.link("rope", "arm", "ground")(lambda length, rate, p: 1.0),
            r"links\.rope: its two ends always coincide",
        ),
        (lambda m: m.force_site("wind", "arm")(lambda: 0.0), r"called with \(at, p\)"),
        (lambda m: m.state("heat")(lambda s, p, more: 0.0), r"states\.heat: .*lambda s, p: …"),
        (lambda m: m.signal("tip")(sb.numeric(lambda s: 0.0)), r"signals\.tip: its law takes \(s\)"),
        (lambda m: m.joint_force("arm")(5.0), r"its law is neither a function nor a formula"),
    ],
)
def test_wrong_arguments_are_refused_with_the_right_ones(attach, said):
    m = pendulum()
    attach(m)
    with pytest.raises(sb.ModelError, match=said):
        sb.system(m)


def test_any_function_that_can_be_called_so_passes():
    require_arguments(lambda *all_of_them: 0.0, "links.a")
    require_arguments(lambda length, rate, p, factor=2.0: 0.0, "links.a")
    require_arguments(max, "links.a")  # does not say what it takes
    assert set(CALLED_WITH) == set(ARGUMENTS)

    def pull(length):
        return length

    with pytest.raises(sb.ModelError, match=r"write def pull\(length, rate, p\)"):
        require_arguments(pull, "links.a")

"""Rolling contacts and constraints between velocities as data: what is checked, saved and refused."""

import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.files import load
from symbody.model import Model, check


def on_ground(**numbers):
    m = Model("wheel")
    m.parameter("r", 0.3, "m")
    body = m.body("wheel", joints="free", mass=1.0, inertia=(0.1, 0.2, 0.1))
    body.point("hub", (0.0, 0.0, 0.0))
    m.ground.point("road", (0.0, 0.0, 0.0))
    contact = {"kind": "wheel", "point": "wheel.hub", "plane": "ground.road", "radius": 0.3} | numbers
    m.rolling("contact", **contact)
    return m


def test_a_contact_is_found_by_its_numbers():
    m = on_ground(tube=0.05)
    contact = m.rolling_contacts["contact"]
    assert (contact.axis, contact.count, contact.touches) == (2, 2, True)
    assert m.has_loops
    assert m.has_nonholonomic
    m = on_ground(kind="knife-edge", radius=0.0)
    contact = m.rolling_contacts["contact"]
    assert (contact.axis, contact.count, contact.touches) == (1, 1, False)
    assert not m.has_loops
    assert m.is_constrained


@pytest.mark.parametrize(
    ("numbers", "place", "word"),
    [
        ({"kind": "square"}, "rolling_contacts.contact", "unknown kind"),
        ({"radius": 0.0}, "rolling_contacts.contact.radius", "the radius is 0"),
        ({"radius": float("nan")}, "rolling_contacts.contact", "not finite"),
        ({"tube": 0.3}, "rolling_contacts.contact.tube", "the tube's radius"),
        ({"tube": -0.1}, "rolling_contacts.contact.tube", "the tube's radius"),
        ({"kind": "ball", "tube": 0.1}, "rolling_contacts.contact.tube", "has no tube"),
        ({"kind": "knife-edge"}, "rolling_contacts.contact.radius", "no radius"),
        ({"axis": 0}, "rolling_contacts.contact.axis", "unknown axis"),
        ({"plane": "wheel"}, "rolling_contacts.contact", "its own body"),
    ],
)
def test_what_cannot_be_meant_is_refused(numbers, place, word):
    with pytest.raises(ModelError, match=word) as caught:
        check(on_ground(**numbers))
    assert caught.value.element == place
    assert caught.value.cure


def test_names_are_taken_once():
    m = on_ground()
    with pytest.raises(ModelError, match="already has an element"):
        m.rolling("contact", "ball", "wheel", radius=1.0)
    m.nonholonomic("tie")
    with pytest.raises(ModelError, match="already has an element"):
        m.nonholonomic("tie")
    with pytest.raises(ModelError, match="no law"):
        check(m)


def test_files_hold_both(tmp_path):
    m = on_ground(tube=0.05, axis=1)

    @m.nonholonomic("tie", 2)
    def tie(s, p):
        return s.qd["wheel.vx"] - p.r * s.point("wheel.hub").omega[1], s.qd["wheel.wz"]

    sb.save(m, tmp_path / "wheel.yaml")
    again = load(tmp_path / "wheel.yaml")
    assert again == m
    assert again.nonholonomic_constraints["tie"].count == 2
    a, b = (sb.compile(x, "nonholonomic", loads=False) for x in (m, again))
    q, qd = [0.1, 0.2, 0.3, 0.8, 0.6, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert a(q, qd).psi == pytest.approx(b(q, qd).psi, abs=1e-14)
    plain = Model("plain")
    plain.rolling("contact", "ball", plain.body("ball", joints="T1 T2 T3", mass=1.0), radius=0.1)
    with pytest.raises(ModelError, match="not support rolling contacts"):
        sb.save(plain, tmp_path / "plain.mbs")


@pytest.mark.parametrize(
    ("law", "word"), [("qd('x') - t", "'t'"), ("qd('y')", "unknown velocity"), ("u*qd('x')", "'u'")]
)
def test_what_a_formula_may_name(tmp_path, law, word):
    text = "symbody: 1\nname: a\ninputs: {u: 1}\nbodies: {b: {joints: [{type: T1, name: x}]}}\n"
    (tmp_path / "a.yaml").write_text(f'{text}nonholonomic_constraints: {{tie: {{law: "{law}"}}}}')
    with pytest.raises(ModelError, match=word):
        load(tmp_path / "a.yaml")

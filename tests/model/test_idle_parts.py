"""Links and force sites without laws: said by `check` and by a simulation, for nothing holds what they should hold."""

import warnings

import pytest

import symbody as sb
from symbody.cli import main
from symbody.model.idle_parts import idle_parts


def falling_car():
    m = sb.Model("car")
    body = m.body("body", joints="T3", mass=1.0)
    m.link("strut", m.ground.point("road", (0, 0, -1)), body)
    m.force_site("tyre", body)
    return m


def test_check_and_simulation_name_them(tmp_path, capsys):
    m = falling_car()
    links, sites = idle_parts(m)
    assert "strut" in links
    assert "tyre" in sites
    assert {links, sites} <= set(sb.warnings(m))
    with pytest.warns(sb.IdleWarning) as told:
        sb.simulate(m, 0.1, 1e-2)
    assert [str(one.message).split(":")[0] for one in told] == ["car", "car"]
    path = tmp_path / "car.yaml"
    sb.save(m, path)
    assert main(["check", str(path)]) == 0
    assert "links without a law" in capsys.readouterr().out


def test_laws_and_inputs_silence_them():
    m = falling_car()
    m.links["strut"](lambda length, rate, p: 10.0 * (length - 1.0))
    s = sb.system(m, inputs=["tyre.force"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb.simulate(s, 0.1, 1e-2)
    assert len(idle_parts(m)) == 1


def test_long_lists_are_cut():
    m = sb.Model("many")
    body = m.body("body", joints="T3", mass=1.0)
    for k in range(12):
        m.force_site(f"site{k}", body)
    assert "site7 and 4 more" in idle_parts(m)[0]

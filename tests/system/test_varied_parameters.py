"""Other values of live parameters inside a `with` block; the old ones come back, even after an error."""

import pytest

import symbody as sb
from symbody import machines
from symbody.system.varied_parameters import varied


def test_values_are_restored():
    s = sb.system(machines.model("pendulum"))
    name = next(iter(s.parameters))
    before = s.parameters[name]
    with varied(s, **{name: before + 1.0}):
        assert s.parameters[name] == before + 1.0
    assert s.parameters[name] == before
    with pytest.raises(RuntimeError, match="inside"), varied(s, **{name: before + 1.0}):
        raise RuntimeError("inside")
    assert s.parameters[name] == before

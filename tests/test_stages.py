"""Stages of long work (stages.py): who listens hears what a start does, and a warm one does less."""

import symbody as sb
from symbody.stages import COMPILING, READING, STAGES, TRACING, reach_stage, stages_heard


def pendulum() -> sb.Model:
    m = sb.Model("told")
    m.body("arm", joints=[sb.Joint("arm", "R2")], mass=1.25, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    return m


def test_a_start_from_an_empty_cache_traces_and_compiles_and_a_later_one_does_neither(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    first: list[str] = []
    later: list[str] = []
    with stages_heard(first.append):
        sb.system(pendulum())
    with stages_heard(later.append):
        sb.system(pendulum())
    assert list(dict.fromkeys(first)) == [TRACING, COMPILING]
    assert later == []


def test_only_who_listens_hears_and_only_meanwhile():
    outer: list[str] = []
    inner: list[str] = []
    reach_stage(READING)
    with stages_heard(outer.append):
        with stages_heard(inner.append):
            reach_stage(STAGES[1])
        reach_stage(STAGES[2])
    reach_stage(STAGES[3])
    assert (outer, inner) == ([STAGES[2]], [STAGES[1]])

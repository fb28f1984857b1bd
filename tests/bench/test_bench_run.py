"""The report of a benchmark: ratios, table and plots from given figures."""

from symbody_bench.peers import Measured
from symbody_bench.plots import save_plots
from symbody_bench.run import CLOSED_ENGINES, ENGINES, QUICK, ratios, table, tasks

FIGURES = [
    Measured("symbody", "arm7", "inverse", 0.1, 400, 0.01, 0.2, 0.5, 40.0),
    Measured("symbody", "chain10", "direct", 0.4, 1600, 0.1, 0.5, 0.8, 40.0),
    Measured("symbody_python", "arm7", "inverse", 0.8),
    Measured("pinocchio_cpp", "arm7", "inverse", 1.0),
    Measured("pinocchio_casadi", "arm7", "inverse", 0.25, 800, 0.01, 0.3),
    Measured("pinocchio_casadi", "chain10", "direct", None, note="not built"),
]
CLOSED = [
    Measured("symbody", "stewart", "constrained", 3.0, 4000),
    Measured("pinocchio_cpp", "stewart", "constrained", 18),
]


def test_ratios_compare_with_the_same_function_of_the_same_model():
    assert ratios(FIGURES) == [
        {"model": "arm7", "function": "inverse", "peer": "pinocchio_cpp", "faster": 10.0, "goal": 4.0},
        {
            "model": "arm7",
            "function": "inverse",
            "peer": "pinocchio_casadi",
            "faster": 2.5,
            "operations": 2.0,
            "goal": 1.5,
        },
    ]


def test_table_has_a_row_for_each_figure_and_keeps_the_notes():
    text = table(FIGURES)
    assert text.count("\n") == len(FIGURES) + 2
    assert "not built" in text


def test_plots_are_written(tmp_path):
    for path in save_plots(FIGURES, tmp_path):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_the_goals_are_those_of_trees():
    assert ratios(CLOSED) == [
        {"model": "stewart", "function": "constrained", "peer": "pinocchio_cpp", "faster": 6.0, "goal": None}
    ]


def test_without_trees_there_is_nothing_to_plot(tmp_path):
    assert save_plots(CLOSED, tmp_path) == []


def test_closed_models_meet_the_engines_that_close_loops():
    assert [engine for _, engine, _ in tasks(["stewart"])] == list(CLOSED_ENGINES)
    assert [engine for _, engine, _ in tasks(["arm7"])] == list(ENGINES)
    quick = [(name, engine) for name, engine, _ in tasks(list(QUICK), quick=True)]
    assert ("quarter-car", "numerical closure") in quick
    assert not any(name == "quarter-car" and "cpp" in engine for name, engine in quick)
    assert not any(name == "stewart" for name, _ in quick)

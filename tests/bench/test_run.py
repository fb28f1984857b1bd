"""The report of a benchmark: ratios, table and plots from given figures."""

from symbody.bench.peers import Measured
from symbody.bench.plots import save_plots
from symbody.bench.run import ratios, table

FIGURES = [
    Measured("symbody", "arm7", "inverse", 0.1, 400, 0.01, 0.2, 0.5, 40.0),
    Measured("symbody", "chain10", "direct", 0.4, 1600, 0.1, 0.5, 0.8, 40.0),
    Measured("symbody_python", "arm7", "inverse", 0.8),
    Measured("pinocchio_cpp", "arm7", "inverse", 1.0),
    Measured("pinocchio_casadi", "arm7", "inverse", 0.25, 800, 0.01, 0.3),
    Measured("pinocchio_casadi", "chain10", "direct", None, note="not built"),
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

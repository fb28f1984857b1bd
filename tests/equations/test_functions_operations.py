"""Operation counts: at most what is promised, against what the original program printed for the same files."""

from pathlib import Path

import pytest

from symbody import machines
from symbody.equations.closed import Partition
from symbody.equations.closed_inverse import inverse_program
from symbody.equations.constrained import constrained_program
from symbody.equations.functions import GenerationOptions, make_program

# joints, (M, c) and inverse dynamics as printed by the program the files belong to
PRINTED = {"suspension": (6, 157, 132), "coman": (29, 17414, 4106), "coman_skywalker": (33, 17536, 4220)}
DIRECT, INVERSE = 0.36, 0.75
# Of the small file's (M, c), 43 operations only bring the loads of its six bodies to the joints, for which the goal
# of the large files leaves 12; docs/benchmarks.md counts them.
SMALL_DIRECT = 0.56


@pytest.mark.parametrize(("function", "column"), [("dynamics", 1), ("inverse", 2)])
def test_counts_of_published_files(public_model, function, column):
    printed = PRINTED[Path(public_model.file).stem]
    ratio = INVERSE if function == "inverse" else SMALL_DIRECT if printed[0] == 6 else DIRECT
    operations = make_program(public_model, function, GenerationOptions(live="all")).operations
    assert sum(1 for _ in public_model.joints()) == printed[0]
    assert operations.total <= ratio * printed[column]


# Of models that come along; where a change of the equations or of the simplifier makes fewer of them, so much the
# better.
OF_TREES = {
    "arm6": {"inverse": 519, "dynamics": 759, "direct": 925, "kinematics": 205},
    "double-wishbone": {"inverse": 309, "dynamics": 401, "direct": 543, "kinematics": 120},
    "stewart": {"inverse": 574, "dynamics": 543, "direct": 678, "kinematics": 200},
    "bricard": {"inverse": 278, "dynamics": 385, "direct": 476, "kinematics": 130},
}
# direct and inverse dynamics of closed systems, over one partition of their coordinates
CLOSED = {
    "four-bar": (Partition((0,), (), (1, 2), (0, 1)), 212, 192),
    "double-wishbone": (Partition((0, 1), (6, 7), (2, 5, 4, 3), (2, 1, 0, 3)), 1280, 1000),
    "bricard": (Partition((0,), (), (4, 3, 2, 1), (0, 2, 1, 3)), 1128, 926),
    "andrews": (Partition((0,), (), (2, 1, 5, 6, 3, 4), (0, 1, 5, 4, 3, 2)), 671, 596),
}


@pytest.mark.parametrize("name", OF_TREES)
def test_counts_of_shipped_trees(name):
    model = machines.model(name)
    found = {function: make_program(model, function).operations.total for function in OF_TREES[name]}
    assert all(found[function] <= count for function, count in OF_TREES[name].items()), found


@pytest.mark.parametrize("name", CLOSED)
def test_counts_of_shipped_closed_systems(name):
    model, (partition, direct, inverse), options = machines.model(name), CLOSED[name], GenerationOptions()
    given = partition.given
    assert constrained_program(model, partition, options).operations.total <= direct
    assert inverse_program(model, partition, given, [1.0] * len(given), options).operations.total <= inverse

"""Programs with Pinocchio's templates are compiled as all code of tests: quickly, unless optimised code is asked for.

With optimisation and all joints, the one with CasADi takes 4.4 GB of memory, as here 1.5 GB. The numbers are the same.
"""

import os
from collections.abc import Iterator

import pytest

from symbody_bench import peers

JOINTS = "-DSYMBODY_JOINTS(M)=M##RX,M##RY,M##RZ,M##FreeFlyer"  # of arm7 and humanoid30


@pytest.fixture(scope="session", autouse=True)
def _quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if os.environ["SYMBODY_TIER"] == "quick":
            patch.setattr(peers, "CPP_LEVEL", ("-O0",))
            patch.setattr(peers, "CASADI_LEVEL", ("-O0",))
            patch.setattr(peers, "TREE_JOINTS", (JOINTS,))
        yield

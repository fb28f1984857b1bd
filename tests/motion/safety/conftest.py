"""Distances to the limits of many states in optimised code, compiled once: the governor asks for millions of them."""

import numpy as np
import pytest

from symbody.codegen import only_tier
from symbody.codegen.compiler import find_compiler


@pytest.fixture(scope="session")
def optimised_slack():
    from hostile_rides import DATA
    from symbody.motion.safety.slack import slack_function, slack_of

    slack_function.cache_clear()
    slack_function(DATA)  # of one state: as all tests
    with only_tier("optimised" if find_compiler() else "quick"):
        slack_of(DATA.neutral, np.zeros(6), np.zeros(6), DATA)

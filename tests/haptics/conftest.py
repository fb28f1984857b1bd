"""The hand-written C of the tick in optimised code, compiled once for all: these tests make millions of ticks."""

import pytest

from symbody.codegen import only_tier
from symbody.codegen.compiler import find_compiler
from symbody.haptics import structures
from symbody.haptics.two_rates.local_model import local_library


@pytest.fixture(scope="session", autouse=True)
def _optimised_tick():
    with only_tier("optimised" if find_compiler() else "quick"):
        structures.library()
        local_library()

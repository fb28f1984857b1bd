"""The closed mechanisms of the tests of systems."""

import sys
from pathlib import Path

SYSTEM = Path(__file__).parents[1] / "system"
sys.path.insert(0, str(SYSTEM))  # four_bar, hexapod … of test_constrained

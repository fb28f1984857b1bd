"""What all tests share.

They build quickly and always the same code (`SYMBODY_TIER=optimised make test` runs them in optimised code); no clock
decides whether one passes; what needs POSIX is skipped where there is none. All workers share the usual cache of code,
so that a mechanism is traced and compiled once, and not at all in the next run; tests of the cache have their own.
"""

import os
import sys

import pytest

os.environ.setdefault("SYMBODY_TIER", "quick")

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:  # its tests are then reported as errors; all others run
    pass
else:  # a busy machine is slow to think of examples, too
    settings.register_profile("symbody", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("symbody")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if sys.platform == "win32":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs the real-time loop, signals or pipes of POSIX"))

"""One browser for the tests of a file."""

import pytest

from symbody.studio.photograph import browser


@pytest.fixture(scope="module")
def chrome():
    with browser() as started:
        yield started

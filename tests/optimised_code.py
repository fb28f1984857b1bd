"""Optimised code for tests that run for long."""

from collections.abc import Iterator
from contextlib import contextmanager

from symbody.codegen import native, only_tier
from symbody.codegen.compiler import find_compiler


@contextmanager
def optimised_code() -> Iterator[None]:
    """All code that is made inside is optimised, if there is a compiler; the hand-written C that steps it, too.

    Some functions of a system are made in its first run: make this run inside.
    """
    native._runtime.cache_clear()
    with only_tier("optimised" if find_compiler() else "quick"):
        yield

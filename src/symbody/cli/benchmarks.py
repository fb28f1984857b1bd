"""`bench` and `validate` need the folder `benchmarks/` of the source repository in addition to the package."""

from __future__ import annotations

from importlib.util import find_spec

from symbody.errors import ModelError


def require_benchmarks(command: str) -> None:
    """Raise with the cure if symbody was installed without its repository."""
    if find_spec("symbody_bench") is None:
        problem = f"'symbody {command}' needs the folder benchmarks/ of the source repository; wheels do not contain it"
        raise ModelError(problem, cure="install from a clone: pip install -e '.[bench]'")

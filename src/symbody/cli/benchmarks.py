"""What `bench` and `validate` need beside the package: the folder `benchmarks/` of the source repository."""

from __future__ import annotations

from importlib.util import find_spec

from symbody.errors import ModelError


def require_benchmarks(command: str) -> None:
    """Say what is missing where symbody was installed without its repository."""
    if find_spec("symbody_bench") is None:
        problem = f"'symbody {command}' needs the folder benchmarks/ of the source repository, which a wheel leaves out"
        raise ModelError(problem, cure="install from a clone: pip install -e '.[bench]'")

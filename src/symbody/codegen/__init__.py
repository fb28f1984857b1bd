"""From expressions to functions: C, Python or MATLAB text; compiled, cached on disk, and called with NumPy arrays."""

from symbody.codegen.compiled import build, cached
from symbody.codegen.function import Function
from symbody.codegen.schedule import schedule as scheduled
from symbody.codegen.sources import write_sources

__all__ = ["Function", "build", "cached", "scheduled", "write_sources"]

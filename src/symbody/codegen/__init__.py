"""From expressions to functions: text in C or other languages, compiled, cached on disk, and called with arrays."""

from symbody.codegen.background import wait_optimised
from symbody.codegen.compiled import Stored, build, cached, load_functions, store_functions
from symbody.codegen.function import Function
from symbody.codegen.native import refresh
from symbody.codegen.schedule import schedule as scheduled
from symbody.codegen.sources import write_sources
from symbody.codegen.tiers import only_tier

__all__ = [
    "Function", "Stored", "build", "cached", "load_functions", "only_tier", "refresh", "scheduled", "store_functions",
    "wait_optimised", "write_sources",
]  # fmt: skip

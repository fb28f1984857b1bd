"""The real-time loop: a compiled system at a fixed rate, its shared memory, nodes, filters and recordings."""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "realtime.filter_loop": "LiveFilter LiveTwin",
    "realtime.loop": "Loop",
    "realtime.loop_memory": "Shared Snapshot",
    "realtime.loop_options": "Safety Scheduling",
    "realtime.nodes": "Node io_node model_node",
    "realtime.record": "Recorder save_mcap",
    "realtime.record_read": "load_mcap",
    "realtime.statistics": "Histogram Statistics",
    "realtime.stepper": "LoopModel LoopSource LoopStepper",
    "realtime.tracking": "AlphaBetaGamma LowPass Smooth delay response",
}

__all__ = lazy_names(__name__, _NAMES)

# Written by tests/stubs.py from the table in __init__.py.
from symbody.realtime.filter_loop import LiveFilter, LiveTwin
from symbody.realtime.loop import Loop
from symbody.realtime.loop_memory import Shared, Snapshot
from symbody.realtime.loop_options import Safety, Scheduling
from symbody.realtime.nodes import Node, io_node, model_node
from symbody.realtime.record import Recorder, save_mcap
from symbody.realtime.record_read import load_mcap
from symbody.realtime.statistics import Histogram, Statistics
from symbody.realtime.stepper import LoopModel, LoopSource, LoopStepper
from symbody.realtime.tracking import AlphaBetaGamma, LowPass, Smooth, delay, response

__all__ = [
    "AlphaBetaGamma",
    "Histogram",
    "LiveFilter",
    "LiveTwin",
    "Loop",
    "LoopModel",
    "LoopSource",
    "LoopStepper",
    "LowPass",
    "Node",
    "Recorder",
    "Safety",
    "Scheduling",
    "Shared",
    "Smooth",
    "Snapshot",
    "Statistics",
    "delay",
    "io_node",
    "load_mcap",
    "model_node",
    "response",
    "save_mcap",
]

"""The real-time loop: a compiled system at a fixed rate, its shared memory, nodes, filters and recordings.

Examples
--------
A loop at 1 kHz, with filters for its inputs:

>>> import symbody as sb
>>> from symbody.realtime import Loop, Safety, Scheduling, Shared, Snapshot, Statistics
>>> s = sb.system(sb.machines.model("quarter-car"))
>>> safety, ordinary = Safety(stale=None, overrun=None), Scheduling(priority=0)
>>> with Loop(s, 1000.0, inputs={"road": (-0.1, 0.1)}, safety=safety, scheduling=ordinary, name="help") as loop:
...     loop.give({"road": 0.02})
...     found: Snapshot = loop.latest()
...     other = Shared.attach("help").latest()
>>> counted: Statistics = loop.statistics()
>>> counted.period
0.001

Filters that compute velocity and acceleration, their delay and their frequency response:

>>> from symbody.realtime import AlphaBetaGamma, LowPass, Smooth, delay, response
>>> [round(1e3 * delay(one, 1e-3)) for one in (LowPass(100.0), Smooth(15.0), AlphaBetaGamma(30.0))]  # ms
[2, 31, 0]
>>> bool(abs(response(LowPass(100.0), 1.0, 1e-3)[0] - 1.0) < 0.03)
True

A filter and a twin as sources of a loop; a source gives the loop names, initial values and a C function:

>>> from symbody.estimation import NoisySensor
>>> from symbody.realtime import Histogram, LiveFilter, LiveTwin, LoopModel, LoopSource, LoopStepper
>>> twin = sb.estimate(s, ["heave.q"], {"heave.q": 1e-3}, {"heave.qd": 0.1})
>>> source: LoopSource = LiveFilter(twin, ["heave.qd"])
>>> both = LiveTwin(s, sb.estimate(sb.system(s.model), ["heave.q"], {"heave.q": 1e-3}), [NoisySensor("heave.q", 1e-3)])
>>> model: LoopModel = source.loop_model(1e-3, 1, sb.FixedStep())
>>> stepper: LoopStepper = model.stepper
>>> late: Histogram = counted.latency
"""

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

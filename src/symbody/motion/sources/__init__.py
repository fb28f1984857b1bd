"""Sources of motion for cueing: recorded logs, streams over UDP, another loop, telemetry of a game.

A source returns the six signals `SCENE` of the scene's seat at a time: `source.read(now)`, with `now` in s.
"""

from symbody.motion.sources.game_telemetry import GameTelemetry
from symbody.motion.sources.loop_scene import LoopScene
from symbody.motion.sources.recorded import PlayedRecord, recorded_scene
from symbody.motion.sources.scene_guard import SceneGuard, StreamLimits
from symbody.motion.sources.udp_scene import SceneSender, UdpScene

__all__ = [
    "GameTelemetry", "LoopScene", "PlayedRecord", "SceneGuard", "SceneSender", "StreamLimits", "UdpScene",
    "recorded_scene",
]  # fmt: skip

"""Sources of motion for cueing: recorded logs, streams over UDP, another loop, telemetry of a game.

A source returns the six signals `SCENE` of the scene's seat at a time: `source.read(now)`, with `now` in s.

Examples
--------
Samples of a live stream are checked before a platform follows them:

>>> import numpy as np
>>> from symbody.motion.cueing import descent
>>> from symbody.motion.sources import GameTelemetry, LoopScene, PlayedRecord, SceneGuard, SceneSender, StreamLimits
>>> from symbody.motion.sources import UdpScene
>>> guard = SceneGuard(StreamLimits(acceleration=20.0))
>>> guard.offer([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], stamp=0.0, now=0.0)
'accepted'
>>> guard.offer([np.nan, 0.0, 0.0, 0.0, 0.0, 0.0], stamp=0.01, now=0.01)
'refused'
>>> stream = UdpScene()
>>> sender = SceneSender(stream.address)
>>> sender.close(), stream.close()
(None, None)
>>> PlayedRecord(descent(0.01)).read(0.0).shape
(6,)
>>> game = GameTelemetry(("127.0.0.1", 0))
>>> game.close()
>>> import symbody as sb
>>> try:
...     other = LoopScene("simulator")  # another loop must run first
... except sb.ModelError as error:
...     print(type(error).__name__)
ModelError
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

"""A live source of motion beside the loop: a thread reads it every `POLL` and posts its six signals."""

from __future__ import annotations

import time
from typing import Protocol

from symbody.errors import ModelError
from symbody.links.udp import address_text
from symbody.motion.cueing.method import SCENE
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import Array
from symbody.motion.sources.game_packets import FORMS
from symbody.motion.sources.game_telemetry import GameTelemetry
from symbody.motion.sources.loop_scene import LoopScene
from symbody.motion.sources.recorded import recorded_scene
from symbody.motion.sources.scene_guard import SceneGuard
from symbody.motion.sources.udp_scene import UdpScene
from symbody.realtime.background_thread import BackgroundThread
from symbody.realtime.inbox import LoopInbox

POLL = 2e-3  # s between two looks at a live source
LARGEST_PORT = 65535


class LiveSource(Protocol):
    """A source of a live stream, such as `UdpScene`."""

    guard: SceneGuard

    def read(self, now: float) -> Array:
        """The six signals at a time (s)."""
        ...

    def close(self) -> None:
        """Release the port."""
        ...


class StreamThread(BackgroundThread):
    """Reads a source and posts what its guard lets through: a companion of the loop."""

    def __init__(self, source: LiveSource, name: str) -> None:
        super().__init__("stream")
        self.source, self.name = source, name
        self.inbox = LoopInbox({signal.removeprefix("scene_"): unit for signal, unit in SCENE.items()})

    def close(self) -> None:
        """End the thread, and release the source."""
        super().close()
        self.source.close()

    def _run(self) -> None:
        while not self._end.wait(POLL):
            self.inbox.post(self.source.read(time.monotonic()))

    @property
    def line(self) -> str:
        """What became of the samples, in a few words."""
        guard = self.source.guard
        counts = ", ".join(f"{guard.counts[kind]} {kind}" for kind in ("accepted", "clipped", "refused"))
        return f"{self.name}: {counts}" + (f" ({guard.reason})" if guard.reason else "")


def ride_sources(
    log: str | None, listen: str | None, follow: str | None = None
) -> tuple[SceneRecord | None, StreamThread | None]:
    """The record of a log file, and the thread of a stream or of another loop that is followed."""
    if listen is not None and follow is not None:
        raise ModelError("two live sources", element="ride", cure="give `listen` or `follow`")
    record = None if log is None else recorded_scene(log)
    if follow is not None:
        scene = LoopScene(follow)
        return record, StreamThread(scene, scene.name)
    return record, None if listen is None else udp_stream(listen)


def udp_stream(listen: str) -> StreamThread:
    """A receiver at HOST:PORT, or at a PORT of the loopback interface; GAME:… receives packets of a game (`FORMS`)."""
    form, _, where = listen.partition(":")
    game, where = (form, where) if form in FORMS else ("", listen)
    host, _, port = where.rpartition(":")
    if game and not port:
        port = str(FORMS[game].port)
    if not port.isdigit() or int(port) > LARGEST_PORT:
        cure = f"give HOST:PORT, a PORT, or one of {', '.join(FORMS)} and a PORT: forza:5607"
        raise ModelError(f"'{listen}' is not an address", element="listen", cure=cure)
    bind = (host or "127.0.0.1", int(port))
    source = GameTelemetry(bind, form=game) if game else UdpScene(bind)
    return StreamThread(source, f"{game or 'UDP'} {address_text(source.address)}")

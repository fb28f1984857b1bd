"""A machine in the real-time loop, as the studio shows it: what browsers ask is done here."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from types import TracebackType
from typing import Any

import numpy as np

from symbody.errors import ModelError, SymbodyError
from symbody.links.rejected import Rejected
from symbody.model.model import Model
from symbody.realtime.loop import POLL, Loop
from symbody.stages import FORESEEING, reach_stage
from symbody.studio.arrows import Arrow, arrows
from symbody.studio.balls import Balls
from symbody.studio.cameras import first_views
from symbody.studio.charts import ChartContent
from symbody.studio.dial import Dial
from symbody.studio.energy_watch import CHANNELS, EnergyWatch, WarnOrIgnore
from symbody.studio.gauges import Gauges, gauges_of
from symbody.studio.hands import Hands
from symbody.studio.landscape import Landscape
from symbody.studio.live_dials import LiveDials
from symbody.studio.loop_records import LoopRecords
from symbody.studio.machine import Hum, LoopStart, Machine, Struck, Watcher, instruction
from symbody.studio.machine_loop import check_channels, foreseen, loop_time_line, machine_loop
from symbody.studio.machine_pages import MachineVerb, PageDesk
from symbody.studio.machine_scene import MachineScene
from symbody.studio.messages import (
    LetGo,
    Message,
    Move,
    Pause,
    Pilot,
    Play,
    Pull,
    Release,
    Reset,
    Seek,
    Set,
    Settings,
    Speed,
    Step,
)
from symbody.studio.model_machine import model_machine
from symbody.studio.model_tree import BodyCard, anatomy, body_numbers
from symbody.studio.poses import Array
from symbody.studio.preview import offer_preview
from symbody.studio.pull import HELD, grip, pullable_frames
from symbody.studio.source import StudioSource
from symbody.studio.stop import blamed_law, stop_of
from symbody.visual.geometry import Geometry
from symbody.visual.scene import Scene

HEAVY = 0.7  # of a processor
MOST_LINES = 3000  # changes of the lines over the view that are kept: five minutes
PAUSING = 0.2  # s that a loop may take to pause; in slow motion it takes longer, and shows its start later


@dataclass
class RunningMachine:
    """A machine whose loop and hands run, with everything that the studio reads from it."""

    machine: Machine
    scene: MachineScene
    loop: Loop
    records: LoopRecords
    dials: LiveDials
    hands: Hands
    energy: EnergyWatch
    pulled: Mapping[int, str]
    arrows: Sequence[Arrow]
    anatomy: Sequence[BodyCard]
    desk: PageDesk
    closing: ExitStack  # stops everything that runs


def run_machine(machine: Machine, energy: WarnOrIgnore = "warn") -> RunningMachine:
    """Compile a machine, and start its companions, its loop and its hands."""
    s, model = machine.system, machine.system.model
    desk = PageDesk(machine.pages, machine.verbs, machine.store)
    scene = MachineScene(machine)
    offer_preview(scene.preview)
    reach_stage(FORESEEING)
    seen, cost = foreseen(machine)
    scene.aim(seen.q)
    with ExitStack() as opened:  # a machine that fails to start leaves nothing running
        # a loop that needs most of a processor gets no real-time priority: other programs would starve
        loop = machine_loop(machine, priority=0 if cost > HEAVY else machine.priority)
        records, dials = LoopRecords(loop, model, loop.rate), LiveDials(loop, machine, scene.update)
        check_channels(machine, records.units)
        gauges_of(machine.gauges, records.units)  # raises if a channel is unknown
        watched = energy if all(name in records.units for name in CHANNELS) else "ignore"
        watch = EnergyWatch(s, watched, records.since, lambda: loop.parameters)
        for companion in machine.companions:
            opened.callback(companion.close)
            companion.start()
        opened.callback(loop.stop)
        loop.start()
        hands = Hands(loop, machine.controls).start()
        opened.callback(hands.close)
        pulled = pullable_frames(model) if HELD in s.inputs else {}
        parts = anatomy(model, records.units, dials)
        forces, closing = arrows(model, records.units), opened.pop_all()
    return RunningMachine(machine, scene, loop, records, dials, hands, watch, pulled, forces, parts, desk, closing)


class Live(StudioSource):
    """A machine that runs from `start()` to `close()`; a model is a machine without controls, whose bodies are pulled.

    Making a `Live` costs nothing: `start()` compiles, and starts the threads. `with Live(model) as live:` does both,
    and closes at the end.

    Parameters
    ----------
    what : Model or Machine
        A model or a machine.
    rate : float
        Of a model (Hz). Default 1000.
    method : str, optional
        Of a model.
    values : mapping of str to float, optional
        Parameters and inputs of a model, set before the start.
    energy : {"warn", "ignore"}
        "ignore" switches off the energy check, and for a model also the channel `energy.unaccounted`. Default "warn".
    """

    kind = "live"

    def __init__(
        self,
        what: Model | Machine,
        rate: float = 1000.0,
        method: str | None = None,
        values: Mapping[str, float] | None = None,
        energy: WarnOrIgnore = "warn",
    ):
        self._energy: WarnOrIgnore = energy
        self._what, self._rate, self._method, self._given = what, rate, method, values or {}
        self.title = what.name if isinstance(what, Model) else what.title
        self._started: RunningMachine | None = None
        self._speed, self._begun, self._waiting = 1.0, 0, False
        self._at_start = False  # begun again and paused: hands stand as at the start, whatever the last record says
        self._said: deque[tuple[float, list[str]]] = deque(maxlen=MOST_LINES)  # times (s) and the lines from then on
        self._judging = threading.Lock()
        self._refereed_to, self._watched_to = 0, 0  # next record that the referee sees, and the one who shows lines
        self._restarts = 0  # that were asked for
        self._blame = -1, ""  # the last step for which the law without a value was sought, and that law

    # -- start and close ---------------------------------------------------------------------------------------------

    def start(self) -> Live:
        """Compile the machine, and start its loop; one that has started goes on."""
        if self._started is None:
            what = self._what
            given = self._rate, self._method, self._given
            machine = model_machine(what, *given, energy=self._energy) if isinstance(what, Model) else what
            self._started = run_machine(machine, self._energy)
        return self

    def close(self) -> None:
        """Stop hands, loop and companions; records can still be read."""
        if self._started is not None:
            self._started.closing.close()

    def __enter__(self) -> Live:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _running(self) -> RunningMachine:
        if self._started is None:
            raise ModelError("this machine has not started", element=self.title, cure="call start(), or use `with`")
        return self._started

    # -- what there is -----------------------------------------------------------------------------------------------

    @property
    def machine(self) -> Machine:
        """The machine; of a model, made by `start()`."""
        return self._running.machine

    @property
    def loop(self) -> Loop:
        """The real-time loop."""
        return self._running.loop

    @property
    def hands(self) -> Hands:
        """The hands on the controls."""
        return self._running.hands

    @property
    def units(self) -> Mapping[str, str]:
        return self._running.records.units

    @property
    def dials(self) -> Mapping[str, Dial]:
        return self._running.dials

    @property
    def pulled(self) -> Mapping[int, str]:
        return self._running.pulled

    @property
    def sounds(self) -> Sequence[Struck | Hum]:
        return self.machine.sounds

    @property
    def labels(self) -> Mapping[str, str]:
        return self.machine.labels

    @property
    def verbs(self) -> Mapping[str, MachineVerb]:
        return self.machine.verbs

    @property
    def remembers(self) -> float:
        return self._running.records.span

    @property
    def version(self) -> int:
        return self._running.scene.version

    @property
    def arrows(self) -> Sequence[Arrow]:
        return self._running.arrows

    @cached_property
    def gauges(self) -> Gauges:
        referee = self.machine.referee
        if referee is None:
            return gauges_of(self.machine.gauges, self.units)
        known = {**self.units, **dict.fromkeys(referee.gauge_values(), "")}
        return gauges_of([*self.machine.gauges, *referee.gauges], known)

    @property
    def landscape(self) -> Landscape | None:
        return self.machine.landscape

    @property
    def anatomy(self) -> Sequence[BodyCard]:
        return self._running.anatomy

    @property
    def sides(self) -> Sequence[int]:
        return self._running.scene.sides

    def about(self) -> dict[str, Any]:
        m, frames = self.machine, Geometry(self.machine.system.model).frames
        controls = [
            asdict(c) | {"grips": [{"frame": frames[g.body], "slope": g.slope} for g in c.grips]} for c in m.controls
        ]
        return {
            "controls": controls,
            "pilots": list(m.pilots),
            "plots": list(m.plots),
            "floors": dict(m.floors),
            "help": [asdict(instruction(line)) for line in m.help],
            "gauges": self.gauges.rows,
            "start": asdict(instruction(m.start)),
            "presets": [asdict(preset) for preset in m.presets],
            "views": first_views(m.views, m.cameras, m.view is not None),
            "arrangement": m.arrangement,
            "pages": self._running.desk.data,
        }

    # -- what is shown -----------------------------------------------------------------------------------------------

    def shapes(self) -> Scene:
        return self._running.scene.shapes(dict(self.loop.parameters))

    def scene(self, shapes: Scene) -> dict[str, Any]:
        return self._running.scene.page(shapes)

    def moved(self, past: float | None = None) -> list[float]:
        records, now = self._running.records, self.hands.values
        if past is None or not all(name in records.units for name in now):
            return list(now.values())
        return [float(x) for x in records.interpolated_values(list(now), past)]

    def past_lines(self, t: float) -> list[str] | None:
        return next((lines for at, lines in reversed(self._said) if at <= t), None)

    def poses(self) -> tuple[float, Array]:
        t, q = self._running.records.coordinates()
        return t, self._running.scene.rows(q)

    def past(self, t: float) -> tuple[float, Array] | None:
        found = self._running.records.past_coordinates(t)
        return found and (found[0], self._running.scene.rows(found[1]))

    def recalled(self, until: float, channels: Sequence[str]) -> tuple[Array, Array]:
        return self._running.records.before(until, channels)

    def balls(self) -> Sequence[Balls]:
        return [particles.now() for particles in self.machine.particles]

    def heights(self) -> Sequence[Array]:
        return [terrain.heights() for terrain in self.machine.terrains]

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        return self._running.records.since(since, channels)

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        referee = self.machine.referee
        judged = {} if referee is None else referee.gauge_values()
        recorded = iter(self._running.records.values([name for name in channels if name not in judged], past))
        return np.array([judged[name] if name in judged else next(recorded) for name in channels])

    def numbers(self, body: str) -> Array:
        return body_numbers(self.machine.system.model, body, dict(self.loop.parameters))

    # -- state -------------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        dials = self._running.dials
        stop = stop_of(self.loop, [dials[name].label or name for name in dials.changed], self._blamed)
        return {
            "state": self.loop.state, "reason": self.loop.reason, "speed": self._speed,
            "late": self.loop.statistics().faults["overrun"], "dials": dials.settings,
            "pilot": self.hands.pilot, "lines": self._kept(self._lines()), "begun": self._begun,
            "waiting": self._waiting, "stop": asdict(stop) if stop else None, "since": self._running.records.oldest(),
            "tables": self._running.desk.current_rows(),
        }  # fmt: skip

    def charts(self) -> tuple[int, Mapping[str, ChartContent]]:
        return self._running.desk.current_charts()

    def _kept(self, lines: list[str]) -> list[str]:
        """Keep the lines over the view, so that one who looks back reads what was there."""
        t = self.loop.latest().t
        while self._said and self._said[-1][0] > t:  # begun again
            self._said.pop()
        if not self._said or self._said[-1][1] != lines:
            self._said.append((t, lines))
        return lines

    def _blamed(self) -> str:
        """The law that had no value when the machine stopped; sought once, because that evaluates the model."""
        step = self.loop.latest().step
        if self._blame[0] != step:
            self._blame = step, ""
            with suppress(SymbodyError):
                self._blame = step, blamed_law(self.machine.system, self.loop, 2.0 / self.machine.rate)
        return self._blame[1]

    def _lines(self) -> list[str]:
        complaints = [line for line in (self.hands.complaint, self._running.energy.line()) if line]
        judged = [*self._refereed(), *([loop_time_line(self.loop)] if self.machine.monitors_time else [])]
        if self.machine.shows is None:
            return [*complaints, *judged]
        channels = dict(zip(self.loop.outputs, self.loop.latest().outputs, strict=True))
        try:
            self._show_records()
            return [*complaints, *self.machine.shows(channels), *judged]
        except Exception as error:  # in code of the machine's page: the machine runs on
            return [*complaints, f"`shows` of this machine failed: {error!r}", *judged]

    def _show_records(self) -> None:
        """Show new records to lines over the view that depend on all of them."""
        watcher = self.machine.shows
        if isinstance(watcher, Watcher):
            with self._judging:
                self._watched_to, t, _, _, values = self._running.records.steps(self._watched_to, watcher.channels)
                watcher.see(t, values)

    def _refereed(self) -> Sequence[str]:
        """Show new records to the referee: what it says; a machine that it stops is paused."""
        referee = self.machine.referee
        if referee is None:
            return []
        with self._judging:
            count, first = self.loop.begun
            if count < self._restarts:  # the loop still steps from the old state
                return referee.lines()
            found = self._running.records.steps(self._refereed_to, referee.channels)
            self._refereed_to, new = found[0], found[2] >= first
            t, steps, inputs, values = (column[new] for column in found[1:])
            referee.see_inputs(steps, inputs)
            referee.see(t, values)
        if referee.stops():
            self.loop.pause()
        return referee.lines()

    # -- what browsers ask -------------------------------------------------------------------------------------------

    def welcome(self) -> None:
        if self.machine.controls:  # a machine with controls begins when somebody is there
            self._reset()

    def obey(self, message: Message) -> None:
        loop, running = self.loop, self._running
        match message:
            case Play():
                self._play()
            case Pause():
                loop.pause()
            case Step(n):
                self._at_start = False
                loop.pause()
                loop.step(n, timeout=0.0)  # in slow motion steps take long: do not wait
            case Reset():
                self._reset()
            case Speed(factor):
                self._speed = factor
                loop.slow(1.0 / factor)
            case Set() | Settings() if self.machine.referee is not None and self.machine.referee.locks():
                raise Rejected("an attempt is running", "end it first, or start again")
            case Set(name, value):
                running.dials.set({name: value})
            case Settings(values):
                running.dials.set(values)
            case Pull(frame, at, to):
                if frame not in self.pulled:
                    raise Rejected("no such body")
                loop.give(grip(frame, at, running.scene.turn.T @ np.array(to)))
            case Release():
                if self.pulled:
                    loop.give({HELD: 0.0})
            case Move(name, value, seconds):
                self.hands.move(name, value, seconds)
                self._go()
            case LetGo(name):
                self.hands.let_go(name)
            case Pilot(name):
                if name and name not in self.machine.pilots:
                    raise Rejected("no such pilot")
                self.hands.appoint(name, self.machine.pilots.get(name))
                if name:
                    self._go()
            case Seek():
                raise Rejected("only for a recorded run")
            case _:
                newest = dict(zip(loop.outputs, loop.latest().outputs, strict=True))
                values, resets = running.desk.act(message, newest)
                inputs = {name: value for name, value in values.items() if name not in loop.parameters}
                running.dials.set(inputs)
                for name in values.keys() - inputs.keys():
                    loop.parameters[name] = values[name]
                if resets:
                    self._reset()

    def _play(self) -> None:
        if self.machine.controls and not self._at_start:
            self.hands.stand()
        self._waiting = self._at_start = False
        self.loop.resume()

    def _go(self) -> None:
        """Start a machine that waits for the first touch."""
        if self._waiting:
            self._play()

    def _reset(self) -> None:
        """Begin again; a paused machine shows its start and stays paused; after a stop, changed dials are put back."""
        dials = self._running.dials
        if stop_of(self.loop, list(dials.changed)):
            dials.put_back()
        dials.changed.clear()
        self._begun += 1
        self._waiting = self.machine.waits and not self.hands.pilot
        paused = self.loop.stands or self._waiting
        self.hands.begin_again()
        self._wait_until(lambda: self.loop.begun[0] >= self._restarts)  # an earlier restart
        with self._judging:  # the referee sees all steps from the start state, and none before
            loop = self.loop
            self._restarts = loop.begun[0] + 1
            if self.machine.referee is not None:
                start = LoopStart(loop.channels.inputs, dict(loop.parameters), lambda: loop.tier)
                self.machine.referee.begin_again(start)
            loop.restart()
        self._running.energy.begin_again()
        self._at_start = paused
        if paused:
            self.loop.pause()
            self._wait_until(lambda: self.loop.state != "running")  # a step would use up the one that is allowed next
            self.loop.step(timeout=0.0)

    def _wait_until(self, happened: Callable[[], bool]) -> None:
        """Wait for the loop, at most as long as it may take to pause."""
        until = time.monotonic() + PAUSING
        while not happened() and time.monotonic() < until:
            time.sleep(POLL)

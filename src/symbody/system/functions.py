"""The compiled functions of a system, found in the cache or generated from one trace, each on first use."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from symbody.codegen import Function, build, load_functions, store_functions
from symbody.codegen.cache import is_generating
from symbody.codegen.program import Program
from symbody.equations.content_key import NotComparable, content_key, model_content
from symbody.equations.functions import GenerationOptions, make_program
from symbody.expr.node_table import collection_paused
from symbody.stages import TRACING, reach_stage
from symbody.system.definition import SystemDefinition
from symbody.system.live import LiveParameters
from symbody.system.mass_condition import check_mass
from symbody.system.programs import system_programs
from symbody.system.trace import T, Traced, TracedSystem, traced_system

log = logging.getLogger("symbody")
DIGITS = 9  # of the start that are compared; another build of the loop closure changes the remaining ones


class SystemFunctions:
    """dx/dt and outputs from the beginning, further functions on demand; all share the same live parameters.

    If the laws can be identified by their code and constants, functions are cached under a key and a later start traces
    nothing. Otherwise `notes` gives the reason. Several threads may call it at once.
    """

    def __init__(self, definition: SystemDefinition, backend: str):
        self.definition, self.backend = definition, backend
        self._lock = threading.RLock()
        self._trace: TracedSystem | None = None
        self._made: dict[str, Function] = {}
        self.partitions = {definition.state_partition: self}  # the same system with the coordinates chosen so far
        self.key, self.notes = _key(definition)
        found = load_functions(self.key, backend=backend) if self.key else None
        start = content_key(definition.model.values, definition.q0.round(DIGITS) + 0.0)
        resisted = found is not None and found.facts.get("resisted_at") == start
        if not resisted:  # these numbers take a while for large models
            resisted = check_mass(definition.model, definition.q0)
        if found is not None:
            self.rates, self.outputs = found.functions["rates"], found.functions["outputs"]
            self.names, self.possible = list(found.facts["names"]), list(found.facts["possible"])
        else:
            with collection_paused():
                programs = self.make(lambda traced: system_programs(traced, definition.wanted))
                self.rates, self.outputs = (build(p, backend=backend) for p in (programs.rates, programs.outputs))
            self.names, self.possible = programs.names, programs.possible
            if self.key:
                facts = {"names": self.names, "possible": self.possible, "resisted_at": start if resisted else ""}
                store_functions(self.key, {"rates": self.rates, "outputs": self.outputs}, facts)
        values = definition.model.values
        self.parameters = LiveParameters({name: values.get(name, x) for name, x in self.rates.parameters.items()})
        self.parameters.follow(self.rates)
        self.parameters.follow(self.outputs)

    def make(self, what: Callable[[Traced], T]) -> T:
        """The result of `what` for the trace of the system. The trace is made on first use, and kept."""
        with self._lock:
            if self._trace is None:
                reach_stage(TRACING)
                d = self.definition
                self._trace = traced_system(d.model, d.state_partition, d.options)
            return self._trace.make(what)

    def function(self, name: str, make: Callable[[Traced], Program]) -> Function:
        """A further function under a unique name, generated once from the trace."""
        return self.compiled(name, lambda: self.make(make), make)

    def compiled(self, name: str, program: Callable[[], Program], made_by: Any = None) -> Function:
        """A further function under a unique name, compiled once; made_by: decides with the name what is made."""
        with self._lock:
            if name not in self._made:
                key = self._key_of(name, made_by)
                found = load_functions(key, backend=self.backend) if key else None
                function = found.functions[""] if found else self._built(program)
                if key and found is None:
                    store_functions(key, {"": function})
                self._made[name] = self.parameters.follow(function)
            return self._made[name]

    def _key_of(self, name: str, made_by: Any) -> str:
        """The key of a function; empty if it has none."""
        if not self.key or made_by is None or is_generating(made_by.__module__):
            return f"{self.key}\n{name}" if self.key else ""
        try:
            return f"{self.key}\n{name}\n{content_key(made_by)}"
        except NotComparable:
            return ""

    def with_partition(self, definition: SystemDefinition) -> SystemFunctions:
        """The functions of the same system with other coordinates, kept from the last time they were chosen."""
        with self._lock:
            found = self.partitions.get(definition.state_partition)
            if found is None:
                found = SystemFunctions(definition, self.backend)
                found.partitions = self.partitions
                self.partitions[definition.state_partition] = found
        found.parameters.update(dict(self.parameters))
        return found

    @property
    def loop_equations(self) -> Function:
        """q → h, J of all equations of the loops."""
        d = self.definition
        options = GenerationOptions(live=d.options.live, loads=False)
        return self.compiled("loop equations", lambda: make_program(d.model, "constraints", options))

    def _built(self, program: Callable[[], Program]) -> Function:
        with collection_paused():
            return build(program(), backend=self.backend)


def _key(d: SystemDefinition) -> tuple[str, tuple[str, ...]]:
    """Text that determines the programs of a system, without values of live parameters; and why there is none."""
    try:
        model = model_content(d.model, with_values=d.options.live == "none")
        return content_key("system", model, d.options, d.state_partition, d.wanted), ()
    except NotComparable as problem:
        note = f"not cached, so each start traces again: {problem}"
        log.debug("%s: %s", d.model.name, note)
        return "", (note,)

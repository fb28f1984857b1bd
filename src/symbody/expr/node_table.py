"""The graph that a thread builds in: its table of nodes, branches of it, and a pause of garbage collection.

Each thread builds in its own graph, so several may build at once; only one thread builds in a graph at a time.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Node = Any  # an Expr of node.py, which imports this module
SUMS = ("add", "sub")


class Graph:
    """The existing nodes, by operation and arguments. A graph without references is freed with all its nodes."""

    __slots__ = ("__weakref__", "late", "lock", "section", "table")

    def __init__(self) -> None:
        self.table: dict[Any, Node] = {}
        self.section = ""  # the part of the equations that is being built
        self.late: list[Node] | None = None  # within a branch: nodes whose flat sums were made there
        self.lock = threading.RLock()

    def __del__(self) -> None:
        """Forget flat views with the node itself, which would wait for garbage collection; they are made on demand."""
        for node in self.table.values():
            if node.op not in SUMS:
                node.terms = None
            if node.factors and node.factors[0] is node:
                node.factors = None


class _Loose(threading.local):
    """Nodes built outside any graph: one table for each thread."""

    def __init__(self) -> None:
        self.table: dict[Any, Node] = {}
        self.section = ""
        self.late = None


graph_now: ContextVar[Graph | _Loose] = ContextVar("graph", default=_Loose())  # noqa: B039  # a thread sees its own


def section(title: str) -> None:
    """Nodes created from here on belong to this section."""
    graph_now.get().section = title


@contextmanager
def fresh_graph() -> Iterator[Graph]:
    """Build in a new graph, which is freed afterwards unless it is referenced."""
    graph = Graph()
    with _entered(graph):
        yield graph


@contextmanager
def branch(graph: Graph) -> Iterator[None]:
    """Build in a stored graph; additions are discarded afterwards.

    Which of a − b and b − a exists decides how a sum is written: on a branch, no program sees what another has built.
    """
    with _entered(graph):
        mark, late, title = len(graph.table), graph.late, graph.section
        graph.late = []
        try:
            yield
        finally:
            while len(graph.table) > mark:
                graph.table.popitem()
            for node in graph.late:
                node.terms = None
            graph.late, graph.section = late, title


@contextmanager
def _entered(graph: Graph) -> Iterator[None]:
    with graph.lock, collection_paused():
        before = graph_now.set(graph)
        try:
            yield
        finally:
            graph_now.reset(before)


class _Pause:
    """The number of growing graphs in this process, and whether garbage collection was on before."""

    def __init__(self) -> None:
        self.lock, self.growing, self.collecting = threading.Lock(), 0, False


_pause = _Pause()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection while a graph grows or is printed: there is none, and it costs a third of the time.

    The switch is global in the process: the first building thread turns it off, the last one on again.
    """
    with _pause.lock:
        if _pause.growing == 0:
            _pause.collecting = gc.isenabled()
            gc.disable()
        _pause.growing += 1
    try:
        yield
    finally:
        with _pause.lock:
            _pause.growing -= 1
            if _pause.growing == 0 and _pause.collecting:
                gc.enable()

"""Graphs: each thread builds in its own, a kept one can be built upon, garbage is collected again afterwards."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from symbody import machines
from symbody.codegen.schedule import schedule
from symbody.codegen.targets.c import c_source
from symbody.equations.functions import make_program
from symbody.expr.graph import needed
from symbody.expr.node import Expr, cos, parameter, sin, variable
from symbody.expr.node_table import branch, collection_paused, fresh_graph, section

NAMES = ("four-bar", "stewart", "slider-crank", "pendulum")


def text(name):
    return c_source(schedule(make_program(machines.model(name), "dynamics"), loops=True)).code


def test_texts_made_in_many_threads_are_those_made_one_after_the_other():
    alone = {name: text(name) for name in NAMES}
    together = threading.Barrier(4)

    def made(name):
        together.wait()
        return name, text(name)

    with ThreadPoolExecutor(4) as pool:
        for name, found in pool.map(made, NAMES * 4):
            assert found == alone[name]


def test_what_threads_build_outside_any_graph_is_their_own():
    here = variable("x") + 1.0
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: variable("x") + 1.0).result() is not here
    assert variable("x") + 1.0 is here


def test_a_branch_is_forgotten_and_the_next_one_finds_what_the_trunk_left():
    with fresh_graph() as graph:
        section("trunk")
        x, y, k = variable("x"), variable("y"), parameter("k")
        negative = -(k * sin(x))
    size = len(graph.table)
    written = []
    for _ in range(2):
        with branch(graph):
            assert variable("x") is x
            section("branch")
            y - x  # had it stayed, x - y would be written -(y - x)
            written.append([(n.op, n.value, n.origin) for n in needed([negative + 3.0 * (x - y)])])
        assert len(graph.table) == size
        assert graph.section == "trunk"
        assert negative.terms is None  # made in the branch, with nodes that are gone
    assert written[0] == written[1]
    with branch(graph):
        assert (x - y).op == "sub"


def alive():
    return sum(type(one) is Expr for one in gc.get_objects())


def test_a_graph_is_freed_without_a_garbage_collection():
    gc.collect()
    gc.disable()
    try:
        before = alive()
        with fresh_graph():
            x, k = variable("x"), parameter("k")
            kept = k * sin(x) + 2.0 * x * cos(x) - (x + 1.0) / (k + x) + 3.0
        del x, k
        assert alive() - before >= len(needed([kept])) - 3  # without 0, 1 and -1
        del kept
        assert alive() == before
    finally:
        gc.enable()


def built(x, y, k, total, product):
    s, c = sin(x), cos(x)
    one = [2.0 * s * c, s * s + c * c, k * x * y - x * (k * y), (k * s) * (k * c), -s * c]
    return [*one, total - x, (x - y) + (y - x), 2.0 * product, k * product - product * k]


def test_nodes_of_a_graph_that_has_ended_are_simplified_as_before():
    with fresh_graph():
        x, y, k = variable("x"), variable("y"), parameter("k")
        parts = x, y, k, x + y, sin(x) * cos(x)
        here = [str(one) for one in built(*parts)]
    with fresh_graph():
        assert [str(one) for one in built(*parts)] == here


def test_branches_of_one_graph_wait_for_each_other():
    with fresh_graph() as graph:
        x = variable("x")

    def built(n):
        with branch(graph):
            y = x
            for i in range(200):
                y = sin(y + float(i * n + 1))
            return [(node.op, node.value) for node in needed([y])]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(built, range(8))) == [built(n) for n in range(8)]
    assert len(graph.table) == 1


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        inside, leave = threading.Event(), threading.Event()

        def build():
            with fresh_graph():
                inside.set()
                leave.wait(10)

        thread = threading.Thread(target=build)
        with collection_paused():
            thread.start()
            assert inside.wait(10)
            assert not gc.isenabled()
        assert not gc.isenabled()  # the other one is still building
        leave.set()
        thread.join()
        assert gc.isenabled() is enabled
        with pytest.raises(ZeroDivisionError), fresh_graph():
            variable("x") / 0.0
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()

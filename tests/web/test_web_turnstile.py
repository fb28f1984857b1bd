"""A crowd passes a turnstile a few at a time, and whoever does not wait there is served in between."""

import asyncio

import pytest

from symbody.web.turnstile import Turnstile

CROWD = 60


def passed(most, cancelled=()):
    """Who has passed by the end of each round of the loop, for a crowd that comes at once."""

    async def all_of_it():
        turnstile, seen, rounds = Turnstile(most), [], []

        async def one(k):
            await turnstile.turn()
            seen.append(k)

        tasks = [asyncio.create_task(one(k)) for k in range(CROWD)]
        await asyncio.sleep(0)  # all wait
        for k in cancelled:
            tasks[k].cancel()
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            rounds.append(list(seen))
        return rounds

    return asyncio.run(all_of_it())


@pytest.mark.parametrize("most", [1, 2, 7])
def test_at_most_so_many_pass_in_a_round_and_all_in_their_order(most):
    rounds = passed(most)
    sizes = [len(seen) for seen in rounds]
    assert max(b - a for a, b in zip([0, *sizes], sizes, strict=False)) == most
    assert rounds[-1] == list(range(CROWD))
    assert len(rounds) <= CROWD // most + 4  # none is empty but the first and the last


def test_who_left_takes_nobodys_turn():
    rounds = passed(2, cancelled=range(0, CROWD, 3))
    assert rounds[-1] == [k for k in range(CROWD) if k % 3]


def test_one_who_comes_later_passes_too():
    async def twice():
        turnstile = Turnstile(1)
        await turnstile.turn()
        await turnstile.turn()
        return True

    assert asyncio.run(asyncio.wait_for(twice(), 10.0))

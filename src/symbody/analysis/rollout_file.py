"""A rollout of a batch in a Parquet file, written block by block: it needs the memory of one block only."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symbody.batch.of_system import Batch, Inputs
from symbody.errors import ModelError
from symbody.output_file import replacing
from symbody.results.parquet_stream import ParquetStream

MEMORY = 1e8  # bytes of one block
TIME, STATE = "t", "state"


def batch_to_parquet(
    b: Batch, path: str | Path, steps: int, inputs: Inputs = None, *, every: int = 1
) -> dict[int, str]:
    """Steps of a batch with all records in a Parquet file: columns `t`, `state` (its number) and the channels.

    Parameters
    ----------
    b : Batch
        With channels; it continues from its present states.
    path : str or path
        The file; an existing one is replaced when the rollout is complete.
    steps : int
        Number of steps, a multiple of `every`.
    inputs : array or mapping, optional
        As in `Batch.rollout`: held, or (steps, n, nu).
    every : int
        Steps between two records.

    Returns
    -------
    dict
        States that failed, with time and reason.

    Raises
    ------
    ModelError
        If the batch has no channels, or `steps` is not a multiple of `every`.

    Examples
    --------
    >>> import symbody as sb
    >>> b = sb.batch(sb.machines.model("pendulum"), 100, dt=1e-3, channels=["bob.q"])
    >>> failures = sb.batch_to_parquet(b, "swings.parquet", 1000, every=100)  # doctest: +SKIP
    """
    if not b.channels:
        raise ModelError("the batch has no channels", element="channels", cure="use sb.batch(…, channels=[…])")
    if every < 1 or steps < every or steps % every:
        raise ModelError(f"{steps} steps, a record every {every}", element="every", cure="use a multiple of `every`")
    rows = max(1, int(MEMORY / (8 * b.n * (len(b.channels) + 2))))  # records of a block
    size, numbers = rows * every, np.arange(b.n, dtype=float)
    columns = [TIME, STATE, *b.channels]
    with replacing(path) as partial, ParquetStream(partial, columns, units={TIME: "s"}) as file:
        for first in range(0, steps, size):
            count = min(size, steps - first)
            by_step = not hasattr(inputs, "keys") and np.ndim(inputs) == 3
            run = b.rollout(count, inputs[first : first + count] if by_step else inputs, every=every)
            new = slice(1 if first else 0, None)  # the first record of a block is the last one of the block before
            values = np.asarray(b.device.numpy(run.values), dtype=float)[new]
            t = run.t[new]
            table = [np.repeat(t, b.n), np.tile(numbers, len(t)), *values.reshape(-1, len(b.channels)).T]
            file.append(dict(zip(columns, table, strict=True)))
    return b.failures

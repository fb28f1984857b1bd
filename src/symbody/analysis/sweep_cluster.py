"""The runs of a sweep on a cluster: parts of a size that depends on the number of samples only, in order.

The start of batches is computed once, by the sender. It closes the loops with an SVD, whose last digits depend on the
processor and on the settings of BLAS: another computer, or another process, would start from other digits.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

from symbody.analysis.cluster import mapped, sharing
from symbody.analysis.sweep_batch import FEWEST, batch_rows, batch_start
from symbody.analysis.sweep_samples import Samples
from symbody.analysis.sweep_workers import DIED, Row, SweepJob, packed, row_of
from symbody.codegen.cache import recorded
from symbody.codegen.compiler import find_compiler
from symbody.codegen.native import caller_library
from symbody.codegen.tiers import only_tier
from symbody.system.system import Array

PARTS = 64  # of a sweep that is not larger than PARTS × LARGEST
LANES = 16  # a part is a multiple of it: the widest vectors of a batch
LARGEST = 4096  # samples of a part


def cluster_rows(client: Any, job: SweepJob, samples: Samples) -> Iterator[Sequence[Row]]:
    """Measures of all samples in order, or reasons of failures."""
    n, sent = len(samples), replace(job, system=None, packed=packed(job))
    many = n >= FEWEST
    size = min(LARGEST, LANES * ceil(n / (LANES * PARTS))) if many else 1
    with _one_tier(), recorded() as entries:  # the first sample compiles all that workers need
        first = _unpacked(sent)
        assert first.system is not None
        first = replace(first, start=batch_start(first.system))
        sent = replace(sent, start=first.start)
        batch_rows(first, samples.rows(0, 1), 1, fewest=1 if many else FEWEST)
        row_of(first, samples.rows(0, 1)[0])
        with suppress(ImportError):
            caller_library()  # this process has loaded one before, perhaps another build
    parts = (samples.rows(k, k + size) for k in range(0, n, size))
    died: Row = DIED
    with sharing(client, sent, entries) as key:
        yield from mapped(client, partial(_rows_on_worker, key, many), parts, died)


def _rows_on_worker(key: str, many: bool, part: Array) -> list[Row]:
    """Measures of a part of the samples; a worker computes one part at a time."""
    from symbody.analysis.cluster_worker import LOCK, shared

    with LOCK, _one_tier():
        work = shared(key)
        if work.what.system is None:
            work.what = _unpacked(work.what)
        rows = batch_rows(work.what, part, work.threads, fewest=1 if many else FEWEST)
        return [rows[i] if i in rows else row_of(work.what, sample) for i, sample in enumerate(part)]


def _unpacked(job: SweepJob) -> SweepJob:
    return replace(job, system=pickle.loads(job.packed))


def _one_tier() -> Any:
    """One build only: a quick and an optimised build have other roundings."""
    return only_tier("optimised" if find_compiler() else "quick")

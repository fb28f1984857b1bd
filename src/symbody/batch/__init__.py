"""Many states at once: rows of states, split over the threads of the processor."""

from symbody.batch.cpu import BatchFunction, CpuBatch

__all__ = ["BatchFunction", "CpuBatch"]

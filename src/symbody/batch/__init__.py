"""Many states at once: systems in vector lanes or on a graphics card, functions on the threads of the processor."""

from symbody.batch.cpu import BatchFunction, CpuBatch
from symbody.batch.cuda_function import CudaFunction
from symbody.batch.of_system import Batch, BatchRun, SavedStates

__all__ = ["Batch", "BatchFunction", "BatchRun", "CpuBatch", "CudaFunction", "SavedStates"]

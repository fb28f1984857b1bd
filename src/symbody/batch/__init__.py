"""Many states at once: systems in vector lanes or on a graphics card, functions on the threads of the processor.

Examples
--------
Many states of a system, and of a compiled function:

>>> import numpy as np
>>> import symbody as sb
>>> from symbody.batch import Batch, BatchFunction, BatchRun, CpuBatch, SavedStates
>>> s = sb.system(sb.machines.model("pendulum"))
>>> many: Batch = sb.batch(s, 8, dt=1e-3, channels=["bob.q"])
>>> before: SavedStates = many.save()
>>> run: BatchRun = many.rollout(100, every=50)
>>> run.values.shape[:2], run.failures
((3, 8), {})
>>> many.restore(before)
>>> inverse: BatchFunction = CpuBatch(sb.compile(sb.machines.model("pendulum"), "inverse"))
>>> q = np.zeros((5, 1))
>>> inverse(q, q, q).shape
(5, 1)
"""

from symbody.batch.cpu import BatchFunction, CpuBatch
from symbody.batch.cuda_function import CudaFunction
from symbody.batch.of_system import Batch, BatchRun, SavedStates

__all__ = ["Batch", "BatchFunction", "BatchRun", "CpuBatch", "CudaFunction", "SavedStates"]

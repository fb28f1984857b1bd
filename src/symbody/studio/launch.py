"""`sb.studio(what)`: a model, a system, a machine or a run in the browser or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.studio.energy_watch import WarnOrIgnore
from symbody.studio.live import Live
from symbody.studio.machine import Machine
from symbody.studio.player import Player
from symbody.studio.server import COMING, Studio
from symbody.studio.source import StudioSource
from symbody.system.system import System
from symbody.visual.browser import open_page, private_page

# Origins of pages that may show the studio in a frame: notebooks on this machine, in a browser or in an editor.
NOTEBOOKS = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "vscode-webview:")


def studio(
    what: Model | System | Machine | Run,
    *,
    rate: float = 1000.0,
    method: str | None = None,
    values: Mapping[str, float] | None = None,
    energy: WarnOrIgnore = "warn",
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool | None = None,
) -> Studio:
    """Show something in the browser: `sb.studio(model).wait()`, or as the last line of a notebook cell.

    Parameters
    ----------
    what : Model or System or Machine or Run
        A model or a machine runs in real time, and its bodies can be pulled. A system runs as it is. A run is played.
    rate, method, values : float
        Of a model, as in `Live`.
    energy : {"warn", "ignore"}
        "ignore" switches the energy check off. Default "warn".
    host, port, token
        As in `Studio`.
    browser : bool, optional
        Whether to open one. None: unless a notebook shows the page.

    Returns
    -------
    Studio
        The running server; `wait()` blocks until it is closed.

    Examples
    --------
    >>> import symbody as sb
    >>> with sb.studio(sb.machines.model("pendulum"), browser=False) as server:
    ...     server.address.startswith("http://127.0.0.1")
    True
    """
    make = _maker(what, rate, method, values, energy)
    shown = Studio(None, host, port, token, frames=NOTEBOOKS if in_notebook() else ()).start()
    opened = False
    try:
        if browser or (browser is None and not in_notebook()):
            page = shown.closing.enter_context(private_page(shown.address))
            opened = open_page(page.as_uri())
            if not opened:
                print(f"studio: {shown.place if token else shown.address}", file=sys.stderr)
        return shown.prepare(make, COMING if opened else 0.0)
    except BaseException:
        shown.stop()
        raise


def _maker(
    what: Model | System | Machine | Run,
    rate: float,
    method: str | None,
    values: Mapping[str, float] | None,
    energy: WarnOrIgnore,
) -> Callable[[], StudioSource]:
    """A function that makes the source."""
    if isinstance(what, Model):
        return lambda: Live(what, rate, method, values, energy)
    if isinstance(what, System):
        return lambda: Live(Machine(what.model.name, what, rate, method), energy=energy)
    if isinstance(what, Machine):
        return lambda: Live(what, energy=energy)
    if isinstance(what, Run):
        return lambda: Player(what)
    cure = 'give a model, a system, a run, or a machine: sb.machines.entry("piano").page()'
    raise ModelError(f"the studio cannot show a {type(what).__name__}", cure=cure)


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook, which shows the last value of a cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None

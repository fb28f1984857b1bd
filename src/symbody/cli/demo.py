"""`symbody demo`: list the built-in machines, open one in the browser, or compute its figures and its report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.failure import computed
from symbody.cli.preconditions import output_folder, require_extra
from symbody.cli.printing import shows_progress
from symbody.cli.studio import announce_compiling, serve, serve_gallery, serving_options
from symbody.errors import ModelError
from symbody.machines import MachineEntry, ReportOptions

if TYPE_CHECKING:
    from symbody.studio.source import StudioSource
    from symbody.visual.report import Record

SUMMARY = (
    "List the built-in machines, open one in the browser, or compute its figures (with --report: a page of plots)."
)
EXAMPLE = "piano"
GIVEN = ("log", "platform", "listen", "follow", "output")  # arguments of a machine's page and report, if it has them


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="a machine (default: all of them, to choose from)")
    parser.add_argument("--page", metavar="FILE", help="write the list as a page with pictures (.html)")
    parser.add_argument("--headless", action="store_true", help="compute the figures, also for an interactive machine")
    parser.add_argument("--report", metavar="DIR", help="write the report into this folder: a page, plots, figures")
    parser.add_argument("--only", action="append", default=[], help="a variant, such as augmented (may be repeated)")
    parser.add_argument("--until", type=float, help="end of the run, s (default: the machine's own value)")
    parser.add_argument("--log", metavar="FILE", help="a recorded motion to play (.csv, .parquet, .mcap)")
    parser.add_argument("--platform", metavar="FILE", help="another platform: a YAML file, or Renault")
    parser.add_argument("--listen", metavar="[GAME:]HOST:PORT", help="UDP address of a live stream of motion")
    parser.add_argument("--follow", metavar="LOOP", help="a running loop whose motion is followed, such as driven-car")
    parser.add_argument("--output", metavar="LINE", help="drives that follow: can:…, udp:HOST:PORT or serial:PORT")
    serving_options(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """List the machines, open an interactive one in the browser, or compute figures."""
    if arguments.name is None:
        return _listed(arguments)
    if arguments.page:
        raise ModelError(
            "no page of a single machine", element="--page", cure="leave the name out, or use --report DIR"
        )
    machine = machines.entry(arguments.name)
    given = {name: value for name in GIVEN if (value := getattr(arguments, name)) is not None}
    if _opens_page(machine, arguments):
        kept = "" if arguments.only or given else machine.name
        return {"demo": machine.name} | serve(arguments, lambda: _live(machine, arguments.only, given), kept)
    if arguments.report:
        require_extra("a picture", "leave --report out")
        output_folder(arguments.report, "--report")
    announce_compiling()
    options = ReportOptions(tuple(arguments.only), arguments.until, progress=shows_progress(arguments))
    report = machine.report(options, **given)
    said = {"demo": machine.name, "figures": _figures(report.figures, arguments.json)}
    with computed(said):
        return said | ({"report": str(report.save(arguments.report))} if arguments.report else {})


def _figures(records: Sequence[Record], as_they_are: bool) -> list[dict[str, Any]]:
    """Rows of the figures. A single nested record becomes one row per figure, unless `as_they_are`."""
    if as_they_are or len(records) > 1 or not any(isinstance(value, Mapping) for value in records[0].values()):
        return [dict(record) for record in records]
    return [{"figure": name, "value": value} for name, value in _named(records[0])]


def _named(record: Record, of: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        yield from _named(value, f"{of}{name} ") if isinstance(value, Mapping) else [(of + name, value)]


def _listed(arguments: argparse.Namespace) -> dict[str, Any]:
    """The machines as cards in the browser if stdout is a terminal; otherwise as a table, and with --page as a page."""
    from symbody.machines.overview import overview_page
    from symbody.visual.animate import Page

    if sys.stdout.isatty() and not arguments.json and not arguments.no_open and not arguments.page:
        return serve_gallery(arguments)
    written = {}
    if arguments.page:
        written = {"page": str(Page(overview_page(machines.entries())).save(Path(arguments.page)))}
    listed: list[dict[str, str | None]] = [
        {"demo": one.name, "kind": one.kind, "about": one.line} for one in machines.entries()
    ]
    if arguments.json:  # the printed table is too narrow for the path
        listed = [
            row | {"picture": _from_here(one.picture)} for row, one in zip(listed, machines.entries(), strict=True)
        ]
    return {"demos": listed} | written


def _from_here(path: Path | None) -> str | None:
    return None if path is None else str(path.relative_to(here) if path.is_relative_to(here := Path.cwd()) else path)


def _opens_page(machine: MachineEntry, arguments: argparse.Namespace) -> bool:
    """Whether to open the machine in the browser: stdout is a terminal, and no option asks for figures."""
    if arguments.headless_screenshot:
        return True
    others = set(arguments.only) - set(machine.variants)
    figures = arguments.json or arguments.headless or arguments.report or others or arguments.until is not None
    return machine.has_page and sys.stdout.isatty() and not figures


def _live(machine: MachineEntry, only: Sequence[str], given: Mapping[str, str]) -> StudioSource:
    """The machine, or the last variant requested, with further arguments of its page."""
    from symbody.studio.live import Live

    return Live((machine.of(only[-1]) if only else machine).page(**given))

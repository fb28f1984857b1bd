"""Options of an objective and of the run that it is evaluated on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbody.cli.run_options import given_options, set_option
from symbody.errors import ModelError

if TYPE_CHECKING:
    from symbody.system.sensitivity import Objective


def objective_options(parser: argparse.ArgumentParser) -> None:
    """Add --integral and --final, --set, --inputs and --x0, --until and --dt."""
    parser.add_argument("--integral", metavar="FORMULA", help='integrand over time, such as "heave.qdd**2"')
    parser.add_argument("--final", metavar="FORMULA", help='term at the end of the run, such as "heave.q"')
    set_option(parser)
    given_options(parser)
    parser.add_argument("--until", type=float, default=1.0, help="end of the run, s (default 1)")
    parser.add_argument("--dt", type=float, default=1e-3, help="fixed step, s (default 0.001)")


def asked_objective(arguments: argparse.Namespace) -> Objective:
    """The objective of --integral and --final; at least one is required."""
    from symbody.system.sensitivity import Objective

    if arguments.integral is None and arguments.final is None:
        raise ModelError(
            "no objective", element="--integral", cure='give --integral "heave.qdd**2", or --final "heave.q"'
        )
    return Objective(arguments.integral, arguments.final)

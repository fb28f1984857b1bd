"""Run fifteen common mistakes: `python docs/mistakes.py` writes docs/mistakes.md with the error message of each."""

from __future__ import annotations

import io
import shlex
import tempfile
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

PAGE = Path(__file__).with_name("mistakes.md")
FIRST = """\
import numpy as np
import symbody as sb
from symbody import machines


def pendulum():
    m = sb.Model("pendulum")
    m.parameter("stiffness", 2.0, "N m/rad")
    m.input("torque", unit="N m")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.5)], mass=1.0, com=(0, 0, -0.5), inertia=0.01)
    return m


m = pendulum()
"""
HEAD = f"""\
# Common mistakes and their error messages

This page shows fifteen common mistakes and the error message of each. `docs/mistakes.py` runs the mistakes and writes
this page, and a test checks it. All errors belong to the family `SymbodyError`. Each message names the place, the
problem and the cure. On the command line the message is one line with the names of the options, and the exit status
is 2.

All examples begin with

```python
{FIRST.strip()}
```

"""


@dataclass(frozen=True)
class Mistake:
    """A title, the wrong lines, and whether they are typed in a shell."""

    title: str
    text: str
    shell: bool = False

    @property
    def lines(self) -> str:
        return dedent(self.text).strip()

    def message(self) -> str:
        """The error message; an AssertionError if there is none."""
        with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _from_shell(self.lines) if self.shell else _from_python(self.lines)


def _from_shell(line: str) -> str:
    from symbody.cli import main

    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        status = main([*shlex.split(line)[1:], "--json"])
    assert status == 2, f"{line} gives {status}: {said.getvalue()}"
    return said.getvalue().strip()


def _from_python(lines: str) -> str:
    from symbody import SymbodyError

    names: dict[str, object] = {}
    exec(FIRST, names)
    try:
        exec(lines, names)
    except SymbodyError as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(f"no error from\n{lines}")


MISTAKES = [
    Mistake("A misspelt name", 'machines.model("fourbar")'),
    Mistake("A parameter called t", 'm.parameter("t", 1.0)'),
    Mistake("A unit that is not an SI unit", 'm.parameter("k", 20, "N/mm")'),
    Mistake("An unknown unit", 'm.input("speed", unit="m/sec")'),
    Mistake(
        "A law with missing arguments",
        """
        @m.joint_force("arm")
        def spring(q, p):
            return -p.stiffness * q


        sb.system(m)
        """,
    ),
    Mistake(
        "`if` in a law",
        """
        @m.joint_force("arm")
        def stop(q, qd, p):
            return -100.0 * q if q > 1.0 else 0.0


        sb.system(m)
        """,
    ),
    Mistake(
        "An unknown parameter",
        """
        @m.joint_force("arm")
        def spring(q, qd, p):
            return -p.stifness * q


        sb.system(m)
        """,
    ),
    Mistake("A list instead of a dictionary", "sb.simulate(m, 1.0, 1e-3, inputs=[0.5])"),
    Mistake("An unknown input", 'sb.simulate(m, 1.0, 1e-3, inputs={"torqe": 0.5})'),
    Mistake(
        "A table with a gap",
        'sb.simulate(m, 1.0, 1e-3, inputs={"torque": ([0.0, 0.5, 1.0], [0.0, np.nan, 1.0])})',
    ),
    Mistake(
        "An initial value that the loops determine",
        'sb.simulate(machines.model("four-bar"), 1.0, 1e-3, x0={"rocker.q": 0.2})',
    ),
    Mistake(
        "A channel that was not recorded",
        """
        run = sb.simulate(m, 0.1, 1e-3)
        run["arm.p"]
        """,
    ),
    Mistake(
        "Steps that are too long",
        """
        m.joint_force("arm")(lambda q, qd, p: -1e6 * q)
        sb.simulate(m, 10.0, dt=0.01)
        """,
    ),
    Mistake(
        "A loop that cannot close",
        """
        m.bodies["arm"].point("tip", (0, 0, -1))
        m.cut("rod", "rod", "arm.tip", m.ground.point("wall", (3, 0, 0)), length=1.5)
        sb.system(m)
        """,
    ),
    Mistake(
        "A record interval that is not a multiple of the step",
        "symbody simulate pendulum --dt 0.01 --every 0.015",
        shell=True,
    ),
]


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for number, mistake in enumerate(MISTAKES, 1):
        language = "sh" if mistake.shell else "python"
        parts.append(
            f"## {number}. {mistake.title}\n\n<!-- not run: it is wrong -->\n```{language}\n{mistake.lines}\n```\n\n"
            f"```text\n{mistake.message()}\n```\n"
        )
    return "\n".join([parts[0].rstrip("\n") + "\n", *parts[1:]])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

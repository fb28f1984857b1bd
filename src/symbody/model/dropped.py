"""Parts of a file that the model leaves out: the list, the table and the warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from symbody.errors import DroppedWarning

LISTED = 20  # rows of the table; model.dropped has all


@dataclass(frozen=True)
class Dropped:
    """A part of a file that was left out. `matters`: whether the motion would be different with it."""

    what: str  # the tag, or the attribute
    where: str  # the element that contains it
    why: str
    matters: bool = True


def dropped_table(dropped: Sequence[Dropped]) -> str:
    """One row for each thing and reason: what, the first element and the number of others, why."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in dropped:
        places.setdefault((one.what, one.why), []).append(one.where)
    rows = [(what, _places(found), why) for (what, why), found in places.items()]
    shown = rows[:LISTED]
    widths = [max((len(row[k]) for row in shown), default=0) for k in (0, 1)]
    lines = [f"  {what:{widths[0]}}  {where:{widths[1]}}  {why}" for what, where, why in shown]
    if len(rows) > LISTED:
        lines.append(f"  … and {len(rows) - LISTED} more")
    return "\n".join(lines)


def tell_dropped(dropped: Sequence[Dropped], file: str) -> None:
    """Issue one warning with a table of the entries that matter, if there are any."""
    matters = [one for one in dropped if one.matters]
    if matters:
        text = f"{file}: not in the model (complete list in model.dropped):\n{dropped_table(matters)}"
        warnings.warn(text, DroppedWarning, stacklevel=4)


def _places(names: Sequence[str]) -> str:
    first = names[0][:40] or "the file"
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"

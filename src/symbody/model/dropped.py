"""What a file holds and the model does not: one list, one table, one warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from symbody.errors import DroppedWarning

LISTED = 20  # rows of a table; whoever wants the rest asks the list


@dataclass(frozen=True)
class Dropped:
    """Something that was read and left out; `matters`: whether the model moves otherwise for want of it."""

    what: str  # the tag, or the attribute
    where: str  # the element it stands in
    why: str
    matters: bool = True


def dropped_table(dropped: Sequence[Dropped]) -> str:
    """A row for each thing and reason: what, in how many elements (the first of them named), why."""
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
    """One warning with a table of what matters; nothing where nothing does."""
    matters = [one for one in dropped if one.matters]
    if matters:
        text = f"{file}: not in the model (all of it in model.dropped):\n{dropped_table(matters)}"
        warnings.warn(text, DroppedWarning, stacklevel=4)


def _places(names: Sequence[str]) -> str:
    first = names[0][:40] or "the file"
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"

"""Links and force sites that have no effect, because they have no law."""

from __future__ import annotations

from collections.abc import Collection

from symbody.model.model import Model

LISTED = 8  # names in a sentence


def idle_parts(model: Model, inputs: Collection[str] = ()) -> list[str]:
    """Remarks on links without a law, and on force sites without a law and without inputs of a system."""
    links = [name for name, link in model.links.items() if link.law is None]
    sites = [name for name, site in model.force_sites.items() if site.law is None and f"{name}.force.x" not in inputs]
    found = []
    if links:
        found.append(f"links without a law exert no force: {_listed(links)} (attach one: @m.link(…), or remove them)")
    if sites:
        cure = "attach one: @m.force_site(…), use inputs SITE.force, or remove them"
        found.append(f"force sites without a law exert no force: {_listed(sites)} ({cure})")
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")

"""Prints how many lines of each folder of the package the last `pytest --cov` ran, as `make test` does with CI set."""

from collections import defaultdict
from pathlib import Path

from coverage import Coverage


def by_folder(coverage: Coverage) -> dict[str, tuple[int, int]]:
    """Statements and those that were not run, by folder of the package."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for file in coverage.get_data().measured_files():
        inside = file.replace("\\", "/").rpartition("/symbody/")[2]
        _, statements, _, missing, _ = coverage.analysis2(file)
        for folder in (inside.rpartition("/")[0].partition("/")[0] or "symbody", "all"):
            lines, unseen = found[folder]
            found[folder] = lines + len(statements), unseen + len(missing)
    return found


def table(found: dict[str, tuple[int, int]]) -> str:
    """A line for each folder, the whole last."""
    lines = ["folder        lines  not run   run"]
    for name in sorted(found, key=lambda name: (name == "all", name)):
        statements, missing = found[name]
        lines.append(f"{name:12s} {statements:6d}   {missing:6d}  {100.0 * (1 - missing / max(statements, 1)):5.1f} %")
    return "\n".join(lines)


if __name__ == "__main__":
    recorded = Coverage(data_file=Path(__file__).parents[1] / ".coverage")
    recorded.load()
    print(table(by_folder(recorded)))

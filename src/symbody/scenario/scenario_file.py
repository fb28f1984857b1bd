"""Scenarios as YAML files, checked key by key; errors name the file, the line and the cure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from typing import Any, TypeVar

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_yaml import YamlNode, read_nodes
from symbody.files.yaml_values import entries_of, list_of, named_entries, plain_number, text_of, yaml_error
from symbody.scenario.scenario import Breakdown, DriverTask, Instrument, Scenario, VirtualSensor

T = TypeVar("T")
TOP = ("scenario", "about", "sensors", "tasks", "breakdowns", "instruments", "game")  # game: of `read_game`
_SENSOR = ("formula", "of", "unit", "digits", "gather")
_TASK = ("name", "say", "until", "hold", "within", "set_points")
_INSTRUMENT = ("sensor", "face", "low", "high", "red", "label", "corner")


def read_scenario(path: FilePath) -> Scenario:
    """Read a scenario file.

    Parameters
    ----------
    path : path of a .yaml file

    Returns
    -------
    Scenario

    Raises
    ------
    ModelError
        With file, line and cure, if it cannot be read or makes no sense.
    """
    with naming(path):
        return _scenario(read_nodes(path))


def scenario_of(package: str) -> Scenario:
    """The scenario of a machine: the file `scenario.yaml` in its package.

    Parameters
    ----------
    package : str
        Such as "symbody.machines.tractor".

    Returns
    -------
    Scenario
        As `read_scenario` returns it.
    """
    with as_file(files(package) / "scenario.yaml") as path:
        return read_scenario(path)


def _scenario(root: YamlNode) -> Scenario:
    top = entries_of(root, "", TOP, required=("scenario", "sensors", "tasks"))
    return _at(root, "scenario", lambda: Scenario(
        text_of(top["scenario"], "scenario"),
        named_entries(top["sensors"], "sensors", _sensor),
        _each(top.get("tasks"), "tasks", _task),
        _each(top.get("breakdowns"), "breakdowns", _breakdown),
        _each(top.get("instruments"), "instruments", _instrument),
        text_of(top["about"], "about") if "about" in top else "",
    ))  # fmt: skip


def _sensor(name: str, node: YamlNode, path: str) -> VirtualSensor:
    entries = entries_of(node, path, _SENSOR, required=("formula",))
    of = named_entries(entries.get("of"), f"{path}.of", lambda _, child, place: text_of(child, place))
    more: dict[str, Any] = {key: text_of(entries[key], f"{path}.{key}") for key in ("unit", "gather") if key in entries}
    if "digits" in entries:
        more["digits"] = int(plain_number(entries["digits"], f"{path}.digits"))
    formula = _formula(entries["formula"], f"{path}.formula")
    return _at(node, path, lambda: VirtualSensor(name, formula, of, **more))


def _task(node: YamlNode, path: str) -> DriverTask:
    entries = entries_of(node, path, _TASK, required=("name", "say", "until"))
    more: dict[str, Any] = _numbers(entries, path, "hold", "within")
    points = named_entries(
        entries.get("set_points"), f"{path}.set_points", lambda _, child, place: plain_number(child, place)
    )
    name, say = (text_of(entries[key], f"{path}.{key}") for key in ("name", "say"))
    return DriverTask(name, say, _formulas(entries["until"], f"{path}.until"), set_points=points, **more)


def _breakdown(node: YamlNode, path: str) -> Breakdown:
    entries = entries_of(node, path, ("name", "when", "say"), required=("name", "when", "say"))
    name, say = (text_of(entries[key], f"{path}.{key}") for key in ("name", "say"))
    return Breakdown(name, _formulas(entries["when"], f"{path}.when"), say)


def _instrument(node: YamlNode, path: str) -> Instrument:
    entries = entries_of(node, path, _INSTRUMENT, required=("sensor",))
    more: dict[str, Any] = {
        key: plain_number(entries[key], f"{path}.{key}") for key in ("low", "high") if key in entries
    }
    more |= {key: text_of(entries[key], f"{path}.{key}") for key in ("face", "label", "corner") if key in entries}
    if "red" in entries:
        more["red"] = [_zone(zone, f"{path}.red") for zone in list_of(entries["red"], f"{path}.red")]
    return _at(node, path, lambda: Instrument(text_of(entries["sensor"], f"{path}.sensor"), **more))


def _zone(node: YamlNode, path: str) -> tuple[float, float]:
    ends = list_of(node, path)
    if len(ends) != 2:
        raise yaml_error(f"a zone of {len(ends)} numbers", node, path, "write [low, high]")
    low, high = (plain_number(end, path) for end in ends)
    return low, high


def _numbers(entries: Mapping[str, YamlNode], path: str, *keys: str) -> dict[str, float]:
    """The numbers that are given."""
    return {key: plain_number(entries[key], f"{path}.{key}") for key in keys if key in entries}


def _formulas(node: YamlNode, path: str) -> list[str]:
    """One condition, or a list of them."""
    return [_formula(child, path) for child in (node.value if isinstance(node.value, list) else [node])]


def _formula(node: YamlNode, path: str) -> str:
    return str(node.value) if isinstance(node.value, (int, float)) else text_of(node, path)


def _each(node: YamlNode | None, path: str, read: Callable[[YamlNode, str], T]) -> list[T]:
    return [] if node is None else [read(child, f"{path}.{k + 1}") for k, child in enumerate(list_of(node, path))]


def _at(node: YamlNode, path: str, made: Callable[[], T]) -> T:
    """Make an element; an error without a line gets that of its node."""
    try:
        return made()
    except ModelError as error:
        if "(line " in error.element:
            raise
        raise yaml_error(error.problem, node, error.element or path, error.cure) from None

"""YAML from untrusted files, as nodes with line numbers: no aliases, no tags, none of the surprises of YAML 1.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import FilePath, decode, read_bytes
from symbody.model.formula import literal

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass
class YamlNode:
    """A value and its line: str, int, float, bool, None, or nodes in a list or a dict."""

    value: Any
    line: int


def read_nodes(path: FilePath, budget: ReadBudget | None = None) -> YamlNode:
    """Parse a file. Raises ModelError if it is invalid. budget: of the reading that the file is a part of."""
    return parse_nodes(decode(read_bytes(path, budget=budget)), budget)


def parse_nodes(text: str, budget: ReadBudget | None = None) -> YamlNode:
    """Parse one document. Plain words are text, so that `on` and `no` stay words."""
    budget = budget or ReadBudget.of(len(text))
    root: YamlNode | None = None
    open_nodes: list[YamlNode] = []
    key: str | None = None  # waits for its value
    try:
        event: Any  # stubs of PyYAML differ in the fields of events
        for event in yaml.parse(text, Loader=_Loader):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                raise _error("anchors and aliases are not supported", line, "write the value out")
            if getattr(event, "tag", None) not in (None, "!"):
                raise _error(f"the tag {event.tag} is not supported", line, "remove it")
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                open_nodes.pop()
                continue
            if not isinstance(event, yaml.NodeEvent):
                continue
            if root is not None and not open_nodes:
                raise _error("the file has a second document", line, "keep one model per file")
            budget.spend("values")
            node = _node(event, line)
            parent = open_nodes[-1].value if open_nodes else None
            if isinstance(parent, dict) and key is None:
                key = _key(event, parent, line)
                continue
            if isinstance(parent, dict):
                parent[key], key = node, None
            elif isinstance(parent, list):
                parent.append(node)
            root = root or node
            if isinstance(node.value, (dict, list)):
                open_nodes.append(node)
                check_level(len(open_nodes))
    except ModelError as error:
        error.element = error.element or f"line {line}"
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        cure = "check indentation, quotes and brackets there"
        raise ModelError(f"not YAML: {' '.join(str(error).split())[:300]}", cure=cure) from error
    return root or YamlNode(None, 1)


def plain(node: YamlNode) -> Any:
    """The plain data, as in JSON."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    return [plain(child) for child in node.value] if isinstance(node.value, list) else node.value


def _node(event: Any, line: int) -> YamlNode:
    if isinstance(event, yaml.MappingStartEvent):
        return YamlNode({}, line)
    if isinstance(event, yaml.SequenceStartEvent):
        return YamlNode([], line)
    return YamlNode(event.value if event.style else _scalar(event.value), line)  # style: in quotes, or a block


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    value = literal(text)
    if value is None:
        return text
    return int(text) if text.lstrip("+-").isdigit() else value


def _key(event: Any, mapping: dict[str, YamlNode], line: int) -> str:
    if not isinstance(event, yaml.ScalarEvent):
        raise _error("a key is not a word", line, "write `name: value`")
    key: str = event.value
    if key in mapping:
        raise _error(f"the key '{key[:80]}' appears twice", line, "rename or remove one of them")
    return key


def _error(problem: str, line: int, cure: str) -> ModelError:
    return ModelError(problem, element=f"line {line}", cure=cure)

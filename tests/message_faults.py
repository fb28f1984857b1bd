"""Where messages are not as their types declare them."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, Literal, NotRequired, Union


def faults(value, hint, at="message"):
    """Where a value of JSON is not as a type declares it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return []
    if hint in (int, float, str, bool, type(None)):
        right = isinstance(value, (int, float) if hint is float else hint) and (hint is bool) == isinstance(value, bool)
        return [] if right else [f"{at}: {value!r} is no {hint.__name__}"]
    if origin is Literal:
        return [] if value in arguments else [f"{at}: {value!r} is none of {arguments}"]
    if origin in (Union, types.UnionType):
        return [] if any(not faults(value, one, at) for one in arguments) else [f"{at}: {value!r} is no {hint}"]
    shape = dict if origin in (dict, Mapping) or typing.is_typeddict(hint) or is_dataclass(hint) else list
    if not isinstance(value, shape):
        return [f"{at}: {value!r} is no {shape.__name__}"]
    if origin in (dict, Mapping):
        return [x for key, one in value.items() for x in faults(one, arguments[1], f"{at}.{key}")]
    if origin in (list, Sequence) or (origin is tuple and arguments[-1] is Ellipsis):
        return [x for k, one in enumerate(value) for x in faults(one, arguments[0], f"{at}[{k}]")]
    if origin is tuple or issubclass(hint, tuple):
        hints = list(arguments or typing.get_type_hints(hint).values())
        if len(hints) != len(value):
            return [f"{at}: {len(value)} entries, not {len(hints)}"]
        return [x for k, (one, of) in enumerate(zip(value, hints, strict=True)) for x in faults(one, of, f"{at}[{k}]")]
    assert typing.is_typeddict(hint) or is_dataclass(hint), hint
    return list(faults_of_fields(value, hint, at))


def faults_of_fields(value, hint, at):
    hints = typing.get_type_hints(hint, include_extras=True)
    optional = {name for name, one in hints.items() if typing.get_origin(one) is NotRequired}
    optional |= set(getattr(hint, "__optional_keys__", ()))
    yield from (f"{at}.{name}: not declared" for name in value.keys() - hints.keys())
    yield from (f"{at}.{name}: missing" for name in hints.keys() - optional - value.keys())
    for name in value.keys() & hints.keys():
        one = hints[name]
        inner = typing.get_args(one)[0] if typing.get_origin(one) is NotRequired else one
        yield from faults(value[name], inner, f"{at}.{name}")

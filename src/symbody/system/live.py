"""The live parameters of a system: one set of values for all its compiled functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from symbody.codegen import Function
from symbody.errors import ParameterError


class LiveParameters(MutableMapping[str, float]):
    """The live parameters of all functions of a system. Setting one needs no new compilation."""

    def __init__(self, values: Mapping[str, float]):
        self._values = dict(values)
        self._functions: list[Function] = []

    def follow(self, function: Function) -> Function:
        """Keep a function's parameters equal to these. A function with fewer parameters gets those it has."""
        self._functions.append(function)
        self._set_on(function, self._values)
        return function

    @staticmethod
    def _set_on(function: Function, values: Mapping[str, float]) -> None:
        own = {name: value for name, value in values.items() if name in function.signature.parameters}
        if any(function.parameters[name] != value for name, value in own.items()):
            function.parameters.update(own)

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise ParameterError(name, self._values)
        return self._values[name]

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def update(self, *others: Any, **values: float) -> None:
        """Set several at once."""
        new = {name: float(value) for name, value in dict(*others, **values).items()}
        for name in new:
            self[name]  # raises for unknown names before anything changes
        self._values |= new
        for function in self._functions:
            self._set_on(function, new)

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

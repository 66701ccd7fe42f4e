"""Errors for arguments that a function does not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def explains_arguments(hints: Mapping[str, str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function: errors for unknown arguments get a hint.

    Parameters
    ----------
    hints : mapping of str to str
        Hints by the name of the argument.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            for name in options:
                if name not in signature.parameters:
                    hint = f": {hints[name]}" if name in hints else ""
                    raise TypeError(f"{function.__name__} has no argument {name!r}{hint}")
            try:
                signature.bind(*args, **options)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
            return function(*args, **options)

        return checked

    return decorate

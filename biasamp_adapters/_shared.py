"""What several metrics read alike, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Shared:
    """Things by key, each made by the first that asks for it and kept as long as this object."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Copies begin without what was made: functions among it cannot be pickled."""
        return {"_made": {}}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing with a key; ``make`` is called if there is none."""
        if key not in self._made:
            self._made[key] = make()
        thing: T = self._made[key]
        return thing

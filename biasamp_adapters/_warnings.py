"""The warnings of this package, each with a class so that it can be silenced separately."""

from __future__ import annotations

import sys
import warnings

__all__ = ["AmplificationWarning", "LongCallWarning", "SmallCellsWarning"]


class AmplificationWarning(UserWarning):
    """A value that needs a caveat, such as pairs without rows or a missing interval."""


class LongCallWarning(UserWarning):
    """A call will take minutes. The message says how many, and what makes it shorter."""


class SmallCellsWarning(UserWarning):
    """Saved counts have cells so small that they may identify people."""


def warn(message: str, category: type[Warning] = AmplificationWarning) -> None:
    """Warn, with the innermost line outside of this package as the origin."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("biasamp_adapters"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)

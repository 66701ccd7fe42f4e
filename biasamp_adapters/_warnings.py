"""The warnings of this package, so that each can be silenced on its own."""

from __future__ import annotations

__all__ = ["AmplificationWarning", "SmallCellsWarning"]


class AmplificationWarning(UserWarning):
    """A value that needs a caveat, such as pairs without rows or an interval that is not there."""


class SmallCellsWarning(UserWarning):
    """Saved counts have cells so small that they may identify people."""

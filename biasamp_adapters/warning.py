"""Warnings that the package gives."""

import sys
import warnings


class AmplificationWarning(UserWarning):
    """A caveat on a value, or on how inputs were read."""


def warn(message: str) -> None:
    """Warn at the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, AmplificationWarning, stacklevel=level)

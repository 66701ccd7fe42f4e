"""Warnings that the package gives."""


class AmplificationWarning(UserWarning):
    """A caveat on a value, or on how inputs were read."""

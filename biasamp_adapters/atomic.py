"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def write_text(path: Any, text: str) -> str:
    """Write a text file, if one is named, and return the text.

    A file that exists is replaced at once, or kept if writing fails. A device or a pipe gets the
    text.
    """
    if path is None:
        return text
    path = Path(os.fspath(path))
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise type(error)(f"{path} cannot be written: {error.strerror}") from None
    return text


def _replace(path: Path, text: str) -> None:
    """Write a file in a folder of its own, from which it takes its place."""
    with TemporaryDirectory(prefix=".", dir=path.parent) as folder:
        unfinished = Path(folder, path.name)
        unfinished.write_text(text, encoding="utf-8")
        if path.exists():
            unfinished.chmod(path.stat().st_mode)
        os.replace(unfinished, path)

"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
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
    """Write a file under another name, which then becomes its own."""
    handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        os.chmod(unfinished, mode)
        os.replace(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions that new files lack."""
    mask = os.umask(0)
    os.umask(mask)
    return mask

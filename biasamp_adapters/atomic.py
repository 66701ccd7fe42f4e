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
            return text
        target = path.resolve()
        with TemporaryDirectory(prefix=".", dir=target.parent) as folder:
            unfinished = Path(folder, target.name)
            unfinished.write_text(text, encoding="utf-8")
            if target.exists():
                unfinished.chmod(target.stat().st_mode)
            os.replace(unfinished, target)
    except OSError as error:
        raise type(error)(f"{path} cannot be written: {error.strerror}") from None
    return text

"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any


def write_text(path: Any, text: str) -> str:
    """Write a text file, if one is named, and return the text.

    A file that exists is replaced at once, or kept if writing fails.
    """
    if path is None:
        return text
    path = Path(os.fspath(path)).resolve()
    try:
        handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _explained(error, path) from None
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        os.chmod(unfinished, mode)
        os.replace(unfinished, path)
    except OSError as error:
        raise _explained(error, path) from None
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return text


def _umask() -> int:
    """Return the permissions that new files lack."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _explained(error: OSError, path: Path) -> OSError:
    return type(error)(f"{path} cannot be written: {error.strerror}")

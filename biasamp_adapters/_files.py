"""Writing a file so that a reader sees all of it or nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_output(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` leads to, links followed.

    Raises
    ------
    ValueError
        If its folder does not exist, or it is a folder itself.
    """
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise ValueError(f"the folder of an output file must exist; received {str(path)!r}")
    if target.is_dir():
        raise ValueError(f"an output must be a file; received the folder {str(path)!r}")
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path that takes the place of ``path`` if the block ends without an error.

    What is no regular file, such as /dev/stdout, cannot be replaced and is written to directly.
    """
    target = check_output(path)
    if target.exists() and not target.is_file():
        yield target
        return
    temporary = target.with_name(f".{target.name[:40]}-{secrets.token_hex(8)}")
    try:
        # Made here, so that nobody else's file is touched, with the permissions of any new file.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write ``text`` to ``path`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")

"""Atomic writing of files: a reader sees a whole file or none."""

from __future__ import annotations

import os
import platform
import re
import secrets
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: Seconds without a change after which a temporary file counts as abandoned.
_ABANDONED = 24 * 60 * 60


def check_output(path: str | os.PathLike[str]) -> Path:
    """The file that ``path`` names, with links resolved.

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
    """A temporary path that replaces ``path`` if the block ends without an error.

    Anything but a regular file, such as /dev/stdout, cannot be replaced and is written directly.
    """
    target = check_output(path)
    if target.exists() and not target.is_file():
        yield target
        return
    _remove_leftovers(target)
    unique = f"{_machine()}-{os.getpid()}-{secrets.token_hex(8)}"
    temporary = target.with_name(f"{_beginning(target)}{unique}")
    try:
        # Creating it here never touches an existing file, and gives it the usual permissions.
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except OSError as error:
            # The name of the temporary file helps nobody.
            raise OSError(error.errno, error.strerror, str(path)) from None
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _beginning(target: Path) -> str:
    return f".{target.name[:40]}-"


def _machine() -> str:
    """A hash of this machine's name: other machines that share the folder have other processes."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _remove_leftovers(target: Path) -> None:
    """Remove temporary files for ``target`` that writers left behind when they were killed."""
    beginning = re.escape(_beginning(target))
    name = re.compile(f"{beginning}([0-9a-f]{{8}})-([0-9]+)-[0-9a-f]{{16}}", re.ASCII)
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            match = name.fullmatch(entry.name)
            # Another writer may remove it first; a file that cannot be removed does no harm.
            with suppress(OSError):
                if match and _is_abandoned(entry, match[1], int(match[2])):
                    os.unlink(entry.path)


def _is_abandoned(file: os.DirEntry[str], machine: str, process: int) -> bool:
    """Whether the process that wrote a temporary file has ended, or the file is old."""
    # On Windows os.kill would end the process; there, only old files are removed.
    if machine == _machine() and os.name == "posix":
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except PermissionError:
            pass  # The process runs as another user.
    return time.time() - file.stat().st_mtime > _ABANDONED


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write ``text`` to ``path`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")

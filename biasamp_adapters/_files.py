"""Writing a file so that a reader sees all of it or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path that takes the place of ``path`` if the block ends without an error."""
    target = Path(path)
    if not target.parent.is_dir():
        raise ValueError(f"the folder of an output file must exist; received {str(target)!r}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}-")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes a private file; an output gets the permissions any new file would.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write ``text`` to ``path`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")

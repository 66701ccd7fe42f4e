"""Counts of rows that come in chunks: each is counted, and only the counts are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from biasamp_adapters._progress import progress
from biasamp_adapters.inputs.columns import NoRowsError

T = TypeVar("T")


def each_chunk(chunks: Iterable[Any], count: Callable[[Any], T], total: int | None) -> Iterator[T]:
    """What ``count`` makes of each chunk that has rows; a bar shows progress on a terminal.

    Parameters
    ----------
    chunks : iterable of frames
    count : callable
    total : int, optional
        How many chunks there are.

    Raises
    ------
    NoRowsError
        If no chunk has a row.
    ValueError
        What ``count`` raises, with the number of the chunk.
    """
    counted = False
    steps = ((1, chunk) for chunk in chunks)
    for number, chunk in enumerate(progress(steps, total, "Counting chunks"), start=1):
        try:
            found = count(chunk)
        except NoRowsError:
            continue
        except (TypeError, ValueError) as error:
            raise type(error)(f"in chunk {number}, {error}") from None
        counted = True
        yield found
    if not counted:
        raise NoRowsError("chunks")


def balanced_sum(parts: Iterable[T]) -> T:
    """The sum of at least one part; like with like, so that large sums are added up rarely."""
    sums: list[tuple[int, T]] = []
    for part in parts:
        sums.append((1, part))
        while len(sums) > 1 and sums[-2][0] <= sums[-1][0]:
            (n, first), (m, second) = sums[-2:]
            sums[-2:] = [(n + m, first + second)]  # type: ignore[operator]  # counts add
    while len(sums) > 1:
        (n, first), (m, second) = sums[-2:]
        sums[-2:] = [(n + m, first + second)]  # type: ignore[operator]
    return sums[0][1]

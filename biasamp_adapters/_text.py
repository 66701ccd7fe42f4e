"""Text for display: cleaned user text, and messages with the argument names of a host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches

#: A typographical minus, which lines up with a plus and is no hyphen.
MINUS = "\u2212"

#: Characters that change the direction of a line, and characters that XML does not allow.
_DROPPED = re.compile("[\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_SPACED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

#: "->" behind the name of a metric or a variable.
_ARROW = re.compile(r"(?<=\bBA)->|(?<=\bA)->(?=T\b)|(?<=\bT)->(?=A\b)")


def clean(text: str) -> str:
    """Text without control characters, line breaks and changes of direction."""
    return _SPACED.sub(" ", _DROPPED.sub("", text))


def shortened(text: str, most: int) -> str:
    """Text of at most ``most`` characters; a longer one keeps its beginning and its end."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}\u2026{text[len(text) - tail :]}"


def slug(text: str) -> str:
    """A name of lower-case letters, digits and underscores, for programs that refuse other ones.

    Examples
    --------
    >>> slug("DPA(U) A->T")
    'dpa_u_a_to_t'
    """
    words = text.replace("\u2192", "->").replace("->", " to ").lower()
    return re.sub("[^a-z0-9]+", "_", words).strip("_")


def number(value: float, digits: int, sign: str = "+") -> str:
    """A number with so many decimals; 0 has neither a sign nor decimals.

    Examples
    --------
    >>> number(-9.14, 1), number(0.04, 1), number(3, 0, "")
    ('−9.1', '0', '3')
    """
    text = f"{value:{sign}z.{digits}f}"
    return text.replace("-", MINUS) if float(text) else "0"


def rates_in_per_cent(true: float, predicted: float) -> tuple[str, str]:
    """A rate in the truth and in the predictions; if it hardly changes, with a decimal.

    Examples
    --------
    >>> rates_in_per_cent(0.3, 0.42), rates_in_per_cent(0.3, 0.304)
    (('30', '42'), ('30.0', '30.4'))
    """
    digits = 1 if 0 < abs(true - predicted) < 0.01 else 0
    return number(100 * true, digits, ""), number(100 * predicted, digits, "")


def arrows(text: str) -> str:
    """Text with arrows in the names of metrics and directions.

    Examples
    --------
    >>> arrows("BA-> of A->T, and a->b")
    'BA→ of A→T, and a->b'
    """
    return _ARROW.sub("→", text)


def shown(text: str) -> str:
    """Text of a user or of a report, as one line with the arrows of metrics."""
    return arrows(clean(text))


def did_you_mean(names: Iterable[str], known: Mapping[str, str]) -> str:
    """A hint, for the end of a message, at known names that are like some unknown ones.

    Parameters
    ----------
    names : iterable of str
        The unknown names.
    known : mapping of str to str
        The known names in small letters, and as the hint shows them.
    """
    # The case of letters is what is most often wrong.
    near = [known[x] for name in names for x in get_close_matches(name.lower(), known, n=2)]
    return f" (did you mean {' or '.join(map(repr, dict.fromkeys(near)))}?)" if near else ""


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A message with other names for arguments; quoted names belong to the user and stay.

    A name such as "task=" may come right before a quoted value.
    """
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    patterns = (
        re.escape(name) + ("" if name.endswith("=") else r"(?![\w'\"])") for name in longest_first
    )
    return re.sub(rf"(?<![\w'\"])({'|'.join(patterns)})", lambda found: names[found[1]], text)


@contextmanager
def renaming_errors(names: Mapping[str, str]) -> Iterator[None]:
    """Use other names for arguments in the messages of ValueErrors."""
    try:
        yield
    except ValueError as error:
        text = renamed(str(error), names)
        if text == str(error):
            raise
        raise ValueError(text) from None


@contextmanager
def placing_errors(where: str | None) -> Iterator[None]:
    """Let the messages of ValueErrors begin with the place, as in "in the reference, ..."."""
    try:
        yield
    except ValueError as error:
        if where is None:
            raise
        raise ValueError(f"{where}, {error}") from None

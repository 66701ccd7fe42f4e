"""Code, schema and documentation list verdicts in the order in which they are tried."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from biasamp_adapters.metrics.verdict import CASES, WORDS

PAGE = Path(__file__).parents[2] / "docs" / "user_guide" / "verdicts.rst"

#: As the rules were decided: reasons of "cannot_say", and codes of the other verdicts.
ORDER = [
    "one_group",
    "reference_balanced",
    "no_errors",
    "constant",
    "silence_differs",
    "direction_unknown",
    "few_rows",
    "no_interval",
    "reverses",
    "amplifies",
    "amplifies_beneath_errors",
    "reduces",
    "mistakes_only",
    "no_clear_change",
]

REASONS = [case.reason for case in CASES if case.reason]
CODES = list(dict.fromkeys(case.code for case in CASES))


def test_verdicts_are_tried_in_the_decided_order() -> None:
    assert [case.reason or case.code for case in CASES] == ORDER


def test_words_are_in_the_order_of_the_cases() -> None:
    assert list(WORDS) == CODES


@pytest.mark.parametrize(("key", "expected"), [("verdict", CODES), ("reason", [*REASONS, None])])
def test_schema_lists_them_in_this_order(key: str, expected: list[str | None]) -> None:
    schema = json.loads((files("biasamp_adapters.auditing") / "report.schema.json").read_text())
    verdict = next(
        part["properties"]
        for part in schema["$defs"].values()
        if {"verdict", "reason", "sentence"} <= {*part.get("properties", ())}
    )
    assert verdict[key]["enum"] == expected


def test_page_lists_them_in_this_order() -> None:
    codes = re.findall(r"^   \* - ``(\w+)``", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert codes == CODES + REASONS

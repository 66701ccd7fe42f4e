"""Outputs of public names are those that were written, but for what draws vary by.

``python tests/golden/write.py`` writes them anew, where a change is meant.
"""

from __future__ import annotations

import functools
import json
import os
import warnings
from pathlib import Path
from typing import Any

import golden_outputs as golden
import pytest
from golden_compare import OF_DRAWS, Draw, differences, filled

import biasamp_adapters as bam

DATA = Path(__file__).parent / "data"
WRITTEN = sorted(path.stem for path in DATA.glob("*.json"))
SAVED = sorted(path.name for path in golden.FILES.iterdir())


def written(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


#: Of the 200 tables, every fourth is enough, but in CI, which tries more examples as well.
EVERY = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "full" else 4


@functools.cache
def found(section: str) -> Any:
    if section == "pairs":
        return golden.pairs(Draw(), EVERY)
    return golden.SECTIONS[section].outputs(Draw())


def test_all_sections_are_written() -> None:
    assert {name.rpartition("-")[0] for name in WRITTEN} == {*golden.SECTIONS}


@pytest.mark.parametrize("name", WRITTEN)
def test_outputs(name: str) -> None:
    section, _, part = name.rpartition("-")
    pytest.importorskip(golden.SECTIONS[section].needs)
    expected, tree = written(name), found(section)
    if section == "pairs":
        expected = {seed: expected[seed] for seed in [*expected][::EVERY]}
    if part == "texts":
        texts = golden.texts_of(tree)
        told = [*differences(filled(expected, texts), filled(texts, expected))]
    else:
        told = [*differences(expected, golden.numbers_of(tree))]
    assert not told, "\n".join(told)


@pytest.mark.parametrize("file", SAVED)
def test_saved_counts_can_be_loaded(file: str) -> None:
    expected = counts_of_files()[Path(file).stem]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bam.load_counts(golden.FILES / file) == expected
        assert type(expected).load(golden.FILES / file) == expected


@functools.cache
def counts_of_files() -> dict[str, Any]:
    return golden.quietly(golden.saved)


def changes(tree: Any, by: float) -> Any:
    """The tree with one number changed, for each of its first numbers without draws."""
    if isinstance(tree, float):
        yield tree + by
    elif isinstance(tree, dict | list) and "se" not in tree:
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            if key in ("low", "high") and "within" in tree:
                continue
            for changed in changes(tree[key], by):
                copy = tree.copy()
                copy[key] = changed
                yield copy


@pytest.mark.parametrize("name", [name for name in WRITTEN if name.endswith("numbers")])
def test_a_change_is_found(name: str) -> None:
    tree = plainly(written(name))
    assert list(differences(written(name), tree)) == []
    some = next(changes(tree, 1e-9))
    (told,) = differences(written(name), some)
    assert " in place of " in told
    assert list(differences(written(name), next(changes(tree, 1e-14)))) == []


def plainly(tree: Any) -> Any:
    """What was written, without the marks of what is drawn."""
    if isinstance(tree, dict):
        marks = ("within", "may_be_none")
        return {name: plainly(value) for name, value in tree.items() if name not in marks}
    return [plainly(value) for value in tree] if isinstance(tree, list) else tree


RANGED = {"value": 0.5, "low": 0.1, "high": 0.9, "within": [[0.0, 0.2], [0.8, None]]}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"low": 0.19, "high": 5.0}, 0),
        ({"low": 0.21}, 1),
        ({"low": -0.01, "high": 0.79}, 2),
        ({"low": None, "high": None}, 2),
        ({"value": 0.5 + 1e-9}, 1),
        ({"other": 1}, 1),
    ],
)
def test_ends_have_a_range(changed: dict[str, Any], told: int) -> None:
    assert len(list(differences(RANGED, plainly(RANGED) | changed))) == told


@pytest.mark.parametrize(("value", "told"), [(0.5, 0), (0.5 + 0.07, 0), (0.5 + 0.08, 1), (None, 1)])
def test_means_of_draws_have_a_range(value: float | None, told: int) -> None:
    # 5 standard errors of a difference: 5 * 0.01 * sqrt(2) = 0.0707.
    mean = {"value": 0.5, "se": 0.01}
    assert len(list(differences(mean, {"value": value, "se": 0.02}))) == told


@pytest.mark.parametrize(
    ("written_texts", "said", "told"),
    [
        (["a #", "b"], ["a 1.5", "b"], 0),
        (["a #", "b"], ["b", "a 1.5"], 2),
        (["a #", "b"], ["b"], 1),
        (["a #", "b"], ["a 1.5", "c"], 1),
        (["a #", OF_DRAWS], ["c", "a 1.5", "d"], 0),
        (["a #", OF_DRAWS], ["a"], 1),
        (["a 1.5"], ["a 1.6"], 1),
    ],
)
def test_texts(written_texts: list[str], said: list[str], told: int) -> None:
    assert len(list(differences(written_texts, said))) == told

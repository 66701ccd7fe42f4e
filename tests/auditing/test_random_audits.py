"""Random audits and summaries: every surface shows them, sentences are whole, none contradicts."""

import copy
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.reader import Reader
from rich.cells import cell_len
from summaries import OF_MODEL, difference, gap, make, members, metric, number, verdict

import biasamp_adapters as bam
from biasamp_adapters.auditing.advice import boxes
from biasamp_adapters.auditing.answer import answers
from biasamp_adapters.auditing.facts import facts, title
from biasamp_adapters.auditing.gap_sentences import largest_sentences
from biasamp_adapters.auditing.notes import notes
from biasamp_adapters.auditing.subject import subject_of

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from contradictions.cases import random_case
from contradictions.cells import wrong_cells
from contradictions.check import check_report

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")


def sentences_of(summary: Any) -> Iterator[str]:
    yield from notes(summary)
    if "A->T" in summary["data"]["directions"]:
        yield from largest_sentences(subject_of(summary, "A->T"))
    for box in boxes(summary).values():
        yield from box
    for answer in answers(summary):
        yield from (answer.headline, answer.last, *answer.more, *answer.details)
        yield from (sentence for of_gap in answer.named for sentence in of_gap)
        yield from filter(None, (answer.closing, answer.line))


def check_sentences(summary: Any) -> None:
    for sentence in sentences_of(summary):
        assert sentence.endswith(".")
        assert not re.search(r"\.\.| \.|None (?!of us)|\bnan\b", sentence)
    for part in [title(summary), *facts(summary)]:
        assert part
        assert not part.endswith(".")


@pytest.mark.parametrize("seed", range(20))
def test_audit_of_random_data_has_all_surfaces_and_no_contradiction(seed) -> None:
    report = bam.audit(**random_case(seed))
    assert json.loads(report.to_json())["version"] == 1
    for v in report.verdicts:
        assert v.sentence.endswith(".")
        if v.code == "cannot_say":
            assert v.reason in ("one_group", "too_few_rows", "no_interval", "too_many_gaps")
            assert v.gaps == ()
    check_sentences(report.summary)
    texts = [report.to_text(full=True, width=60 + 5 * seed), report.to_text(width=60 + 5 * seed)]
    for text in texts:
        assert max(map(cell_len, text.splitlines())) <= min(60 + 5 * seed, 120)
    pages = [Reader(page) for page in (report.to_html(), report._repr_html_())]
    markdown = report.to_markdown()
    assert "<" not in markdown
    for shown in (*texts, markdown, *(page.text for page in pages)):
        assert not {"nan", "None"} & {*re.findall(r"\w+", shown)}
        assert not {"\x1b", "\u202e"} & {*shown}
    findings = check_report(report)
    assert findings.wrong == findings.unknown == list(wrong_cells(report)) == []
    assert findings.held.total() > 20


@pytest.mark.parametrize(
    ("part", "key", "other"),  # Numbers are .03 off, or 0.
    [
        ("gaps", "value", 0.38),
        ("gaps", "first_predicted", 0.83),
        ("gaps", "status", "appears"),
        ("verdicts", "code", "reduces"),
        ("errors", "first", 0.53),
        ("metrics", "value", 0.205),
        ("largest", "low", 0.0),
        ("rates", "true", 0.33),
        ("rates", "tpr", 0.53),
    ],
)
def test_contradiction_is_found(part, key, other) -> None:
    truth, groups = [1] * 30 + [0] * 70 + [1] * 60 + [0] * 40, ["a"] * 100 + ["b"] * 100
    predicted = [1] * 15 + [0] * 85 + [1] * 80 + [0] * 20
    report = bam.audit(truth, predicted, sensitive_features=groups, n_boot=100)
    text, markdown = report.to_text(full=True), report.to_markdown()
    surfaces = {"to_text": lambda full: text, "to_markdown": lambda: markdown}
    changed = SimpleNamespace(summary=copy.deepcopy(report.summary), **surfaces)
    assert not check_report(changed).wrong
    record = next(x for x in changed.summary[part] if x.get("of_class", 1) == 1)
    record[key] = other
    assert check_report(changed).wrong or list(wrong_cells(changed))


# Summaries that no data give, or hardly ever.

NAMES = st.sampled_from(["A", "{model}", "a, b", "", "x\ny", "<b>", 1, True, "None of us", "%s"])
RATES = st.tuples(st.floats(0, 100), st.floats(0, 100))
BANDS = st.tuples(st.floats(-100, 100), st.floats(-100, 100)).map(sorted)
CODES = st.sampled_from(["amplifies", "reduces", "reverses", "mixed", "no_clear_change"])
STATUSES = st.sampled_from(["grows", "appears", "shrinks", "reverses", "unclear"])
WHY = st.sampled_from(["one_group", "too_few_rows", "too_many_gaps", "no_interval"])
NUMBERS = st.one_of(
    st.just(number(reason="the value is undefined")),
    st.floats(-100, 100).map(lambda x: number(x, reason="every replicate gives the same value")),
    BANDS.map(lambda ends: number(sum(ends) / 2, *ends)),
)


@st.composite
def of_directions(draw: st.DrawFn, directions: list[str], models: list[str]) -> Any:
    verdicts, gaps = [], []
    for direction in directions:
        n_gaps = draw(st.integers(0, 3))
        for model in models:
            about = {"model": model, "direction": direction}
            for _ in range(n_gaps):
                sides = {"labels": draw(RATES), "predictions": draw(RATES), "band": draw(BANDS)}
                equal, beyond = draw(st.none() | st.floats(-99, 99)), draw(st.none() | BANDS)
                of_gap = {"equal": equal, "beyond": None if equal is None else beyond}
                of_gap |= {"clear": draw(st.tuples(st.booleans(), st.booleans()))}
                of_class = draw(st.sampled_from([0, 1]))
                record = gap(draw(NAMES), draw(NAMES), of_class, **sides, **of_gap, **about)
                gaps.append(record | {"status": draw(STATUSES)})
            about |= {"no_errors": draw(st.booleans()), "half": draw(st.booleans())}
            about |= {"constant": draw(st.sampled_from([[], [0]])), "signs_unclear": 1}
            about |= {"named": [0] if n_gaps and draw(st.booleans()) else []}
            about |= {"why": "" if n_gaps else draw(WHY)}
            code = draw(CODES) if n_gaps else "cannot_say"
            mean = draw(NUMBERS) if n_gaps else number(reason="the value is undefined")
            verdicts.append(verdict(code) | mean | about)
    return {"verdicts": verdicts, "gaps": gaps, "directions": directions, "models": models}


@st.composite
def summaries(draw: st.DrawFn) -> dict[str, Any]:
    directions = draw(st.sampled_from([["A->T"], ["T->A"], ["A->T", "T->A"]]))
    models = ["{first}", "second", "third"][: draw(st.integers(1, 3))]
    first, sizes = models[0], st.dictionaries(NAMES, st.integers(1, 99), min_size=1, max_size=4)
    keys = ("ba_a_to_t", "ba_t_to_a", "excess_a_to_t", "mals", "la")
    metrics = [metric(key, 0, model=x) | draw(NUMBERS) for key in keys for x in models]
    metrics += [metric("accuracy", 50 + i, 49 + i, 51 + i, x) for i, x in enumerate(models)]
    differences = [
        difference(key, x, first, 0, 0, 0) | draw(NUMBERS)
        for key in ("ba_a_to_t", "accuracy")
        for x in models[1:]
    ]
    ratio = {f"ratio_{key}": x for key, x in draw(NUMBERS).items()}
    ratio |= {"ratio": ratio["ratio_value"], "rates": [0.2, 0.4], "groups": [0, 1]}
    measures = ("selection_rate", "false_positive_rate", "accuracy")
    largest = [draw(NUMBERS) | ratio | {"model": first, "measure": x} for x in measures]
    score = {"model": first, "gap": 0, "rule": "5 or more", "first": 0.5, "second": 0.3}
    score |= {"by_score": draw(NUMBERS), "by_threshold": draw(NUMBERS), "reason": "so it is"}
    has_steps = score["by_score"]["value"] is not None and score["by_threshold"]["value"]
    threshold = OF_MODEL | {"model": first, "gap": 0.1, "ba": 0.1, "accuracy": 0.5}
    thresholds = [threshold | {"threshold": at, "accuracy_falls": False} for at in (0.5, None)]
    data = {
        "kind": st.sampled_from(["classes", "tasks"]),
        "label": st.sampled_from([None, "{label}"]),
        "feature": st.sampled_from([None, "sex"]),
        "positive": st.sampled_from([None, 1]),
        "favorable": st.sampled_from([None, 0, 1]),
        "compared_with": st.sampled_from(["labels", "given rates"]),
        "probabilities": st.sampled_from([[], ["model"]]),
        "n_boot": st.sampled_from([0, 2000]),
        "reference": st.sampled_from([None, 500]),
        "missing_predictions": st.sampled_from([{}, {first: 3}]),
        "scored": st.sampled_from([[], [first]]),
        "groups": sizes.map(members),
        "classes": sizes.map(members),
        "scores": st.just([score] if has_steps else []),
    }
    parts = {"metrics": metrics, "differences": differences, "largest": largest}
    parts |= draw(st.fixed_dictionaries(data)) | draw(of_directions(directions, models))
    return make(**parts, thresholds=thresholds)


@given(summaries())
def test_sentences_of_any_summary_are_whole(summary) -> None:
    check_sentences(summary)

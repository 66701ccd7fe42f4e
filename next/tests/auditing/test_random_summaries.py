"""Whatever a summary holds, what is said of it are whole sentences."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from auditing.summaries import gap, make, members, metric, number, verdict
from biasamp_adapters.auditing.advice import boxes
from biasamp_adapters.auditing.answer import answers
from biasamp_adapters.auditing.facts import facts, title
from biasamp_adapters.auditing.largest import largest_sentences
from biasamp_adapters.auditing.notes import notes
from biasamp_adapters.auditing.subject import subject_of

NAMES = st.sampled_from(["A", "{model}", "a, b", "", "x\ny", "<b>", 1, True, "None of us", "%s"])
STATUSES = ["grows", "appears", "shrinks", "reverses", "unclear"]
CODES = ["amplifies", "reduces", "reverses", "mixed", "no_clear_change"]
DIRECTIONS = ["A->T", "T->A"]
WHY = ["one_group", "too_few_rows", "too_many_gaps", "no_interval"]
RATES = st.tuples(st.floats(0, 100), st.floats(0, 100))


@st.composite
def bands(draw: st.DrawFn) -> tuple[float, float]:
    low, high = sorted(draw(st.tuples(st.floats(-100, 100), st.floats(-100, 100))))
    return low, high


@st.composite
def numbers(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        return number(reason="the value is undefined")
    ends = draw(st.none() | bands())
    if ends is None:
        return number(draw(st.floats(-100, 100)), reason="every replicate gives the same value")
    return number(sum(ends) / 2, *ends)


@st.composite
def directions_of_models(draw: st.DrawFn, direction: str, models: list[str]) -> dict[str, Any]:
    """The verdicts and gaps of one direction."""
    verdicts: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    can_judge, n_gaps = draw(st.booleans()), draw(st.integers(1, 3))
    for model in models:
        of_model = [
            gap(
                draw(NAMES),
                draw(NAMES),
                draw(st.sampled_from([0, 1])),
                labels=draw(RATES),
                predictions=draw(RATES),
                band=draw(bands()),
                status=draw(st.sampled_from(STATUSES)),
                clear=draw(st.tuples(st.booleans(), st.booleans())),
                equal=draw(st.none() | st.floats(-99, 99)),
                beyond=draw(st.none() | bands()),
                model=model,
                direction=direction,
            )
            for _ in range(n_gaps * can_judge)
        ]
        why = draw(st.sampled_from(WHY))
        told = verdict(
            draw(st.sampled_from(CODES)) if can_judge else "cannot_say",
            draw(numbers()) if can_judge else number(reason="the value is undefined"),
            model=model,
            direction=direction,
            why="" if can_judge else why,
            named=(0,) if can_judge and draw(st.booleans()) else (),
            no_errors=draw(st.booleans()),
            constant=draw(st.sampled_from([(), (0,)])),
            half=draw(st.booleans()),
            signs_unclear=draw(st.integers(0, 2)),
        )
        verdicts.append(told)
        records += of_model
    return {"verdicts": verdicts, "gaps": records}


@st.composite
def summaries(draw: st.DrawFn) -> dict[str, Any]:
    directions = draw(st.sampled_from([["A->T"], ["T->A"], DIRECTIONS]))
    models = ["{first}", "second", "third"][: draw(st.integers(1, 3))]
    told = [draw(directions_of_models(direction, models)) for direction in directions]
    sizes = st.dictionaries(NAMES, st.integers(1, 99), min_size=1, max_size=4)
    metrics = [
        {**metric(key, 0, model=model), **draw(numbers())}
        for key in ("ba_a_to_t", "ba_t_to_a", "excess_a_to_t", "mals", "la")
        for model in models
    ]
    for model in models:
        accuracy = draw(st.integers(1, 99))
        metrics.append(metric("accuracy", accuracy, accuracy - 1, accuracy + 1, model))
    differences = [
        {**draw(numbers()), "key": key, "name": key, "direction": "", "first": models[0]}
        | {"model": model}
        for key in ("ba_a_to_t", "accuracy")
        for model in models[1:]
    ]
    ratio = draw(numbers())
    largest = [
        {**draw(numbers()), "model": models[0], "measure": measure, "groups": [0, 1]}
        | {"rates": [0.2, 0.4], "ratio": ratio["value"], "ratio_low": ratio["low"]}
        | {"ratio_high": ratio["high"], "ratio_reason": ratio["reason"]}
        for measure in ("selection_rate", "false_positive_rate", "accuracy")
    ]
    score = {"model": models[0], "gap": 0, "rule": "5 or more", "first": 0.5, "second": 0.3}
    score |= {"by_score": draw(numbers()), "by_threshold": draw(numbers()), "reason": "so it is"}
    has_steps = score["by_score"]["value"] is not None and score["by_threshold"]["value"]
    thresholds = [
        {"model": models[0], "threshold": at, "gap": 0.1, "ba": 0.1, "accuracy": 0.5}
        | {"accuracy_falls": False}
        for at in (0.5, None)
    ]
    return make(
        directions=directions,
        models=models,
        verdicts=[row for part in told for row in part["verdicts"]],
        gaps=[row for part in told for row in part["gaps"]],
        groups=members(draw(sizes)),
        classes=members(draw(sizes)),
        kind=draw(st.sampled_from(["classes", "tasks"])),
        label=draw(st.none() | st.just("{label}")),
        feature=draw(st.none() | st.just("sex")),
        positive=draw(st.none() | st.just(1)),
        favorable=draw(st.sampled_from([None, 0, 1])),
        compared_with=draw(st.sampled_from(["labels", "given rates"])),
        probabilities=draw(st.booleans()),
        n_boot=draw(st.sampled_from([0, 2000])),
        reference=draw(st.none() | st.just(500)),
        missing_predictions=draw(st.sampled_from([{}, {models[0]: 3}])),
        scored=draw(st.sampled_from([[], models[:1]])),
        metrics=metrics,
        differences=differences,
        largest=largest,
        thresholds=thresholds,
        scores=[score] if has_steps else [],
    )


@given(summaries())
def test_sentences_of_any_summary_are_whole(summary):
    told = answers(summary)
    sentences = notes(summary)
    if "A->T" in summary["data"]["directions"]:
        sentences += largest_sentences(subject_of(summary, "A->T"))
    sentences += [sentence for box in boxes(summary).values() for sentence in box]
    for answer in told:
        sentences += [answer.headline, answer.last, *answer.more, *answer.details]
        sentences += [sentence for of_gap in answer.named for sentence in of_gap]
        sentences += [text for text in (answer.closing, answer.line) if text]
    for sentence in sentences:
        assert sentence.endswith(".")
        assert ".." not in sentence
        assert " ." not in sentence
        assert "None " not in sentence.replace("None of us", "")
        assert "nan" not in sentence
    for part in [title(summary), *facts(summary)]:
        assert part
        assert not part.endswith(".")

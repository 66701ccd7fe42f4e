"""What is said of several models: what each shows, and how BA differs between them."""

from __future__ import annotations

from collections.abc import Iterable

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.auditing.summary import MetricRecord, VerdictRecord
from biasamp_adapters.figures import Digits, agree, count, is_clear, join, name, percent

#: More models of one kind are counted, not named.
_MOST_MODELS = 3


def models_headline(subject: Subject) -> str:
    """Return what models show: by name, or counted where many are alike."""
    by_code, accuracies = _models_by_code(subject.verdicts), subject.differing_accuracies()
    if len(by_code) == 1 or max(map(len, by_code.values())) > _MOST_MODELS:
        models = _count_models(by_code, len(subject.verdicts))
    else:
        models = join([_show(code, names) for code, names in by_code.items()], len(by_code))
    if accuracies:
        models = words.MODELS_ACCURACY.format(models=models, **_two_accuracies(*accuracies))
    has_labels = subject.names.true == words.LABELS
    true = words.LABELS_OF_THESE_ROWS if has_labels else words.GIVEN_RATES
    return words.MODELS.format(true=true, models=models)


def _models_by_code(verdicts: Iterable[VerdictRecord]) -> dict[str, list[str]]:
    """Return the names of the models of each code, in the order of the codes."""
    by_code: dict[str, list[str]] = {code: [] for code in words.VERDICTS}
    for verdict in verdicts:
        by_code[verdict["code"]].append(name(verdict["model"]))
    return {code: models for code, models in by_code.items() if models}


def _show(code: str, models: list[str]) -> str:
    return f"{join(models)} {_verb(code, len(models))}"


def _verb(code: str, n: int) -> str:
    if code == "cannot_say":
        return words.CANNOT_BE_JUDGED
    return agree(n, *words.SHOWS).format(words=words.VERDICTS[code])


def _count_models(by_code: dict[str, list[str]], total: int) -> str:
    (code, models), *others = by_code.items()
    if not others:
        every = words.BOTH if total == 2 else words.ALL
        kinds = every.format(members="models" if total == 2 else count(total, "model"))
        return f"{kinds} {_verb(code, total)}"
    first = words.MODELS_COUNTED.format(
        n=len(models), models=count(total, "model"), verdict=_verb(code, len(models))
    )
    return join([first, *(f"{len(some):,} {_verb(code, len(some))}" for code, some in others)], 9)


def _two_accuracies(low: MetricRecord, high: MetricRecord) -> dict[str, str]:
    """Return two accuracies in whole per cent, or finer if these are equal."""
    texts = [percent(record["value"], 0) for record in (low, high)]
    if texts[0] == texts[1]:
        texts = [Digits.of(low, high).rate(record["value"]) for record in (low, high)]
    models = {"low_model": name(low["model"]), "high_model": name(high["model"])}
    return {"low": texts[0], "high": texts[1]} | models


def model_differences(subject: Subject) -> list[str]:
    """Return how BA of each model differs from that of the first, where it clearly does."""
    key = "ba_t_to_a" if subject.names.compares_classes else "ba_a_to_t"
    records, sentences = subject.differences(key), []
    for record in filter(is_clear, records):
        digits, others = Digits.of(record), ""
        a, b = (subject.metric("accuracy", record[side]) for side in ("model", "first"))
        if a and b and not subject.names.compares_classes:
            rates = Digits.of(a, b)
            others = words.AND_ACCURACIES.format(a=rates.rate(a["value"]), b=rates.rate(b["value"]))
        sentences.append(
            words.DIFFERENCE.format(
                model=name(record["model"]),
                first=name(record["first"]),
                size=digits.signed(record["value"] or 0.0),
                ends=digits.ends(record["low"] or 0.0, record["high"] or 0.0, "+"),
                models=count(len(subject.verdicts), "model"),
                others=others,
            )
        )
    if records and not sentences:
        return [words.NO_DIFFERENCE.format(first=name(records[0]["first"]))]
    return sentences

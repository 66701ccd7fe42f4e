"""What is said of BA, and of several models: what each shows, and how BA differs between them."""

from __future__ import annotations

from collections.abc import Sequence

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Subject, all_models, is_above
from biasamp_adapters.auditing.summary import DOWN, UP
from biasamp_adapters.figures import Digits, agree, count, is_clear, join, percent


def ba_sentences(subject: Subject) -> list[str]:
    """Return what BA is; where it is 0 for every model, the reason for no interval says so."""
    ba, verdict = subject.number("ba"), subject.verdict
    if ba is None or not subject.has_signs:
        return []
    change = Digits.of(ba).change_in_points(ba)
    if verdict["half"] and len(subject.gaps) == 1:
        its_own = words.BA_ITS_OWN if ba["low"] != ba["high"] else ""
        sentences = [words.BA_HALF.format(ba=change, its_own=its_own)]
    else:
        sentences = [words.BA.format(ba=change, signs=_signs(subject))]
    if verdict["signs_unclear"]:
        sentences.append(words.BA_SIGNS.format(k=verdict["signs_unclear"], m=verdict["signs"]))
    return sentences


def ba_against_verdicts(subject: Subject) -> list[str]:
    """Return where BA and the verdict on a model differ, a sentence for all models alike."""
    models: dict[str, list[str]] = {}
    for model in subject.models:
        for sentence in _disagreement(model):
            models.setdefault(sentence, []).append(model.name)
    if not subject.has_several_models:
        return list(models)
    return [words.OF_MODEL.format(model=join(x), sentence=each) for each, x in models.items()]


def _disagreement(subject: Subject) -> list[str]:
    """Return how BA and the verdict differ in sign or clearness."""
    ba, gaps, code = subject.number("ba"), subject.gaps, subject.verdict["code"]
    if ba is None or code == "cannot_say" or ba["low"] is None:
        return []
    side = words.ABOVE if is_above(ba) else words.BELOW
    if is_clear(ba) and code == "no_clear_change":
        verb, changes = subject.verb_of_unclear
        template, why = words.BA_ALONE_CLEAR, words.MOVE_TOGETHER
        if len(subject.names.members) == 2:  # Their signs are opposite.
            why = words.MEAN_IS_CLEAR
        n_groups = sum(row["rows"] > 0 for row in subject.names.data["groups"])
        if subject.names.has_two_classes and n_groups == 2 and len(gaps) == 1:
            is_moving = verb != words.CHANGE_AT_ALL[0]
            template = words.BA_SIDE_UNCLEAR if is_moving else words.BA_BARELY
        return [template.format(side=side, changes=changes, why=why)]
    if is_clear(ba):
        against = _what_gaps_do(subject, DOWN if is_above(ba) else UP)
        if against:
            return [words.BA_AGAINST.format(side=side, gaps=against, signs=_signs(subject))]
    elif len(gaps) > 1 and (changing := _what_gaps_do(subject, UP + DOWN)):
        return [words.BA_UNCLEAR.format(gaps=changing)]
    return []


def _what_gaps_do(subject: Subject, statuses: Sequence[str]) -> str:
    """Return "some gaps grow and some shrink" of these statuses, or what they do on average."""
    occur = {gap["status"] for gap in subject.gaps}
    verbs = [verbs for status, verbs in words.STATUSES.items() if status in occur & {*statuses}]
    if len(subject.gaps) == 1:
        return words.THE_GAP.format(verb=verbs[0][0]) if verbs else ""
    if verbs:
        first = words.SOME_GAPS.format(verb=verbs[0][1])
        return join([first, *(words.SOME.format(verb=verb) for _, verb in verbs[1:])], 9)
    mean = "grows" if is_above(subject.verdict) else "shrinks"
    if is_clear(subject.verdict) and mean in statuses:
        return words.GAPS_ON_AVERAGE.format(verb=words.STATUSES[mean][1])
    return ""


def _signs(subject: Subject) -> str:
    """Return what decides the signs of BA."""
    data = subject.names.data
    if data["reference"] is not None:
        return count(data["reference"], "reference row")
    return words.THE_LABELS if subject.names.has_labels else words.THE_GIVEN_RATES


def line_below(subject: Subject) -> str:
    """Return the line below the table of models, which says what BA is."""
    if subject.number("ba") is None:
        return ""
    is_half = all(x.verdict["half"] for x in subject.models) and subject.names.has_two_classes
    half = words.BA_LINE_HALF if is_half else ""
    return words.BA_LINE.format(signs=_signs(subject), half=half, ba_is_not=words.BA_IS_NOT)


def equal_errors_of_ba(subject: Subject, error: str) -> list[str]:
    """Return BA with equal error rates, where no gap is named."""
    ba, excess, both = subject.number("ba"), subject.number("excess"), subject.names.both
    if not (ba and excess and subject.has_errors and subject.has_signs):
        return []
    digits = Digits.of(excess)
    equal = digits.signed((ba["value"] or 0.0) - (excess["value"] or 0.0))
    text = digits.change_in_points(excess)
    return [words.EQUAL_ERRORS_BA.format(error=error, both=both, equal=equal, excess=text)]


#: More models of one kind are counted, not named.
_MOST_MODELS = 3


def models_headline(subject: Subject) -> str:
    """Return what models show: by name, or counted where many are alike."""
    kinds, accuracies = _models_alike(subject), subject.differing_accuracies()
    if len(kinds) == 1 or max(map(len, kinds)) > _MOST_MODELS:
        models = _count_models(kinds)
    else:
        shown = [f"{join([x.name for x in alike])} {_verb(alike)}" for alike in kinds]
        models = join(shown, len(kinds))
    if accuracies:
        # In whole per cent, or finer if these are equal.
        texts = {percent(record["value"], 0) for record in accuracies}
        digits = Digits(0) if len(texts) > 1 else Digits.of(*accuracies)
        parts = subject.names.accuracies(*accuracies, digits)
        models = words.MODELS_ACCURACY.format(models=models, **parts)
    true = words.LABELS_OF_THESE_ROWS if subject.names.has_labels else words.GIVEN_RATES
    return words.MODELS.format(true=true, models=models)


def _models_alike(subject: Subject) -> list[list[Subject]]:
    """Return the models of each code, in order; those of which no gap clearly changes follow."""
    kinds = {(code, some): list[Subject]() for code in words.VERDICTS for some in (True, False)}
    for model in subject.models:
        kinds[model.verdict["code"], bool(model.changed)].append(model)
    return [models for models in kinds.values() if models]


def _verb(models: Sequence[Subject]) -> str:
    """Return what models that are alike show, and whether some gaps do or only their mean."""
    code = models[0].verdict["code"]
    if code == "cannot_say":
        return words.CANNOT_BE_JUDGED
    in_part = words.IN_PART if models[0].changed else words.IN_MEAN
    if all(model.changed == model.gaps for model in models):
        in_part = {}
    return agree(len(models), *words.SHOWS).format(words=in_part.get(code, words.VERDICTS[code]))


def _count_models(kinds: Sequence[Sequence[Subject]]) -> str:
    total, (models, *others) = sum(map(len, kinds)), kinds
    if not others:
        return f"{all_models(total)} {_verb(models)}"
    parts = {"models": count(total, "model"), "verdict": _verb(models)}
    first = words.MODELS_COUNTED.format(n=len(models), **parts)
    return join([first, *(f"{len(alike):,} {_verb(alike)}" for alike in others)], 9)


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
        parts = {side: subject.names.model(record[side]) for side in ("model", "first")}
        parts["size"] = digits.signed(record["value"] or 0.0)
        parts["ends"] = digits.ends(record["low"] or 0.0, record["high"] or 0.0, "+")
        models = count(len(subject.models), "model")
        sentences.append(words.DIFFERENCE.format(**parts, models=models, others=others))
    if records and subject.has_signs and not sentences:
        return [words.NO_DIFFERENCE.format(first=subject.names.model(records[0]["first"]))]
    return sentences

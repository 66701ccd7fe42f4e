"""The title and the facts of an audit: what was compared with what."""

from __future__ import annotations

import math
from collections.abc import Iterator

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Names, is_small
from biasamp_adapters.auditing.summary import Data, Member, Summary
from biasamp_adapters.figures import agree, clean, count, join, name


def title(summary: Summary) -> str:
    """Return the title of an audit: its own, or what is compared by which feature."""
    return clean(summary["title"]) or _subject(summary)


def facts(summary: Summary) -> list[str]:
    """Return the parts of the facts line that follow the title."""
    data, method = summary["data"], summary["method"]
    parts = [_subject(summary)] if clean(summary["title"]) else []
    parts.append(count(data["rows"], "row"))
    if len(data["models"]) > 1:
        parts.append(count(len(data["models"]), "model"))
    parts += [*_outside_groups(data), *_left_out(summary)]
    soft = data["probabilities"]
    kinds = {0: words.KIND, len(data["models"]): words.PROBABILITIES_KIND}
    parts.append(kinds.get(len(soft), words.KINDS.format(models=join(map(name, soft)))))
    if marked := Names(data["directions"][0], data).marked():
        parts.append(marked)
    parts += _compared_with(data)
    if method["n_boot"] and all(row["why"] != "no_interval" for row in summary["verdicts"]):
        parts.append(words.LEVEL.format(level=level(summary)))
    return parts


def level(summary: Summary) -> str:
    """Return the level of the intervals: "95%"."""
    return f"{100 * summary['method']['confidence']:.6g}%"


def head(summary: Summary, direction: str) -> str:
    """Return the head of one of two directions: "object by gender (A→T)"."""
    names = Names(direction, summary["data"])
    subject, by = "tasks" if names.label == "task" else names.label, names.feature
    if names.compares_classes:
        subject, by = by, subject
    shown = words.DIRECTIONS[direction]
    return words.HEAD_OF_DIRECTION.format(subject=subject, by=by, direction=shown)


def two_directions(summary: Summary) -> str:
    """Return the sentence that goes before two verdicts, or nothing."""
    if len(summary["data"]["directions"]) < 2:
        return ""
    names = Names("T->A", summary["data"])
    return words.TWO_DIRECTIONS.format(
        feature=names.feature, class_=names.noun, task=names.label, classes=names.nouns
    )


def _subject(summary: Summary) -> str:
    """Return what is compared by which feature."""
    data = summary["data"]
    names = Names(data["directions"][0], data)
    subject = names.label
    if data["kind"] == "tasks":
        subject = count(len(data["classes"]), "task")
    if data["directions"] == ["T->A"]:
        return words.TITLE.format(subject=names.feature, feature=subject)
    if data["positive"] is not None and names.has_two_classes:
        subject = names.class_(data["positive"])
    elif data["kind"] == "classes" and data["label"] is None:
        subject = count(len(data["classes"]), "class")
    text = words.TITLE.format(subject=subject, feature=names.feature)
    if "T->A" in data["directions"]:
        text = words.TITLE_PREDICTED.format(title=text, feature=names.feature)
    return text


def _outside_groups(data: Data) -> Iterator[str]:
    """Yield how many rows are in none of the groups or in several, where each is a column."""
    rows, none, several = count(data["rows"], "row"), data["in_no_group"], data["in_several_groups"]
    for template, n in ((words.IN_NO_GROUP, none), (words.IN_SEVERAL_GROUPS, several)):
        if n:
            yield template.format(n=n, rows=rows, are=agree(n, "is", "are"))


def _left_out(summary: Summary) -> Iterator[str]:
    """Yield the groups and classes that are too small, for directions with a verdict."""
    judged = {row["direction"] for row in summary["verdicts"] if row["code"] != "cannot_say"}
    for direction in summary["data"]["directions"]:
        names = Names(direction, summary["data"])
        small, total = list(filter(is_small, names.members)), len(names.members)
        if small and direction in judged:
            parts = {"members": count(total, names.noun), "are": agree(len(small), "is", "are")}
            parts["names"] = join(_name_and_size(member, names) for member in small)
            yield words.GROUPS_LEFT_OUT.format(n=total - len(small), **parts)


def _name_and_size(member: Member, names: Names) -> str:
    """Return "B (1 row)", "B (11.2 effective rows)"; never 15 rows, which would be enough."""
    unit, rounded = names.data["unit"], math.floor(10 * member["size"] + 1e-6) / 10
    size = f"{rounded:.1f} {unit}"
    if rounded == int(rounded):
        size = count(int(rounded), unit.removesuffix("s"))
    return words.NAME_AND_SIZE.format(name=names.member(member["name"]), size=size)


def _compared_with(data: Data) -> Iterator[str]:
    """Yield what predictions are compared with, and which rows count how."""
    are_of_classes = data["directions"][0] == "A->T"
    rates = words.WITHOUT_LABELS if are_of_classes else words.COMPARED_WITH_RATES
    yield words.COMPARED_WITH_LABELS if data["compared_with"] == words.LABELS else rates
    if data["reference"] is not None:
        yield words.SIGNS_FROM.format(rows=count(data["reference"], "reference row"))
    if data["weights"] is not None:
        yield words.WEIGHTED_BY.format(column=name(data["weights"]))
    if data["clusters"] is not None and data["n_clusters"] is not None:
        n, column = count(data["n_clusters"], "cluster"), name(data["clusters"])
        yield n if column == "clusters" else words.CLUSTERS_OF.format(clusters=n, column=column)
    nouns = {"prediction": data["missing"], "predicted group": data["missing_groups"]}
    for noun, by_model in nouns.items():
        if missing := sum(by_model.values()):
            yield words.MISSING_PREDICTIONS.format(predictions=count(missing, noun))
    if data["left_out"]:
        without_group = data["left_out_groups"]
        template = words.LEFT_OUT_WITHOUT_GROUP if without_group else words.LEFT_OUT
        yield template.format(rows=count(data["left_out"], "row"), n=without_group)

"""BA, MALS and Multi, by plain loops over rows and in exact fractions.

It follows the definitions, slow and simple on purpose: no count is kept, every rate is found by
going through the rows again. Labels are columns of indicators, one for each class. A column of
indicators is a list with a number for each row, 0, 1 or a probability; a label set is a tuple of
tasks, and a task is a set of size 1. None stands for undefined.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, product
from itertools import combinations as subsets
from math import prod
from typing import Any, NamedTuple, TypeAlias

from exact_oracle import Scores, mean

Number: TypeAlias = int | Fraction
Column: TypeAlias = Sequence[Number]
Columns: TypeAlias = dict[Any, Column]
Labels: TypeAlias = tuple[Any, ...]


class Data(NamedTuple):
    """Columns of groups, tasks and their predictions, and weights.

    ``labels`` says that every row has one group.
    """

    a: Columns
    t: Columns
    a_hat: Columns
    t_hat: Columns
    w: Column
    labels: bool


def _exact(value: Any) -> Number:
    return int(value) if value == int(value) else Fraction(value)


def _columns(rows: Sequence[Sequence[Any] | None], width: int) -> Columns:
    """Columns 0 to ``width`` - 1; a row that is None has no label at all."""
    return {j: [0 if row is None else _exact(row[j]) for row in rows] for j in range(width)}


def _one_hot(labels: Sequence[Any], groups: Sequence[Any]) -> Columns:
    return {group: [int(label == group) for label in labels] for group in groups}


def data(
    y_true: Sequence[Sequence[Any]],
    y_pred: Sequence[Sequence[Any] | None] | None,
    attribute: Sequence[Any],
    attribute_pred: Sequence[Any] | None = None,
    weights: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
) -> Data:
    """Rows as columns. With ``groups`` the attributes are labels, without them indicators.

    A prediction that is not given is the truth; one that is None for a row is an abstention.
    """

    def of_group(rows: Sequence[Any]) -> Columns:
        if groups is None:
            return _columns(rows, len(attribute[0]))
        return _one_hot(rows, groups)

    width = len(y_true[0])
    return Data(
        a=of_group(attribute),
        t=_columns(y_true, width),
        a_hat=of_group(attribute if attribute_pred is None else attribute_pred),
        t_hat=_columns(y_true if y_pred is None else y_pred, width),
        w=[1] * len(y_true) if weights is None else [_exact(w) for w in weights],
        labels=groups is not None,
    )


def measure(w: Column, *events: Column) -> Number:
    """Weight of the rows where all events happen."""
    return sum(prod(parts) for parts in zip(w, *events, strict=True))


def rate(w: Column, event: Column, given: Column) -> Fraction | None:
    base = measure(w, given)
    return Fraction(measure(w, event, given), base) if base else None


def together(columns: Columns, labels: Labels) -> Column:
    return [prod(parts) for parts in zip(*(columns[label] for label in labels), strict=True)]


def sign(reference: Data, group: Any, labels: Labels) -> int:
    """The sign of P(a, t) - P(a) P(t) among rows that have a group or a task."""
    columns = [*reference.a.values(), *reference.t.values()]
    w = [x if any(c[i] for c in columns) else 0 for i, x in enumerate(reference.w)]
    a, t = reference.a[group], together(reference.t, labels)
    # Both sides of P(a, t) > P(a) P(t), times the square of the total.
    joint, apart = sum(w) * measure(w, a, t), measure(w, a) * measure(w, t)
    return (joint > apart) - (joint < apart)


def delta(rows: Data, direction: str, group: Any, labels: Labels) -> Fraction | None:
    """D_at of BA-> and Multi."""
    a, t = rows.a[group], together(rows.t, labels)
    if direction == "A->T":
        made, true = rate(rows.w, together(rows.t_hat, labels), a), rate(rows.w, t, a)
    else:
        made, true = rate(rows.w, rows.a_hat[group], t), rate(rows.w, a, t)
    return None if made is None or true is None else made - true


def directional(rows: Data, direction: str, reference: Data, sets: Sequence[Labels]) -> Scores:
    """BA->: the mean of s_at D_at over the defined pairs."""
    pairs = list(product(rows.a, sets))
    signs = {pair: sign(reference, *pair) for pair in pairs}
    deltas = {pair: delta(rows, direction, *pair) for pair in pairs}
    defined = [signs[pair] * deltas[pair] for pair in pairs if deltas[pair] is not None]
    return Scores(signs, deltas, mean(defined))


def mals(rows: Data, reference: Data, sets: Sequence[Labels]) -> Scores:
    """MALS: by task the sum over the favoured groups, averaged over the tasks."""
    favoured, deltas, sums = {}, {}, []
    for labels in sets:
        contributions = []
        for group in rows.a:
            true = rate(reference.w, reference.a[group], together(reference.t, labels))
            made = rate(rows.w, rows.a_hat[group], together(rows.t_hat, labels))
            defined = made is not None and true is not None
            favours = int(true is not None and true > Fraction(1, len(rows.a)))
            favoured[group, labels] = favours
            deltas[group, labels] = made - true if defined else None
            if defined:
                contributions.append(favours * (made - true))
        if contributions:
            sums.append(sum(contributions, Fraction(0)))
    return Scores(favoured, deltas, mean(sums))


def _blind(truth: Columns, made: Columns, w: Column, one_channel: bool) -> Columns:
    """What is predicted of each row if it depends on the truth of the row alone."""
    if one_channel:
        confusion = {
            (true, k): rate(w, made[k], truth[true]) or Fraction(0) for true in truth for k in made
        }
        rows = range(len(w))
        return {
            k: [sum((truth[t][i] * confusion[t, k] for t in truth), Fraction(0)) for i in rows]
            for k in made
        }
    out = {}
    for k, column in truth.items():
        hits = rate(w, made[k], column) or Fraction(0)
        mistakes = rate(w, made[k], [1 - x for x in column]) or Fraction(0)
        out[k] = [x * hits + (1 - x) * mistakes for x in column]
    return out


def with_blind_errors(rows: Data, variables: str, one_task: bool) -> Data:
    """The rows with predictions of "a", "t" or both that depend on their own truth alone.

    ``one_task`` says that every row has one task.
    """
    errors = {}
    if "t" in variables:
        errors["t_hat"] = _blind(rows.t, rows.t_hat, rows.w, one_task)
    if "a" in variables:
        errors["a_hat"] = _blind(rows.a, rows.a_hat, rows.w, rows.labels)
    return rows._replace(**errors)


def label_sets(rows: Data) -> list[Labels]:
    return [tuple(k for k in rows.t if rows.t[k][i]) for i in range(len(rows.w))]


def support(found: Sequence[Labels], labels: Labels) -> int:
    return sum(set(labels) <= set(row) for row in found)


def task_sets(
    rows: Data,
    reference: Data | None = None,
    combinations: str = "observed",
    min_size: int = 1,
    max_size: int | None = None,
    min_support: int = 1,
) -> list[Labels]:
    """The label sets that Multi goes over."""
    in_truth, in_reference = label_sets(rows), label_sets(reference or rows)
    if combinations == "observed":
        chosen = [s for s in dict.fromkeys(in_reference) if in_reference.count(s) >= min_support]
    else:
        sizes = range(1, 1 + len(rows.t))
        every = chain.from_iterable(subsets(rows.t, size) for size in sizes)
        chosen = [s for s in every if support(in_reference, s) >= min_support]
    largest = len(rows.t) if max_size is None else max_size
    return [
        labels
        for labels in chosen
        if max(min_size, 1) <= len(labels) <= largest and support(in_truth, labels) >= min_support
    ]


def multi(
    rows: Data, direction: str, sets: Sequence[Labels], reference: Data | None = None
) -> Scores:
    """Multi: mean |D| over groups and sets (undirected: summed over groups), and Var D."""
    pairs = list(product(rows.a, sets))
    if direction == "undirected":
        coefficients, deltas = mals(rows, reference or rows, sets)[:2]
    else:
        coefficients = dict.fromkeys(pairs, 1)
        deltas = {pair: delta(rows, direction, *pair) for pair in pairs}
    signed = {p: coefficients[p] * deltas[p] for p in pairs if deltas[p] is not None}
    centre = mean(signed.values())
    variance = mean((d - centre) ** 2 for d in signed.values())
    if direction != "undirected":
        return Scores(coefficients, deltas, mean(abs(d) for d in signed.values()), variance)
    sums: dict[Labels, Fraction] = {}
    for (_, labels), d in signed.items():
        sums[labels] = sums.get(labels, Fraction(0)) + abs(d)
    return Scores(coefficients, deltas, mean(sums.values()), variance)

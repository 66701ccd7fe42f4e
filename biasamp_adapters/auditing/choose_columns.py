"""Which columns of a table are meant: names, lists of names, and prefixes that end in a star."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from biasamp_adapters._typing import Label
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.base import MODEL
from biasamp_adapters.counts.collect import MAX_WEIGHTED_CELLS
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.matrices.second_moments import NoSecondMomentsError
from biasamp_adapters.inputs.files import (
    chunks_of,
    distinct_rows,
    distinct_values,
    number_of_chunks,
)
from biasamp_adapters.inputs.matrices import Indicators


class Named(NamedTuple):
    """Columns, and the labels or groups that they stand for.

    With ``by_prefix`` a prefix found columns: their names lack it, and nobody wrote their order.
    """

    columns: list[str]
    names: list[str]
    by_prefix: bool = False


def named(option: str, text: str, there: Sequence[str]) -> Named:
    """The columns that one value of an option names.

    A column of this very name comes first; else commas separate names, and a star at the end stands
    for every column that begins so, whose label is the rest of its name.

    Raises
    ------
    ValueError
        If no column begins with a prefix.
    """
    if text in there:
        return Named([text], [text])
    if "," in text:
        parts = [named(option, part.strip(), there) for part in text.split(",")]
        return _joined(parts)
    if not text.endswith("*"):
        return Named([text], [text])
    prefix = text[:-1]
    found = [column for column in there if column.startswith(prefix) and column != prefix]
    if not found:
        raise ValueError(
            f"{option} {text!r} must match a column; none of {listing(list(there))} begins so"
        )
    return Named(found, [column.removeprefix(prefix) for column in found], by_prefix=True)


def _joined(parts: Sequence[Named]) -> Named:
    return Named(
        [column for part in parts for column in part.columns],
        [name for part in parts for name in part.names],
        any(part.by_prefix for part in parts),
    )


def is_list(text: str, there: Sequence[str]) -> bool:
    """Whether a value of an option stands for several columns, and not for one of its name."""
    return text not in there and ("," in text or text.endswith("*"))


#: Label sets that counts without rows hold: each is a column, and second moments are of all pairs.
MOST_SETS = 100


@dataclass(frozen=True)
class Columns:
    """The columns of an audit, ready to be counted.

    Attributes
    ----------
    options : dict
        Columns as ``from_frame`` of the counts takes them.
    matrix : bool
        Whether tasks or groups are columns.
    together : list of lists of str
        Columns that speak of the same labels.
    indicators : list of str
        Columns of 0 and 1, or probabilities.
    """

    options: dict[str, Any]
    matrix: bool
    together: list[list[str]]
    indicators: list[str] = field(default_factory=list)

    def count(self, rows: Any, missing: Missing, *, by_weight: bool) -> Counts:
        """The counts of the rows of a relation."""
        if self.matrix:
            return CooccurrenceCounts.from_frame(
                rows, **self.options, missing=missing, keep_rows=True
            )
        return JointCounts.from_frame(rows, **self.options, missing=missing, by_weight=by_weight)

    def count_sums(self, connection: Any, rows: Any, missing: Missing) -> Counts:
        """Counts of a DuckDB relation that hold no rows: of matrices sums and second moments.

        Label sets are counted too, unless there are more than ``MOST_SETS``.
        """
        if not self.matrix:
            few = few_weights(rows, self)
            return JointCounts.from_frame(rows, **self.options, missing=missing, by_weight=few)
        sets, total = self._label_sets(rows), number_of_chunks(rows)

        def count(*, second_moments: bool) -> Counts:
            return CooccurrenceCounts.from_chunks(
                chunks_of(connection, rows),
                **self.options,
                missing=missing,
                label_sets=sets,
                second_moments=second_moments,
                total=total,
            )

        try:
            return count(second_moments=True)
        except NoSecondMomentsError:
            return count(second_moments=False)

    def _label_sets(self, rows: Any) -> list[list[Label]] | None:
        names = self.options["labels"]
        if names is None:
            return None
        found = distinct_rows(rows, self.options["task"], MOST_SETS)
        sets = [
            [name for name, there in zip(names, row, strict=True) if there] for row in found or ()
        ]
        return [of for of in sets if of] or None

    def count_reference(self, rows: Any, missing: Missing) -> Counts:
        """The counts of the truth alone."""
        truth = {key: self.options[key] for key in ("task", "attribute")}
        if not self.matrix:
            return JointCounts.from_frame(rows, **truth, missing=missing)
        labels = self.options["labels"]
        return CooccurrenceCounts.from_frame(
            rows, **truth, labels=labels, missing=missing, keep_rows=True
        )


def choose(
    there: Sequence[str],
    *,
    task: Sequence[str],
    prediction: Sequence[str],
    attribute: Sequence[str],
    attribute_prediction: Sequence[str],
    weight: str | None,
) -> Columns:
    """The columns that the options of an audit name.

    Raises
    ------
    ValueError
        If a prefix matches nothing, or the columns of truth and predictions do not correspond.
    """
    tasks = _joined([named("--task", text, there) for text in task])
    if len(set(tasks.columns)) < len(tasks.columns):
        raise ValueError(f"--task must name each column once; received {tasks.columns}")
    by_column = len(tasks.columns) > 1 or any(is_list(text, there) for text in task)
    grouped = [text for text in [*attribute, *attribute_prediction] if is_list(text, there)]
    if not (by_column or grouped):
        plain: dict[str, Any] = {
            "task": tasks.columns[0],
            "prediction": list(prediction),
            "attribute": list(attribute),
            "attribute_prediction": list(attribute_prediction),
            "weight": weight,
        }
        together = [[tasks.columns[0], *prediction]]
        together += [
            [name, *attribute_prediction[i :: len(attribute)]] for i, name in enumerate(attribute)
        ]
        return Columns(plain, False, together)
    models = _models(tasks, prediction, there)
    groups, predicted = _groups(list(attribute), list(attribute_prediction), list(models), there)
    of_tasks = [
        [column, *(columns[i] for columns in models.values())]
        for i, column in enumerate(tasks.columns)
    ]
    indicators = [column for columns in of_tasks for column in columns] if by_column else []
    of_groups: list[list[str]] = []
    for each in (groups, *predicted.values()):
        if isinstance(each, Indicators):
            indicators += each.values
            of_groups += [[column] for column in each.values]
    if not isinstance(groups, Indicators):
        lists = [columns for columns in predicted.values() if isinstance(columns, list)]
        of_groups += [[name, *(columns[i] for columns in lists)] for i, name in enumerate(groups)]
    options: dict[str, Any] = {
        "task": tasks.columns if by_column else tasks.columns[0],
        "labels": tasks.names if by_column else None,
        "prediction": (models if by_column else {k: v[0] for k, v in models.items()}) or None,
        "attribute": groups,
        "attribute_prediction": predicted or None,
        "weight": weight,
    }
    return Columns(options, True, [*of_tasks, *of_groups], indicators)


def _models(tasks: Named, prediction: Sequence[str], there: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each model, in the order of the tasks."""
    parts = [named("--prediction", text, there) for text in prediction]
    if len(parts) == len(tasks.columns) > 1 and all(len(part.columns) == 1 for part in parts):
        return {MODEL: _paired(tasks, _joined(parts), "--task", "--prediction")}
    models: dict[str, list[str]] = {}
    for text, part in zip(prediction, parts, strict=True):
        columns = _paired(tasks, part, "--task", f"--prediction {text!r}")
        name = "" if text not in there and "," in text else text.rstrip("*_-. ")
        unnamed = f"{MODEL} {len(models) + 1}" if len(prediction) > 1 else MODEL
        models[name or unnamed] = columns
    if len(models) < len(prediction):
        raise ValueError(
            f"--prediction must name each model once, as a prefix; received {[*prediction]}"
        )
    return models


def _paired(true: Named, predicted: Named, true_option: str, option: str) -> list[str]:
    """The predicted columns in the order of the true ones.

    Two lists of columns correspond in their order. Where a prefix found columns, those of the same
    name correspond.

    Raises
    ------
    ValueError
        If the lists have different lengths, or names are left over.
    """
    if not (true.by_prefix or predicted.by_prefix):
        if len(true.columns) == len(predicted.columns):
            return predicted.columns
        rule = "name as many columns, in their order"
    else:
        columns = dict(zip(predicted.names, predicted.columns, strict=True))
        if sorted(true.names) == sorted(predicted.names) and len(columns) == len(true.names):
            return [columns[name] for name in true.names]
        rule = "have the same names behind a prefix (or give both as lists, in one order)"
    raise ValueError(
        f"{true_option} and {option} must {rule}; received the columns "
        f"{listing(true.columns, 100)} and {listing(predicted.columns, 100)}"
    )


def _groups(
    attribute: list[str], predicted: list[str], models: list[str], there: Sequence[str]
) -> tuple[Any, dict[str, Any]]:
    """The attribute, and the predicted one of each model: labels, or groups that are columns."""
    lists = [text for text in attribute if is_list(text, there)]
    if lists and len(attribute) > 1:
        raise ValueError(
            f"groups that are columns cannot be crossed; received --attribute {attribute}"
        )
    true = named("--attribute", attribute[0], there) if lists else None
    groups = attribute if true is None else Indicators(true.columns, true.names)
    if not predicted:
        return groups, dict.fromkeys(models)
    each = len(predicted) // len(models)
    width = 1 if any(is_list(text, there) for text in predicted) else len(attribute)
    if each != width or each * len(models) != len(predicted):
        raise ValueError(
            f"--attribute-prediction must be given {width * len(models)} time(s), once for each "
            f"attribute and model; received {predicted}"
        )
    out: dict[str, Any] = {}
    for i, model in enumerate(models):
        own = predicted[i * each : (i + 1) * each]
        if is_list(own[0], there):
            found = named("--attribute-prediction", own[0], there)
            if true is not None:
                option = f"--attribute-prediction {own[0]!r}"
                columns = _paired(true, found, f"--attribute {attribute[0]!r}", option)
                found = Named(columns, true.names)
            out[model] = Indicators(found.columns, found.names)
        else:
            out[model] = own
    return groups, out


def merged_roles(together: Sequence[Sequence[str]]) -> list[list[str]]:
    """Columns that must agree on what their text means: chains of shared columns are one."""
    out: list[list[str]] = []
    for columns in together:
        shared = [each for each in out if set(each) & set(columns)]
        rest = [each for each in out if each not in shared]
        out = [*rest, list(dict.fromkeys([*(c for each in shared for c in each), *columns]))]
    return out


def few_weights(rows: Any, columns: Columns) -> bool:
    """Whether rows of different weights may be kept apart."""
    weight = columns.options["weight"]
    # Far more weights than may be kept apart need not be grouped to find that out.
    return weight is None or distinct_values(rows, weight) <= 2 * MAX_WEIGHTED_CELLS

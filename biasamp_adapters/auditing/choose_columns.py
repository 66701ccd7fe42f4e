"""Which columns of a table are meant: names, lists of names, and prefixes that end in a star."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from biasamp_adapters._typing import Label
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.counting import MAX_WEIGHTED_CELLS
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.second_moments import NoSecondMomentsError
from biasamp_adapters.counts.variables import MODEL, Missing
from biasamp_adapters.inputs import files
from biasamp_adapters.inputs.matrices import Indicators

#: Label sets that counts without rows hold: each is a column, and second moments are of all pairs.
MOST_SETS = 100


class ColumnOptions(NamedTuple):
    """The columns of a table as options name them.

    For label matrices a name may be a list with commas, or a prefix with a star: each prediction is
    then a model.
    """

    task: Sequence[str]
    prediction: Sequence[str]
    attribute: Sequence[str]
    attribute_prediction: Sequence[str]
    weight: str | None

    def by_option(self) -> dict[str, Any]:
        """The names by what the command line calls them."""
        return {f"--{name.replace('_', '-')}": value for name, value in self._asdict().items()}

    def by_audit(self, *, separate: bool) -> Iterator[ColumnOptions]:
        """The columns of each audit: one of all attributes crossed, or one per attribute.

        Raises
        ------
        ValueError
            If an attribute is named twice, or the predicted ones are not one for each.
        """
        attribute, predicted = list(self.attribute), list(self.attribute_prediction)
        if len(set(attribute)) < len(attribute):
            raise ValueError(f"--attribute must name each column once; received {attribute}")
        if not separate:
            yield self
            return
        if len(predicted) not in (0, len(attribute)):
            raise ValueError(
                "with --separate and one model, --attribute-prediction must be given once for each "
                f"--attribute; received {predicted} for {attribute}"
            )
        for i, name in enumerate(attribute):
            yield self._replace(attribute=[name], attribute_prediction=predicted[i : i + 1])


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
    indicators: list[str]

    def count(self, rows: Any, missing: Missing) -> Counts:
        """The counts of the rows of a relation; those of matrices keep the rows."""
        if not self.matrix:
            return self._count_labels(rows, missing)
        return CooccurrenceCounts.from_frame(rows, **self.options, missing=missing, keep_rows=True)

    def count_truth(self, rows: Any, missing: Missing) -> Counts:
        """The same without predictions and weights."""
        known = ("task", "attribute", "labels")
        options = {name: value for name, value in self.options.items() if name in known}
        return replace(self, options=options).count(rows, missing)

    def count_ranked(self, rows: Any, rank: str, missing: Missing) -> JointCounts:
        """The counts of the truth, and of the column ``rank`` for a prediction."""
        known = {name: self.options[name] for name in ("task", "attribute", "weight")}
        options = {**known, "prediction": rank}
        return replace(self, options=options)._count_labels(rows, missing)

    def count_sums(self, connection: Any, rows: Any, missing: Missing) -> Counts:
        """Counts of a DuckDB relation that hold no rows: of matrices sums and second moments.

        Label sets are counted too, unless there are more than ``MOST_SETS``.
        """
        if not self.matrix:
            return self._count_labels(rows, missing)
        sets, total = self._label_sets(rows), files.number_of_chunks(rows)

        def count(*, second_moments: bool) -> Counts:
            return CooccurrenceCounts.from_chunks(
                files.chunks_of(connection, rows),
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

    def _count_labels(self, rows: Any, missing: Missing) -> JointCounts:
        weight = self.options.get("weight")
        # Far more weights than may be kept apart need not be grouped to find that out.
        few = weight is None or files.distinct_values(rows, weight) <= 2 * MAX_WEIGHTED_CELLS
        return JointCounts.from_frame(rows, **self.options, missing=missing, by_weight=few)

    def _label_sets(self, rows: Any) -> list[list[Label]] | None:
        names = self.options["labels"]
        if names is None:
            return None
        found = files.distinct_rows(rows, self.options["task"], MOST_SETS) or ()
        sets = [[name for name, has in zip(names, row, strict=True) if has] for row in found]
        return [labels for labels in sets if labels] or None


class _Named(NamedTuple):
    """Columns, and the labels or groups that they stand for.

    With ``by_prefix`` a prefix found columns: their names lack it, and nobody wrote their order.
    """

    columns: list[str]
    names: list[str]
    by_prefix: bool = False


def _is_list(text: str, table: Sequence[str]) -> bool:
    """Whether a value of an option stands for several columns, and not for one of its name."""
    return text not in table and ("," in text or text.endswith("*"))


def _named(option: str, text: str, table: Sequence[str]) -> _Named:
    """The columns that one value of an option names.

    A column of this very name comes first; else commas separate names, and a star at the end stands
    for every column that begins so, whose label is the rest of its name.

    Raises
    ------
    ValueError
        If no column begins with a prefix.
    """
    if not _is_list(text, table):
        return _Named([text], [text])
    if "," in text:
        return _joined(_named(option, part.strip(), table) for part in text.split(","))
    prefix = text[:-1]
    found = [column for column in table if column.startswith(prefix) and column != prefix]
    if not found:
        raise ValueError(
            f"{option} {text!r} must match a column; none of {listing(list(table))} begins so"
        )
    return _Named(found, [column.removeprefix(prefix) for column in found], by_prefix=True)


def _joined(parts: Iterable[_Named]) -> _Named:
    parts = list(parts)
    return _Named(
        [column for part in parts for column in part.columns],
        [name for part in parts for name in part.names],
        any(part.by_prefix for part in parts),
    )


def choose(table: Sequence[str], options: ColumnOptions) -> Columns:
    """The columns of a table that the options of an audit name.

    Raises
    ------
    ValueError
        If a prefix matches nothing, or the columns of truth and predictions do not correspond.
    """
    tasks = _joined(_named("--task", text, table) for text in options.task)
    if len(set(tasks.columns)) < len(tasks.columns):
        raise ValueError(f"--task must name each column once; received {tasks.columns}")
    by_column = len(tasks.columns) > 1 or any(_is_list(text, table) for text in options.task)
    attribute, predicted = list(options.attribute), list(options.attribute_prediction)
    matrix = by_column or any(_is_list(text, table) for text in [*attribute, *predicted])
    weights = [[options.weight]] if options.weight is not None else []
    if not matrix:
        names = {**options._asdict(), "task": tasks.columns[0]}
        together = [[*tasks.columns, *options.prediction]]
        together += [[name, *predicted[i :: len(attribute)]] for i, name in enumerate(attribute)]
        return Columns(names, False, together + weights, [])
    models = _models(tasks, options.prediction, table)
    groups, groups_of = _groups(attribute, predicted, list(models), table)
    together = _aligned(tasks.columns, models.values())
    indicators = [column for columns in together for column in columns] if by_column else []
    for values in (groups, *groups_of.values()):
        if isinstance(values, Indicators):
            indicators += values.values
            together += [[column] for column in values.values]
    if not isinstance(groups, Indicators):
        lists = [columns for columns in groups_of.values() if isinstance(columns, list)]
        together += _aligned(groups, lists)
    names = {
        "task": tasks.columns if by_column else tasks.columns[0],
        "labels": tasks.names if by_column else None,
        "prediction": (models if by_column else {k: v[0] for k, v in models.items()}) or None,
        "attribute": groups,
        "attribute_prediction": groups_of or None,
        "weight": options.weight,
    }
    return Columns(names, True, together + weights, indicators)


def _aligned(true: Sequence[str], predicted: Iterable[Sequence[str]]) -> list[list[str]]:
    """Each true column with those that predict it."""
    return [list(columns) for columns in zip(true, *predicted, strict=False)]


def _models(tasks: _Named, prediction: Sequence[str], table: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each model, in the order of the tasks."""
    parts = [_named("--prediction", text, table) for text in prediction]
    if len(parts) == len(tasks.columns) > 1 and all(len(part.columns) == 1 for part in parts):
        return {MODEL: _paired(tasks, _joined(parts), "--task", "--prediction")}
    models: dict[str, list[str]] = {}
    for text, part in zip(prediction, parts, strict=True):
        columns = _paired(tasks, part, "--task", f"--prediction {text!r}")
        name = "" if text not in table and "," in text else text.rstrip("*_-. ")
        unnamed = f"{MODEL} {len(models) + 1}" if len(prediction) > 1 else MODEL
        models[name or unnamed] = columns
    if len(models) < len(prediction):
        raise ValueError(
            f"--prediction must name each model once, as a prefix; received {[*prediction]}"
        )
    return models


def _paired(true: _Named, predicted: _Named, true_option: str, option: str) -> list[str]:
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
    attribute: list[str], predicted: list[str], models: list[str], table: Sequence[str]
) -> tuple[Any, dict[str, Any]]:
    """The attribute, and the predicted one of each model: labels, or groups that are columns."""
    groups: Any = attribute
    if any(_is_list(text, table) for text in attribute):
        if len(attribute) > 1:
            raise ValueError(
                f"groups that are columns cannot be crossed; received --attribute {attribute}"
            )
        true = _named("--attribute", attribute[0], table)
        groups = Indicators(true.columns, true.names)
    if not predicted:
        return groups, dict.fromkeys(models)
    width = 1 if any(_is_list(text, table) for text in predicted) else len(attribute)
    if len(predicted) != width * len(models):
        raise ValueError(
            f"--attribute-prediction must be given {width * len(models)} time(s), once for each "
            f"attribute and model; received {predicted}"
        )

    def columns_of(texts: list[str]) -> Any:
        """The predicted attribute of one model."""
        if not _is_list(texts[0], table):
            return texts
        found = _named("--attribute-prediction", texts[0], table)
        if isinstance(groups, Indicators):
            option = f"--attribute-prediction {texts[0]!r}"
            columns = _paired(true, found, f"--attribute {attribute[0]!r}", option)
            return Indicators(columns, true.names)
        return Indicators(found.columns, found.names)

    chunks = (predicted[i * width : (i + 1) * width] for i in range(len(models)))
    return groups, {model: columns_of(texts) for model, texts in zip(models, chunks, strict=True)}


def merged(together: Iterable[Sequence[str]]) -> list[list[str]]:
    """Columns that must agree on what their text means: chains of shared columns are one."""
    roles: list[list[str]] = []
    for columns in together:
        shared = [role for role in roles if set(role) & set(columns)]
        chain = [column for role in [*shared, columns] for column in role]
        roles = [role for role in roles if role not in shared] + [list(dict.fromkeys(chain))]
    return roles

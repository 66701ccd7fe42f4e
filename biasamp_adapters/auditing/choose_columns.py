"""Find the columns of a table that options name, by names, lists of names or prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from biasamp_adapters._progress import working
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.auditing.sweeps import LEVELS
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.counting import MAX_WEIGHTED_CELLS
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.second_moments import NoSecondMomentsError
from biasamp_adapters.counts.variables import MODEL, Missing
from biasamp_adapters.inputs import files
from biasamp_adapters.inputs.files import ranked_scores
from biasamp_adapters.inputs.matrices import Indicators

#: Most label sets in counts without rows. Each is a column; second moments hold pairs of columns.
MOST_SETS = 100


class ColumnOptions(NamedTuple):
    """The columns of a table, as the values of options.

    For label matrices, a value may be a list with commas, or a prefix with a star. Each value of
    ``prediction`` is then a model.
    """

    task: Sequence[str]
    prediction: Sequence[str]
    attribute: Sequence[str]
    attribute_prediction: Sequence[str]
    weight: str | None
    cluster: str | None = None

    def by_option(self) -> dict[str, Any]:
        """The values by the names of the options of the command line."""
        return {f"--{name.replace('_', '-')}": value for name, value in self._asdict().items()}

    def by_audit(self, *, separate: bool) -> Iterator[ColumnOptions]:
        """The columns of each audit: one with all attributes crossed, or one per attribute."""
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
    same_labels : list of lists of str
        Lists of columns that hold the same labels.
    indicators : list of str
        Columns of 0 and 1, or probabilities.
    """

    options: dict[str, Any]
    matrix: bool
    same_labels: list[list[str]]
    indicators: list[str]

    def count(self, rows: Any, missing: Missing) -> Counts:
        """Count the rows of a relation. Counts of matrices keep the rows."""
        if self.matrix:
            options = {**self.options, "missing": missing, "keep_rows": True}
            return CooccurrenceCounts.from_frame(rows, **options)
        weight = self.options.get("weight")
        # Rows are not grouped by weight if there are far too many weights to keep them apart.
        few = weight is None or files.distinct_values(rows, weight) <= 2 * MAX_WEIGHTED_CELLS
        return JointCounts.from_frame(rows, **self.options, missing=missing, by_weight=few)

    def count_truth(self, rows: Any, missing: Missing) -> Counts:
        """Count training data, without their predictions and weights."""
        names = ("task", "attribute", "labels")
        options = {name: value for name, value in self.options.items() if name in names}
        try:
            return replace(self, options=options).count(
                rows, "drop" if missing == "drop" else "error"
            )
        except ValueError as error:
            raise ValueError(f"in the reference, {error}") from None

    def count_ranked(self, rows: Any, missing: Missing, score: str) -> tuple[JointCounts, Array]:
        """Count rows with the ranks of a score as predictions; also return its thresholds."""
        names = ("task", "attribute", "weight", "clusters")
        options = {name: self.options[name] for name in names}
        with working("Counting rows"):
            thresholds, ranked, name = ranked_scores(rows, score, LEVELS.tolist())
            counts = JointCounts.from_frame(
                ranked, **options, prediction=name, missing=missing, by_weight=True
            )
        return counts, thresholds

    def count_sums(self, connection: Any, rows: Any, missing: Missing) -> Counts:
        """Count a DuckDB relation without keeping rows; of matrices, sums and second moments.

        Label sets are counted too, unless there are more than ``MOST_SETS``.
        """
        if not self.matrix:
            return self.count(rows, missing)
        if self.options["clusters"] is not None:
            raise ValueError(
                "--cluster needs the rows of label matrices, and files of counts hold only their "
                "sums: biasamp audit takes the table itself"
            )
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

    def _label_sets(self, rows: Any) -> list[list[Label]] | None:
        names = self.options["labels"]
        if names is None:
            return None
        distinct = files.distinct_rows(rows, self.options["task"], MOST_SETS) or ()
        sets = [[name for name, has in zip(names, row, strict=True) if has] for row in distinct]
        return [labels for labels in sets if labels] or None


class _NamedColumns(NamedTuple):
    """Columns, and the labels or groups that they stand for.

    With ``by_prefix``, a prefix matched the columns: their order means nothing, and ``names`` lack
    the prefix.
    """

    columns: list[str]
    names: list[str]
    by_prefix: bool


def choose(table: Sequence[str], options: ColumnOptions) -> Columns:
    """The columns of a table that the options of an audit name.

    Raises
    ------
    ValueError
        If a prefix matches nothing, or the columns of truth and predictions do not correspond.
    """
    attribute, predicted = list(options.attribute), list(options.attribute_prediction)
    tasks = _find_columns("--task", options.task, table)
    if len(set(tasks.columns)) < len(tasks.columns):
        raise ValueError(f"--task must name each column once; received {tasks.columns}")
    by_column = len(tasks.columns) > 1 or _are_lists(options.task, table)
    matrix = by_column or _are_lists([*attribute, *predicted], table)
    if matrix:
        models = _models(tasks, options.prediction, table)
        groups, of_models = _groups(attribute, predicted, list(models), table)
        arguments: dict[str, Any] = {
            "task": tasks.columns if by_column else tasks.columns[0],
            "labels": tasks.names if by_column else None,
            "prediction": (models if by_column else {k: v[0] for k, v in models.items()}) or None,
            "attribute": groups,
            "attribute_prediction": of_models or None,
            "weight": options.weight,
            "clusters": options.cluster,
        }
        attributes = [groups, *of_models.values()]
    else:
        models = {name: [name] for name in options.prediction}
        arguments = {**options._asdict(), "task": tasks.columns[0]}
        arguments["clusters"] = arguments.pop("cluster")
        attributes = [attribute, *_chunks(predicted, len(attribute))]
    same_labels = [list(columns) for columns in zip(tasks.columns, *models.values(), strict=True)]
    indicators = [column for columns in same_labels for column in columns] if by_column else []
    if isinstance(attributes[0], list):
        lists = [columns for columns in attributes if isinstance(columns, list)]
        same_labels += [list(columns) for columns in zip(*lists, strict=False)]
    for groups in attributes:
        if isinstance(groups, Indicators):
            indicators += groups.values
            same_labels += [[column] for column in groups.values]
    same_labels += [[name] for name in (options.weight, options.cluster) if name is not None]
    return Columns(arguments, matrix, same_labels, indicators)


def _are_lists(texts: Sequence[str], table: Sequence[str]) -> bool:
    """Whether a value stands for several columns, and is not itself the name of a column."""
    return any(text not in table and ("," in text or text.endswith("*")) for text in texts)


def _find_columns(option: str, texts: Sequence[str], table: Sequence[str]) -> _NamedColumns:
    """The columns that the values of an option name.

    A value that is the name of a column stands for this column. Otherwise, commas separate names,
    and a prefix with a star matches columns, whose labels are the rest of their names.
    """
    columns: list[str] = []
    names: list[str] = []
    by_prefix = False
    for text in texts:
        is_one = text in table or "," not in text
        for part in [text] if is_one else map(str.strip, text.split(",")):
            matches, prefix = [part], ""
            if _are_lists([part], table):
                prefix, by_prefix = part[:-1], True
                matches = [name for name in table if name.startswith(prefix) and name != prefix]
            if not matches:
                raise ValueError(
                    f"{option} {part!r} must match a column; none of {listing(list(table))} has "
                    "this prefix"
                )
            columns += matches
            names += [name.removeprefix(prefix) for name in matches]
    return _NamedColumns(columns, names, by_prefix)


def _models(
    tasks: _NamedColumns, prediction: Sequence[str], table: Sequence[str]
) -> dict[str, list[str]]:
    """The columns of each model, in the order of the tasks."""
    if len(prediction) == len(tasks.columns) > 1 and not _are_lists(prediction, table):
        predicted = _find_columns("--prediction", prediction, table)
        return {MODEL: _matching_columns(tasks, predicted, "--task and --prediction")}
    models: dict[str, list[str]] = {}
    for text in prediction:
        predicted = _find_columns("--prediction", [text], table)
        name = "" if text not in table and "," in text else text.rstrip("*_-. ")
        unnamed = f"{MODEL} {len(models) + 1}" if len(prediction) > 1 else MODEL
        columns = _matching_columns(tasks, predicted, f"--task and --prediction {text!r}")
        models[name or unnamed] = columns
    if len(models) < len(prediction):
        raise ValueError(
            f"--prediction must name each model once, as a prefix; received {[*prediction]}"
        )
    return models


def _matching_columns(true: _NamedColumns, predicted: _NamedColumns, options: str) -> list[str]:
    """The predicted columns in the order of the true ones.

    Two lists of columns correspond by position. If a prefix matched columns, they correspond by
    name.
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
        f"{options} must {rule}; received the columns {listing(true.columns, 100)} and "
        f"{listing(predicted.columns, 100)}"
    )


def _groups(
    attribute: list[str], predicted: list[str], models: list[str], table: Sequence[str]
) -> tuple[Any, dict[str, Any]]:
    """The attribute, and the predicted attribute of each model: labels, or indicators of groups."""
    true = None
    if _are_lists(attribute, table):
        if len(attribute) > 1:
            raise ValueError(
                f"groups that are columns cannot be crossed; received --attribute {attribute}"
            )
        true = _find_columns("--attribute", attribute, table)
    groups = attribute if true is None else Indicators(true.columns, true.names)
    if not predicted:
        return groups, dict.fromkeys(models)
    width = 1 if _are_lists(predicted, table) else len(attribute)
    if len(predicted) != width * len(models):
        raise ValueError(
            f"--attribute-prediction must be given {width * len(models)} time(s), once for each "
            f"attribute and model; received {predicted}"
        )

    def of_model(texts: list[str]) -> Any:
        if not _are_lists(texts, table):
            return texts
        columns, names, _ = named = _find_columns("--attribute-prediction", texts, table)
        if true is not None:
            options = f"--attribute {attribute[0]!r} and --attribute-prediction {texts[0]!r}"
            columns, names = _matching_columns(true, named, options), true.names
        return Indicators(columns, names)

    chunks = _chunks(predicted, width)
    return groups, {model: of_model(texts) for model, texts in zip(models, chunks, strict=True)}


def _chunks(names: list[str], width: int) -> list[list[str]]:
    """Split names into lists of length ``width``, one per model."""
    return [names[start : start + width] for start in range(0, len(names), width)]


def merged(same_labels: Iterable[Sequence[str]]) -> list[list[str]]:
    """Merge lists that share a column: text means the same in all columns of a merged list."""
    roles: list[list[str]] = []
    for columns in same_labels:
        shared = [role for role in roles if set(role) & set(columns)]
        chain = [column for role in [*shared, columns] for column in role]
        roles = [role for role in roles if role not in shared] + [list(dict.fromkeys(chain))]
    return roles

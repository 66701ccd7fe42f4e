"""Count the columns that were chosen for an audit: labels, training data, scores and sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from biasamp_adapters._progress import working
from biasamp_adapters._roles import Role
from biasamp_adapters._text import placing_errors
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.auditing.ranked_scores import LEVELS, Scores, read_ranks, without_list
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.probabilities import MOST_CELLS
from biasamp_adapters.counts.second_moments import NoSecondMomentsError
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inputs import files
from biasamp_adapters.inputs.files import is_relation, ranked_scores
from biasamp_adapters.inputs.frames import columns_of, fetched, unused_name, with_column
from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.thresholds.swept import Swept

#: Most label sets in counts without rows. Each is a column; second moments hold pairs of columns.
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
    lists : dict
        Explicit lists of the labels and the groups of the data.
    """

    options: dict[str, Any]
    matrix: bool
    lists: dict[str, Any] = field(default_factory=dict)

    @property
    def _tasks(self) -> list[list[str]]:
        """The columns of the tasks: the true ones, and those of each model."""
        columns = [self.options["task"], *(self.options["prediction"] or {}).values()]
        return [names_in(names) for names in columns if names is not None]

    @property
    def _attributes(self) -> list[Any]:
        """The attributes, the true ones first: lists of columns, or indicators."""
        predicted = self.options["attribute_prediction"] or {}
        of_models = predicted.values() if isinstance(predicted, Mapping) else [predicted]
        return [self.options["attribute"] or [], *of_models]

    @property
    def roles(self) -> dict[str, list[str]]:
        """The columns by what they are."""
        return {
            "task or a prediction of it": names_in(self._tasks),
            "attribute or a prediction of it": names_in(self._attributes),
            "weight": names_in(self.options["weight"]),
            "clusters": names_in(self.options["clusters"]),
        }

    @property
    def _groups(self) -> list[str]:
        """The columns of all groups, where each group is a column."""
        return names_in([names for names in self._attributes if isinstance(names, Indicators)])

    @property
    def same_labels(self) -> list[list[str]]:
        """Lists of columns that hold the same labels."""
        same = [list(columns) for columns in zip(*self._tasks, strict=True)]
        true, *predicted = self._attributes
        if not isinstance(true, Indicators):
            lists = [true, *(names for names in predicted if not isinstance(names, Indicators))]
            same += [list(columns) for columns in zip(*lists, strict=False)]
        alone = [self._groups, self.options["weight"], self.options["clusters"]]
        return [*same, *([name] for name in names_in(alone))]

    @property
    def indicators(self) -> list[str]:
        """Columns of 0 and 1, or probabilities."""
        of_tasks = [] if self.options["labels"] is None else names_in(self._tasks)
        return [*of_tasks, *self._groups]

    def with_lists(self, labels: Sequence[Label] | None, groups: Sequence[Label] | None) -> Columns:
        """The same with explicit lists, which of tasks that are columns name these columns."""
        lists: dict[str, Any] = {"labels": labels, "groups": groups}
        lists = {name: listed for name, listed in lists.items() if listed is not None}
        names, tasks = self.options["labels"], self.options["task"]
        if names is None or labels is None:
            return replace(self, lists=lists)
        if names != tasks:
            raise ValueError(
                "labels= must not be given where tasks have names already, from a prefix or "
                f"without a truth; received {[*labels]} for {listing(names)}"
            )
        # The reference has the same columns.
        return replace(self, options={**self.options, "labels": lists.pop("labels")}, lists=lists)

    def count(self, rows: Any, missing: Missing) -> Counts:
        """Count the rows of a frame. Counts of matrices keep the rows."""
        options = {**self.options, **self.lists, "missing": missing}
        if self.matrix:
            return CooccurrenceCounts.from_frame(rows, **options, keep_rows=True)
        weight = options.get("weight")
        # Rows are not grouped by weight if there are far too many weights to keep them apart.
        few = (
            weight is None
            or not is_relation(rows)
            or files.distinct_values(rows, weight) <= 2 * MOST_CELLS
        )
        return JointCounts.from_frame(rows, **options, by_weight=few)

    def count_truth(self, rows: Any, missing: Missing) -> Counts:
        """Count training data, without their predictions and weights."""
        names = ("task", "attribute", "labels")
        options = {name: value for name, value in self.options.items() if name in names}
        with placing_errors("in the reference"):
            return replace(self, options=options, lists={}).count(
                rows, "drop" if missing == "drop" else "error"
            )

    def scores(
        self,
        rows: Any,
        counts: Counts,
        given: Iterable[tuple[Swept, Sequence[str] | Mapping[str, str]]],
        missing: Missing,
    ) -> list[Scores]:
        """The scores that columns hold, of the task and of the attribute.

        A mapping names the columns of models; a list has those of all models in their order.
        """
        found = []
        for swept, names in given:
            by_model = names
            if not isinstance(by_model, Mapping):
                # How many scores of the task there are was checked before the rows were counted.
                if swept.role.of_attribute and len(names) != len(counts.models):
                    raise ValueError(
                        "attribute_score= must be given once for each model; received "
                        f"{[*names]} for {listing(counts.models)}"
                    )
                by_model = dict(zip(counts.models, names, strict=False))
            rank = partial(self.count_ranked, rows, counts, missing, swept)
            found.append(Scores(swept, by_model, rank))
        return found

    def count_ranked(
        self, rows: Any, counts: Counts, missing: Missing, swept: Swept, model: str, score: str
    ) -> tuple[Counts, Array]:
        """Count rows with the ranks of a score as predictions; also return its thresholds."""
        columns = ("task", "attribute", "weight", "clusters")
        options = {name: self.options[name] for name in columns}
        lists = {"labels": self.options["labels"], **self.lists}
        predicted = self._predictions_of(model) if swept.role.of_attribute else None
        name = unused_name(columns_of(rows), f"rank of {score}")
        with working("Counting rows"):
            if is_relation(rows):
                thresholds, ranked = ranked_scores(rows, score, name, LEVELS.tolist())
            else:
                table = fetched(rows, [score, *names_in([*options.values(), predicted])])
                thresholds, ranks = read_ranks(counts, swept, table[score].to_native())
                ranked = with_column(table, name, ranks)
            options |= without_list(lists, swept)
            options |= {
                Role.PREDICTION.value: None if predicted is None else {model: predicted},
                swept.role.value: name if predicted is None else {model: name},
                "missing": missing,
            }
            if self.matrix:
                return CooccurrenceCounts.from_frame(ranked, **options, keep_rows=True), thresholds
            return JointCounts.from_frame(ranked, **options, by_weight=True), thresholds

    def _predictions_of(self, model: str) -> Any:
        """The column, or columns, of a model that predicts the task; None if there are none."""
        models = self.options["prediction"]
        return models[model] if models else None

    def count_sums(self, connection: Any, rows: Any, missing: Missing) -> Counts:
        """Count a DuckDB relation without keeping rows; of matrices, sums and second moments.

        Label sets are counted too, unless there are more than ``MOST_SETS``.
        """
        if not self.matrix:
            return self.count(rows, missing)
        if self.options["clusters"] is not None:
            raise ValueError(
                "clusters= needs the rows of label matrices, and files of counts hold only their "
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


def names_in(given: Any) -> list[str]:
    """The names of columns in a name, indicators, or a list or mapping of these; none for None."""
    if given is None or isinstance(given, str):
        return [] if given is None else [given]
    if isinstance(given, Indicators):
        return names_in(given.values)
    parts = given.values() if isinstance(given, Mapping) else given
    return [name for part in parts for name in names_in(part)]

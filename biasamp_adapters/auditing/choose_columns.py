"""Find the columns of a table that arguments name, by names, lists of names or prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters.auditing.count_columns import Columns, names_in
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.variables import MODEL
from biasamp_adapters.inputs.frames import check_columns
from biasamp_adapters.inputs.matrices import Indicators

#: The columns of models: in their order, or in a mapping from the names of the models.
Models: TypeAlias = Sequence[str] | Mapping[str, Sequence[str]]

#: Columns of labels that are crossed, or of one group each.
Groups: TypeAlias = Sequence[str] | Indicators


class ColumnOptions(NamedTuple):
    """The columns of a table, as ``audit_frame`` takes them, or the options of the command line.

    For label matrices, a value may be a list with commas, or a prefix with a star. Each value of
    ``prediction`` is then a model. Messages name the arguments with an equals sign, for which the
    command line puts its options.
    """

    task: Sequence[str]
    prediction: Models
    attribute: Groups
    attribute_prediction: Groups | Mapping[str, Groups]
    weight: str | None
    clusters: str | None = None

    def by_argument(self) -> dict[str, Any]:
        """The values by the names of the arguments."""
        return {f"{name}=": value for name, value in self._asdict().items()}


class _NamedColumns(NamedTuple):
    """Columns, and the labels or groups that they stand for.

    With ``by_prefix``, a prefix matched the columns: their order means nothing, and ``names`` lack
    the prefix.
    """

    columns: list[str]
    names: list[str]
    by_prefix: bool


def choose(table: Sequence[str], options: ColumnOptions) -> Columns:
    """The columns of a table that the arguments of an audit name.

    Raises
    ------
    ValueError
        If a column is not there, a prefix matches nothing, the columns of truth and predictions do
        not correspond, or a column is of the task and of the attribute.
    """
    truth = _find_columns("task=", options.task, table)
    _check_once("task=", truth.columns)
    _check_once("attribute=", names_in(options.attribute))
    # Without a truth, as base rates allow, the predictions of the first model tell the tasks.
    texts = options.task or _first(options.prediction)
    tasks = truth if options.task else _find_columns("prediction=", texts, table)
    by_column = len(tasks.columns) > 1 or _are_lists(texts, table)
    groups = (options.attribute, options.attribute_prediction)
    matrix = by_column or any(_are_columns(given, table) for given in groups)
    if matrix:
        models = _models(tasks, options.prediction, table)
        names = [*models] or _models_of_attribute(options)
        attribute, predicted = _groups(*groups, names, table)
    else:
        models = _models_of_labels(options.prediction, table)
        attribute, predicted = options.attribute, _predicted_labels(options, models)
    task = truth.columns or None
    of_labels = {model: columns[0] for model, columns in models.items()}
    arguments = {
        "task": task if by_column or task is None else task[0],
        "labels": tasks.names if by_column else None,
        "prediction": (models if by_column else of_labels) or None,
        "attribute": attribute or None,
        "attribute_prediction": predicted or None,
        "weight": options.weight,
        "clusters": options.clusters,
    }
    columns = Columns(arguments, matrix)
    _check_roles(table, columns.roles)
    return columns


def _check_once(argument: str, names: Sequence[str]) -> None:
    """Raise for columns that are named twice."""
    if len(set(names)) < len(names):
        raise ValueError(f"{argument} must name each column once; received {[*names]}")


def _check_roles(table: Sequence[str], roles: Mapping[str, Sequence[str]]) -> None:
    """Raise for columns that are not there, or have two of the roles."""
    check_columns(table, names_in(roles))
    known: dict[str, str] = {}
    for name, columns in roles.items():
        for column in columns:
            if known.setdefault(column, name) != name:
                raise ValueError(
                    f"a column must have one role; received {column!r} as {known[column]}, and as "
                    f"{name}"
                )


def _first(given: Models) -> Sequence[str]:
    """The names of the columns of the first model."""
    return next(iter(given.values()), []) if isinstance(given, Mapping) else given[:1]


def _are_columns(given: Any, table: Sequence[str]) -> bool:
    """Whether groups, of any model, are columns."""
    listed = given.values() if isinstance(given, Mapping) else [given]
    return any(isinstance(x, Indicators) or _are_lists(x, table) for x in listed)


def _models_of_labels(given: Models, table: Sequence[str]) -> dict[str, list[str]]:
    """The column of each model, whose own name it is unless a mapping names the model.

    Raises for a list of columns as one model: it was meant as several models.
    """
    for text in names_in(given):
        if text not in table and "," in text:
            models = " ".join(f"prediction={name.strip()!r}" for name in text.split(","))
            raise ValueError(
                f"prediction= must name one column for each model, as task= names one; received "
                f"the list {text!r}, which is one model of several 0/1 tasks (several models are "
                f"given one by one: {models})"
            )
    if not isinstance(given, Mapping):
        _check_once("prediction", given)
        return {name: [name] for name in given}
    for model, columns in given.items():
        if len(columns) != 1:
            raise ValueError(
                f"prediction= must name one column for each model, as task= does; received "
                f"{[*columns]} for {model!r}"
            )
    return {model: [*columns] for model, columns in given.items()}


def _predicted_labels(options: ColumnOptions, models: Mapping[str, Any]) -> Any:
    """The predicted attributes of each model, as columns of labels."""
    predicted = options.attribute_prediction
    columns = names_in(predicted)
    width = len(names_in(options.attribute)) or 1
    names = [*models] or _models_of_attribute(options)
    # Of another number of columns it is not known which model they are of: counts refuse them.
    if isinstance(predicted, Mapping) or len(columns) != width * len(names):
        return predicted
    return dict(zip(names, _chunks(columns, width), strict=True))


def _models_of_attribute(options: ColumnOptions) -> list[str]:
    """The names of models that predict the attribute alone.

    Without a true attribute, whose columns would say how many are crossed, each prediction of it is
    one model.
    """
    predicted = options.attribute_prediction
    if isinstance(predicted, Mapping):
        return [*predicted]
    alone = options.attribute or isinstance(predicted, Indicators) or len(predicted) < 2
    names = [MODEL] if alone else [text.rstrip("*_-. ") for text in names_in(predicted)]
    if len(set(names)) < len(names):
        raise ValueError(
            f"attribute_prediction= must name each model once; received {names_in(predicted)}"
        )
    return names


def _are_lists(texts: Sequence[str], table: Sequence[str]) -> bool:
    """Whether a value stands for several columns, and is not itself the name of a column."""
    return any(text not in table and ("," in text or text.endswith("*")) for text in texts)


def _find_columns(argument: str, texts: Sequence[str], table: Sequence[str]) -> _NamedColumns:
    """The columns that the values of an argument name.

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
                    f"{argument}{part!r} must match a column; none of {listing(list(table))} has "
                    "this prefix"
                )
            columns += matches
            names += [name.removeprefix(prefix) for name in matches]
    return _NamedColumns(columns, names, by_prefix)


def _models(tasks: _NamedColumns, prediction: Models, table: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each model, in the order of the tasks."""

    def columns_of(texts: Sequence[str], options: str) -> list[str]:
        return _matching_columns(tasks, _find_columns("prediction=", texts, table), options)

    if isinstance(prediction, Mapping):
        return {
            model: columns_of(texts, f"task= and the prediction= of {model!r}")
            for model, texts in prediction.items()
        }
    if len(prediction) == len(tasks.columns) > 1 and not _are_lists(prediction, table):
        return {MODEL: columns_of(prediction, "task= and prediction=")}
    models: dict[str, list[str]] = {}
    for text in prediction:
        name = "" if text not in table and "," in text else text.rstrip("*_-. ")
        unnamed = f"{MODEL} {len(models) + 1}" if len(prediction) > 1 else MODEL
        models[name or unnamed] = columns_of([text], f"task= and prediction={text!r}")
    if len(models) < len(prediction):
        raise ValueError(
            f"prediction= must name each model once, as a prefix; received {[*prediction]}"
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
    attribute: Groups,
    predicted: Groups | Mapping[str, Groups],
    models: list[str],
    table: Sequence[str],
) -> tuple[Any, dict[str, Any]]:
    """The attribute, and the predicted attribute of each model: labels, or indicators of groups."""
    true = _columns_of_groups("attribute=", attribute, table)
    groups = attribute if true is None else Indicators(true.columns, true.names)
    if not predicted:
        return groups, {}

    def of_model(given: Groups) -> Any:
        named = _columns_of_groups("attribute_prediction=", given, table)
        if named is None:
            return given
        columns, names = named.columns, named.names
        if true is not None:
            columns = _matching_columns(
                true,
                named,
                f"attribute={_as_given(attribute)} and attribute_prediction={_as_given(given)}",
            )
            names = true.names
        return Indicators(columns, names)

    by_model = _by_model(attribute, predicted, models, table)
    return groups, {model: of_model(given) for model, given in by_model.items()}


def _by_model(
    attribute: Any, predicted: Any, models: list[str], table: Sequence[str]
) -> dict[str, Groups]:
    """The predicted attribute of each model, as it was given."""
    if isinstance(predicted, Mapping):
        if set(predicted) != set(models):
            raise ValueError(
                f"attribute_prediction= must name the models of prediction=, {models}; received "
                f"{[*predicted]}"
            )
        return {model: predicted[model] for model in models}
    if isinstance(predicted, Indicators):
        return dict.fromkeys(models, predicted)
    width = 1 if _are_lists(predicted, table) else len(names_in(attribute)) or 1
    if len(predicted) != width * len(models):
        raise ValueError(
            f"attribute_prediction= must be given {width * len(models)} time(s), once for each "
            f"attribute and model; received {predicted}"
        )
    return dict(zip(models, _chunks(predicted, width), strict=True))


def _columns_of_groups(argument: str, given: Groups, table: Sequence[str]) -> _NamedColumns | None:
    """The columns of groups, and their names; None of labels."""
    if isinstance(given, Indicators):
        columns = names_in(given)
        return _NamedColumns(columns, [*(given.names or columns)], False)
    if not _are_lists(given, table):
        return None
    if len(given) > 1:
        raise ValueError(f"groups that are columns cannot be crossed; received {argument}{given}")
    return _find_columns(argument, given, table)


def _as_given(names: Groups) -> str:
    return repr(names.values if isinstance(names, Indicators) else names[0])


def _chunks(names: Sequence[str], width: int) -> list[list[str]]:
    """Split names into lists of length ``width``, one per model."""
    return [list(names[start : start + width]) for start in range(0, len(names), width)]


def merged(same_labels: Iterable[Sequence[str]]) -> list[list[str]]:
    """Merge lists that share a column: text means the same in all columns of a merged list."""
    roles: list[list[str]] = []
    for columns in same_labels:
        shared = [role for role in roles if set(role) & set(columns)]
        chain = [column for role in [*shared, columns] for column in role]
        roles = [role for role in roles if role not in shared] + [list(dict.fromkeys(chain))]
    return roles

"""``audit_frame``: audit a table whose columns are named as arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from biasamp_adapters._arguments import explains_arguments
from biasamp_adapters._roles import ARGUMENTS
from biasamp_adapters._text import renaming_errors
from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.auditing.audit_table import AuditOptions, audit_table
from biasamp_adapters.auditing.choose_columns import ColumnOptions
from biasamp_adapters.auditing.report import AuditReport, check_groups
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inference.estimates import N_BOOT, IntervalOptions
from biasamp_adapters.inputs.matrices import Indicators

#: Names of columns: of one, or of several.
Names: TypeAlias = str | Sequence[str]

#: The arguments for columns, by those for arrays.
_COLUMNS = {argument: role.value for role, argument in ARGUMENTS.items()} | {
    "y_score": "score",
    "sample_weight": "weight",
}


@explains_arguments(
    {argument: f"{name}= names such a column" for argument, name in _COLUMNS.items()}
    | {"cluster": "clusters= names such a column"}
)
def audit_frame(
    table: Any,
    *,
    task: Names | None = None,
    prediction: Names | Mapping[str, Names] | None = None,
    attribute: Names | Indicators | None = None,
    attribute_prediction: Names | Indicators | Mapping[str, Names | Indicators] | None = None,
    reference: Any = None,
    weight: str | None = None,
    clusters: str | None = None,
    score: Names | Mapping[str, str] | None = None,
    attribute_score: Names | Mapping[str, str] | None = None,
    run: str | None = None,
    where: str | None = None,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    pos_group: Label | None = None,
    missing: Missing = "error",
    n_boot: int = N_BOOT,
    confidence: float = 0.95,
    random_state: RandomState = None,
    title: str | None = None,
) -> AuditReport:
    """Audit a table of predictions, with one row per person, whose columns are named.

    The table is a frame, which is counted on its own engine, or files. The options are those of
    ``biasamp audit``, and the report is that of :func:`audit` on the columns as arrays.

    Parameters
    ----------
    table : frame, path, or list of paths
        A frame or relation that Narwhals reads: pandas, polars (lazy too), pyarrow, DuckDB, Dask,
        Spark, Ibis. Paths, or patterns such as ``"day-*.csv"``, are the parts of one table as CSV
        or Parquet, or counts that were saved, which need no names of columns.
    task : str or list of str
        Column of the true labels. Several columns of 0 and 1 are tasks; a prefix with a star, such
        as ``"true_*"``, names all that begin so. May be left out with base rates.
    prediction : str, list of str, or mapping of str to either
        Column of the predicted labels, or of probabilities. Several are models on the same rows,
        which a mapping names. Where there are many tasks, those of a model are a list with one
        column for each task in the same order, or a prefix with the same names behind it.
    attribute : str, list of str or Indicators
        Column of the protected attribute; several are crossed. ``Indicators`` of names, or a
        prefix, are groups that are columns of 0 and 1.
    attribute_prediction : same as ``attribute``, or mapping from models, optional
        Column of the predicted attribute. If it is not given, T->A is left out.
    reference : frame, paths, (y_true, sensitive_features), counts or BaseRates, optional
        The training data: a table or files with the columns of task and attribute, or what
        :func:`audit` takes. By default, the evaluated true labels set the directions.
    weight : str, optional
        Column of sampling weights.
    clusters : str, optional
        Column that says which rows belong together, such as those of one person: the bootstrap
        draws whole clusters.
    score : str, list of str, or mapping of str to str, optional
        Column of scores of the positive class, for each model, for a sweep of thresholds. If a
        frame is neither in memory nor of DuckDB, this column, task, attribute, weight and
        clusters are fetched.
    attribute_score : str, list of str, or mapping of str to str, optional
        Column of scores of the positive one of two groups, for each model, for a sweep of the
        predicted attribute.
    run : str, optional
        Column whose values are runs (seeds), or "filename" for one run per file: the report
        summarises the runs, each audited alone.
    where : str, optional
        Audit only rows that meet an SQL condition over the columns, such as
        ``"age >= 18 AND sex = 'F'"``. For files; the reference keeps its rows.
    labels, groups : sequence, optional
        Explicit label lists.
    pos_label : label, optional
        The only class or task to evaluate; also as the text that the report shows for it.
    pos_group : label, optional
        The group that the scores of the attribute are of; also as text. By default, it is the last
        one of two, and 1 of 0/1, -1/1 and booleans.
    missing, n_boot, confidence, random_state, title
        As in :func:`audit`.

    Returns
    -------
    AuditReport

    Raises
    ------
    ValueError
        If a column or file is not there, a column is given two roles, or an input breaks a rule;
        the message states it.
    TypeError
        If ``table`` is neither a frame nor a path.

    See Also
    --------
    audit : The same audit of arrays.
    audit_counts : The same audit of counts.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> people = load_diabetes_audit().frame
    >>> report = bam.audit_frame(
    ...     people, task="high_progression", prediction="high_progression_pred", attribute="sex"
    ... )
    >>> report.summary["data"]["rows"], report.summary["data"]["task"]
    (221, 'high_progression')

    Two models, counted by DuckDB:

    >>> import duckdb
    >>> people["rule"] = (people["bmi"] > 26).astype(int)
    >>> two = bam.audit_frame(
    ...     duckdb.from_df(people),
    ...     task="high_progression",
    ...     prediction={"tree": "high_progression_pred", "rule": "rule"},
    ...     attribute="sex",
    ... )
    >>> two.summary["data"]["models"]
    ['tree', 'rule']
    """
    names = ColumnOptions(
        _listed("task", task),
        _by_model("prediction", prediction, _listed),
        _groups("attribute", attribute),
        _by_model("attribute_prediction", attribute_prediction, _groups),
        None if weight is None else _one("weight", weight),
        None if clusters is None else _one("clusters", clusters),
    )
    with renaming_errors(_COLUMNS):
        options = AuditOptions(
            reference=reference,
            score=_scores("score", score),
            attribute_score=_scores("attribute_score", attribute_score),
            run=None if run is None else _one("run", run),
            where=where,
            labels=labels,
            groups=groups,
            pos_label=pos_label,
            pos_group=pos_group,
            missing=missing,
            intervals=IntervalOptions(n_boot, confidence, random_state=random_state),
            title=title,
            check=check_groups,
        )
        return audit_table(table, names, options)


def _listed(argument: str, names: Any) -> list[str]:
    """One name of a column, or several, as a list."""
    listed = [names] if isinstance(names, str) else names
    if listed is None:
        return []
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise ValueError(
            f"{argument} must be the name of a column, or a list of names; received "
            f"{_shown(names)} (audit takes arrays)"
        )
    return list(listed)


def _one(argument: str, name: Any) -> str:
    listed = name if isinstance(name, list | tuple) else [name]
    if len(listed) != 1 or not isinstance(listed[0], str):
        raise ValueError(
            f"{argument} must be the name of one column; received {_shown(name)} (audit takes "
            "arrays)"
        )
    return listed[0]


def _groups(argument: str, names: Any) -> Any:
    if isinstance(names, Indicators):
        return Indicators(_listed(argument, names.values), names.names)
    return _listed(argument, names)


def _by_model(argument: str, names: Any, read: Callable[[str, Any], Any]) -> Any:
    """Names of columns as ``read`` gives them, of all models or in a mapping from models."""
    if not isinstance(names, Mapping):
        return read(argument, names)
    if not names or not all(isinstance(model, str) for model in names):
        raise ValueError(f"{argument} must map names of models to columns; received {dict(names)}")
    return {model: read(f"{argument}[{model!r}]", columns) for model, columns in names.items()}


def _scores(argument: str, names: Any) -> Any:
    """The columns of scores, of which each model has one."""
    return _by_model(argument, names, _one if isinstance(names, Mapping) else _listed)


def _shown(value: Any) -> str:
    """A short value itself, or the type of a long one."""
    short = isinstance(value, int | float | list | tuple) and len(repr(value)) < 40
    return repr(value) if short else f"values of type {type(value).__name__}"

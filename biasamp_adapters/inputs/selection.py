"""Some of the rows of a table: those that meet a condition, or that belong to some groups."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from biasamp_adapters.inputs.files import agree_on_types, connect, identifier
from biasamp_adapters.inputs.frames import as_frame, check_columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

#: The parts of an expression that a condition may have. Subqueries and stars are none of them.
_ALLOWED = {
    "BETWEEN",
    "CASE",
    "CAST",
    "COLUMN_REF",
    "COMPARISON",
    "CONJUNCTION",
    "CONSTANT",
    "FUNCTION",
    "OPERATOR",
    "TYPE",
}

#: The functions that a condition may call, operators included: none of them reads a file or a
#: setting, or gives another value when it is called again.
_FUNCTIONS = """
    + - * / // % ^ ** || ~~ !~~ ~~* !~~* ~~~ abs ceil ceiling coalesce concat contains date_part
    date_trunc day ends_with floor greatest hour ifnull isfinite isnan least left length lower
    list_value ln log log10 lpad ltrim mod month nullif prefix quarter regexp_extract
    regexp_full_match regexp_matches replace right round rpad rtrim sign sqrt starts_with strlen
    strpos strptime substr substring suffix trim trunc try_strptime upper week weekday year
"""

#: What the rows are called in the query of a condition.
_ROWS = "bam_rows"

#: A column of our own.
_GROUP = "bam_group"

#: What reports show between the labels of crossed attributes.
_CROSSED = " \u00d7 "

#: Most groups that a message names.
_FEW = 20


def meeting(relation: DuckDBPyRelation, condition: str) -> DuckDBPyRelation:
    """The rows of files that meet a condition over their columns, which DuckDB evaluates.

    Columns of CSV are compared as what they hold: as numbers if all values are numbers.

    Parameters
    ----------
    relation : relation
    condition : str
        One SQL expression of columns, constants, operators and functions such as ``lower``.

    Raises
    ------
    ValueError
        If it is no such expression, or names a column that is not there.
    """
    import duckdb

    tree = _parsed(condition)
    named = {part["column_names"][0] for part in _parts(tree) if part["class"] == "COLUMN_REF"}
    same = {name.lower(): name for name in relation.columns}
    used = [same.get(name.lower(), name) for name in sorted(named)]
    check_columns(relation.columns, used)
    (typed,) = agree_on_types([relation], [[name] for name in used])
    types = dict(zip(typed.columns, map(str, typed.types), strict=True))
    # The columns that are audited keep their text, which must agree with that of other columns.
    values = ", ".join(
        f"CAST({_ROWS}.{identifier(name)} AS {types[name]}) AS {identifier(name)}" for name in used
    )
    inner = f"SELECT {_ROWS} AS bam_row{', ' * bool(values)}{values} FROM {_ROWS}"
    try:
        query = f"SELECT unnest(bam_row) FROM ({inner}) AS bam_typed WHERE ({condition}\n)"
        rows: Any = relation.query(_ROWS, query)
        # Values that a condition cannot read, such as a date, show when it is evaluated.
        rows.aggregate("count(*)").fetchall()
    except duckdb.Error as error:
        raise _error(condition, str(error).splitlines()[0]) from None
    found: DuckDBPyRelation = rows
    return found


def _error(condition: str, reason: str) -> ValueError:
    return ValueError(
        f"where= must be one condition over the columns, such as \"age >= 18 AND sex = 'F'\"; "
        f"received {condition!r}: {reason}"
    )


def _parsed(condition: str) -> Any:
    """The syntax tree of a condition, after a check that nothing else is in it."""
    queries = [f"SELECT * FROM {_ROWS} WHERE {text}\n" for text in (condition, "true")]
    with connect() as connection:
        texts = connection.execute(
            "SELECT json_serialize_sql(?), json_serialize_sql(?)", queries
        ).fetchall()
    found, plain = map(json.loads, texts[0])
    if found["error"]:
        raise _error(condition, found["error_message"].splitlines()[0])
    nodes = [statement["node"] for statement in (*found["statements"], *plain["statements"])]
    trees = [node.pop("where_clause", None) for node in nodes]
    # But for the condition, the query must be the one around it.
    if len(nodes) != 2 or nodes[0] != nodes[1] or ";" in _without_quoted(condition):
        raise _error(condition, "it is more than a condition")
    for part in _parts(trees[0]):
        name = part.get("function_name", "").lower()
        if part["class"] not in _ALLOWED:
            raise _error(condition, f"{part['class'].lower()} is not allowed")
        if part["class"] == "FUNCTION" and (name not in _FUNCTIONS.split() or part.get("schema")):
            raise _error(condition, f"the function {name!r} is not allowed")
        if part["class"] == "COLUMN_REF" and len(part["column_names"]) > 1:
            raise _error(condition, f"{'.'.join(part['column_names'])!r} is not a column")
    return trees[0]


def _without_quoted(condition: str) -> str:
    """The condition without its quoted parts."""
    return "".join(condition.replace('"', "'").split("'")[::2])


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """All expressions in a syntax tree."""
    if isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for part in tree.values():
            yield from _parts(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _parts(part)


def of_groups(rows: Any, attribute: Sequence[str], groups: Sequence[str]) -> Any:
    """The rows of some groups, which are named as reports show them.

    Parameters
    ----------
    rows : frame or relation that Narwhals reads
    attribute : sequence of str
        Columns of labels; several are crossed.
    groups : sequence of str
        Of crossed attributes, with " \u00d7 " or a comma between their labels.

    Raises
    ------
    ValueError
        If there are no rows of a group.
    """
    columns = [nw.col(name).cast(nw.String) for name in attribute]
    label = columns[0] if len(columns) == 1 else nw.concat_str(columns, separator=_CROSSED)
    frame = as_frame(rows)
    found = frame.lazy().select(label.alias(_GROUP)).unique().collect("pandas")[_GROUP].to_list()
    if len(columns) > 1:
        groups = [group if group in found else group.replace(", ", _CROSSED) for group in groups]
    absent = [group for group in groups if group not in found]
    if absent:
        known = sorted(group for group in found if group is not None)[:_FEW]
        raise ValueError(
            f"groups= must name groups of the attribute; {absent[0]!r} is not among {known}"
        )
    return frame.filter(label.is_in([*groups])).to_native()


def number_of_rows(rows: Any) -> int:
    """The number of rows of a frame, or of a relation."""
    counted = as_frame(rows).lazy().select(nw.len().alias(_GROUP)).collect("pandas")
    return int(counted[_GROUP][0])

"""Reading the transcriptions beside this file."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = {"count", "rank", "pronouns", "group", "y_true", "y_pred", "task", "attribute", "workers"}
_REAL = {
    "value",
    "half_width",
    "shortcut_difference",
    "accuracy_without",
    "accuracy_with",
    "percent_women",
}


def published(name: str) -> pd.DataFrame:
    """The table ``name`` with numbers as numbers, and the decimals that its values show.

    The files hold text, because .0380 and .038 are the same number but not the same statement.
    """
    import pandas as pd

    with files(__package__).joinpath(f"{name}.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    if "value" in table:
        table["decimals"] = table["value"].str.partition(".")[2].str.len().astype("int64")
    kinds = {
        **{column: "int64" for column in table if column in _WHOLE},
        **{column: "float64" for column in table if column in _REAL},
    }
    return table.astype(kinds)

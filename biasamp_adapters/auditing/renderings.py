"""What can be shown, saved and judged of a finished audit: all of it is read from its summary."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from biasamp_adapters._files import write_text
from biasamp_adapters.auditing import notebook, page, render
from biasamp_adapters.auditing.gate import GateFailure, failures, gates_of
from biasamp_adapters.auditing.summary import Summary

if TYPE_CHECKING:
    from biasamp_adapters.auditing.strip_plots import MetricAxes

#: Parts of a summary that are lists of rows.
_PARTS = (
    "metrics",
    "verdicts",
    "differences",
    "trends",
    "pairs",
    "fairness",
    "prevalence",
    "drift",
    "reading",
    "runs",
)

_COLUMNS = [
    "metric",
    "direction",
    "slug",
    "value",
    "low",
    "high",
    "blind_errors",
    "excess",
    "n",
    "note",
    "pos_label",
]

#: Columns of numbers of which a frame shows the value only.
_VALUES = ("blind_errors", "excess", "accuracy")


@dataclass(frozen=True, eq=False, repr=False)
class Renderings:
    """The renderings of a summary, its parts as frames, and its gates.

    Attributes
    ----------
    summary : dict
        Everything that a report shows, as dicts, lists, strings and numbers.
    """

    summary: Summary

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """What the report says of each model in each direction, or why it cannot say anything.

        Each is a dict of ``model``, ``direction``, ``verdict`` (a code), ``reason`` (a code, of
        "cannot_say"), ``sentence`` and ``excess`` (value, low, high and note, or None). The codes
        are "cannot_say", "no_errors", "constant", "reverses", "amplifies",
        "amplifies_beneath_errors", "mistakes_only", "reduces" and "no_clear_change".

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 500 + ["b"] * 500
        >>> y_true = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
        >>> y_pred = [1] * 350 + [0] * 150 + [1] * 150 + [0] * 350
        >>> (verdict,) = bam.audit(y_true, y_pred, sensitive_features=group).verdicts
        >>> verdict["verdict"]
        'amplifies'
        """
        return list(self.summary["verdicts"])

    def to_frame(self, part: str = "metrics") -> pd.DataFrame:
        """The metrics, or another part of the report, as a pandas DataFrame.

        Parameters
        ----------
        part : str
            "metrics", "verdicts", "differences", "trends", "pairs", "fairness", "prevalence",
            "drift", "reading" or "runs": a list of ``summary``.

        Returns
        -------
        DataFrame
            For "metrics", one row per metric and direction, with the columns ``metric``,
            ``direction``, ``slug`` (both in one name without signs and spaces, such as
            "ba_a_to_t"), ``value``, ``low``, ``high``, ``blind_errors``, ``excess``, ``n``,
            ``note`` and ``pos_label`` (the class, if the value is about a single one). With several
            models, ``model`` comes first. For other parts, one row per entry. A number that is
            missing is NaN.

        Raises
        ------
        ValueError
            If the report has no such part.
        """
        if part not in _PARTS:
            raise ValueError(f"part must be one of {list(_PARTS)}; received {part!r}")
        columns = None
        if part == "metrics":
            columns = ["model"] * (len(self.summary["data"]["models"]) > 1) + _COLUMNS
        rows, values = self.summary[part], _VALUES if part in ("metrics", "verdicts") else ()
        shown = [name for name in values if rows and name in rows[0]]
        rows = [row | {name: row[name] and row[name]["value"] for name in shown} for row in rows]
        frame = pd.DataFrame(rows, columns=columns)
        numbers = [name for name in ("value", "ratio", "low", "high", *shown) if name in frame]
        return frame.astype(dict.fromkeys(numbers, float))

    def failures(
        self,
        above: Mapping[str, float | Collection[str]] | None = None,
        *,
        require_below: Mapping[str, float] | None = None,
    ) -> list[GateFailure]:
        """What exceeds a bound or cannot be judged: ``assert not report.failures({...})``.

        Numbers are judged on their intervals, as ``--fail-above`` and ``--require-below`` of the
        command line do.

        Parameters
        ----------
        above : mapping of str to float or collection of str, optional
            Bounds: a number fails if it is shown to be above, that is, if its whole interval is.
            For ``verdict`` or ``verdict A->T``, the codes of the verdicts that fail, or one code.
        require_below : mapping of str to float, optional
            Bounds: a number fails unless it is shown to be below, that is, unless its whole
            interval is. So few rows, which give wide intervals, do not pass.

        Returns
        -------
        list of GateFailure
            One entry for each number or verdict that fails, and then one for each that cannot be
            judged (``judged`` is False): without an interval, if it is 0 by construction since the
            reference is balanced, and for the verdict ``cannot_say``. Empty if all gates are
            passed. All models of the report are judged.

        Raises
        ------
        ValueError
            If the report has nothing of a name, a bound is not a finite number or is on a verdict,
            a code is not that of a verdict, or there is no gate.

        Notes
        -----
        Names are those of the report ("BA A->T"), of classes ("DirectionalBiasAmplification
        A->T"), and slugs ("ba_a_to_t"), in capitals or not; without the direction ("BA", or "BA->"
        as in papers), all directions are judged. "excess A->T" is what BA exceeds blind errors by,
        "excess MALS" the same of MALS. Fairness measures ("selection_rate_difference") are judged
        for every task that the report shows, those with the largest differences.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 50 + ["b"] * 50
        >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
        >>> report = bam.audit(
        ...     y_true, [1] * 50 + [0] * 50, sensitive_features=group, n_boot=200
        ... )
        >>> report.failures({"BA A->T": 0.5, "selection_rate_difference": 1})
        []
        >>> for failure in report.failures({"ba_a_to_t": 0.02}):
        ...     print(failure)  # doctest: +ELLIPSIS
        model: BA A->T is +0.4000 [+0.2..., +0.4...], above 0.02
        """
        return failures([self.summary], gates_of(above or {}, require_below or {}))

    @overload
    def to_text(self, path: None = None, *, full: bool = False) -> str: ...
    @overload
    def to_text(self, path: str | os.PathLike[str], *, full: bool = False) -> None: ...
    def to_text(
        self, path: str | os.PathLike[str] | None = None, *, full: bool = False
    ) -> str | None:
        """The report as plain text: the answer on one screen, and all tables if asked for.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.
        full : bool
            Whether to add all tables with their footnotes, and the notes. Lines then have up to
            100 characters, and otherwise up to 80.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> group = ["a"] * 500 + ["b"] * 500
        >>> y_true = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
        >>> y_pred = [1] * 350 + [0] * 150 + [1] * 150 + [0] * 350
        >>> report = bam.audit(y_true, y_pred, sensitive_features=group)
        >>> print(report.to_text().splitlines()[-1])
        Verdict: The model amplifies bias.
        >>> "All metrics" in report.to_text(), "All metrics" in report.to_text(full=True)
        (False, True)
        """
        return _write_or_return(render.to_text(self.summary, full=full), path)

    @overload
    def to_markdown(self, path: None = None) -> str: ...
    @overload
    def to_markdown(self, path: str | os.PathLike[str]) -> None: ...
    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as Markdown.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(render.to_markdown(self.summary), path)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as one self-contained HTML page.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(page.to_html([self.summary]), path)

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as JSON; what is undefined is null.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _write_or_return(render.to_json(self.summary), path)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what :meth:`to_json` and the command line write.

        Returns
        -------
        dict
            Its ``$id`` contains the version of the format, which incompatible changes raise.

        Examples
        --------
        >>> from biasamp_adapters import AuditReport
        >>> AuditReport.json_schema()["$id"]
        'urn:biasamp-adapters:audit:2'
        """
        file = files("biasamp_adapters.auditing") / "report.schema.json"
        schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return schema

    def plot(self) -> MetricAxes:
        """Draw every metric with its interval, each in a strip with a scale centred on 0.

        The values are drawn by :func:`biasamp_adapters.plot.intervals` on a new figure of pyplot.

        Returns
        -------
        dict of str to matplotlib Axes
            The axes of each metric and direction, such as "BA A->T". Its attribute ``figure`` is
            their figure, and its repr is one line.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> report = bam.audit([1, 1, 0, 0] * 9, [1, 1, 0, 1] * 9, sensitive_features=[1, 2] * 18)
        >>> axes = report.plot()
        >>> axes
        <axes of one figure: MALS, BA A->T, Multi A->T, Multi undirected, LA, DPA A->T, DPA(U) A->T>
        >>> axes.figure is axes["MALS"].figure
        True
        """
        from biasamp_adapters.auditing.strip_plots import draw_metrics

        return draw_metrics(self.summary["metrics"])

    def __repr__(self) -> str:
        return render.to_text(self.summary)

    def _repr_html_(self) -> str:
        return self._card

    @cached_property
    def _card(self) -> str:
        return notebook.to_card(self.summary)

    def _repr_markdown_(self) -> str:
        return render.to_markdown(self.summary)


def _write_or_return(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(text, path)
    return None

"""The report of an audit, and all that it can be shown as."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from biasamp_adapters._files import write_text
from biasamp_adapters.auditing import page, render
from biasamp_adapters.auditing.evaluate import Key
from biasamp_adapters.metrics import AmplificationResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Parts of a summary that are lists of rows.
_PARTS = ("metrics", "differences", "trends", "pairs", "fairness", "runs")

_COLUMNS = ["metric", "direction", "value", "low", "high", "random_error", "n", "note", "pos_label"]


@dataclass(frozen=True, eq=False)
class AuditReport:
    """What an audit found, ready to be shown.

    Made by :func:`audit`, :func:`audit_counts` or :meth:`from_estimator`.

    Attributes
    ----------
    summary : dict
        All that is shown, as plain dicts, lists, strings and numbers.
    results : dict of (model, metric name) to AmplificationResult
        The results behind it, with their tables of pairs; empty for a summary of runs.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> demo = load_diabetes_audit()
    >>> report = bam.audit(
    ...     demo.y_true, demo.y_pred, sensitive_features=demo.sensitive_features, n_boot=0
    ... )
    >>> report.summary["data"]["rows"], len(report.to_frame())
    (221, 7)
    >>> report.to_markdown().splitlines()[0]
    '# Bias amplification audit'
    """

    summary: dict[str, Any]
    results: dict[Key, AmplificationResult] = field(default_factory=dict)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803  # scikit-learn's name
        y: Any,
        *,
        sensitive_features: Any,
        attribute_estimator: Any = None,
        **options: Any,
    ) -> AuditReport:
        """Audit the predictions of a fitted estimator.

        Parameters
        ----------
        estimator : object with ``predict``, or mapping of str to such objects
            Predicts the task. A mapping names several models.
        X : array-like of shape (n, features)
        y : array-like of shape (n,)
            True task labels.
        sensitive_features : array-like of shape (n,) or (n, attributes)
        attribute_estimator : object with ``predict``, optional
            Predicts the attribute from ``X``, for T->A.
        **options
            As in :func:`audit`.

        Returns
        -------
        AuditReport
        """
        from biasamp_adapters.auditing.audits import audit

        if isinstance(estimator, Mapping):
            y_pred: Any = {name: one.predict(X) for name, one in estimator.items()}
        else:
            y_pred = estimator.predict(X)
        if attribute_estimator is not None:
            options["sensitive_features_pred"] = attribute_estimator.predict(X)
        return audit(y, y_pred, sensitive_features=sensitive_features, **options)

    def to_frame(self, part: str = "metrics") -> pd.DataFrame:
        """The metrics, or another part of the report, as a pandas DataFrame.

        Parameters
        ----------
        part : str
            "metrics", "differences", "trends", "pairs", "fairness" or "runs": a list of
            ``summary``.

        Returns
        -------
        DataFrame
            Of metrics one row for each metric and direction: ``metric``, ``direction``, ``value``,
            ``low``, ``high``, ``random_error``, ``n``, ``note`` and ``pos_label``, the class that
            the value looks at if it is one; with several models ``model`` comes first. Of other
            parts one row for each entry, with all that it holds. An interval or baseline that is
            not there is NaN.

        Raises
        ------
        ValueError
            If there is no such part.
        """
        if part not in _PARTS:
            raise ValueError(f"part must be one of {list(_PARTS)}; received {part!r}")
        if part != "metrics":
            frame = pd.DataFrame(self.summary[part])
            there = [name for name in ("value", "low", "high") if name in frame]
            return frame.astype(dict.fromkeys(there, float))
        several = len(self.summary["data"]["models"]) > 1
        frame = pd.DataFrame(self.summary["metrics"], columns=["model"] * several + _COLUMNS)
        numbers = ["value", "low", "high", "random_error"]
        return frame.astype(dict.fromkeys(numbers, float))

    @overload
    def to_text(self, path: None = None) -> str: ...
    @overload
    def to_text(self, path: str | os.PathLike[str]) -> None: ...
    def to_text(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as plain text.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _out(render.to_text(self.summary), path)

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
        return _out(render.to_markdown(self.summary), path)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...
    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The report as one self-contained HTML page.

        Several threads may write pages at the same time. While a picture is drawn, matplotlib's
        ``rcParams``, which the whole process shares, hold the settings of the page; afterwards they
        are restored. Another thread that draws with matplotlib at that moment can be affected.
        Changes that it makes to ``rcParams`` stay, and may show in the page. To avoid this, do not
        draw elsewhere while a page is written, or write it in a process of its own.

        Parameters
        ----------
        path : path-like, optional
            The file to write, atomically.

        Returns
        -------
        str or None
            The text, unless it is written to ``path``.
        """
        return _out(page.to_html([self.summary]), path)

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
        return _out(render.to_json(self.summary), path)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what :meth:`to_json` and the command line write.

        Returns
        -------
        dict
            Its ``$id`` has the version of the format, which changes where a reader would break.

        Examples
        --------
        >>> from biasamp_adapters import AuditReport
        >>> AuditReport.json_schema()["$id"]
        'urn:biasamp-adapters:audit:1'
        """
        return render.schema()

    def plot(self) -> dict[str, Axes]:
        """Draw every metric with its interval, a strip each, on scales centred on 0.

        Returns
        -------
        dict of str to matplotlib Axes
            By metric and direction, such as "BA A->T", on one new figure.

        Examples
        --------
        >>> import biasamp_adapters as bam
        >>> report = bam.audit([1, 1, 0, 0] * 9, [1, 1, 0, 1] * 9, sensitive_features=[1, 2] * 18)
        >>> axes = report.plot()
        >>> list(axes)[:2]
        ['MALS', 'BA A->T']
        """
        from matplotlib import pyplot as plt

        from biasamp_adapters.auditing.pictures import WIDTH, by_name, height_of, stacked, strips

        rows = by_name(self.summary["metrics"])
        figure = plt.figure(figsize=(WIDTH, height_of(rows)), layout="constrained")
        axes = stacked(figure, rows)
        strips(axes, rows)
        return axes

    def __repr__(self) -> str:
        return render.to_text(self.summary)

    def _repr_html_(self) -> str:
        return page.to_fragment(self.summary)

    def _repr_markdown_(self) -> str:
        return render.to_markdown(self.summary)


def _out(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(text, path)
    return None

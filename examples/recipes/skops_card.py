"""Put an audit into the model card of a scikit-learn estimator, with skops."""

from __future__ import annotations

from typing import Any

from skops.card import Card

import biasamp_adapters as bam

SECTION = "Model description/Evaluation Results"


def card_with_audit(estimator: Any, report: bam.AuditReport) -> Card:
    """A model card with headlines, metrics and notes of an audit."""
    card = Card(estimator, model_diagram=False)
    frame = report.to_frame()
    values = dict(zip(frame["slug"], frame["value"], strict=True))
    card.add_metrics(section=SECTION, **values)
    amplification = f"{SECTION}/Bias amplification"
    card.add(**{amplification: "\n\n".join(report.summary["headlines"])})
    table = frame[["metric", "direction", "value", "low", "high"]].round(4)
    card.add_table(**{f"{amplification}/Metrics": table})
    notes = "\n".join(f"- {note}" for note in report.summary["notes"])
    card.add(**{f"{amplification}/Notes": notes})
    return card

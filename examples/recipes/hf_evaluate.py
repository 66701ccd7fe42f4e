"""An audit as a metric of Hugging Face Evaluate, beside those that it has."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import biasamp_adapters as bam


class BiasAmplification(evaluate.Metric):
    """Every metric of an audit; ``groups`` is the protected attribute."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="Does a model amplify the bias of its data?",
            citation="",
            features=datasets.Features(
                {
                    "predictions": datasets.Value("int64"),
                    "references": datasets.Value("int64"),
                    "groups": datasets.Value("string"),
                }
            ),
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        groups: Any,
        n_boot: int = 2000,
    ) -> dict[str, float]:
        report = bam.audit(
            references,
            predictions,
            sensitive_features=groups,
            n_boot=n_boot,
        )
        frame = report.to_frame()
        return dict(zip(frame["slug"], frame["value"], strict=True))

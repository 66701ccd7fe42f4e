"""A metric of one's own: what it needs, and its formula on margins."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import biasamp_adapters as bam
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTION
from biasamp_adapters.counting.margins import Margins, divide
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.sklearn import amplification_scorer


class Disparity(Metric):
    """The mean size of P(predicted class | group) minus P(predicted class)."""

    short = "Disparity"
    needs = (PREDICTION, ATTRIBUTE)

    def contributions(self, margins: Margins) -> np.ndarray:
        rates = divide(margins.joint(ATTRIBUTE, PREDICTION), margins.joint(ATTRIBUTE, ALL))
        return np.abs(rates - divide(margins.joint(ALL, PREDICTION), margins.total))


#: Of 40 rows of a 30 are predicted 1, and of 40 of b 10: rates of .75 and .25; .5 of all rows.
GROUPS, PREDICTED = np.repeat(["a", "b"], 40), np.repeat([1, 0, 1, 0], [30, 10, 10, 30])
ROWS = {"y_true": PREDICTED, "y_pred": PREDICTED, "sensitive_features": GROUPS}


def test_own_metric_has_value_interval_and_tables() -> None:
    metric = Disparity()
    assert metric(**ROWS) == 0.25
    result = metric.result(**ROWS, n_boot=100)
    assert (result.metric, result.key, result.value) == ("Disparity", "disparity", 0.25)
    assert result.estimate.low < 0.25 < result.estimate.high
    assert result.by_pair["contribution"].tolist() == [0.25] * 4
    with pytest.raises(ValueError, match="y_pred must be given for Disparity"):
        metric(**ROWS | {"y_pred": None})


@pytest.mark.parametrize("settings", [{"pos_label": 77}, {"reference": (PREDICTED, GROUPS)}])
def test_own_metric_refuses_settings_that_its_formula_does_not_read(settings) -> None:
    rule = f"{next(iter(settings))} must be None for Disparity, whose formula does not read it"
    with pytest.raises(ValueError, match=rule):
        Disparity(**settings)(**ROWS)


def test_own_metric_works_where_metrics_are_taken() -> None:
    models = {"uneven": PREDICTED, "even": np.tile([0, 1], 40)}
    comparison = bam.compare(**ROWS | {"y_pred": models}, metric=Disparity(), n_boot=100)
    assert comparison.differences["even"].value == -0.25
    frame = amplification_frame(metrics={"disparity": Disparity()}, **ROWS)
    assert frame.by_group["disparity"].tolist() == [0.25, 0.25]
    y = pd.Series(PREDICTED, index=pd.Index(GROUPS, name="group"))
    score = amplification_scorer(Disparity(), sensitive_features="group")
    assert score(DummyClassifier().fit(y, y), y, y) == 0

"""The five functions in Fairlearn's MetricFrame and make_derived_metric, on COMPAS."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, make_derived_metric, selection_rate
from sklearn.metrics import accuracy_score

import biasamp_adapters as bam
import biasamp_adapters.fairlearn as baf

FUNCTIONS = sorted({*baf.__all__} & {*bam.__all__})


@pytest.fixture(scope="module")
def compas():
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    table = table.assign(high=(table["decile_score"] >= 5).astype(int))
    return [table[name] for name in ("two_year_recid", "high", "race", "sex", "age_cat")]


def test_frame_with_the_attribute_as_sample_parameter_has_ba_of_each_sex(compas) -> None:
    y, pred, race, sex, age = compas
    ba = partial(bam.directional_bias_amplification, reference=(y, race))
    metrics = {"BA by race": ba, "accuracy": accuracy_score, "selection": selection_rate}
    rows = {"y_true": y, "y_pred": pred}
    rows["sample_params"] = {"BA by race": {"sensitive_features": race}}
    frame = MetricFrame(metrics=metrics, sensitive_features=sex, **rows)
    of_sexes = [[0.047, 0.643, 0.46], [0.066, 0.653, 0.5]]
    assert frame.by_group.round(3).to_numpy().tolist() == of_sexes
    strata = {"sensitive_features": age, "control_features": sex}
    in_strata = MetricFrame(metrics={"BA by race": ba}, **strata, **rows)
    assert in_strata.overall["BA by race"].round(3).tolist() == [0.047, 0.066]


def test_derived_metric_compares_ba_between_the_sexes(compas) -> None:
    y, pred, race, sex, _ = compas

    def ba_by_race(y_true, y_pred, *, race):
        return bam.directional_bias_amplification(y_true, y_pred, sensitive_features=race)

    gap_of_ba = make_derived_metric(
        metric=ba_by_race, transform="difference", sample_param_names=["race"]
    )
    assert gap_of_ba(y, pred, sensitive_features=sex, race=race) == pytest.approx(0.0194, abs=5e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_the_same_object_at_the_top_and_names_the_frame_at_first(name, compas) -> None:
    y, pred, race, *_ = compas
    function = getattr(baf, name)
    assert function is getattr(bam, name)
    with pytest.raises(
        ValueError,
        match=r"`sensitive_features` is missing. In MetricFrame: amplification_frame by race, else",
    ):
        MetricFrame(metrics={"BA": function}, y_true=y, y_pred=pred, sensitive_features=race)
    weighted = MetricFrame(
        metrics=function,
        y_true=y,
        y_pred=pred,
        sensitive_features=np.zeros(len(y)),
        sample_params={"sensitive_features": race, "sample_weight": np.ones(len(y))},
    )
    assert weighted.overall == pytest.approx(function(y, pred, sensitive_features=race), abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_warning_of_a_function_points_at_the_line_that_called_it(name) -> None:
    y, groups = pd.Series([0, 1] * 9), pd.Series([*"aab"] * 6)
    with pytest.warns(bam.AmplificationWarning, match="labels in another order") as caught:
        getattr(bam, name)(y, 1 - y[::-1], sensitive_features=groups)
    assert {warning.filename for warning in caught} == {__file__}

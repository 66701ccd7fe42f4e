"""BA by stratum, against the guide's example and visible arithmetic."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

NAMES = {"y_true": "two_year_recid", "y_pred": "high", "sensitive_features": "race"}
MEAN, ALL = "mean over strata weighted by rows", "all rows together"


def strata_of(report: bam.AuditReport) -> pd.DataFrame:
    return pd.DataFrame(report.summary["strata"]).set_index("stratum")


def test_strata_of_compas_are_those_of_recipe_2(compas) -> None:
    report = bam.audit(compas, **NAMES, control_features="sex")
    strata = strata_of(report)
    assert strata["value"].round(3).to_dict() == {
        "Female": 0.047, "Male": 0.066, MEAN: 0.063, ALL: 0.060
    }  # fmt: skip
    assert strata["rows"].tolist() == [1219, 4931, 6150, 6150]
    of_mean = 1219 * strata.loc["Female", "value"] + 4931 * strata.loc["Male", "value"]
    assert strata.loc[MEAN, "value"] == pytest.approx(of_mean / 6150)
    # Strata are independent, so that the variance of their mean is a weighted sum of theirs.
    reach = (strata["high"] - strata["low"]) / 2
    expected = np.hypot(1219 * reach["Female"], 4931 * reach["Male"]) / 6150
    assert reach[MEAN] == pytest.approx(expected, rel=0.08)
    assert len(report.verdicts) == 1
    assert "The signs of BA are those of all rows" in report.to_text(full=True)


@pytest.mark.parametrize("form", ["frame", "mapping", "index", "arrow"])
def test_strata_of_names_and_of_arrays_are_the_same(compas, form) -> None:
    names: Any = "sex" if form == "index" else ["sex", "age_cat"]
    expected = bam.audit(compas, **NAMES, control_features=names, n_boot=0).summary["strata"]
    y, pred, race = (compas[name] for name in NAMES.values())
    columns: Any = {"y_true": y, "y_pred": {"high": pred}, "sensitive_features": race}
    if form == "arrow":
        columns = NAMES | {"data": pytest.importorskip("pyarrow").table(compas)}
    elif form == "index":
        columns = {"y_true": y.set_axis(compas["sex"]), "y_pred": {"high": pred.to_numpy()}}
        columns["sensitive_features"] = race.to_numpy()
    else:
        names = compas[names] if form == "frame" else {name: compas[name] for name in names}
    report = bam.audit(**columns, control_features=names, n_boot=0)
    assert report.summary["strata"] == expected
    assert {record["reason"] for record in expected} == {"no intervals were requested (n_boot=0)"}
    assert expected[0]["stratum"] == ("Female" if form == "index" else ("Female", "25 - 45"))


def test_stratum_has_its_own_rows_and_the_signs_of_all_rows() -> None:
    # Of 100 rows each, 50 of a and 30 of b have 1 in x, and 30 of a and 40 of b in y: in all rows
    # 1 goes with a. One row more of a is predicted 1 in y, which adds 1/100 to that rate.
    ones = {("x", "a"): 50, ("x", "b"): 30, ("y", "a"): 30, ("y", "b"): 40}
    cells = [(s, g, int(i < n), int(i < n + ((s, g) == ("y", "a")))) for (s, g), n in ones.items()
             for i in range(100)]  # fmt: skip
    stratum, group, truth, predicted = zip(*cells, strict=True)
    report = bam.audit(truth, predicted, sensitive_features=group, control_features=stratum,
                       n_boot=0)  # fmt: skip
    weighted = bam.audit(truth, predicted, sensitive_features=group, control_features=stratum,
                         sample_weight=[1.0] * 399 + [2.0], n_boot=0)  # fmt: skip
    assert strata_of(weighted).index[2] == "mean over strata by their weights"
    # The mean over four pairs, of which those of b do not change: (1/100 + 1/100 + 0 + 0) / 4.
    expected = {"x": 0, "y": 0.005, MEAN: 0.0025, ALL: 0.0025}
    assert strata_of(report)["value"].to_dict() == pytest.approx(expected)


def test_strata_that_share_clusters_are_drawn_together() -> None:
    truth, predicted, group = np.random.default_rng(2).integers(2, size=(3, 200))
    twice: Any = {"y_true": truth, "y_pred": predicted, "sensitive_features": group}
    twice = {name: np.tile(x, 2) for name, x in (twice | {"clusters": np.arange(200)}).items()}
    report = bam.audit(**twice, control_features=np.repeat(["x", "y"], 200), n_boot=200)
    # Each person is in both strata, so the mean is as uncertain as either of them.
    assert strata_of(report)[["value", "low", "high"]].round(9).nunique().tolist() == [1, 1, 1]


def test_mean_over_strata_of_which_too_many_have_no_interval_says_so() -> None:
    stratum = ["large"] * 300 + ["small"] * 20 + ["alone"]
    truth, predicted = np.random.default_rng(3).integers(2, size=(2, 321))
    report = bam.audit(truth, predicted, sensitive_features=np.arange(321) % 2,
                       control_features=stratum, n_boot=200)  # fmt: skip
    strata = strata_of(report)
    assert strata.loc["large", "reason"] == ""
    assert "fewer than 15 rows" in strata.loc["small", "reason"]
    # 21 of 321 rows are 6.5 %.
    assert strata.loc[MEAN, "reason"] == "strata without an interval hold 7% of the rows"
    assert np.isfinite(strata.loc[MEAN, "value"])


def test_strata_of_counts_or_with_missing_values_raise(compas) -> None:
    with pytest.raises(ValueError, match="unknown argument 'control_features'"):
        bam.Counts.from_frame(compas, **NAMES, control_features="sex")
    with pytest.raises(ValueError, match="so control_features must not be given"):
        bam.audit(bam.Counts.from_frame(compas, **NAMES), control_features="sex")
    control = compas["sex"].where(compas["sex"] == "Male")
    with pytest.raises(ValueError, match="control_features must not have missing values"):
        bam.audit(compas.assign(sex=control), **NAMES, control_features="sex")

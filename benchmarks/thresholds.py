"""Thresholds at the prevalence, set on some rows of COMPAS and judged on others.

`python thresholds.py --file compas-scores-two-years.csv.gz` prints means over 60 splits. A logistic
regression of five features without race learns from 40 % of the rows, thresholds are set on 30 %,
and all are judged on the other 30 %. With Fairlearn, its mitigations follow: the reduction fits
regressions of its own on 70 %. Below, the score is the published one, with thresholds set on one
half and judged on the other; this part needs no file. "difference" is the accuracy minus that of
the first rule, and "error" its standard error over the splits, which share rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import biasamp_adapters as bam

_LABELS = ("two_year_recid", "is_recid")

_FEATURES = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]


def read_records(path: str | None) -> pd.DataFrame:
    """Return the 5,278 records of two races whose arrest was near the screening."""
    frame = bam.datasets.load_compas() if path is None else pd.read_csv(path)
    if path is not None:
        frame["within_30_days"] = frame["days_b_screening_arrest"].abs() <= 30
    two = frame["race"].isin(["African-American", "Caucasian"])
    return frame[two & (frame["within_30_days"] == 1)].reset_index(drop=True)


def decide(
    valid: pd.DataFrame, test: pd.DataFrame, label: str, cut: float
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the decisions of each rule on the rows to judge; frames have a column of scores."""
    yield f"score of {cut:g} or more", (test["score"] >= cut).to_numpy().astype(int)
    single = bam.PrevalenceThreshold().fit(valid["score"], valid[label])
    yield "one threshold", single.predict(test["score"])
    for tolerance in (0.0, 0.02, 0.05):
        rule = bam.PrevalenceThreshold(tolerance=tolerance)
        rule.fit(valid["score"], valid[label], sensitive_features=valid["race"])
        decision = rule.predict(test["score"], sensitive_features=test["race"])
        yield f"by group, tolerance {tolerance:g}", decision


def measure(test: pd.DataFrame, label: str, decision: np.ndarray) -> Mapping[str, float]:
    """Return accuracy and BA of decisions."""
    truth, race = test[label], test["race"]
    change = bam.directional_bias_amplification(truth, decision, sensitive_features=race)
    return {"accuracy": float((decision == truth).mean()), "BA": change, "|BA|": abs(change)}


def halve(frame: pd.DataFrame, share: float, label: str, seed: int) -> list[pd.DataFrame]:
    """Return two parts with the same shares of each race and label."""
    strata = frame["race"] + frame[label].astype(str)
    return train_test_split(frame, test_size=share, random_state=seed, stratify=strata)


def judge_model(frame: pd.DataFrame, label: str, seed: int) -> pd.DataFrame:
    """Return accuracy and BA of the scores of a regression, by rule."""
    train, rest = halve(frame, 0.6, label, seed)
    model, of_race = (
        make_pipeline(StandardScaler(), LogisticRegression()).fit(train[_FEATURES], train[column])
        for column in (label, "race")
    )
    rest = rest.assign(score=model.predict_proba(rest[_FEATURES])[:, 1])
    valid, test = halve(rest, 0.5, label, seed)
    rules = dict(decide(valid, test, label, 0.5))
    proba, proba_of_test = (of_race.predict_proba(part[_FEATURES]) for part in (valid, test))
    rule = bam.PrevalenceThreshold()
    rule.fit(valid["score"], valid[label], sensitive_features=valid["race"], group_proba=proba)
    rules["by probability of race"] = rule.predict(test["score"], group_proba=proba_of_test)
    if find_spec("fairlearn") is not None:
        learned = pd.concat([train, valid])
        rules |= dict(decide_with_fairlearn(model, learned, valid, test, label))
    return pd.DataFrame({name: measure(test, label, rule) for name, rule in rules.items()}).T


def decide_with_fairlearn(
    model: Pipeline, learned: pd.DataFrame, valid: pd.DataFrame, test: pd.DataFrame, label: str
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the decisions of mitigations of Fairlearn on the rows to judge."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from fairlearn.reductions import ExponentiatedGradient

    from biasamp_adapters.fairlearn import ZeroAmplification

    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    reduction = ExponentiatedGradient(
        estimator, ZeroAmplification(), sample_weight_name="logisticregression__sample_weight"
    )
    reduction.fit(learned[_FEATURES], learned[label], sensitive_features=learned["race"])
    yield "ZeroAmplification", reduction.predict(test[_FEATURES], random_state=0)
    for constraints in ("demographic_parity", "equalized_odds"):
        options = {"constraints": constraints, "predict_method": "predict_proba", "prefit": True}
        rule = ThresholdOptimizer(estimator=model, **options)
        rule.fit(valid[_FEATURES], valid[label], sensitive_features=valid["race"])
        groups = {"sensitive_features": test["race"], "random_state": 0}
        yield f"ThresholdOptimizer, {constraints}", rule.predict(test[_FEATURES], **groups)


def judge_published_score(frame: pd.DataFrame, label: str, seed: int) -> pd.DataFrame:
    """Return accuracy and BA of the published score, by rule."""
    valid, test = halve(frame.assign(score=frame["decile_score"]), 0.5, label, seed)
    rules = dict(decide(valid, test, label, 5))
    return pd.DataFrame({name: measure(test, label, rule) for name, rule in rules.items()}).T


def summarize(
    judge: Callable[..., pd.DataFrame], frame: pd.DataFrame, label: str, n_splits: int
) -> pd.DataFrame:
    """Return means over splits, and differences of accuracy from the first rule."""
    tables = [judge(frame, label, seed) for seed in range(n_splits)]
    means = pd.concat(tables).groupby(level=0, sort=False).mean()
    accuracy = pd.DataFrame([table["accuracy"] for table in tables])
    difference = accuracy.sub(accuracy.iloc[:, 0], axis=0)
    return means.assign(difference=difference.mean(), error=difference.sem())


def main() -> None:
    """Print the means of each label and score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", help="the published table of COMPAS")
    parser.add_argument("--seeds", type=int, default=60, help="number of splits")
    options = parser.parse_args()
    frame = read_records(options.file)
    judges = {"published score": judge_published_score}
    if options.file is not None:
        judges = {"regression": judge_model, **judges}
    for label in _LABELS:
        for name, judge in judges.items():
            means = summarize(judge, frame, label, options.seeds)
            print(f"\n{label}, {name}, {len(frame):,} rows\n{means.round(4).to_string()}")


if __name__ == "__main__":
    main()

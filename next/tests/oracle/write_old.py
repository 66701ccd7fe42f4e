"""Write the values that the package at commit 6d3b716 gives for all cases to values.json.gz.

It needs an environment of that package, beside the one of this package:

    python3.11 -m venv old
    old/bin/pip install "git+file://$PWD@6d3b716af94fa3f5275a667539e5022b3c233d28"
    cd next/tests && ../../old/bin/python -m oracle.write_old

The first two commands are run at the root of the repository. The run takes some 80 seconds.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

import biasamp_adapters as bam
from oracle.cases import make_cases
from oracle.inputs import as_input, chosen_pairs, fingerprint, weighted_sum
from oracle.parts import Case

VALUES = Path(__file__).parent / "values.json.gz"

#: Of the names and contents of the package's files at commit 6d3b716.
_CHECKSUM = "aa6727cca611d464bf2da34fca20c2ddbfe6477d2f5cdb004b2a524c88674a86"

N_BOOT = 400

#: Pairs whose numbers are stored, of rates and of attacks.
MOST_PAIRS, MOST_ATTACKED = 30, 12

#: Draws of flips, other than those of the values, that show how far these may be off.
N_TRIALS = 1000

_CLASSES = {
    "MALS": "MALS",
    "BA": "DirectionalBiasAmplification",
    "Multi": "MultiAttributeBiasAmplification",
    "LA": "LeakageAmplification",
    "DPA": "DirectionalPredictabilityAmplification",
}
_SETTINGS = {"class_labels": "labels", "group_labels": "groups"}
_NAMES = {"blind_errors": "equal_errors", "delta": "change"}


def check_package() -> None:
    """Stop unless the package is that of commit 6d3b716."""
    root = Path(bam.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    if digest.hexdigest() != _CHECKSUM:
        version = getattr(bam, "__version__", "unknown")
        sys.exit(
            "write_old needs biasamp_adapters as of commit 6d3b716; this is version "
            f"{version} in {root}, whose files differ. {__doc__}"
        )


# Cases as calls of the old package.


def old_metric(case: Case) -> Any:
    """Return the metric of a case."""
    settings = {_SETTINGS.get(name, name): value for name, value in case["settings"].items()}
    settings = {k: v for k, v in settings.items() if k not in ("missing_values", "group_sets")}
    if case["reference"] is not None:
        settings["reference"] = old_reference(case["reference"])
    return getattr(bam, _CLASSES[case["metric"]])(**settings)


def old_reference(reference: Mapping[str, Any]) -> Any:
    """Return a reference: a pair of arrays, or rates."""
    if "rates" not in reference:
        names = ("y_true", "sensitive_features")
        return tuple(as_input(reference[name], bam.Indicators) for name in names)
    if reference["direction"] == "A->T":
        rates = {"task_given_attribute": reference["rates"]}
    else:
        rates = {"attribute_given_task": reference["rates"]}
    signs = reference.get("signs")
    if signs is not None:  # Groups are always their rows.
        signs = pd.DataFrame.from_dict(signs, "index")
        signs = signs.T if reference["direction"] == "T->A" else signs
    return bam.BaseRates(**rates, direction=signs, attribute=reference.get("group_shares"))


def old_arrays(case: Case) -> dict[str, Any]:
    """Return the arguments of a call.

    Rows of weight 0 are left out, as if they were not there. The old package kept their labels.
    """
    given = case["arrays"]
    weight = given.get("sample_weight")
    if weight is not None and (weight == 0).any():
        given = {name: take_rows(x, weight != 0) for name, x in given.items()}
    arrays = {name: as_input(x, bam.Indicators) for name, x in given.items()}
    missing = case["settings"].get("missing_values", ())
    if missing:
        arrays = {name: _without(values, missing) for name, values in arrays.items()}
    if "group_sets" in case["settings"]:
        for name in ("sensitive_features", "sensitive_features_pred"):
            if name in arrays:
                arrays[name] = bam.group_sets(arrays[name], sets=case["settings"]["group_sets"])
    return {"y_true": None, "y_pred": None, "sensitive_features": None, **arrays}


def take_rows(values: Any, rows: Any) -> Any:
    """Return some rows of an array of a case."""
    if not isinstance(values, Mapping):
        return values if isinstance(values, list | None) else values[rows]
    return {name: take_rows(column, rows) for name, column in values.items()}


def _without(values: Any, missing: list[Any]) -> Any:
    """Return a column in which labels that mean a missing value are None."""
    if getattr(values, "dtype", np.dtype(int)).kind != "O":
        return values
    column = values.copy()
    column[[x in missing for x in column.tolist()]] = None
    return column


# What is stored.


def record_of(case: Case) -> dict[str, Any]:
    """Return what the old package gives for a case, or its error."""
    try:
        metric, arrays = old_metric(case), old_arrays(case)
        drawn = {"n_boot": N_BOOT, "random_state": 0}
        result = metric.result(**arrays, **drawn)
        called = metric(**{k: v for k, v in arrays.items() if k != "clusters"})
    except ValueError as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    record: dict[str, Any] = {"estimates": estimates_of(result)}
    if not np.allclose(called, result.value, rtol=1e-12, atol=1e-12, equal_nan=True):
        record["called"] = called
    record |= pairs_of(result)
    if case["metric"] in ("LA", "DPA"):
        record |= trials_of(result.measurement)
    return record


def estimates_of(result: Any) -> dict[str, list[Any]]:
    """Return each number with the ends of its interval, or why it has none."""
    reason = result.row["note"] or None
    value = [result.value, *(result.interval or [reason])]
    further = {
        "equal_errors": result.blind_errors,
        "excess": result.excess,
        "variance": result.spread,
        **result.levels,
    }
    numbers = {"value": value}
    for name, x in further.items():
        if x is not None:
            why = "as value" if x.reason == reason else x.reason
            numbers[name] = [x.value, *(x.interval or [why])]
    return numbers


def pairs_of(result: Any) -> dict[str, Any]:
    """Return labels and columns of the table of pairs."""
    table = result.by_pair
    classes = [as_text(label) for label in dict.fromkeys(table["task"])]
    groups = [as_text(label) for label in dict.fromkeys(table["attribute"])]
    if len(groups) * len(classes) != len(table):
        raise AssertionError("a table of pairs must have every group with every class")
    is_attack = "psi_model" in table
    rows = chosen_pairs(len(table), MOST_ATTACKED if is_attack else MOST_PAIRS)
    names = ["psi_dataset", "psi_model", "value"] if is_attack else ["delta"]
    record: dict[str, Any] = {"groups": groups, "classes": classes}
    record["pairs"] = {_NAMES.get(x, x): table[x].iloc[rows].tolist() for x in names}
    exact = ["psi_model"] if is_attack else ["delta", "contribution"]
    record["sums"] = {_NAMES.get(x, x): weighted_sum(table[x]) for x in exact}
    if not is_attack:
        record["sign"] = "".join("-0+"[int(x) + 1] for x in table["sign"])
        record["uncertain"] = "".join(str(int(x)) for x in table["uncertain"])
    return record


def as_text(label: Any) -> Any:
    """Return a label as JSON holds it; a set of labels becomes a list."""
    return list(label) if isinstance(label, tuple) else label


# Flips.


def trials_of(measurement: Any) -> dict[str, Any]:
    """Return how an attack is equalized, its scores in expectation, and those of drawn flips."""
    record: dict[str, Any] = {"mode": measurement.mode}
    if measurement.equalize is None:
        return record
    others = replace(measurement, n_trials=N_TRIALS, random_state=1)
    expected = {name: float(np.mean(x)) for name, x in measurement._expected_scores.items()}
    record["expected"] = expected
    record["drawn"] = {name: mean_and_spread(x) for name, x in others.drawn_scores.items()}
    record["pairs in expectation"], record["drawn pairs"] = scores_of_pairs(measurement)
    if measurement._is_ratio_of_u:
        dataset, model = others._dependence
        record["open"] = bool(is_open(dataset, model, measurement).any())
        dataset, model = map(type(dataset).of, tables_of_pairs(measurement))
        record["open pairs"] = is_open(dataset, model, measurement).tolist()
    return record


def is_open(dataset: Any, model: Any, measurement: Any) -> Any:
    """Return where draws decide whether U shows a dependence: its value is then a ratio."""
    rows = measurement.evaluation.counts.effective_rows
    g, degrees = dataset.g_statistic(rows)
    g_of_model, degrees_of_model = model.g_statistic(rows)
    limit, limit_of_model = (chi2.ppf(0.95, np.maximum(x, 1)) for x in (degrees, degrees_of_model))
    return (np.abs(g - limit) < 0.2 * limit) & (g_of_model <= limit_of_model)


def tables_of_pairs(measurement: Any) -> tuple[Any, Any]:
    """Return the tables of the stored pairs: drawn flips of the dataset, and the model's."""
    sides = measurement._pairs_of(measurement.sides.tables)
    rows = chosen_pairs(sides.accuracy.size, MOST_ATTACKED)
    pairs = np.unravel_index(rows, sides.accuracy.shape)
    return sides.flipped(np.random.default_rng(1), N_TRIALS, pairs), sides.model[pairs][None]


def mean_and_spread(scores: Any) -> list[float]:
    """Return the mean of trials, and their standard deviation with three digits."""
    scores = np.asarray(scores, dtype=float)
    spread = scores.std() if np.isfinite(scores).all() else np.nan
    return [float(f"{scores.mean():.9g}"), float(f"{spread:.3g}")]


def scores_of_pairs(measurement: Any) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Return the stored pairs in expectation, and mean and spread of theirs over drawn flips."""
    sides = measurement._pairs_of(measurement.sides.tables)
    rows = chosen_pairs(sides.accuracy.size, MOST_ATTACKED)
    pairs = np.unravel_index(rows, sides.accuracy.shape)
    difference = measurement.pair_scores["difference"][pairs]
    flipped, model = tables_of_pairs(measurement)
    drawn = measurement._of_pairs(flipped, model, difference)
    expected = measurement._of_pairs(sides.expected()[pairs], model[0], difference)
    names = ("psi_dataset", "value")
    trials = {name: np.broadcast_to(drawn[name], (N_TRIALS, len(rows))) for name in names}
    spreads = {name: [mean_and_spread(x) for x in scores.T] for name, scores in trials.items()}
    return {name: expected[name].tolist() for name in names}, spreads


def write() -> None:
    """Write the records of all cases, and print how many the package refuses."""
    check_package()
    records = {}
    cases = make_cases()
    for case in cases:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            records[case["id"]] = {"data": fingerprint(case), **record_of(case)}
    text = json.dumps(records, separators=(",", ":"))
    with VALUES.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text.encode())
    refused = [name for name, record in records.items() if "error" in record]
    size = VALUES.stat().st_size
    print(f"{len(cases)} cases, {len(refused)} refused, {size / 1e6:.2f} MB in {VALUES}")


if __name__ == "__main__":
    write()

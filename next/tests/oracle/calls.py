"""Cases as calls of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import biasamp_adapters as bam
from oracle.inputs import as_input
from oracle.parts import Case

N_BOOT = 400

_CLASSES = {
    "MALS": bam.MALSBiasAmplification,
    "BA": bam.DirectionalBiasAmplification,
    "Multi": bam.MultiAttributeBiasAmplification,
    "LA": bam.LeakageAmplification,
    "DPA": bam.DirectionalPredictabilityAmplification,
}


def new_metric(case: Case) -> Any:
    """Return the metric of a case."""
    settings = dict(case["settings"])
    settings.pop("group_sets", None)
    if case["reference"] is not None:
        settings["reference"] = new_reference(case["reference"])
    return _CLASSES[case["metric"]](**settings)


def new_reference(reference: Mapping[str, Any]) -> Any:
    """Return a reference: a pair of arrays, or rates."""
    if "rates" in reference:
        return bam.BaseRates(**reference)
    names = ("y_true", "sensitive_features")
    return tuple(as_input(reference[name], bam.OverlappingGroups) for name in names)


def new_arrays(case: Case) -> dict[str, Any]:
    """Return the arguments of a call; sets of groups are groups that overlap."""
    arrays = dict(case["arrays"])
    sets = case["settings"].get("group_sets")
    for name in ("sensitive_features", "sensitive_features_pred"):
        if sets is not None and name in arrays:
            arrays[name] = groups_of_sets(arrays[name]["frame"], sets)
    return {name: as_input(x, bam.OverlappingGroups) for name, x in arrays.items()}


def groups_of_sets(columns: Mapping[str, Any], sets: Sequence[Mapping[str, Any]]) -> Case:
    """Return a column for each set of groups: which rows are in all of its groups."""
    inside = [
        np.logical_and.reduce([columns[name] == group for name, group in members.items()])
        for members in sets
    ]
    names = [" × ".join(f"{name}={group}" for name, group in x.items()) for x in sets]
    return {"overlapping": np.column_stack(inside).astype(int), "names": names}


def intervals(case: Case, name: str, seeds: Sequence[int]) -> list[tuple[float, float] | None]:
    """Return the intervals of a number with other draws."""
    metric, arrays = new_metric(case), new_arrays(case)
    results = [metric.result(**arrays, n_boot=N_BOOT, random_state=seed) for seed in seeds]
    return [result.estimates[name].interval for result in results]

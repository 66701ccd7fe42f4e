"""Tables of known scores, and metrics with attackers that are fitted on them."""

from math import log
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import biasamp_adapters as bam

Columns = dict[str, Any]

LEAKAGE, A_TO_T, T_TO_A = "LA", "DPA A->T", "DPA T->A"

SEVERAL = [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]


def new_metric(name: str, **settings: Any) -> Any:
    if name == LEAKAGE:
        return bam.LeakageAmplification(**settings)
    return bam.DirectionalPredictabilityAmplification(direction=name[4:], **settings)


def levels(metric: Any, columns: Columns) -> tuple[float, float]:
    result = metric.result(**columns, n_boot=0)
    return result.estimates["psi_dataset"].value, result.estimates["psi_model"].value


#: Of 10 rows of group a, 6 are labelled 1, and 2 are predicted 1. Of 30 rows of b, 6 and 15.
GROUPS = np.repeat(["a", "b"], [10, 30])
LABELS = np.r_[np.arange(10) < 6, np.arange(30) < 6].astype(int)
PREDICTIONS = np.r_[np.arange(10) < 2, np.arange(30) < 15].astype(int)
TABLE: Columns = {"y_true": LABELS, "y_pred": PREDICTIONS, "sensitive_features": GROUPS}
BY_HEART: Columns = {"evaluation": "resubstitution", "equalize": None, "n_trials": 1}

#: The guesses of labels are 1 in a and 0 in b; those of predictions are 0 in a, and either in b.
RIGHT = (6 + 24, 8 + 15)


def entropy(share: float) -> float:
    return -share * log(share) - (1 - share) * log(1 - share)


LOSSES = [
    (10 * entropy(6 / 10) + 30 * entropy(6 / 30)) / 40,
    (10 * entropy(2 / 10) + 30 * entropy(15 / 30)) / 40,
]


def matrix_columns(n: int = 400) -> Columns:
    """Return a matrix whose columns lean to group 1, and predictions of it and of the group."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n)
    truth = (rng.random((n, 3)) < 0.3 + 0.4 * group[:, None]).astype(int)
    return {
        "y_true": truth,
        "y_pred": truth ^ (rng.random((n, 3)) < 0.15),
        "sensitive_features": group,
        "sensitive_features_pred": group ^ (rng.random(n) < 0.2),
    }

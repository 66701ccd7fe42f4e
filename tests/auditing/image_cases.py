"""What the tests of audits of label matrices share: 40 images of two groups, and two tasks."""

from __future__ import annotations

from typing import Any

import pandas as pd

import biasamp_adapters as bam

TASKS = ["dog", "cat"]
GROUP = ["a"] * 20 + ["b"] * 20


def images(first: tuple[int, int], second: tuple[int, int]) -> pd.DataFrame:
    """Of 20 images a group, (dogs, cats): dogs from the first image on, cats from the last back."""
    dogs = [int(i < n) for n, _ in (first, second) for i in range(20)]
    cats = [int(i >= 20 - n) for _, n in (first, second) for i in range(20)]
    return pd.DataFrame({"dog": dogs, "cat": cats})


#: Dogs are correlated with a, cats with b. Of the dogs of a, 12 true ones and 4 others are called
#: so, of those of b 4 of 6; of the cats of a 3 of 4, of those of b 10 and another.
TRUTH, SAID = images((12, 4), (6, 10)), images((16, 3), (4, 11))
MOVES = {("a", 1): 4 / 20, ("a", -1): 1 / 20, ("b", -1): 2 / 20, ("b", 1): 1 / 20}
VALUE = (4 / 20 + 1 / 20 + 2 / 20 + 1 / 20) / 4


def audit(y_pred: Any = SAID, y_true: Any = TRUTH, **options: Any) -> bam.AuditReport:
    """The audit of the images, some of it changed."""
    return bam.audit(y_true, y_pred, **{"sensitive_features": GROUP, "n_boot": 50, **options})

"""A metric that joins the registry reaches audits and hosts; their modules only list its name."""

from __future__ import annotations

import pytest
from forks import forked

# The metric of the walk in docs/architecture.md, and its rows.
_METRIC = '''
from dataclasses import dataclass
from biasamp_adapters import metrics
from biasamp_adapters.metrics.rate_changes import CooccurrenceMetric
from biasamp_adapters.metrics.result import About

@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DominantGroupAmplification(CooccurrenceMetric):
    """The differences of BA-> where the reference over-represents the group."""

    about = About(
        short="Dominant",
        source="[W21] Eq. 1",
        directions=("A->T", "T->A"),
        note="Dominant groups only.",
        function="dominant_group_amplification",
    )
    _coefficient = "over_represented"

    direction: str = "attribute_to_task"

metrics.METRICS += (DominantGroupAmplification,)
group = [1] * 50 + [2] * 50
y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
y_pred = [0] * 10 + [1] * 40 + [0] * 50
'''
_AUDIT = """
import biasamp_adapters as bam
summary = bam.audit(y_true, y_pred, sensitive_features=group, n_boot=0).summary
row = summary["metrics"][-1]
assert "Dominant groups only." in summary["notes"]
print(row["name"], row["source"], round(row["value"], 4))
"""
_FAIRLEARN = """
from biasamp_adapters.fairlearn.functions import metric_function
function = metric_function["dominant_group_amplification"]
print(round(function(y_true, y_pred, sensitive_features=group), 4))
"""
_AIF360 = """
import pandas as pd
from biasamp_adapters.aif360 import BiasAmplificationMetric, BiasAmplificationTextExplainer
from biasamp_adapters.aif360.functions import metric_function
assert callable(BiasAmplificationMetric.dominant_group_amplification_by_pair)
assert callable(BiasAmplificationTextExplainer.dominant_group_amplification)
truth = pd.Series(y_true, index=pd.Index(group, name="group"))
function = metric_function["dominant_group_amplification"]
print(round(function(truth, y_pred, prot_attr="group"), 4))
"""


@pytest.mark.parametrize(
    ("library", "code", "expected"),
    [
        ("pandas", _AUDIT, "Dominant A->T [W21] Eq. 1 0.05"),
        ("fairlearn", _FAIRLEARN, "0.05"),
        ("aif360", _AIF360, "0.05"),
    ],
)
def test_a_registered_metric_is_everywhere(library: str, code: str, expected: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    # The hosts themselves warn as they are imported.
    quiet = 'import warnings\nwarnings.simplefilter("ignore")\n'
    ended = forked(quiet + _METRIC + code)
    assert (ended.code, ended.out.splitlines()[-1:]) == (0, [expected]), ended.err

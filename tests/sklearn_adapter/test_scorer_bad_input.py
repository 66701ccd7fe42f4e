"""What a scorer refuses, and that the message says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import (
    DEPTHS,
    GROUP,
    METRICS,
    OF_ATTRIBUTES,
    REFERENCE,
    SIGNED,
    SPLITS,
    TREE,
    X,
    Y,
    routing,
    tree,
)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from biasamp_adapters import MALS, AmplificationWarning
from biasamp_adapters.sklearn import AmplificationLoss, MostAccurateWithin, amplification_scorer

FITTED = clone(TREE).fit(X, Y)
INDEXED = pd.Series(Y, pd.Index(GROUP, name="group"))


def searched(
    scorer: Any, y: Any = Y, features: Any = X, refit: Any = True, **metadata: Any
) -> GridSearchCV:
    """A search that raises what a scorer raises."""
    search = GridSearchCV(
        TREE, {"max_depth": DEPTHS}, scoring=scorer, cv=SPLITS, refit=refit, error_score="raise"
    )
    return search.fit(features, y, **metadata)


FORGOTTEN = (
    r"sensitive_features must reach the scorer; received None\. With "
    r"sklearn\.set_config\(enable_metadata_routing=True\), pass it as metadata: "
    r"search\.fit\(X, y, sensitive_features=\.\.\.\), "
    r"cross_validate\(\.\.\., params=\{'sensitive_features': \.\.\.\}\).* "
    r"Without metadata routing, name a level of y's index or, for amplification_scorer, "
    r"a column of X: sensitive_features='\.\.\.'"
)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_forgotten_attribute(metric: Any, enabled: bool) -> None:
    scorer = amplification_scorer(metric)
    with routing(enabled):
        with pytest.raises(ValueError, match=FORGOTTEN):
            scorer(FITTED, X, Y)
        with pytest.raises(ValueError, match=FORGOTTEN):
            searched(scorer)
        with pytest.raises(ValueError, match=FORGOTTEN):
            searched({"accuracy": "accuracy", "amplification": scorer}, refit="accuracy")


@pytest.mark.parametrize("metric", OF_ATTRIBUTES, ids=repr)
def test_a_forgotten_task(metric: Any) -> None:
    scorer = amplification_scorer(metric, predicts="attribute")
    message = r"task must reach the scorer; received None.* search\.fit\(X, y, task=\.\.\.\)"
    with pytest.raises(ValueError, match=message):
        scorer(clone(TREE).fit(X, GROUP), X, GROUP)
    with routing(), pytest.raises(ValueError, match=message):
        searched(scorer, GROUP)


def test_a_misspelt_attribute() -> None:
    scorer = amplification_scorer(SIGNED)
    message = (
        r"metadata of the scorer must be sensitive_features and sample_weight; received "
        r"\['sensitive_feature'\]"
    )
    with pytest.raises(ValueError, match=message):
        scorer(FITTED, X, Y, sensitive_feature=GROUP)
    with routing(), pytest.raises(TypeError, match=r"unexpected argument.*'sensitive_feature'"):
        searched(scorer, sensitive_feature=GROUP)


def test_metadata_that_scikit_learn_does_not_split() -> None:
    scorer = amplification_scorer(SIGNED)
    message = (
        r"sensitive_features must have a row for each row of the fold; received 10 for {}: "
        r"scikit-learn splits metadata of the length of X only"
    )
    with pytest.raises(ValueError, match=message.format(240)):
        scorer(FITTED, X, Y, sensitive_features=GROUP[:10])
    with routing(), pytest.raises(ValueError, match=message.format(80)):
        searched(scorer, sensitive_features=GROUP[:10])
    with pytest.raises(ValueError, match=message.format(240)):
        AmplificationLoss(SIGNED)(Y, Y, sensitive_features=pd.DataFrame({"group": GROUP[:10]}))


def test_an_attribute_from_two_sources() -> None:
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    message = "sensitive_features must come as metadata or from 'group'; received both"
    with pytest.raises(ValueError, match=message):
        scorer(FITTED, X, INDEXED, sensitive_features=GROUP)
    with routing(), pytest.raises(TypeError, match=r"unexpected argument.*'sensitive_features'"):
        searched(scorer, INDEXED, sensitive_features=GROUP)


@pytest.mark.parametrize(
    ("place", "y", "features", "has"),
    [
        ("race", INDEXED, X, r"y's index \['group'\], the columns of X \['u', 'v', "),
        ("race", Y, X, r"y's index without names, the columns of X \['u', 'v', 'z'\]"),
        ("race", Y, X.to_numpy(), r"y's index without names, the columns of X \[0, 1, 2\]"),
        (3, Y, X.to_numpy(), r"y's index without names, the columns of X \[0, 1, 2\]"),
        (["group", "race"], INDEXED, X, r"y's index \['group'\]"),
        ("u", Y, X.to_numpy().tolist(), "y's index without names, the columns of X without names"),
    ],
)
def test_a_place_that_is_not_there(place: Any, y: Any, features: Any, has: str) -> None:
    scorer = amplification_scorer(SIGNED, sensitive_features=place)
    name = "race" if place == ["group", "race"] else place
    message = (
        "sensitive_features must be among the levels of y's index or the columns of X; received "
        rf"{name!r}, but there are the levels of {has}"
    )
    with pytest.raises(ValueError, match=message):
        searched(scorer, y, features)


def test_two_places_with_different_values() -> None:
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    message = (
        "sensitive_features='group' is among the levels of y's index and the columns of X: they "
        "must hold the same values; received different ones"
    )
    with pytest.raises(ValueError, match=message):
        scorer(FITTED, X.assign(group=GROUP[::-1]), INDEXED)


@pytest.mark.parametrize("make", [amplification_scorer, AmplificationLoss])
def test_a_place_without_names(make: Any) -> None:
    message = r"sensitive_features must name at least one place; received \[\]"
    with pytest.raises(ValueError, match=message):
        make(SIGNED, sensitive_features=[])


@pytest.mark.parametrize("make", [amplification_scorer, AmplificationLoss])
@pytest.mark.parametrize("metric", [len, MALS, "MALS", None], ids=repr)
def test_what_is_no_metric(make: Any, metric: Any) -> None:
    message = "metric must be a metric object of biasamp_adapters, such as Directional"
    with pytest.raises(ValueError, match=message):
        make(metric)


@pytest.mark.parametrize("make", [amplification_scorer, AmplificationLoss])
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (
            "objective",
            "unsigned",
            r"objective must be one of \['absolute', 'signed'\]; received 'u",
        ),
        ("objective", None, r"objective must be one of \['absolute', 'signed'\]; received None"),
        ("predicts", "label", r"predicts must be one of \['task', 'attribute'\]; received 'label'"),
        ("reference", "train", r"reference must be one of \[None, 'evaluated'\]; received 'train'"),
    ],
)
def test_what_is_no_option(make: Any, option: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(SIGNED, **{option: value})


def test_a_fold_with_one_group() -> None:
    scorer = amplification_scorer(MALS(reference=REFERENCE))
    with pytest.raises(ValueError, match="must have at least two groups; received only 'a'"):
        scorer(FITTED, X, Y, sensitive_features=np.full(240, "a"))


def test_a_fold_with_an_attribute_that_is_missing() -> None:
    missing = pd.Series(Y, pd.Index([None, *GROUP[1:]], name="group"))
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    with pytest.raises(ValueError, match="sensitive_features must not have missing values"):
        scorer(FITTED, X, missing)


#: Undefined where nobody is predicted positive: it divides the positives among the groups.
OF_POSITIVES = MALS(reference=REFERENCE, pos_label=1)
#: A tree that can't be split predicts the more frequent class, here negative.
NEGATIVE = np.where(np.arange(240) % 5 == 0, Y, 0)


def test_an_undefined_metric_raises() -> None:
    scorer = amplification_scorer(OF_POSITIVES)
    model = clone(TREE).set_params(min_samples_leaf=240).fit(X, NEGATIVE)
    assert set(model.predict(X)) == {0}
    message = r"MALS is undefined on these 240 rows"
    with pytest.warns(AmplificationWarning), pytest.raises(ValueError, match=message):
        scorer(model, X, NEGATIVE, sensitive_features=GROUP)


def candidates(error_score: Any, **options: Any) -> GridSearchCV:
    """A search whose first candidate predicts no positives; the second does."""
    return GridSearchCV(
        tree(20),
        {"min_samples_leaf": [160, 1]},
        scoring={"accuracy": "accuracy", "amplification": amplification_scorer(OF_POSITIVES)},
        cv=SPLITS,
        error_score=error_score,
        **options,
    )


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_an_undefined_metric_in_a_search() -> None:
    with routing():
        with pytest.raises(ValueError, match="MALS is undefined on these 80 rows"):
            candidates("raise", refit=False).fit(X, NEGATIVE, sensitive_features=GROUP)
        with pytest.warns(UserWarning, match="Scoring failed.*|.*non-finite") as caught:
            search = candidates(np.nan, refit=False).fit(X, NEGATIVE, sensitive_features=GROUP)
    assert any("MALS is undefined on these 80 rows" in str(each.message) for each in caught)
    found = search.cv_results_["mean_test_amplification"]
    assert np.isnan(found).tolist() == [True, False]


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
@pytest.mark.filterwarnings("ignore:Scoring failed:UserWarning")  # scikit-learn's, tested above
@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
def test_a_rule_refuses_what_a_search_scored_as_nan() -> None:
    search = candidates(np.nan, refit=MostAccurateWithin(bound=1))
    message = r"scores must not be NaN; received 1 of 2 in split0_test_amplification \(error_score="
    with routing(), pytest.raises(ValueError, match=message):
        search.fit(X, NEGATIVE, sensitive_features=GROUP)


def test_forgotten_metadata_are_nan_in_a_search_that_does_not_raise() -> None:
    with pytest.warns(UserWarning, match="sensitive_features must reach the scorer"):
        found = cross_val_score(TREE, X, Y, scoring=amplification_scorer(SIGNED), cv=SPLITS)
    assert np.isnan(found).tolist() == [True] * 3

"""Tables as people have them: what an audit says of them, or one line with the remedy."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam
from biasamp_adapters.auditing.facts import facts
from biasamp_adapters.auditing.notes import notes

NAMES: dict[str, Any] = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}


def cells(g: Any, hits: int, misses: int, false: int, right: int) -> pd.DataFrame:
    """The rows of a group: labelled 1 and predicted 1, 1 and 0, 0 and 1, 0 and 0."""
    numbers = [hits, misses, false, right]
    y, p = np.repeat([1, 1, 0, 0], numbers), np.repeat([1, 0, 1, 0], numbers)
    return pd.DataFrame({"y": y, "p": p, "g": g})


A, B, C = cells("a", 80, 20, 20, 80), cells("b", 60, 30, 10, 100), cells("c", 0, 0, 20, 80)
TABLE, WITH_C = (pd.concat(parts, ignore_index=True) for parts in ([A, B], [A, B, C]))
NONE_FIRST = pd.Series([None] * 101 + [0, 1] * 199 + [0], dtype=object)
ONE_HOT = WITH_C.assign(g_a=(WITH_C["g"] == "a") * 1, g_b=(WITH_C["g"] == "b") * 1)


def audit(table: Any, **arguments: Any) -> bam.AuditReport:
    return bam.audit(table, **{**NAMES, "n_boot": 50, **arguments})


def told(report: bam.AuditReport) -> list[str]:
    return [*facts(report.summary), *notes(report.summary)]


def value(report: bam.AuditReport) -> float:
    return float(report.to_frame().set_index("key").loc["ba_a_to_t", "value"])


@pytest.mark.parametrize(
    ("table", "arguments", "sentence"),
    [
        (ONE_HOT, {"sensitive_features": "g_*"}, "100 of 500 rows are in none of these groups"),
        (ONE_HOT, {"sensitive_features": "g_*"}, "DPA(U) A→T is not computed: its attacker must"),
        (ONE_HOT.assign(g_b=1), {"sensitive_features": "g_*"}, "200 of 500 rows are in several"),
        (TABLE.assign(p=0), {}, "2 of 2 shares of groups in MALS are undefined and left out of"),
        (TABLE.assign(p=TABLE["p"] * 0.5), {}, "Predictions are probabilities, so predicted rates"),
        (
            TABLE.assign(q=TABLE["g"].where(TABLE.index % 10 > 0)),
            {"sensitive_features_pred": "q", "missing": "abstain"},
            "40 predicted groups of p are missing; these rows count as wrong and stay in every",
        ),
        (TABLE, {"y_pred": {"old": "p", "new": "y"}}, "y_true and y_pred of new are the same col"),
        (WITH_C, {"reference": TABLE}, "The reference has no rows of c, so their rates count 0 in"),
        (TABLE, {"reference": WITH_C}, "The data have no rows of c, which the reference has."),
        (WITH_C, {}, "c has no positives, so the difference of true positive rates has no value."),
    ],
)
def test_audit_tells_what_the_table_shows(table, arguments, sentence) -> None:
    assert any(part.startswith(sentence) for part in told(audit(table, **arguments)))


def test_audit_of_a_plain_table_has_none_of_these_notes() -> None:
    weights = TABLE.assign(w=np.arange(400) % 3 + 1)
    few = audit(TABLE.assign(p=TABLE["p"].where(TABLE.index % 5 == 0)), missing="abstain")
    for report in (audit(TABLE), audit(weights, sample_weight="w"), few):
        assert not [x for x in told(report) if "may be" in x or "often" in x or "counts rows" in x]


def test_labels_given_as_predictions_are_told_by_their_column() -> None:
    y, text, longer = np.array([0, 1] * 200), TABLE.astype({"y": "str"}), pd.Series([0, 1] * 201)
    pairs = [(y, y, True), (TABLE["y"], TABLE["y"], True), (text["y"], text["y"], True)]
    pairs += [(y, y.copy(), False), (longer[1:-1], longer[:-2], False)]
    reports = [(bam.audit(*x, sensitive_features=TABLE["g"], n_boot=0), told) for *x, told in pairs]
    scored = {"y_true": y, "y_score": y, "threshold": 1, "sensitive_features": TABLE["g"]}
    for report, is_told in [*reports, (bam.audit(**scored, n_boot=0), False)]:
        assert ("y_true and y_pred are the same column." in told(report)) is is_told


@pytest.mark.parametrize(
    ("table", "arguments", "doubt"),
    [
        (TABLE.assign(p=1 - TABLE["p"]), {}, "the labels may be coded the other way round."),
        (TABLE, {"y_pred": "y"}, "y_true and y_pred are the same column."),
        (TABLE.assign(g=[*"?" * 40, *TABLE["g"][40:]]), {}, "40 rows of g hold '?', which often"),
        (TABLE.assign(s=1 - TABLE["p"]), {"y_score": "s"}, "rank the classes in reverse order."),
        (
            TABLE.groupby(["y", "p", "g"]).size().rename("w").reset_index(),
            {"sample_weight": "w"},
            "If w counts rows, use Counts.from_frame(frame, ..., count='w').",
        ),
    ],
)
def test_doubt_about_the_columns_is_told_once_and_first(table, arguments, doubt) -> None:
    short, full = (audit(table, **arguments).to_text(full=full) for full in (False, True))
    assert doubt in " ".join(short.partition("How sure")[0].split())
    assert " ".join(full.split()).count(doubt) == 1


def test_given_rates_take_the_place_of_labels() -> None:
    rates = bam.BaseRates({"a": {0: 0.4, 1: 0.6}, "b": {0: 0.7, 1: 0.3}})
    report, unlabelled = (audit(TABLE, y_true=y, reference=rates) for y in ("y", None))
    assert report.summary["metrics"] == unlabelled.summary["metrics"]
    not_read = {"y_true is not read, because given rates take its place."}
    assert {*notes(report.summary)} - {*notes(unlabelled.summary)} == not_read


def test_missing_values_are_missing_in_the_reference_too() -> None:
    table = WITH_C.replace({"g": {"c": "?"}})
    report = audit(table, reference=table, missing="drop", missing_values=["?"])
    assert [group["name"] for group in report.summary["data"]["groups"]] == ["a", "b"]
    assert value(report) == value(audit(TABLE))
    assert "reference rows with missing values were left out" in report.to_text(full=True)
    data = TABLE.assign(w=range(1, 401))
    assert len({value(audit(data, reference=x, sample_weight="w")) for x in (None, data)}) == 1


def test_gate_on_a_difference_over_a_group_without_the_rate_is_not_judged() -> None:
    [failure] = audit(WITH_C).check(require_below={"true_positive_rate_difference": 0.2})
    assert str(failure) == ("p: true positive rate difference cannot be judged: c has no value.")
    soft = audit(TABLE.assign(p=TABLE["p"] * 0.5))
    [failure] = soft.check(require_above={"selection_rate_ratio": 0.1})
    assert "cannot be judged: predictions are probabilities, which" in str(failure)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("table", "arguments"),
    [
        (WITH_C, {"reference": TABLE}),
        (TABLE, {"reference": WITH_C}),
        (TABLE.assign(p=0), {}),
        (TABLE.assign(y=1, p=0), {}),
        (TABLE[:1], {}),
        (TABLE, {"group_labels": ["a", "b", "c"]}),
        (ONE_HOT.assign(g_b=0), {"sensitive_features": "g_*"}),
        (ONE_HOT.assign(g_b=NONE_FIRST), {"sensitive_features": "g_*", "missing": "drop"}),
    ],
)
def test_audit_of_an_extreme_table_is_quiet(table, arguments) -> None:
    assert audit(table, **arguments).to_html()


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        ((TABLE["y"], TABLE["p"]), {"sensitive_features": [[*TABLE["g"]]] * 2}, "features are the"),
        ((TABLE["y"], TABLE["p"]), {"sensitive_features": np.zeros((2, 400))}, "Several features"),
        ((TABLE["y"],), {"y_pred": "p"}, "received Series. Labels are passed as y_true=."),
        ((TABLE["y"], {}), {"sensitive_features": TABLE["g"]}, "one model; received an em"),
        ((TABLE,), NAMES | {"y_pred": {None: "p", "b": "y"}}, "a name for each model; received N"),
        ((TABLE,), NAMES | {"y_pred": {1: "p", "1": "y"}}, "y_pred holds 1 and '1', which look"),
        ((TABLE.assign(q=None),), NAMES | {"y_pred": {"a": "p", "b": "q"}}, "y_pred of b must not"),
        ((), {}, "y_true and y_pred, or data, must be given; received neither"),
        ((), NAMES, "Pass an array, or data first as in audit(frame, ...)."),
        ((TABLE.assign(p="no"),), NAMES, "received 'no' and 0, 1: recode one of them"),
        ((TABLE.assign(y=[0, 1, 2, 3] * 100, p=0.5),), NAMES, "y_pred must share labels"),
        ((TABLE.assign(y=[0, 1, 2, 3] * 100),), NAMES | {"pos_label": 1}, "of two that is compa"),
        ((TABLE,), {"y_true": "y", "sensitive_features": "g"}, "y_pred or sensitive_features_pred"),
        (
            (TABLE[["y", "p"]].add_prefix("true_"), TABLE[["y", "p"]].add_prefix("pred_")),
            {"sensitive_features": TABLE["g"]},
            "or those listed; in one alone: 'true_y', 'true_p', 'pred_y', 'pred_p'",
        ),
        (
            (TABLE.assign(y=[" >50K", *"bcdefg"] * 57 + ["b"]).assign(p="b"),),
            {**NAMES, "pos_label": ">50K"},
            "received '>50K'. Did you mean ' >50K'?",
        ),
        (
            (TABLE,),
            {**NAMES, "title": "\ud800"},
            "title and names of columns must be text that fits",
        ),
        ((TABLE.assign(q="z"),), {**NAMES, "clusters": "q", "y_true": "Y"}, "Did you mean 'y'?"),
        ((TABLE.assign(q=[1, "1"] * 200),), {**NAMES, "clusters": "q"}, "holds 1 and '1', which"),
    ],
)
def test_first_try_that_fails_gets_one_line_with_the_remedy(data, arguments, message) -> None:
    with pytest.raises((ValueError, TypeError)) as error:
        bam.audit(*data, **arguments)
    assert message in str(error.value)
    assert len(str(error.value)) < 300

"""Verdicts on models whose behaviour is known, by their tables of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import quietly
from scipy.stats import norm

import biasamp_adapters as bam
from biasamp_adapters._roles import Role
from biasamp_adapters.metrics.blind_errors import blind_errors
from biasamp_adapters.metrics.verdict import WORDS

#: Rows by group, truth and prediction: {group: ((TN, FP), (FN, TP))}.
Table = dict[str, tuple[tuple[int, int], tuple[int, int]]]

#: In the truth 60 % of group a and 40 % of group b are positive.
EXACT: Table = {"a": ((400, 0), (0, 600)), "b": ((600, 0), (0, 400))}


def rows(table: Table, **options: Any) -> dict[str, Any]:
    """The rows of a table as a metric takes them."""
    cells = [(group, t, p, table[group][t][p]) for group in table for t in (0, 1) for p in (0, 1)]
    group, truth, predicted = (
        np.repeat([cell[i] for cell in cells], [n for *_, n in cells]) for i in range(3)
    )
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": group, **options}


def verdict(table: Table, n_boot: int = 400, **options: Any) -> Any:
    metric = bam.DirectionalBiasAmplification()
    return quietly(metric.result, **rows(table, **options), n_boot=n_boot).verdict


def positives(a: int, b: int) -> Table:
    """So many of 1,000 rows of each group are predicted positive, true positives first."""

    def of_group(true: int, called: int) -> tuple[tuple[int, int], tuple[int, int]]:
        hits = min(true, called)
        return (1000 - true - (called - hits), called - hits), (true - hits, hits)

    return {"a": of_group(600, a), "b": of_group(400, b)}


CASES: dict[str, tuple[Table, str, str]] = {
    "no errors": (EXACT, "no_errors", "makes no mistakes"),
    "all positive": (
        {"a": ((0, 400), (0, 600)), "b": ((0, 600), (0, 400))},
        "constant",
        "(class 1)",
    ),
    # 70 % and 30 %: the gap of 20 points becomes 40. FPR: 100/400 and 0; FNR: 0 and 100/400.
    "amplifies": (
        positives(700, 300),
        "amplifies",
        "between a and b in class 1 grows from 20 points (60% against 40%) to 40 points (70% "
        "against 30%)",
    ),
    # 52 % and 48 %: from 20 to 4 points.
    "reduces": (positives(520, 480), "reduces", "shrinks from 20 points (60% against 40%) to 4"),
    # 40 % and 60 %.
    "reverses": (positives(400, 600), "reverses", "20 points in the truth, −20 in the predictions"),
    # FPR .1 and FNR .3 in both groups: 60 % becomes .6 * .7 + .4 * .1 = 46 %, 40 % becomes 34 %.
    "mistakes alike": (
        {"a": ((360, 40), (180, 420)), "b": ((540, 60), (120, 280))},
        "mistakes_only",
        "shrinks from 20 points (60% against 40%) to 12 points (46% against 34%), as far as "
        "mistakes that know nothing of the attribute would move it (to 12 points)",
    ),
    # A coin: half of every cell.
    "coin": (
        {"a": ((200, 200), (300, 300)), "b": ((300, 300), (200, 200))},
        "mistakes_only",
        "to 0 points (50% against 50%)",
    ),
    # 60 % and 40 % again, with 240 rows of 1,000 wrong in each group. Pooled, FPR and FNR are
    # 240/1000, so blind errors give .6 * .76 + .4 * .24 = 55.2 % and 44.8 %: 10.4 points.
    "rates kept": (
        {"a": ((280, 120), (120, 480)), "b": ((480, 120), (120, 280))},
        "amplifies_beneath_errors",
        "stays at 20 points (60% against 40%), where mistakes that know nothing of the "
        "attribute would give 10 points",
    ),
}


@pytest.mark.parametrize(("table", "code", "words"), CASES.values(), ids=CASES)
def test_code_and_sentence(table: Table, code: str, words: str) -> None:
    found = verdict(table)
    assert (found.code, found.reason) == (code, None)
    assert words in found.sentence
    assert found.words == WORDS[code]


def test_no_clear_change_says_what_is_excluded() -> None:
    # Ten rows of each group are wrong, as many each way, so rates stay as they are.
    few = {"a": ((395, 5), (5, 595)), "b": ((595, 5), (5, 395))}
    metric = bam.DirectionalBiasAmplification()
    result = quietly(metric.result, **rows(few), n_boot=400)
    far_end = max(map(abs, result.interval))
    assert result.verdict.code == "no_clear_change"
    assert f"of more than {100 * far_end:.1f} points is excluded" in result.verdict.sentence


@pytest.mark.parametrize("n_boot", [0, 400])
def test_what_is_certain_needs_no_interval(n_boot: int) -> None:
    assert verdict(EXACT, n_boot).code == "no_errors"
    assert verdict(CASES["all positive"][0], n_boot).code == "constant"


def test_reasons() -> None:
    even = {"a": ((500, 0), (0, 500)), "b": ((250, 250), (250, 250))}
    found = verdict(even)
    assert (found.code, found.reason) == ("cannot_say", "reference_balanced")
    skewed = {"a": ((450, 50), (50, 450)), "b": ((400, 100), (300, 200))}
    found = verdict(skewed)
    assert (found.code, found.reason) == ("cannot_say", "reference_balanced")
    # Half of each group is positive in the truth; 50 % and 30 % are called so.
    assert "selection rates of class 1 differ by 20 points (50% in a, 30% in b)" in found.sentence
    found = verdict(CASES["amplifies"][0], n_boot=0)
    assert (found.code, found.reason) == ("cannot_say", "no_interval")
    assert "BA is +0.1000, without an interval: no replicates were drawn" in found.sentence


def test_one_group() -> None:
    only = rows(positives(700, 300))
    kept = only["sensitive_features"] == "a"
    metric = bam.DirectionalBiasAmplification(
        groups=["a", "b"], reference=(only["y_true"], only["sensitive_features"])
    )
    here = {name: values[kept] for name, values in only.items()}
    found = quietly(metric.result, **here, n_boot=100).verdict
    assert (found.code, found.reason) == ("cannot_say", "one_group")
    assert "only the group a" in found.sentence.lower()


def test_direction_of_a_weak_correlation() -> None:
    """Of three groups, two go clearly with a class, and all movement is in the third."""
    table = {
        "a": ((400, 0), (0, 600)),
        "b": ((600, 0), (0, 400)),
        "c": ((250, 250), (0, 505)),
    }
    found = verdict(table)
    assert (found.code, found.reason) == ("cannot_say", "direction_unknown")
    assert "100% of all movement" in found.sentence


def test_silence_that_differs() -> None:
    """A model that is never wrong, but silent on half of group a."""
    arrays = rows(EXACT)
    predicted = arrays["y_pred"].astype(object)
    predicted[(arrays["sensitive_features"] == "a") & (np.arange(2000) % 2 == 0)] = None
    metric = bam.DirectionalBiasAmplification(missing="abstain")
    result = quietly(metric.result, **{**arrays, "y_pred": predicted}, n_boot=400)
    assert (result.verdict.code, result.verdict.reason) == ("cannot_say", "silence_differs")
    assert "abstains from 50% of a and 0% of b" in result.verdict.sentence
    # As silent on both groups, it cannot be told from mistakes.
    predicted = arrays["y_pred"].astype(object)
    predicted[np.arange(2000) % 2 == 0] = None
    result = quietly(metric.result, **{**arrays, "y_pred": predicted}, n_boot=400)
    assert result.verdict.code == "mistakes_only"


def test_silence_is_told_before_uncertain_signs() -> None:
    """All movement is the silence on one group; another group hardly goes with a class."""
    table = {**EXACT, "c": ((505, 0), (0, 495))}
    arrays = rows(table)
    predicted = arrays["y_pred"].astype(object)
    predicted[(arrays["sensitive_features"] == "a") & (np.arange(3000) % 2 == 0)] = None
    metric = bam.DirectionalBiasAmplification(missing="abstain")
    result = quietly(metric.result, **{**arrays, "y_pred": predicted}, n_boot=400)
    assert (result.verdict.code, result.verdict.reason) == ("cannot_say", "silence_differs")


def test_sentences_show_small_changes() -> None:
    # Of 100,000 rows a group, 60 and 20 are positive; 80 and 20 are called so: .08 and .02 %.
    table = {"a": ((99_920, 20), (0, 60)), "b": ((99_980, 0), (0, 20))}
    assert "from 0.04 points (0.06% against 0.02%) to 0.06 points" in verdict(table).sentence


def test_rates_that_stay_do_not_shrink() -> None:
    assert "stays at 20 points (60% against 40%), where" in verdict(CASES["rates kept"][0]).sentence


def test_rates_that_are_equal_are_of_no_two_groups() -> None:
    even = {"a": ((500, 0), (0, 500)), "b": ((500, 0), (0, 500))}
    assert "of class 1 are the same in all groups (50%)" in verdict(even).sentence


def test_base_rates_know_no_mistakes() -> None:
    rates = {"a": {0: 0.4, 1: 0.6}, "b": {0: 0.6, 1: 0.4}}
    jobs = bam.BaseRates(task_given_attribute=rates, attribute={"a": 0.5, "b": 0.5})
    metric = bam.DirectionalBiasAmplification(reference=jobs)
    given = rows(positives(700, 300), y_true=None)
    result = quietly(metric.result, **given, n_boot=400)
    assert result.excess is None
    assert result.verdict.code == "amplifies"
    assert "from 20 points (60% against 40%) to 40 points" in result.verdict.sentence


def test_reference_that_the_truth_does_not_follow() -> None:
    """In training, group b was favoured: who repeats the test data reverses nothing."""
    against = positives(650, 350)
    training = rows({"a": ((600, 0), (0, 400)), "b": ((400, 0), (0, 600))})
    metric = bam.DirectionalBiasAmplification(
        reference=(training["y_true"], training["sensitive_features"])
    )
    found = quietly(metric.result, **rows(against), n_boot=400).verdict
    # Rates of a rise from 60 to 65 %, against the reference, which goes with b.
    assert found.code == "reduces"


@pytest.mark.parametrize("case", CASES)
def test_the_other_direction(case: str) -> None:
    """Task and attribute exchanged, T->A is judged as A->T."""
    table, code, _ = CASES[case]
    given = rows(table)
    truth, predicted, group = given["y_true"], given["y_pred"], given["sensitive_features"]
    metric = bam.DirectionalBiasAmplification(direction="T->A")
    result = quietly(
        metric.result,
        group,
        group,
        sensitive_features=truth,
        sensitive_features_pred=predicted,
        n_boot=400,
    )
    assert result.verdict.code == code


@pytest.mark.parametrize("case", CASES)
def test_columns_of_a_matrix(case: str) -> None:
    """Two columns of one label each are judged as the label."""
    table, code, _ = CASES[case]
    given = rows(table)
    columns = {name: np.eye(2, dtype=int)[given[name]] for name in ("y_true", "y_pred")}
    found = quietly(
        bam.DirectionalBiasAmplification().result, **{**given, **columns}, n_boot=400
    ).verdict
    assert found.code == code


def test_weights_count_as_rows() -> None:
    table = positives(700, 300)
    given = rows(table)
    weighted = quietly(
        bam.DirectionalBiasAmplification().result,
        **given,
        sample_weight=np.full(2000, 2.0),
        n_boot=400,
    )
    assert weighted.verdict.code == "amplifies"


def test_other_metrics_have_none() -> None:
    given = rows(positives(700, 300))
    for metric in (bam.MALS(), bam.MultiAttributeBiasAmplification(), bam.LeakageAmplification()):
        assert quietly(metric.result, **given).verdict is None
    assert quietly(bam.MALS().result, **given).excess is not None


cells = st.integers(1, 20)


@given(cells, cells, cells, cells, st.integers(0, 5), st.integers(0, 5))
def test_equalised_odds_have_no_excess(
    n_a0: int, n_a1: int, n_b0: int, n_b1: int, mistaken: int, missed: int
) -> None:
    """With the same FPR and FNR in both groups, BA is what blind errors give."""

    def split(negatives: int, positives: int) -> tuple[tuple[int, int], tuple[int, int]]:
        # Five rows for each, so that the shares are the same whole numbers of rows.
        return (
            (negatives * (5 - mistaken), negatives * mistaken),
            (positives * missed, positives * (5 - missed)),
        )

    table = {"a": split(n_a0, n_a1), "b": split(n_b0, n_b1)}
    result = quietly(bam.DirectionalBiasAmplification().result, **rows(table))
    assert result.excess.value == pytest.approx(0, abs=1e-14)
    # The gap is (TPR - FPR) times the gap of the truth, and BA half of its change in both groups.
    gap = n_a1 / (n_a0 + n_a1) - n_b1 / (n_b0 + n_b1)
    kept = (5 - missed) / 5 - mistaken / 5
    assert result.blind_errors.value == pytest.approx((kept - 1) * abs(gap) / 2, abs=1e-14)


@pytest.mark.parametrize("by", ["task", "attribute"])
def test_blind_errors_of_many_labels(by: str) -> None:
    """Of 40 labels the confusions that occur are multiplied, of some of which there are no rows."""
    rng = np.random.default_rng(0)
    truth, other = rng.integers(0, 40, 300), rng.integers(0, 3, 300)
    predicted = np.where(rng.random(300) < 0.7, truth, rng.integers(0, 40, 300))
    lists = {"labels" if by == "task" else "groups": range(41)}
    data = (truth, predicted, other) if by == "task" else (other, other, truth, predicted)
    counts = bam.JointCounts.from_arrays(*data, **lists)
    weights = rng.poisson(1, (2, len(counts.rows)))
    for tables in (counts.tables(), counts.weighted_by(weights), next(counts.without_one(1))[0]):
        joint = tables.joint("attribute", "task")
        found = blind_errors(tables, Role(by), joint, np.zeros(0))
        confusions = tables.joint(by, f"{by}_prediction".removeprefix("task_"))
        shares = confusions / np.maximum(tables.marginal(by), 1)[..., None]
        expected = joint @ shares if by == "task" else shares.swapaxes(-1, -2) @ joint
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_blind_errors_where_nothing_is_predicted() -> None:
    truth, nothing, groups = [*range(40)] * 2, [None] * 80, ["a", "b"] * 40
    lists = {"labels": range(40), "missing": "abstain"}
    counts = bam.JointCounts.from_arrays(truth, nothing, groups, **lists)
    assert quietly(bam.DirectionalBiasAmplification().from_counts, counts).excess.value == 0


def moved(truth: dict[str, list[int]], moves: dict[str, list[tuple[int, int, int]]]) -> Any:
    """The verdict on a model that is right but for (rows, from class, to class) in each group."""
    arrays: dict[str, list[Any]] = {"y_true": [], "y_pred": [], "sensitive_features": []}
    for group, sizes in truth.items():
        of_group = np.repeat(np.arange(len(sizes)), sizes)
        predicted = of_group.copy()
        for n, source, target in moves[group]:
            predicted[np.flatnonzero((of_group == source) & (predicted == source))[:n]] = target
        arrays["y_true"] += of_group.tolist()
        arrays["y_pred"] += predicted.tolist()
        arrays["sensitive_features"] += [group] * len(of_group)
    metric = bam.DirectionalBiasAmplification()
    return quietly(metric.result, **arrays, n_boot=400, random_state=0)


def test_clear_value_of_signs_that_may_be_noise() -> None:
    """Classes 2 and 3 differ by 4 of 1,000 rows between groups, and all amplification is theirs."""
    truth = {"a": [350, 150, 248, 252], "b": [150, 350, 252, 248]}
    moves = {
        "a": [(50, 2, 0), (10, 3, 0), (10, 1, 0)],
        "b": [(10, 2, 0), (50, 3, 0), (10, 1, 0)],
    }
    result = moved(truth, moves)
    # Class 0 grows by 70 rows and class 1 shrinks by 10, in both groups: nothing along the signs.
    # Class 2, which leans to b, loses 50 rows of a and 10 of b; class 3 the other way round.
    assert result.value == pytest.approx((0.05 - 0.01 - 0.01 + 0.05) / 8)
    assert result.interval[0] > 0
    assert result.excess.interval[0] > 0
    # Of all movement, .12 of .28 is in these two classes.
    assert result.facts.uncertain_share == pytest.approx(0.12 / 0.28)
    assert (result.verdict.code, result.verdict.reason) == ("cannot_say", "direction_unknown")
    assert "depends on correlations of the reference that may be noise" in result.verdict.sentence


def test_clear_value_whatever_the_uncertain_signs_are() -> None:
    """Most movement is in four classes that groups have alike, and is the same in both groups."""
    truth = {"a": [300, 100, 152, 148, 150, 150], "b": [100, 300, 148, 152, 150, 150]}
    alike = [(40, 2, 3), (40, 4, 5)]
    result = moved(truth, {"a": [(60, 1, 0), *alike], "b": [(60, 0, 1), *alike]})
    # Class 0 moves by .06 along its signs in both groups, and so does class 1.
    assert result.value == pytest.approx(4 * 0.06 / 12)
    assert result.facts.uncertain_share == pytest.approx(8 * 0.04 / (8 * 0.04 + 4 * 0.06))
    assert result.verdict.code == "amplifies"


def test_signs_are_drawn_as_often_wrong_as_the_reference_leaves_open() -> None:
    # The correlation of 510 and 490 of 1,000 is 20 / sqrt(500) standard errors from 0.
    result = moved({"a": [510, 490], "b": [490, 510]}, {"a": [(50, 0, 1)], "b": []})
    signs = np.concatenate([*result.measurement._drawn_signs(500)])
    sign = np.array([[1, -1], [-1, 1]])
    # The four pairs of two groups and two classes have one correlation.
    assert (np.abs((signs * sign).sum(axis=(1, 2))) == 4).all()
    wrong = float((signs[:, 0, 0] < 0).mean())
    assert wrong == pytest.approx(norm.sf(20 / np.sqrt(500)), abs=4 * np.sqrt(0.25 / len(signs)))


def test_groups_of_several_attributes_are_named_as_one() -> None:
    crossed = {"sex": ["m", "w"] * 1000, "age": ["old"] * 1000 + ["young"] * 1000}
    data = rows(positives(700, 300))
    order = np.argsort(data["sensitive_features"] == "b", kind="stable")
    told = quietly(
        bam.DirectionalBiasAmplification().result,
        data["y_true"][order],
        data["y_pred"][order],
        sensitive_features=crossed,
        n_boot=200,
    ).verdict.sentence
    named = [f"{sex} × {age}" for sex in "mw" for age in ("old", "young")]
    assert sum(name in told for name in named) == 2
    assert ", old" not in told


def test_one_point_is_no_plural() -> None:
    # FPR and FNR of .475 multiply the gap of 20 points by .05.
    kept = {"a": ((210, 190), (190, 410)), "b": ((410, 190), (190, 210))}
    # Pooled, FPR and FNR are 380/1000; blind errors leave 20 (1 - .76) = 4.8 points.
    assert "would give 5 points" in verdict(kept).sentence
    kept = {"a": ((160, 240), (240, 360)), "b": ((360, 240), (240, 160))}
    # 480/1000 each: 20 (1 - .96) = .8 of a point.
    assert verdict(kept).sentence.endswith("would give 1 point.")


def test_movement_against_the_correlations_has_no_sign() -> None:
    three: Table = EXACT | {"c": ((500, 0), (0, 500))}
    half = {
        g: ((t[0][0] // 2, t[0][0] // 2), (t[1][1] // 2, t[1][1] // 2)) for g, t in three.items()
    }
    told = verdict(half).sentence
    # A coin moves a and b by 10 points towards 50 %, in both classes, and c not at all.
    assert told.startswith("Rates move by 7 points on average against the reference's correlations")
    # One class tells of the other.
    assert "2 of 3 pairs move that way. Most of all, " in told


@pytest.mark.parametrize("balanced", [False, True])
def test_silence_on_every_row(balanced: bool) -> None:
    table = {"a": EXACT["a"], "b": EXACT["a" if balanced else "b"]}
    metric = bam.DirectionalBiasAmplification(labels=[0, 1], missing="abstain")
    found = quietly(metric.result, **rows(table) | {"y_pred": [None] * 2000}).verdict
    assert found.code == ("cannot_say" if balanced else "constant")
    assert "the model abstains from every prediction of the task" in found.sentence.lower()
    assert found.constant == "nothing"


def test_rates_that_stay_on_average() -> None:
    kept: Table = {g: ((t[0][0] - 120, 120), (120, t[1][1] - 120)) for g, t in EXACT.items()}
    found = verdict(kept | {"c": ((380, 120), (120, 380))})
    assert found.code == "amplifies_beneath_errors"
    assert found.sentence.startswith("On average, rates do not move along the reference's")


def test_classes_without_rows_draw_the_mean_towards_0() -> None:
    data, one_more = rows(positives(700, 300)), {"labels": [0, 1, 2]}
    two = quietly(bam.DirectionalBiasAmplification().result, **data)
    three = quietly(bam.DirectionalBiasAmplification(**one_more).result, **data)
    assert three.value == pytest.approx(two.value * 4 / 6)
    assert two.notes == ()
    assert three.notes == (
        "2 of 6 pairs are 0 and draw the mean towards 0: neither truth nor predictions have rows "
        "of class 2",
    )


def test_groups_without_rows_move_what_mals_takes_for_favoured() -> None:
    # 60 % and 40 % of the positives are both more than a third.
    found = quietly(bam.MALS(groups=["a", "b", "z"]).result, **rows(positives(700, 300)))
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.notes == (
        "group 'z' has no rows and counts all the same: a group is favoured where it has more than "
        "1/3 of the positives",
    )

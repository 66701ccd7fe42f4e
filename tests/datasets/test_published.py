"""The tables of the papers: what must hold of them, and where the print contradicts itself.

A test whose name says "printed" pins a contradiction down: it passes because the paper is wrong
somewhere, and shows by how much. [W20] is the earlier version of [W21].
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from biasamp_adapters import MALS, DirectionalBiasAmplification
from biasamp_adapters.datasets import load_published

ROWS = {
    "t25_table_2": 48,
    "t25_table_3": 54,
    "t25_table_4": 54,
    "t25_table_6": 24,
    "t25_table_7": 12,
    "t25_table_8": 20,
    "t25_table_9": 40,
    "t25_table_10": 54,
    "t25_table_11": 54,
    "w21_jobs": 32,
    "w21_shortcomings": 18,
    "w21_table_1": 9,
    "w21_table_2": 8,
}
MODELS = {number: f"t25_table_{number}" for number in (3, 4, 10, 11)}
LN2 = log(2)


def entropy(p: float) -> float:
    """The cross-entropy of the best attacker, in nats, where the rate is ``p``."""
    return -p * log(p) - (1 - p) * log(1 - p)


def wide(table: pd.DataFrame, index: str | list[str], cells: str = "value") -> pd.DataFrame:
    """A column for each metric."""
    return table.pivot(index=index, columns="metric", values=cells)


# --- The tables as data ---------------------------------------------------------------------------


def test_an_unknown_name_lists_the_tables() -> None:
    with pytest.raises(
        ValueError, match=re.escape(f"name must be one of {sorted(ROWS)}; received 't'")
    ):
        load_published("t")


@pytest.mark.parametrize(
    ("name", "rows", "columns", "expected"),
    [
        (
            "t25_table_2",
            "split == 'unbalanced' and metric == 'DPA'",
            ["value", "half_width"],
            [[-0.0152, 0.0017], [0.1365, 0.0013], [0.6015, 0.0006], [0.8085, 0.0003]],
        ),
        (
            "t25_table_9",
            "split == 'unbalanced' and metric == 'DPA'",
            ["value", "half_width"],
            [[0.0034, 0.0006], [0.0195, 0.0007], [0.0214, 0.0010], [0.0242, 0.0004]],
        ),
        (
            "t25_table_3",
            "metric == 'DPA' and rank < 4",
            ["model", "value", "rank", "decimals"],
            [["MaxViT", -0.147, 1, 3], ["ViT_b_32", -0.05, 2, 3], ["ViT_b_16", -0.036, 3, 3]],
        ),
        (
            "t25_table_4",
            "metric == 'Multi' and value > 0.7 and value < 1 or value > 48",
            ["model", "value", "rank", "decimals"],
            [
                ["SqueezeNet", 48.47, 9, 2],
                ["Wide ResNet50", 0.705, 3, 3],
                ["Wide ResNet101", 0.73, 4, 3],
            ],
        ),
        (
            "t25_table_10",
            "metric == 'DPA' and rank < 4",
            ["model", "value", "rank", "decimals"],
            [
                ["SqueezeNet", -0.013, 3, 3],
                ["ViT_b_32", -0.025, 1, 3],
                ["Wide ResNet50", -0.02, 2, 3],
            ],
        ),
        (
            "t25_table_11",
            "metric == 'DPA' and value > 0.0215",
            ["model", "value", "rank", "decimals"],
            [["Swin Tiny", 0.022, 7, 3], ["VGG16", 0.047, 8, 3], ["ViT_b_32", 0.174, 6, 3]],
        ),
        (
            "t25_table_7",
            "split == 'unbalanced' and direction == 'T->A'",
            ["metric", "value", "half_width", "decimals"],
            [["BA", -0.078, 0.031, 3], ["Multi", 0.078, 0.026, 3], ["DPA", 0.063, 0.005, 3]],
        ),
        (
            "t25_table_8",
            "metric == 'Multi'",
            ["shortcut_difference", "accuracy_with", "value"],
            [
                [0.05, 71.2, 0.2569],
                [0.1, 72.58, 0.2707],
                [0.15, 74.31, 0.2879],
                [0.2, 75.01, 0.3017],
            ],
        ),
        (
            "w21_table_2",
            "direction == 'T->A'",
            ["source", "pronouns", "value", "half_width"],
            [
                ["uniform", 2, 0.1368, 0.0226],
                ["uniform", 3, 0.0914, 0.0151],
                ["Wikipedia", 2, 0.0372, 0.0307],
                ["labor force", 2, -0.1254, 0.0026],
            ],
        ),
    ],
)
def test_rows_of_the_print(name: str, rows: str, columns: list[str], expected: list[Any]) -> None:
    assert load_published(name).query(rows)[columns].to_numpy().tolist() == expected


def test_the_jobs_lean_as_their_rates_do() -> None:
    jobs = load_published("w21_jobs")
    assert ((jobs["percent_women"] < 50) == (jobs["leaning"] == "men")).all()
    assert jobs["leaning"].value_counts().to_dict() == {"men": 16, "women": 16}


@pytest.mark.parametrize("name", ROWS)
def test_shape_and_types(name: str) -> None:
    frame = load_published(name)
    assert len(frame) == ROWS[name]
    assert not frame.isna().any(axis=None)
    assert not frame.drop(columns=["value", "half_width"], errors="ignore").duplicated().any()
    if "value" in frame:
        rounded = [round(v, d) for v, d in zip(frame["value"], frame["decimals"], strict=True)]
        assert rounded == [*frame["value"]]


@pytest.mark.parametrize("name", ROWS)
def test_a_frame_is_fresh(name: str) -> None:
    frame = load_published(name)
    before = frame.copy()
    frame.iloc[:, -1] = 0
    del frame[frame.columns[0]]
    pd.testing.assert_frame_equal(load_published(name), before)


def test_decimals_are_those_printed() -> None:
    assert load_published("t25_table_2")["decimals"].value_counts().to_dict() == {
        4: 47,
        3: 1,
    }  # .015 of MALS
    sparse = load_published("t25_table_3").query("decimals == 2")  # 48.40 and 25.58
    assert sparse["model"].tolist() == ["SqueezeNet"] * 2
    assert set(load_published("t25_table_7")["decimals"]) == {3}


# --- What must hold -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "mals", "directional"),
    [
        # [W21] 3.2 and 4.1; the working is in tests/metrics/test_worked_values.py.
        ("three groups", 0, (10 / 50 + 10 / 30) / 3),
        ("two groups, first model", 40 / 40 - 40 / 50, (10 / 50) / 2),
        ("two groups, second model", 50 / 60 - 40 / 50, (10 / 50) / 2),
        ("imbalanced groups", 0 / 30 - 30 / 50, (30 / 90 + 10 / 30) / 2),
    ],
)
def test_scenarios_give_the_values_of_the_text(
    scenario: str, mals: float, directional: float
) -> None:
    rows = load_published("w21_shortcomings").query("scenario == @scenario")
    data = {
        "y_true": rows["y_true"],
        "y_pred": rows["y_pred"],
        "sensitive_features": rows["group"],
        "sample_weight": rows["count"],
    }
    assert MALS()(**data) == pytest.approx(mals, abs=1e-12)
    assert DirectionalBiasAmplification()(**data) == pytest.approx(directional, abs=1e-12)


@pytest.mark.parametrize("name", ["t25_table_2", "t25_table_9", *MODELS.values(), "t25_table_7"])
def test_a_mean_of_sizes_is_at_least_the_size_of_the_mean(name: str) -> None:
    table = load_published(name)
    keys = [c for c in ("split", "version", "direction", "model") if c in table]
    values = wide(table, keys)
    assert (values["Multi"] >= values["BA"].abs()).all()


def test_counts_of_compas_add_up() -> None:
    for split, rows in load_published("t25_table_6").groupby("split"):
        labels = ["task_label", "attribute_label"]
        assert set(rows.groupby(labels)["count"].sum()) == {
            {"unbalanced": 5278, "balanced": 4 * 874}[str(split)]
        }
        for given in ("task", "attribute"):
            fixed = rows[rows[f"{given}_label"] == "true"]
            sums = fixed.groupby([*labels, given])["count"].sum().unstack()
            assert (sums.nunique() == 1).all()  # whoever is predicted, the truth stays


def changes(split: str, direction: str) -> pd.DataFrame:
    """D of Table 6: how predictions change the rates, given the task or the attribute."""
    out, given = ("attribute", "task") if direction == "T->A" else ("task", "attribute")
    rows = load_published("t25_table_6").query(f"split == @split and {given}_label == 'true'")
    other = "task" if out == "attribute" else "attribute"
    rows = rows[rows[f"{other}_label"] == "true"]
    counts = rows.set_index([f"{out}_label", given, out])["count"].unstack()
    rates = counts.div(counts.sum(axis=1), axis=0)
    return rates.loc["predicted"] - rates.loc["true"]


@pytest.mark.parametrize(
    ("split", "direction", "multi"),
    [
        # 1229/2631 -> 1056/2631 and 1773/2647 -> 1532/2647; then the same way.
        ("unbalanced", "T->A", (173 / 2631 + 241 / 2647) / 2),
        ("unbalanced", "A->T", (64 / 2103 + 144 / 3175) / 2),
        ("balanced", "T->A", (209 / 1748 + 22 / 1748) / 2),
        ("balanced", "A->T", (271 / 1748 + 74 / 1748) / 2),
    ],
)
def test_counts_of_compas_give_ba_and_multi(split: str, direction: str, multi: float) -> None:
    d = changes(split, direction)
    assert d.abs().to_numpy().mean() == pytest.approx(multi)
    printed = load_published("t25_table_7").query("split == @split and direction == @direction")
    values = printed.set_index("metric")["value"]
    assert values["Multi"] == round(multi, 3)
    # No-recidivism goes with Caucasian in the unbalanced set, and with nobody in the balanced one.
    sign = int(split == "unbalanced")
    ba = sign * (d.loc[0, 0] - d.loc[0, 1] - d.loc[1, 0] + d.loc[1, 1]) / 4
    assert values["BA"] == round(ba, 3) == -sign * round(multi, 3)


@pytest.mark.parametrize("name", ["t25_table_2", "t25_table_7", "t25_table_9"])
def test_ba_of_a_balanced_set_is_zero(name: str) -> None:
    table = load_published(name)
    assert (table.query("split == 'balanced' and metric == 'BA'")["value"] == 0).all()


# --- Ranks, Tables 3, 4, 10 and 11 ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (3, {}),
        # .000 has the ranks 2, 3 and 3: more digits may tell the first from the others.
        (4, {("LA", "Wide ResNet101"): (3, 2), ("LA", "VGG16"): (3, 2)}),
        (
            10,
            {
                ("Multi", "ViT_b_32"): (5, 4),  # 7.252
                ("Multi", "ViT_b_16"): (4, 5),  # 7.719
                ("Multi", "MobileNet V2"): (7, 6),  # 9.761
                ("Multi", "Swin Tiny"): (6, 7),  # 10.86
                ("MALS", "Wide ResNet50"): (4, 3),  # .061
                ("MALS", "Wide ResNet101"): (3, 4),  # .109
            },
        ),
        (
            11,
            {
                ("Sen", "VGG16"): (9, 8),  # .497 beside .626: two models are ninth
                ("DPA", "ViT_b_32"): (6, 9),  # .174, the highest; two models are sixth
                ("DPA", "MobileNet V2"): (5, 4),  # .021 three times, as 4, 5 and 6
                ("DPA", "ViT_b_16"): (6, 4),
                ("LA", "Wide ResNet101"): (3, 2),
                ("LA", "VGG16"): (3, 2),
            },
        ),
    ],
)
def test_printed_ranks_that_are_not_those_of_the_values(
    number: int, printed: dict[tuple[str, str], tuple[int, int]]
) -> None:
    table = load_published(MODELS[number])
    table["implied"] = table.groupby("metric")["value"].rank(method="min").astype(int)
    other = table[table["rank"] != table["implied"]].set_index(["metric", "model"])
    assert dict(
        zip(other.index, zip(other["rank"], other["implied"], strict=True), strict=True)
    ) == (printed)


@pytest.mark.parametrize(
    ("number", "models"),
    [
        (3, 2),  # the text says one position: it counts an exchange once
        (4, 0),  # exactly, as caption and text say
        (10, 3),  # as the text says
        (11, 3),  # as the text says; the caption says exactly
    ],
)
def test_models_that_dpa_ranks_otherwise_than_sensitivity(number: int, models: int) -> None:
    ranks = wide(load_published(MODELS[number]), "model", "rank")
    if number == 11:  # the two misprints
        ranks.loc["VGG16", "Sen"] = 8
        ranks.loc["ViT_b_32", "DPA"] = 9
    assert sorted(ranks["DPA"]) == sorted(ranks["Sen"]) == [*range(1, 10)]
    assert (ranks["DPA"] != ranks["Sen"]).sum() == models


@pytest.mark.parametrize(
    ("a_to_t", "t_to_a", "printed"),
    [
        (
            "t25_table_3",
            "t25_table_10",
            {
                "SqueezeNet": (25.58, 25.59),
                "MaxViT": (0.211, 0.212),
                "ViT_b_16": (0.228, 0.229),
                "Swin Tiny": (-0.074, -0.082),
            },
        ),
        ("t25_table_4", "t25_table_11", {}),
    ],
)
def test_printed_mals_without_direction_that_differs_between_directions(
    a_to_t: str, t_to_a: str, printed: dict[str, tuple[float, float]]
) -> None:
    one, other = (wide(load_published(name), "model") for name in (a_to_t, t_to_a))
    assert (one["LA"] == other["LA"]).all()
    differ = one.index[one["MALS"] != other["MALS"]]
    assert {m: (one.loc[m, "MALS"], other.loc[m, "MALS"]) for m in differ} == printed


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (3, {"SqueezeNet"}),
        (4, {"SqueezeNet", "MobileNet V2", "ViT_b_32", "ViT_b_16", "MaxViT"}),
    ],
)
def test_printed_multi_that_one_activity_an_image_does_not_allow(
    number: int, printed: set[str]
) -> None:
    # Given the gender, shares of activities sum to 1 before and after: sum over t of |D| <= 2. Over
    # 205 activities the mean is at most 2/205, .976 in the table's unit.
    multi = wide(load_published(MODELS[number]), "model")["Multi"]
    assert set(multi.index[multi > 100 * 2 / 205]) == printed


# --- Shortcuts, Table 8: A and T are balanced, so every rate of the truth is 1/2 ------------------


def shortcuts() -> pd.DataFrame:
    keys = ["shortcut_difference", "accuracy_without", "accuracy_with"]
    return wide(load_published("t25_table_8"), keys).reset_index()


def test_printed_mals_and_ba_of_a_balanced_set() -> None:
    # P(A|T) = 1/2 > 1/2 nowhere, so MALS = 0; with >=, D of the two genders would cancel.
    assert shortcuts()["MALS"].tolist() == [0.2586, 0.0032, 0.1793, 0.2448]
    assert (shortcuts()["BA"] == 0).all()


def test_printed_dpa_below_what_multi_implies() -> None:
    # q_a = P(T^=1|A=a), m = mean |q_a - 1/2|. H is concave, so the best attacker's loss on the
    # predictions, mean H(q_a), is at most H(1/2 + m); on the balanced truth, whatever is flipped,
    # it is ln 2.
    rows = shortcuts()
    least = [(LN2 - entropy(0.5 + m)) / (LN2 + entropy(0.5 + m)) for m in rows["Multi"]]
    assert [round(x, 4) for x in least] == [0.1110, 0.1256, 0.1458, 0.1638]
    assert rows["DPA"].tolist() == [0.0829, 0.0993, 0.1098, 0.1380]


def test_printed_leakage_of_zero_would_make_that_bound_the_value() -> None:
    # LA = 1/H(A|T^) - 1/ln 2 is 0 only where T^ tells nothing of A, so q_0 = q_1, both 1/2 + m or
    # both 1/2 - m. With one of each, LA would be 1/H(1/2 + m) - 1/ln 2.
    assert (shortcuts()["LA"] == 0).all()
    assert [round(1 / entropy(0.5 + m) - 1 / LN2, 2) for m in shortcuts()["Multi"]] == [
        0.36,
        0.41,
        0.49,
        0.57,
    ]


def test_printed_accuracy_above_what_multi_allows() -> None:
    # Where half the rows are positive and a share q is called so, at least |q - 1/2| are wrong.
    rows = shortcuts()
    most = (100 * (1 - rows["Multi"])).round(2)
    assert most.tolist() == [74.31, 72.93, 71.21, 69.83]
    assert rows["accuracy_with"].tolist() == [71.20, 72.58, 74.31, 75.01]
    assert (rows["accuracy_with"] > most).tolist() == [False, False, True, True]


def test_printed_multi_counts_in_580_rows_and_not_in_1152() -> None:
    # |q_a - 1/2| are multiples of 1 / (rows of a group), their mean of 1 / rows: 4 x 288 = 1152.
    multi = shortcuts()["Multi"]

    def fits(rows: int) -> bool:
        return all(abs(round(m * rows) / rows - m) <= 0.5e-4 for m in multi)

    assert [rows for rows in range(2, 1200, 2) if fits(rows)] == [580, 1160]


def test_printed_multi_increases_too() -> None:
    # The text says that only DPA does.
    assert shortcuts()["Multi"].is_monotonic_increasing
    assert shortcuts()["DPA"].is_monotonic_increasing


# --- Balanced sets, T->A, with one task an image and equally many images of each ------------------


def test_printed_dpa_above_what_multi_allows() -> None:
    # H is concave: the loss mean H(1/2 + d_t) is least where a share 2m of the tasks has d = 1/2,
    # (1 - 2m) ln 2. So DPA <= 2m / (2 - 2m). Images with several objects are not bound by it.
    rows = wide(load_published("t25_table_2").query("split == 'balanced'"), "version")
    most = rows["Multi"] / (1 - rows["Multi"])
    assert most.round(4).to_dict() == {
        "original": 0.0008,
        "partial": 0.0010,
        "segment": 0.0038,
        "bounding box": 0.0043,
    }
    assert (rows["DPA"] > 8 * most).all()


def test_printed_dpa_below_what_multi_implies_for_imsitu() -> None:
    # The bound of Table 8; equally many images of each activity is an approximation here.
    rows = wide(load_published("t25_table_11"), "model")
    least = rows["Multi"].map(
        lambda m: 100 * (LN2 - entropy(0.5 + m / 100)) / (LN2 + entropy(0.5 + m / 100))
    )
    below = rows["DPA"] < least
    assert set(rows.index[~below]) == {"SqueezeNet", "MaxViT", "ViT_b_32"}
    assert round(least["VGG16"], 2) == 0.46
    assert rows.loc["VGG16", "DPA"] == 0.047


# --- COMPAS, Table 7 ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("split", "direction", "most", "printed"),
    [
        ("unbalanced", "T->A", 0.0117, 0.063),
        ("balanced", "T->A", 0.0106, 0.061),
        ("balanced", "A->T", 0.0193, 0.100),
    ],
)
def test_printed_dpa_of_compas_is_out_of_reach_of_an_attacker_with_probabilities(
    split: str, direction: str, most: float, printed: float
) -> None:
    # Appendix I names 1/cross-entropy. Of probabilities, an attacker no worse than a coin has
    # L_D <= ln 2, and none has less than the conditional entropy as L_M, so (L_D - L_M)/(L_D + L_M)
    # is at most this. Hard guesses give the printed values: tests/examples/test_compas_tables.py.
    out, given = ("attribute", "task") if direction == "T->A" else ("task", "attribute")
    rows = load_published("t25_table_6").query(f"split == @split and {out}_label == 'predicted'")
    counts = rows.pivot(index=given, columns=out, values="count")
    total = counts.sum(axis=1)
    loss = sum(total[g] * entropy(counts.loc[g, 0] / total[g]) for g in (0, 1)) / total.sum()
    assert round((LN2 - loss) / (LN2 + loss), 4) == most
    values = load_published("t25_table_7").query("split == @split and direction == @direction")
    assert values.set_index("metric")["value"]["DPA"] == printed


def test_printed_half_widths_of_ba_and_multi_that_mirror_each_other() -> None:
    # Multi >= -BA in every run. Their means are equal, so they are in every run, and so should be
    # their intervals.
    rows = (
        load_published("t25_table_7")
        .query("split == 'unbalanced'")
        .set_index(["direction", "metric"])
    )
    assert rows.loc[("T->A", "Multi"), "value"] == -rows.loc[("T->A", "BA"), "value"]
    assert rows.loc["T->A", "half_width"][["BA", "Multi"]].tolist() == [0.031, 0.026]
    assert rows.loc["A->T", "half_width"][["BA", "Multi"]].tolist() == [0.001, 0.001]


# --- [W21] ----------------------------------------------------------------------------------------


def fitbert(cells: str) -> pd.DataFrame:
    rows = load_published("w21_table_2")
    rows["base"] = rows["source"] + " " + rows["pronouns"].astype(str)
    return rows.pivot(index="base", columns="direction", values=cells)


def test_printed_half_width_of_the_labor_force_should_be_that_of_uniform() -> None:
    # With the same signs, other base rates b move the value by mean s (b - 1/2), whatever the
    # model's outputs. [W20] Table 1 has other outputs and the same differences.
    value, half_width = fitbert("value"), fitbert("half_width")
    move = (value.loc["uniform 2"] - value.loc["labor force 2"]).round(4)
    assert move.to_dict() == {"T->A": 0.2622, "A->T": 0.0173}
    assert round(0.1875 - -0.0747, 4) == 0.2622
    assert round(0.0156 - -0.0017, 4) == 0.0173
    assert half_width["A->T"][["uniform 2", "labor force 2"]].tolist() == [0.0054, 0.0054]
    assert half_width["T->A"][["uniform 2", "labor force 2"]].tolist() == [0.0226, 0.0026]


def test_printed_uniform_base_rates_leave_the_third_pronoun_out() -> None:
    # Without "they" in the outputs D is p - 1/3, 2/3 - p and -1/3. The signs of A.3 (+, -, -) give
    # (2 (p - 1/2) + 1/3) / 3, that is 2/3 of the value for two pronouns and 1/9.
    value, half_width = fitbert("value"), fitbert("half_width")
    two, three = value.loc["uniform 2"], value.loc["uniform 3"]
    assert round(2 / 3 * two["T->A"] + 1 / 9, 4) == 0.2023
    assert three["T->A"] == 0.0914  # .0002 above 2/3 of .1368, which is .0912
    assert round(2 / 3 * two["T->A"], 4) == 0.0912
    assert three["A->T"] == round(2 / 3 * two["A->T"], 4) == 0.0056
    assert (half_width.loc["uniform 3"] == (2 / 3 * half_width.loc["uniform 2"]).round(4)).all()


def test_printed_a_to_t_of_table_1_is_not_the_mean_of_table_3(shared_data: Path) -> None:
    objects = pd.read_csv(shared_data / "w21_table3.csv")
    table = load_published("w21_table_1").query("metric == 'BA'").set_index(["direction", "image"])
    for direction, means, widths in [
        ("A->T", [-0.0004, -0.0004, -0.0008], [0.0009, 0.0009, 0.0009]),
        ("T->A", [0.0267, 0.0425, 0.0491], [0.0236, 0.0274, 0.0285]),
    ]:
        columns = [f"{m}_{direction.replace('->', '')}" for m in ("orig", "noisy", "full")]
        assert [round(objects[f"{c}_mean"].mean() / 100, 4) for c in columns] == means
        assert [round(objects[f"{c}_ci"].mean() / 100, 4) for c in columns] == widths
        printed = table.loc[direction]
        # The deviation of a mean is at most the mean deviation; so are half-widths over runs.
        assert (printed["value"].tolist() == means) == (direction == "T->A")
        assert (printed["half_width"] <= widths).all() == (direction == "T->A")
    assert table.loc["A->T", "half_width"].tolist() == [0.0017, 0.0014, 0.0019]


# --- Numbers of the text --------------------------------------------------------------------------


def test_printed_counts_and_steps_of_t25() -> None:
    assert 8885 + 6588 == 15473 != 15743  # 4.1: the unbalanced COCO
    assert 3078 + 3078 == 6156
    assert 7300 + 7300 == 14600
    assert 14199 + 10102 == 24301
    assert round((0.25 - -0.25) / 0.005) + 1 == 101 != 100  # J: versions of the dataset
    # 3.2: .9 and .95 are "about .06" apart relative to .9; the definition says .03.
    assert round((0.95 - 0.9) / (0.95 + 0.9), 3) == 0.027
    assert round((0.95 - 0.9) / 0.9, 3) == 0.056
    # E.2.1 gives 1546 for T^=1 among A=1; that is T^=0.
    counts = load_published("t25_table_6").query(
        "split == 'unbalanced' and task_label == 'predicted' and attribute == 1"
    )
    assert dict(zip(counts["task"], counts["count"], strict=True)) == {0: 1546, 1: 1629}


def test_printed_selection_of_imsitu_is_the_whole_training_set(shared_data: Path) -> None:
    images = pd.read_csv(shared_data / "imsitu_verbs.csv.gz", keep_default_na=False)
    counts = images.query("split == 'train'").groupby(["verb", "gender"]).size().unstack()
    # 4.3: 24,301 images of 205 activities with 1/3 < men/women < 3.
    assert counts.sum().to_dict() == {"man": 14199, "woman": 10102}
    assert len(counts) == 211
    kept = counts[(counts["man"] < 3 * counts["woman"]) & (counts["woman"] < 3 * counts["man"])]
    assert (len(kept), kept.to_numpy().sum()) == (135, 15651)
    assert 2 * counts.min(axis=1).sum() == 14684  # 4.3: 14,600 balanced


def test_a_balanced_imsitu_of_205_verbs_can_have_the_printed_size(shared_data: Path) -> None:
    # Six of 211 verbs are left out, with 14,684 - 14,600 = 2 * 42 images. How many choices of six
    # have that many? One verb after the other, the number of choices of so many verbs and pairs.
    images = pd.read_csv(shared_data / "imsitu_verbs.csv.gz", keep_default_na=False)
    counts = images.query("split == 'train'").groupby(["verb", "gender"]).size().unstack()
    choices = Counter({(0, 0): 1})
    for pairs in counts.min(axis=1).tolist():
        for (verbs, total), number in list(choices.items()):
            if verbs < 6 and total + pairs <= 42:
                choices[verbs + 1, total + pairs] += number
    assert choices[6, 42] == 59686


def test_printed_keyboard_is_a_case_of_shortcoming_2() -> None:
    # [W21] 3.3: P(man|keyboard) = .70 and P(man) = .712, so P(man, keyboard) < P(man) P(keyboard).
    # BA-> counts more men with keyboards as less bias; MALS, above 1/2, as more.
    assert 1 / 2 < 0.70 < 0.712
    assert round(0.712 / 0.288, 1) == 2.5
    assert round(25 / 48, 2) == 0.52

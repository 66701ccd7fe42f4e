"""Numbers of published data: COMPAS, COCO captions, imSitu, and rates of jobs.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", 2021; [T25] is Tokas, Nair and
Kerner, "DPA", 2025. Where a paper prints no number, the number is that of version 6d3b716 of this
package, whose documentation shows it (docs/studies there), and what the paper says of it is tested.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compas_trees import COMPAS_TREES
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam

# COMPAS.


@pytest.fixture(scope="module")
def compas(data_folder: Path) -> pd.DataFrame:
    """People of two races, all 6,150 of them; ``within_30_days`` are the papers' 5,278."""
    people = pd.read_csv(data_folder / "compas-scores-two-years.csv.gz", keep_default_na=False)
    people = people[people["race"].isin(["African-American", "Caucasian"])]
    days = pd.to_numeric(people["days_b_screening_arrest"])
    kept = days.between(-30, 30) & (people["is_recid"] != -1)
    kept &= (people["c_charge_degree"] != "O") & (people["score_text"] != "N/A")
    return people.assign(within_30_days=kept)


@pytest.fixture(scope="module")
def selected(compas: pd.DataFrame) -> pd.DataFrame:
    """The 5,278 people whose score and arrest are at most 30 days apart."""
    return compas[compas["within_30_days"]].reset_index(drop=True)


def test_load_compas_counts_of_two_races_are_those_of_t25_table_6() -> None:
    people = bam.datasets.load_compas().query("within_30_days == 1")
    counts = people.groupby(["is_recid", "race"]).size().unstack()
    assert counts["Caucasian"].tolist() == [1229, 874]
    assert counts["African-American"].tolist() == [1402, 1773]


def test_directional_compas_score_of_5_follows_published_truth_tables(compas: pd.DataFrame) -> None:
    # Larson et al. 2016 ("How We Analyzed the COMPAS Recidivism Algorithm"), truth tables: of
    # African-American people without and with a new arrest, 990 and 805, 532 and 1369 have a lower
    # and a higher score; of Caucasian ones 1139 and 349, 461 and 505.
    columns = {
        "y_true": compas["two_year_recid"],
        "y_pred": (compas["decile_score"] >= 5).astype(int),
        "sensitive_features": compas["race"],
    }
    truth, predicted, race = columns.values()
    counts = pd.crosstab(race, [truth, predicted])
    assert counts.loc["African-American"].tolist() == [990, 805, 532, 1369]
    assert counts.loc["Caucasian"].tolist() == [1139, 349, 461, 505]
    # New arrests: 1901 of 3696 and 966 of 2454. Predicted: 2174 and 854. The gap grows both ways.
    expected = ((2174 - 1901) / 3696 + (966 - 854) / 2454) / 2
    value = bam.DirectionalBiasAmplification()(**columns)
    assert value == pytest.approx(expected, abs=1e-12)


#: By threshold of the score: BA A->T, the difference of false positive rates, and whether the
#: interval of BA lies above 0 (docs/studies/w21 of version 6d3b716, which rounds to four digits).
COMPAS_THRESHOLDS = {
    10: (-0.0423, 0.0127, False),
    9: (-0.0107, 0.0537, False),
    8: (0.0139, 0.0917, False),
    7: (0.0411, 0.1451, True),
    6: (0.0531, 0.1793, True),
    5: (0.0564, 0.2032, True),
    4: (0.0517, 0.2083, True),
    3: (0.0421, 0.2008, True),
    2: (0.0202, 0.1874, True),
    1: (-0.0661, 0.0, False),
}


@pytest.mark.parametrize("threshold", COMPAS_THRESHOLDS)
def test_directional_compas_thresholds_of_w21_figure_6(
    selected: pd.DataFrame, threshold: int
) -> None:
    documented, fpr_difference, is_above_zero = COMPAS_THRESHOLDS[threshold]
    predicted = (selected["decile_score"] >= threshold).astype(int)
    result = bam.DirectionalBiasAmplification().result(
        y_true=selected["two_year_recid"], y_pred=predicted, sensitive_features=selected["race"]
    )
    assert result.value == pytest.approx(documented, abs=5e-5)
    # Of two groups and classes, it is half of what the gap grows by. New arrests within two years
    # are 1661 of 3175 and 822 of 2103.
    share = predicted.groupby(selected["race"]).mean()
    gap = share["African-American"] - share["Caucasian"]
    assert result.value == pytest.approx((gap - (1661 / 3175 - 822 / 2103)) / 2, abs=1e-12)
    assert result.interval is not None
    assert (result.interval[0] > 0) == is_above_zero
    # "For all realistic values of the threshold, there is a large FPR disparity" [W21, Sec. 5.3].
    negatives = selected["two_year_recid"] == 0
    rates = predicted[negatives].groupby(selected["race"]).mean()
    difference = rates["African-American"] - rates["Caucasian"]
    assert difference == pytest.approx(fpr_difference, abs=5e-5)


def test_compas_trees_have_the_counts_of_the_worked_values(selected: pd.DataFrame) -> None:
    # Two trees on the five features of [T25] Appendix E.
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    task, race = selected["is_recid"], (selected["race"] == "African-American").astype(int)
    columns = [task, race]
    for truth in (task, race):
        tree = DecisionTreeClassifier(random_state=0).fit(selected[features], truth)
        columns.append(tree.predict(selected[features]))
    counts = np.zeros((2, 2, 2, 2), dtype=int)
    np.add.at(counts, tuple(map(np.asarray, columns)), 1)
    assert counts.tolist() == COMPAS_TREES


# COCO captions, [W21] Fig. 3.


class Captions:
    """Images of COCO, and the objects and genders that six models name in their captions."""

    def __init__(self, folder: Path) -> None:
        images = pd.read_csv(folder / "coco_labels.csv.gz", keep_default_na=False)
        captions = pd.read_csv(folder / "coco_caption_predictions.csv.gz", keep_default_na=False)
        listed = pd.read_csv(folder / "coco_objects.csv").query("in_66 == 1")["object"]
        true_objects = images["objects"].str.get_dummies("|")
        self.objects = [name for name in listed if name in true_objects]
        self.models = captions["model"].unique().tolist()
        self.gender = images["gender"].to_numpy()
        self.true_objects = true_objects[self.objects].to_numpy()
        order = pd.Index(images["image_id"])
        self.named: dict[str, np.ndarray] = {}
        self.predicted: dict[str, np.ndarray] = {}
        for model, part in captions.groupby("model"):
            part = part.set_index("image_id").loc[order]
            self.named[model] = part["gender_pred"].to_numpy(dtype=object)
            predicted = part["objects_pred"].str.get_dummies("|")
            self.predicted[model] = predicted.reindex(columns=self.objects, fill_value=0).to_numpy()

    def result(self, model: str, direction: str, missing: str) -> bam.AmplificationResult:
        """Return BA of a model; captions without a gender are left out, or abstain."""
        named = self.named[model]
        rows = slice(None) if missing == "abstain" else named != ""
        metric = bam.DirectionalBiasAmplification(
            direction=direction, missing=missing, class_labels=self.objects
        )
        return metric.result(
            y_true=self.true_objects[rows],
            y_pred=self.predicted[model][rows],
            sensitive_features=self.gender[rows],
            sensitive_features_pred=np.where(named == "", None, named)[rows],
            n_boot=0,
        )


@pytest.fixture(scope="module")
def captions(data_folder: Path) -> Captions:
    """The captions of all models."""
    return Captions(data_folder)


#: The paper prints no numbers. Captions that name a gender; BA A->T and T->A without the others;
#: and the same with the others as missing predictions (docs/studies/w21 of version 6d3b716).
CAPTIONS = {
    "baseline_ft": (8667, -0.0058, -0.0308, -0.0066, -0.0375),
    "balanced": (8716, -0.0057, -0.0255, -0.0066, -0.0366),
    "upweight": (10146, -0.0061, -0.0014, -0.0062, -0.0049),
    "confident": (7825, -0.0057, 0.0051, -0.0063, -0.0167),
    "confusion": (8757, -0.0058, -0.0062, -0.0066, -0.0201),
    "equalizer": (7174, -0.0053, 0.0108, -0.0063, -0.0172),
}
KINDS = [("A->T", "error"), ("T->A", "error"), ("A->T", "abstain"), ("T->A", "abstain")]


@pytest.mark.parametrize("model", CAPTIONS)
def test_directional_captions_as_documented(captions: Captions, model: str) -> None:
    n_named, *values = CAPTIONS[model]
    results = [captions.result(model, *kind) for kind in KINDS]
    assert [result.n_rows for result in results] == [n_named, n_named, 10840, 10840]
    assert [result.value for result in results] == pytest.approx(values, abs=5e-5)


def test_directional_captions_mean_hides_opposite_parts(captions: Captions) -> None:
    # [W21] Fig. 3: Equalizer "decreases T->A bias amplification from the Baseline, but
    # inadvertently increases A->T". Its changes are the largest A->T and the smallest T->A; parts
    # of T->A for objects that lean to men and to women have opposite signs in the baseline.
    sizes = {
        (model, direction): captions.result(model, direction, "error")
        .by_pair["change"]
        .abs()
        .mean()
        for model in CAPTIONS
        for direction in ("A->T", "T->A")
    }
    of_model = [sizes["equalizer", direction] for direction in ("A->T", "T->A")]
    assert of_model == pytest.approx([0.0243, 0.0292], abs=5e-5)
    assert of_model[0] == max(sizes[model, "A->T"] for model in CAPTIONS)
    assert of_model[1] == min(sizes[model, "T->A"] for model in CAPTIONS)
    pairs = captions.result("baseline_ft", "T->A", "error").by_pair
    by_sign = pairs.groupby(["group", "sign"])["contribution"].mean()
    # Of two groups, each object is a pair of either sign with equal parts.
    assert by_sign["man"].tolist() == pytest.approx([-0.0846, 0.0902], abs=5e-5)
    assert by_sign["woman"].tolist() == pytest.approx([0.0902, -0.0846], abs=5e-5)


# imSitu, [T25] Sec. 4.3, and subsets of Wang et al. 2019.

#: By ratio of the subset: images, men, women, signs that are ties, and U of gender given verb
#: (docs/studies/t25 of version 6d3b716). [T25] prints 24,301 = 14,199 + 10,102 as its unbalanced
#: set, which is the whole train split.
IMSITU = {
    None: (24301, 14199, 10102, 0, 0.1606),
    3: (21143, 11613, 9530, 0, 0.0855),
    2: (19149, 10265, 8884, 0, 0.0459),
    1: (14684, 7342, 7342, 2 * 211, 0.0),
}


@pytest.fixture(scope="module")
def imsitu(data_folder: Path) -> pd.DataFrame:
    """The images of the train split."""
    images = pd.read_csv(data_folder / "imsitu_verbs.csv.gz", keep_default_na=False)
    return images[images["split"] == "train"]


@pytest.mark.parametrize("ratio", IMSITU)
@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_imsitu_sets_as_published(imsitu: pd.DataFrame, ratio: int | None) -> None:
    n_images, n_men, n_women, n_ties, uncertainty = IMSITU[ratio]
    images = imsitu if ratio is None else imsitu[imsitu[f"ratio_{ratio}"] == 1]
    genders = images["gender"].value_counts()
    assert (len(images), genders["man"], genders["woman"]) == (n_images, n_men, n_women)
    assert images["verb"].nunique() == 211
    columns: Any = {
        "y_true": images["verb"],
        "y_pred": images["verb"],
        "sensitive_features": images["gender"],
        "n_boot": 0,
    }
    # In the balanced set every sign is a tie, so BA is 0 whatever a model predicts.
    signs = bam.DirectionalBiasAmplification().result(**columns).by_pair["sign"]
    assert (signs == 0).sum() == n_ties
    attack = bam.LeakageAmplification(quality="uncertainty_coefficient", equalize=None)
    level = attack.result(**columns).estimates["psi_dataset"].value
    assert level == pytest.approx(uncertainty, abs=5e-5)


# Zhao et al. 2017: rates before and after constraints on a corpus.


@pytest.mark.parametrize(
    ("name", "n_classes", "before", "after"),
    [
        # The authors publish the rates of their dev splits. [W21] Sec. 3.3 quotes .040 -> .021 of
        # the test split of COCO, whose scores are lost.
        ("coco", 66, 0.0317, 0.0217),
        ("imsitu", 212, 0.0502, 0.0239),
    ],
)
def test_mals_of_zhao_2017_is_that_of_published_ratios(
    data_folder: Path, name: str, n_classes: int, before: float, after: float
) -> None:
    ratios = pd.read_csv(data_folder / f"mals_{name}_dev_ratios.csv", keep_default_na=False)
    ratios = ratios.set_index(ratios.columns[0]).apply(pd.to_numeric)
    assert len(ratios) == n_classes
    columns = {"gender_ratio_before_RBA": before, "gender_ratio_after_RBA": after}
    for column, documented in columns.items():
        present = ratios[ratios[column].notna()]
        trained, predicted = present["training_ratio"], present[column]
        rates = {label: {"man": p, "woman": 1 - p} for label, p in trained.items()}
        metric = bam.MALSBiasAmplification(reference=bam.BaseRates(rates, direction="T->A"))
        value = metric(
            None,
            [*present.index, *present.index],
            sensitive_features=["man"] * len(present) + ["woman"] * len(present),
            sample_weight=[*predicted, *(1 - predicted)],
        )
        assert value == pytest.approx(documented, abs=5e-5)
        # Of two groups the one above 1/2 counts, with the change of its share.
        lean = np.sign(trained - 0.5)
        assert value == pytest.approx((lean * (predicted - trained)).mean(), abs=1e-12)


# Jobs, [W21] Table 2: rates that are set by hand.


@pytest.fixture(scope="module")
def jobs(data_folder: Path) -> pd.DataFrame:
    """The 32 jobs of [W21] Sec. 5.3, with the per cent of women and the number of workers."""
    return pd.read_csv(data_folder / "fitbert_jobs.csv").set_index("job")


def base_rates(jobs: pd.DataFrame, direction: str, share_of_women: pd.Series) -> bam.BaseRates:
    """Return rates of jobs for the pronouns, with the signs of WinoBias."""
    shares = pd.DataFrame({"he": 1 - share_of_women, "she": share_of_women})
    lean = jobs["leaning"].map({"men": 1, "women": -1})
    signs = pd.DataFrame({"he": lean, "she": -lean})
    if direction == "T->A":
        return bam.BaseRates(shares, direction=direction, signs=signs)
    workers = shares.mul(jobs["number"], axis=0)
    return bam.BaseRates((workers / workers.sum()).T, direction=direction, signs=signs.T)


@pytest.mark.parametrize(
    ("direction", "published"),
    [
        # Table 2, from uniform rates to those of the labour force: .1368 to -.1254, .0084 to
        # -.0089. Other rates with the same signs only shift a value, whatever the model predicts.
        ("T->A", 0.1368 + 0.1254),
        ("A->T", 0.0084 + 0.0089),
    ],
)
def test_base_rates_of_the_labour_force_shift_w21_table_2(
    jobs: pd.DataFrame, direction: str, published: float
) -> None:
    rng = np.random.default_rng(0)
    predicted_jobs, pronouns = rng.choice(jobs.index, 640), np.array(["he", "she"] * 320)
    labour = base_rates(jobs, direction, jobs["percent_women"] / 100)
    even = base_rates(jobs.assign(number=1), direction, pd.Series(0.5, index=jobs.index))
    values = []
    for rates in (even, labour):
        metric = bam.DirectionalBiasAmplification(direction=direction, reference=rates)
        if direction == "A->T":
            values.append(metric(None, predicted_jobs, sensitive_features=pronouns))
        else:
            asked = np.resize(jobs.index, 640)
            values.append(metric(asked, None, sensitive_features_pred=pronouns))
    assert values[0] - values[1] == pytest.approx(published, abs=5e-5)

"""Choose a model on COMPAS by accuracy and by how much bias it amplifies.

A grid search over decision trees scores each candidate twice in every fold: accuracy, and DPA A->T
as what is to be small. ``refit=MostAccurateWithin(bound=...)`` keeps the most accurate tree that
does not exceed a bound. It is evaluated on held-out rows, beside the tree that accuracy alone
would have picked. No candidate reads race; the scorer finds it in the index of ``y``.

Reads ProPublica's table from the folder given with ``--data-home``, or from scikit-learn's data
folder. If the latter has none, scikit-learn's diabetes table is used instead.

    python examples/gridsearch_compas.py --plot front.svg
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalPredictabilityAmplification, audit, summarize_runs
from biasamp_adapters.datasets import fetch_compas
from biasamp_adapters.sklearn import MostAccurateWithin, amplification_scorer

#: What is bounded. Balanced accuracy does not reward a model that says "no" more often, as
#: 1/cross-entropy does; U would be a ratio to nearly nothing, and about the same for all trees.
METRIC = DirectionalPredictabilityAmplification(direction="A->T", quality="balanced_accuracy")

#: The default quality of DPA, to see what it does.
USUAL = DirectionalPredictabilityAmplification(direction="A->T")

#: The other parameters of the grid. A weight of 1.5 on the negatives makes alarms rarer.
TREES = {
    "tree__max_depth": [1, 2, 3, 4, 6, 8],
    "tree__class_weight": [None, {0: 1.5}],
}


#: The quantities shown for the rows held out, in this order.
QUANTITIES = [
    "accuracy",
    "DPA",
    "DPA A->T",
    "DPA(U) A->T",
    "U in the data",
    "U in the model",
    "BA A->T",
    "selection rate difference",
    "false positive rate difference",
]


class Rows(NamedTuple):
    """Features, task and protected attribute of the same rows, and which features to try."""

    features: pd.DataFrame
    task: pd.Series
    attribute: pd.Series
    choices: dict[str, list[str]]


def compas(data_home: str | None = None) -> Rows:
    """COMPAS, if its table is there: whether an arrest was recorded again, and race."""
    table = fetch_compas(data_home=data_home, download_if_missing=False, label="is_recid")
    choices = {
        "all": table.feature_names,
        "without age": [name for name in table.feature_names if name != "age"],
        "priors": ["priors_count"],
    }
    return Rows(table.data, table.target, table.sensitive_features, choices)


def diabetes() -> Rows:
    """scikit-learn's diabetes table: whether the disease progressed much, and sex."""
    table = load_diabetes(scaled=False, as_frame=True).frame
    progression, sex = table.pop("target"), table.pop("sex")
    high = (progression > progression.median()).astype(int).rename("high_progression")
    names = table.columns.tolist()
    choices = {"all": names, "without age": names[1:], "bmi": ["bmi"]}
    return Rows(table, high, "sex " + sex.astype(int).astype(str), choices)


def strata(rows: Rows) -> pd.Series:
    """Group and class of each row, by which folds are stratified."""
    return rows.attribute + " " + rows.task.astype(str)


def halves(rows: Rows, seed: int = 0) -> tuple[Rows, Rows]:
    """Rows to search on and rows held out."""
    columns = rows.features, rows.task, rows.attribute
    parts = train_test_split(*columns, test_size=0.5, random_state=seed, stratify=strata(rows))
    return Rows(*parts[::2], rows.choices), Rows(*parts[1::2], rows.choices)


def selected(model: Any, features: Any, task: Any) -> float:
    """Share of positive predictions, as a scorer."""
    return float(np.mean(model.predict(features)))


def grid_search(
    rows: Rows,
    bound: float,
    n_splits: int = 5,
    n_repeats: int = 4,
    jobs: int = 1,
    judged: str = "mean",
) -> GridSearchCV:
    """Search, and fit the most accurate tree within the bound on all rows."""
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    # The columns that are not named are dropped.
    model = Pipeline([("columns", ColumnTransformer([])), ("tree", tree)])
    choices = rows.choices.items()
    columns = [[(name, "passthrough", kept)] for name, kept in choices]
    folds = RepeatedStratifiedKFold(
        n_splits=n_splits,
        n_repeats=n_repeats,
        random_state=0,
    )
    level = rows.attribute.name
    in_index = {"objective": "signed", "sensitive_features": level}
    search = GridSearchCV(
        model,
        {"columns__transformers": columns, **TREES},
        scoring={
            "accuracy": "accuracy",
            "amplification": amplification_scorer(METRIC, **in_index),
            "usual": amplification_scorer(USUAL, **in_index),
            "selected": selected,
        },
        refit=MostAccurateWithin(bound=bound, judged=judged),
        cv=list(folds.split(rows.features, strata(rows))),
        # A failing scorer raises an error. Otherwise it scores NaN, and the
        # search can pick a candidate whose scores are NaN.
        error_score="raise",
        n_jobs=jobs,
    )
    return search.fit(rows.features, indexed(rows))


def indexed(rows: Rows) -> pd.Series:
    """The task with the attribute as its index, which searches split along with it."""
    return rows.task.set_axis(pd.Index(rows.attribute, name=rows.attribute.name))


def three_ways(rows: Rows) -> dict[str, np.ndarray]:
    """Scores of a small search, of shape (folds, candidates), by how the attribute gets there."""
    name = rows.attribute.name
    kept = [("kept", "passthrough", rows.choices["all"])]
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    model = Pipeline([("columns", ColumnTransformer(kept)), ("tree", tree)])
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=0)

    def scores(features: Any, task: Any, place: str | None, **metadata: Any) -> np.ndarray:
        search = GridSearchCV(
            model,
            {"tree__max_depth": [2, 4]},
            scoring=amplification_scorer(METRIC, objective="signed", sensitive_features=place),
            cv=list(folds.split(features, strata(rows))),
            error_score="raise",
        )
        found = search.fit(features, task, **metadata).cv_results_
        return np.stack([found[f"split{fold}_test_score"] for fold in range(search.n_splits_)])

    with sklearn.config_context(enable_metadata_routing=True):
        routed = scores(rows.features, rows.task, None, sensitive_features=rows.attribute)
    return {
        "metadata": routed,
        "level of y's index": scores(rows.features, indexed(rows), name),
        # The model drops the column; the scorer reads it.
        "column of X": scores(rows.features.assign(**{name: rows.attribute}), rows.task, name),
    }


def candidates(search: GridSearchCV) -> pd.DataFrame:
    """One row per candidate: its parameters, and means over folds with intervals."""
    results = search.cv_results_
    rows = []
    for i, parameters in enumerate(results["params"]):
        row = {
            "features": parameters["columns__transformers"][0][0],
            "depth": parameters["tree__max_depth"],
            "weighted": parameters["tree__class_weight"] is not None,
            "selected": results["mean_test_selected"][i],
        }
        for name, sign in (("accuracy", 1), ("amplification", -1), ("usual", -1)):
            # A scorer is greater-is-better: its score is minus the amplification.
            folds = [
                sign * results[f"split{fold}_test_{name}"][i] for fold in range(search.n_splits_)
            ]
            summary = summarize_runs(folds)
            # Without an interval, all folds give the same value.
            upper = summary.value if summary.interval is None else summary.interval[1]
            row[name], row[f"{name} half"] = summary.value, upper - summary.value
            row[f"{name} sd"] = summary.std
        rows.append(row)
    return pd.DataFrame(rows)


def front(found: pd.DataFrame, amplification: str = "amplification") -> pd.DataFrame:
    """The candidates that no other beats in one of accuracy and DPA and equals in the other."""
    ordered = found.sort_values([amplification, "accuracy"], ascending=[True, False])
    best = ordered["accuracy"].cummax().shift(fill_value=-np.inf)
    return ordered[ordered["accuracy"] > best]


def picks(search: GridSearchCV) -> dict[str, int]:
    """Positions of the candidates that are kept without and with the bound."""
    accuracy = search.cv_results_["mean_test_accuracy"]
    return {"most accurate": int(np.argmax(accuracy)), "within the bound": search.best_index_}


def predictions(search: GridSearchCV, train: Rows, test: Rows) -> dict[str, np.ndarray]:
    """What the two picks, fitted on all rows of the search, predict for the rows held out."""
    found = {}
    for name, position in picks(search).items():
        model = sklearn.base.clone(search.estimator)
        model.set_params(**search.cv_results_["params"][position])
        found[name] = model.fit(train.features, train.task).predict(test.features)
    return found


def held_out(
    predicted: dict[str, np.ndarray], train: Rows, test: Rows, n_boot: int = 1000
) -> pd.DataFrame:
    """One row per quantity and model: its value and the ends of its interval."""
    groups = {"sensitive_features": test.attribute}
    reference = train.task, train.attribute
    report = audit(test.task, predicted, **groups, reference=reference, n_boot=n_boot).summary
    rows = []
    for model, guess in predicted.items():
        rows.append(("accuracy", model, accuracy_score(test.task, guess), None, None))
        result = METRIC.result(test.task, guess, **groups, n_boot=n_boot)
        rows.append(("DPA", model, result.value, *(result.interval or (None, None))))
    for found in report["metrics"]:
        ends = found["value"], found["low"], found["high"]
        rows.append((found["name"], found["model"], *ends))
        if found["name"] == "DPA(U) A->T":
            for name, side in (("U in the data", "psi_dataset"), ("U in the model", "psi_model")):
                level = found["levels"][side]
                rows.append((name, found["model"], level["value"], level["low"], level["high"]))
    for found in report["fairness"]:
        ends = found["value"], found["low"], found["high"]
        rows.append((found["measure"].replace("_", " "), found["model"], *ends))
    columns = ["quantity", "model", "value", "low", "high"]
    table = pd.DataFrame(rows, columns=columns).set_index(columns[:2]).astype(float)
    return table.loc[QUANTITIES]


def as_text(table: pd.DataFrame) -> str:
    """The same for a terminal, with one column per model."""
    cells = {
        row.Index: f"{row.value:+.3f}"
        + ("" if np.isnan(row.low) else f" [{row.low:+.3f}, {row.high:+.3f}]")
        for row in table.itertuples()
    }
    order = table.index
    wide = pd.Series(cells).unstack().loc[order.unique(0), order.unique(1)]
    return wide.rename_axis(index=None, columns=None).to_string()


def plot(found: pd.DataFrame, chosen: dict[str, int], bound: float, path: str) -> None:
    """Accuracy against DPA, by the quality that is bounded and by the usual one."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    # Two colours that most readers can distinguish, and two shapes for all others.
    styles = {
        "no weights": {"fmt": "o", "color": "#0072B2"},
        "negatives weigh 1.5": {"fmt": "D", "color": "#D55E00", "mfc": "white"},
    }
    panels = {"amplification": "balanced accuracy", "usual": "1/cross-entropy, the default"}
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "front", "font.size": 8}):
        figure, axes = plt.subplots(1, len(panels), figsize=(8, 3.4))
        for ax, (name, quality) in zip(axes, panels.items(), strict=True):
            for weighted, (label, style) in enumerate(styles.items()):
                part = found[found["weighted"] == bool(weighted)]
                ax.errorbar(
                    part["accuracy"],
                    part[name],
                    xerr=part["accuracy half"],
                    yerr=part[f"{name} half"],
                    label=label,
                    ms=3.5,
                    elinewidth=0.5,
                    **style,
                )
            best = front(found, name)
            ax.step(
                best["accuracy"],
                best[name],
                where="pre",
                color="0.2",
                linewidth=1,
                label="Pareto front",
            )
            for (label, position), marker in zip(chosen.items(), "^s", strict=True):
                where = found.loc[position, "accuracy"], found.loc[position, name]
                # A frame around the point, so that the point itself stays visible.
                ax.plot(*where, marker, ms=11, mfc="none", mec="black", label=label)
            ax.set(xlabel="accuracy", ylabel="DPA A->T", title=f"Quality: {quality}")
            ax.spines[["top", "right"]].set_visible(False)
        axes[0].axhline(bound, color="0.2", linestyle="--", linewidth=1, label="bound")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=6)
        figure.tight_layout(rect=(0, 0.08, 1, 1))
        # Equal numbers give equal files.
        undated = {"Date": None, "Creator": None} if path.endswith(".svg") else None
        figure.savefig(path, metadata=undated)
        plt.close(figure)


def main() -> None:
    """Print the tables, and write the plot if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--bound", type=float, default=0.06, help="largest DPA")
    parser.add_argument(
        "--judged", choices=["low", "mean", "high"], default="mean", help="what keeps the bound"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the split into halves")
    parser.add_argument("--n-splits", type=int, default=5, help="folds")
    parser.add_argument("--n-repeats", type=int, default=4, help="repetitions of the folds")
    parser.add_argument("--n-boot", type=int, default=1000, help="replicates of the intervals")
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1 is one a processor")
    parser.add_argument("--plot", help="write a figure, as PNG, SVG or PDF by its ending")
    options = parser.parse_args()
    try:
        rows = compas(options.data_home)
    except OSError as error:
        if options.data_home:
            parser.error(str(error))
        print("COMPAS is not in scikit-learn's data folder: this is its diabetes table.")
        rows = diabetes()
    train, test = halves(rows, options.seed)
    ways = three_ways(train)
    same = all(np.array_equal(next(iter(ways.values())), scores) for scores in ways.values())
    print(f"Attribute {rows.attribute.name}, task {rows.task.name}")
    print(f"As {', '.join(ways)}: {'the same' if same else 'not the same'} scores\n")
    folds = options.n_splits, options.n_repeats
    search = grid_search(train, options.bound, *folds, options.jobs, options.judged)
    found, chosen = candidates(search), picks(search)
    print(f"{len(found)} candidates; those on the front, means over {search.n_splits_} folds\n")
    columns = ["features", "depth", "weighted", "selected", "accuracy", "amplification", "usual"]
    print(front(found)[columns].to_string(index=False, float_format="{:.3f}".format))
    print(f"\nPicked without and with the bound of {options.bound:g}; DPA with its interval\n")
    for name, position in chosen.items():
        row = found.loc[position]
        low, high = (row["amplification"] + sign * row["amplification half"] for sign in (-1, 1))
        print(
            f"{name}: {row['features']}, depth {row['depth']}, accuracy {row['accuracy']:.3f}, "
            f"DPA {row['amplification']:.3f} [{low:.3f}, {high:.3f}]"
        )
    if len(set(chosen.values())) == 1:
        print("The bound does not bind.")
    print(f"\nOn {len(test.task):,} rows held out; 95% intervals\n")
    print(as_text(held_out(predictions(search, train, test), train, test, options.n_boot)))
    if options.plot:
        plot(found, chosen, options.bound, options.plot)


if __name__ == "__main__":
    main()

"""``audit_frame``: the audit of arrays and of the command, of a table whose columns are named."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from command import biasamp

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.metrics import predictability

Engine = Callable[[pd.DataFrame], Any]

N = 120


def people() -> pd.DataFrame:
    """Rows of two models with scores, weights, a predicted attribute and two runs."""
    rng = np.random.default_rng(5)
    group, true = rng.integers(0, 2, (2, N))
    score = 0.6 * true + 0.4 * group + rng.normal(0, 0.5, N)
    return pd.DataFrame(
        {
            "recid": np.where(true, "yes", "no"),
            "tree": np.where(score > 0.5, "yes", "no"),
            "rule": np.where(score + rng.normal(0, 0.3, N) > 0.4, "yes", "no"),
            "race": np.where(group, "a", "b"),
            "race_pred": np.where(group ^ (rng.random(N) < 0.2), "a", "b"),
            "sex": ["f", "m", "m"] * (N // 3),
            "score": score,
            "steps": np.digitize(score, np.linspace(-0.5, 1.5, 9)) / 8,
            "weight": rng.choice([1.0, 2.5, 0.5], N),
            "seed": rng.integers(1, 3, N),
            "person": rng.integers(0, 70, N),
            "race_score": rng.integers(0, 20, N) / 20 + group,
        }
    )


def images() -> pd.DataFrame:
    """Two tasks with truth, two models, groups and predicted groups that are columns."""
    rng = np.random.default_rng(6)
    columns = {
        f"{prefix}_{name}": rng.integers(0, 2, 60)
        for prefix in ("true", "one", "two")
        for name in ("dog", "cat")
    }
    group = rng.integers(0, 2, 60)
    frame = pd.DataFrame({**columns, "group": np.where(group, "w", "m")})
    # The columns of a model in another order than those of the truth.
    frame = frame[["group", *sorted(columns)]]
    return frame.assign(is_m=1 - group, is_w=group, pred_w=0.25, pred_m=0.75)


def part(frame: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """The columns that begin so, under the rest of their names."""
    chosen = frame[[name for name in frame if name.startswith(prefix)]]
    return chosen.rename(columns=lambda name: name.removeprefix(prefix))


@pytest.fixture(autouse=True)
def unfitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attacker is fitted, which takes most of the time of an audit of matrices."""
    monkeypatch.setattr(predictability, "MOST_FITTED", 0)


@pytest.fixture(params=["csv", "parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The people in a file."""
    file = tmp_path / f"people.{request.param}"
    if request.param == "csv":
        people().to_csv(file, index=False)
    else:
        duckdb.from_df(people()).write_parquet(str(file))
    return file


EVERYTHING: dict[str, Any] = {
    "task": "recid",
    "prediction": {"tree": "tree", "forest": "rule"},
    "attribute": "race",
    "attribute_prediction": {"forest": "race_pred", "tree": "race_pred"},
    "weight": "weight",
    "score": {"tree": "score", "forest": "steps"},
    "attribute_score": {"forest": "race_score"},
    "pos_group": "a",
    "n_boot": 10,
}


@cache
def of_people() -> dict[str, Any]:
    """The audit of EVERYTHING of the people, as arrays."""
    return of_arrays(people())


def of_arrays(frame: pd.DataFrame, **changed: Any) -> dict[str, Any]:
    """The audit of EVERYTHING, as arrays."""
    options: dict[str, Any] = {
        "sensitive_features": frame["race"],
        "sensitive_features_pred": {"tree": frame["race_pred"], "forest": frame["race_pred"]},
        "sample_weight": frame["weight"],
        "y_score": {"tree": frame["score"], "forest": frame["steps"]},
        "attribute_score": {"forest": frame["race_score"]},
        "pos_group": "a",
        "n_boot": 10,
        **changed,
    }
    models = {"tree": frame["tree"], "forest": frame["rule"]}
    return bam.audit(frame["recid"], models, **options).summary


def test_every_engine_gives_the_audit_of_the_arrays(engine: Engine) -> None:
    found = bam.audit_frame(engine(people()), **EVERYTHING).summary
    assert found == of_people()
    assert (found["data"]["task"], found["data"]["attributes"]) == ("recid", ["race"])
    assert found["data"]["models"] == ["tree", "forest"]


@pytest.mark.parametrize("name", ["rank of score", "Rank of Score"])
def test_a_column_may_have_the_name_of_the_ranks(engine: Engine, name: str) -> None:
    """Ranks are counted in a further column, which engines may not tell from one of its name."""
    frame, options = people(), {**EVERYTHING, "weight": name}
    found = bam.audit_frame(engine(frame.rename(columns={"weight": name})), **options)
    assert found.summary["sweeps"] == of_people()["sweeps"]


def test_files_give_the_audit_of_the_arrays(path: Path) -> None:
    assert bam.audit_frame(path, **EVERYTHING).summary == of_people()
    # However the file is named, it is read in the same way: a score of few steps tells that.
    few = {**COLUMNS, "weight": "weight", "score": "steps"}
    frame = people()
    expected = alone(frame, sample_weight=frame["weight"], y_score=frame["steps"])
    for table in (str(path), [path], str(path.parent / "people.*")):
        assert bam.audit_frame(table, **few).summary == expected


def test_is_the_audit_of_the_command(path: Path) -> None:
    columns = ["--task", "recid", "--prediction", "tree", "--prediction", "rule"]
    columns += ["--attribute", "race", "--attribute", "sex", "--weight", "weight"]
    columns += ["--score", "score", "--score", "steps", "--n-boot", "10", "--json", "-"]
    ended = biasamp("audit", path, *columns)
    assert (ended.code, ended.err) == (0, "")
    assert of_two_attributes().to_json() == ended.out


@cache
def of_two_attributes() -> bam.AuditReport:
    """The audit of the people's frame that the command makes of a file."""
    return bam.audit_frame(
        people(),
        task="recid",
        prediction=["tree", "rule"],
        attribute=["race", "sex"],
        weight="weight",
        score=["score", "steps"],
        n_boot=10,
    )


COLUMNS = {"task": "recid", "prediction": "tree", "attribute": "race", "n_boot": 0}


def alone(frame: pd.DataFrame, **changed: Any) -> dict[str, Any]:
    """The audit of COLUMNS as arrays, without intervals if nothing else is said."""
    options: dict[str, Any] = {"sensitive_features": frame["race"], "n_boot": 0, **changed}
    return bam.audit(frame["recid"], {"tree": frame["tree"]}, **options).summary


def test_reference(engine: Engine) -> None:
    frame = people()
    half = frame[::2].drop(columns=["tree", "rule"])
    pair = (half["recid"], half["race"])
    expected = alone(frame, reference=pair)
    assert expected["data"]["reference"] == "reference data of 60 rows"
    counts = bam.JointCounts.from_arrays(pair[0], sensitive_features=pair[1])
    for reference in (engine(half), pair, counts):
        assert bam.audit_frame(engine(frame), reference=reference, **COLUMNS).summary == expected


def test_files_and_frames_beside_each_other(path: Path) -> None:
    frame = people()
    expected = alone(frame, reference=(frame["recid"], frame["race"]))
    for tables in ((frame, path), (path, frame), (path, [path])):
        found = bam.audit_frame(tables[0], reference=tables[1], **COLUMNS).summary
        assert found == expected


def test_numbers_of_a_file_are_those_of_a_frame(tmp_path: Path) -> None:
    frame = people().assign(recid=[0, 1] * (N // 2), tree=[0, 0, 1, 1] * (N // 4))
    frame.to_csv(tmp_path / "people.csv", index=False)
    expected = alone(frame, reference=(frame["recid"], frame["race"]))
    for tables in ((frame, tmp_path / "people.csv"), (tmp_path / "people.csv", frame)):
        found = bam.audit_frame(tables[0], reference=tables[1], **COLUMNS)
        assert found.summary == expected


@cache
def of_clusters() -> dict[str, Any]:
    """The audit of COLUMNS with scores and clusters, as arrays."""
    frame = people()
    return alone(frame, clusters=frame["person"], y_score=frame["steps"], n_boot=10)


def check_clusters(table: Any) -> None:
    """The audit of a table with clusters is that of arrays."""
    options = {**COLUMNS, "n_boot": 10}
    found = bam.audit_frame(table, clusters="person", score="steps", **options).summary
    assert found == of_clusters()
    assert found["data"]["clusters"] == people()["person"].nunique()


def test_clusters(engine: Engine) -> None:
    check_clusters(engine(people()))


def test_clusters_of_files(path: Path) -> None:
    check_clusters(path)


def test_missing_values(engine: Engine) -> None:
    frame = people()
    frame["tree"] = frame["tree"].astype(object)
    frame.loc[[3, 50], "tree"] = None
    # A missing number is not told from NaN everywhere.
    table = engine(frame[["recid", "tree", "race"]])
    for missing, name in (("drop", "dropped"), ("abstain", "abstained")):
        found = bam.audit_frame(table, missing=missing, **COLUMNS).summary
        assert found == alone(frame, missing=missing)
        assert found["data"][name] == 2
    with pytest.raises(ValueError, match="column 'tree' must not have missing values; received 2"):
        bam.audit_frame(table, **COLUMNS)


def test_runs(engine: Engine) -> None:
    frame = people()
    runs = {str(seed): bam.audit_frame(rows, **COLUMNS) for seed, rows in frame.groupby("seed")}
    found = bam.audit_frame(engine(frame), run="seed", **COLUMNS).summary
    assert found == summarize_reports(runs).summary
    assert found["data"]["runs"] == 2


def test_runs_have_intervals_without_replicates() -> None:
    rows = pd.DataFrame({"y": [1, 1, 0, 0] * 50, "p": [1, 0, 0, 0] * 50, "g": list("aabb") * 50})
    runs = (
        rows.assign(p=rows["p"].where(rows.index % 7 != seed, 1 - rows["p"]), seed=seed)
        for seed in range(3)
    )
    columns = {"task": "y", "prediction": "p", "attribute": "g", "run": "seed"}
    answer = bam.audit_frame(pd.concat(runs), n_boot=0, **columns).summary["answer"]
    assert answer["facts"][-1] == "95% intervals"
    assert not any("No intervals" in sentence for sentence in answer["sure"])
    # BA differs between runs, and its excess is 0 in each: all are right about group b.
    assert answer["directions"][0]["sentence"].endswith(
        "there is no interval for how far that exceeds mistakes that know nothing of the "
        "attribute: all 3 runs gave the same value."
    )


def test_a_run_for_each_file(path: Path) -> None:
    people().to_csv(path.parent / "other.csv", index=False)
    files = [path.parent / "other.csv", path]
    if path.suffix == ".csv":
        found = bam.audit_frame(files, run="filename", **COLUMNS).summary
        assert {row["run"] for row in found["runs"]} == set(map(str, files))


def test_lists_of_labels(engine: Engine) -> None:
    lists: dict[str, Any] = {"labels": ["yes", "no", "never"], "groups": ["b", "a"]}
    found = bam.audit_frame(engine(people()), pos_label="yes", **lists, **COLUMNS).summary
    assert found == alone(people(), pos_label="yes", **lists)
    assert [row["label"] for row in found["data"]["classes"]] == ["yes", "no", "never"]


def test_a_positive_label_as_it_is_shown(tmp_path: Path) -> None:
    frame = people().assign(recid=[0, 1, 2] * (N // 3), tree=[0, 1, 2, 2] * (N // 4))
    found = [bam.audit_frame(frame, pos_label=label, **COLUMNS).summary for label in (2, "2")]
    assert found[0] == found[1]
    assert found[0]["data"]["positive"] == "2"


TRUE, ONE, TWO = (["x_dog", "x_cat"], ["one_dog", "one_cat"], ["two_dog", "two_cat"])


def matrices(frame: pd.DataFrame, **changed: Any) -> dict[str, Any]:
    """The audit of the images as arrays."""
    models = {name: part(frame, f"{name}_") for name in ("one", "two")}
    options: dict[str, Any] = {"sensitive_features": frame["group"], "n_boot": 20, **changed}
    return bam.audit(part(frame, "true_"), models, **options).summary


@cache
def of_images() -> dict[str, Any]:
    """The audit of the images without changes."""
    return matrices(images())


@pytest.mark.parametrize(
    "columns",
    [
        {"task": "true_*", "prediction": ["one_*", "two_*"]},
        {"task": "true_*", "prediction": {"one": "one_*", "two": ["two_*"]}},
        {
            "task": ["true_cat", "true_dog"],
            "prediction": {"one": ["one_cat", "one_dog"], "two": ["two_cat", "two_dog"]},
            "labels": ["cat", "dog"],
        },
    ],
    ids=["prefixes", "mapping of prefixes", "lists"],
)
def test_matrices(engine: Engine, columns: dict[str, Any]) -> None:
    frame = images()
    found = bam.audit_frame(engine(frame), attribute="group", n_boot=20, **columns).summary
    assert found == of_images()
    assert (found["data"]["task"], found["data"]["tasks_are_columns"]) == (None, True)


def test_the_columns_of_one_model() -> None:
    frame = images()
    columns = ["true_dog", "true_cat"], ["one_dog", "one_cat"]
    found = bam.audit_frame(
        frame, task=columns[0], prediction=columns[1], attribute="group", n_boot=20
    ).summary
    true, said = (frame[names].set_axis(columns[0], axis=1) for names in columns)
    expected = bam.audit(true, said, sensitive_features=frame["group"], n_boot=20).summary
    assert found == expected


@pytest.mark.parametrize(
    "columns",
    [
        {"attribute": "is_*", "attribute_prediction": "pred_*"},
        {
            "attribute": bam.Indicators(["is_m", "is_w"], ["m", "w"]),
            "attribute_prediction": bam.Indicators(["pred_m", "pred_w"]),
        },
        {
            "attribute": bam.Indicators(["is_m", "is_w"], ["m", "w"]),
            "attribute_prediction": {"one": bam.Indicators(["pred_m", "pred_w"])},
        },
    ],
    ids=["prefixes", "indicators", "by model"],
)
def test_groups_that_are_columns(engine: Engine, columns: dict[str, Any]) -> None:
    frame = images()
    found = bam.audit_frame(
        engine(frame), task="true_*", prediction={"one": "one_*"}, n_boot=20, **columns
    ).summary
    assert found == of_groups_that_are_columns()


@cache
def of_groups_that_are_columns() -> dict[str, Any]:
    """The audit of one model of the images, as arrays."""
    frame = images()
    is_group, guessed = (part(frame, prefix)[["m", "w"]] for prefix in ("is_", "pred_"))
    return bam.audit(
        part(frame, "true_"),
        {"one": part(frame, "one_")},
        sensitive_features=bam.Indicators(is_group),
        sensitive_features_pred=bam.Indicators(guessed),
        n_boot=20,
    ).summary


def test_rates_set_by_hand_need_no_truth() -> None:
    frame = images()
    rates = pd.DataFrame({"dog": [0.5, 0.3], "cat": [0.2, 0.6]}, index=["m", "w"])
    base = bam.BaseRates(task_given_attribute=rates)
    found = bam.audit_frame(
        frame, prediction={"one": "one_*"}, attribute="group", reference=base, n_boot=20
    ).summary
    expected = bam.audit(
        None,
        {"one": part(frame, "one_")},
        sensitive_features=frame["group"],
        reference=base,
        n_boot=20,
    ).summary
    assert found == expected
    # Labels: 0 and 1 are those of the base rates, though no row has a 1.
    base = bam.BaseRates(task_given_attribute={"m": {0: 0.5, 1: 0.5}, "w": {0: 0.4, 1: 0.6}})
    labels = frame.assign(said=0)
    found = bam.audit_frame(
        labels, prediction="said", attribute="group", reference=base, n_boot=0
    ).summary
    expected = bam.audit(
        None, {"said": labels["said"]}, sensitive_features=frame["group"], reference=base, n_boot=0
    ).summary
    assert found == expected


@pytest.mark.parametrize("soft", [False, True])
def test_rates_set_by_hand_need_no_attribute(engine: Engine, soft: bool) -> None:
    frame = images().assign(job=["cook", "nurse", "cook"] * 20)
    half = {"m": 0.5, "w": 0.5}
    leaning = {"m": {"cook": 1, "nurse": -1}, "w": {"cook": -1, "nurse": 1}}
    base = bam.BaseRates(attribute_given_task={"cook": half, "nurse": half}, direction=leaning)
    found = bam.audit_frame(
        engine(frame),
        task="job",
        attribute_prediction="pred_*" if soft else "group",
        reference=base,
        n_boot=20,
    ).summary
    guessed = bam.Indicators(part(frame, "pred_")) if soft else frame["group"]
    expected = bam.audit(
        frame["job"],
        None,
        sensitive_features=None,
        sensitive_features_pred=guessed,
        reference=base,
        n_boot=20,
    ).summary
    assert found == expected
    # Both rates of m are .75; of labels, those of the groups of cooks and of nurses.
    (row,) = (row for row in found["metrics"] if row["name"] == "BA T->A")
    m = frame["group"] == "m"
    cooks, nurses = ((m & (frame["job"] == job)).sum() for job in ("cook", "nurse"))
    assert row["value"] == pytest.approx(0 if soft else (cooks / 40 - nurses / 20) / 2)


def test_models_of_an_attribute_alone() -> None:
    frame = images().assign(job=["cook", "nurse", "cook"] * 20)
    half = {"m": 0.5, "w": 0.5}
    base = bam.BaseRates(attribute_given_task={"cook": half, "nurse": half}, attribute=half)
    options: dict[str, Any] = {"task": "job", "reference": base, "n_boot": 0}
    guesses = {"sure": "group", "unsure": "group"}
    found = bam.audit_frame(frame, attribute_prediction=guesses, **options)
    assert found.summary["data"]["models"] == ["sure", "unsure"]
    mixed = {"sure": "is_*", "unsure": "pred_*"}
    found = bam.audit_frame(frame, attribute_prediction=mixed, **options)
    assert found.summary["data"]["models"] == ["sure", "unsure"]
    with pytest.raises(ValueError, match="attribute_prediction= must name each model once"):
        bam.audit_frame(frame, attribute_prediction=["group", "group"], **options)


def test_files_of_counts(tmp_path: Path) -> None:
    frame = pd.concat([people()] * 5)
    columns = {"task": "recid", "prediction": "tree", "attribute": "race"}
    for i in range(2):
        counts = bam.JointCounts.from_frame(frame[i::2], **columns)
        counts.save(tmp_path / f"{i}.json")
    found = bam.audit_frame(tmp_path / "*.json", n_boot=20).summary
    assert found == bam.audit_frame(frame, n_boot=20, **columns).summary
    with pytest.raises(ValueError, match=r"^task= is for tables: files of counts know their col"):
        bam.audit_frame(tmp_path / "0.json", **columns)
    with pytest.raises(ValueError, match=r"^groups= is for tables"):
        bam.audit_frame(tmp_path / "0.json", groups=["a", "b"])
    reference = bam.audit_frame(frame, reference=tmp_path / "0.json", n_boot=0, **columns)
    assert reference.summary["data"]["reference"] == "reference data of 300 rows"
    with pytest.raises(ValueError, match="the reference must hold counts where the data are files"):
        bam.audit_frame(tmp_path / "0.json", reference=frame)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": (
        {"task": "recidd"},
        r"columns must be in the frame; 'recidd' is not among \['recid', .*"
        r"\(did you mean 'recid'\?\)",
    ),
    "other case": ({"attribute": "RACE"}, r"'RACE' is not among .*did you mean 'race'"),
    "nothing like it": (
        {"weight": "qqq"},
        r"'qqq' is not among \[.*'person', 'race_score', 'half', 'mixed', 'one'\]$",
    ),
    "unknown score": ({"score": "scor"}, "'scor' is not among .*did you mean 'score'"),
    "unknown score of the attribute": (
        {"attribute_score": "race_scor"},
        "'race_scor' is not among .*did you mean 'race_score'",
    ),
    "scores of the attribute that are labels": (
        {"attribute_score": "race"},
        "attribute_score must hold numbers",
    ),
    "a group that is not there": (
        {"attribute_score": "race_score", "pos_group": "c"},
        "^pos_group must be one of the groups 'a', 'b'; received 'c'",
    ),
    "a group without scores": (
        {"pos_group": "a"},
        "^pos_group is for attribute_score; received 'a' without scores",
    ),
    "unknown clusters": ({"clusters": "persn"}, "'persn' is not among .*did you mean 'person'"),
    "unknown run": ({"run": "sed"}, "'sed' is not among .*did you mean 'seed'"),
    "array": (
        {"task": people()["recid"]},
        "^task must be the name of a column, or a list .*; received values of type Series .audit",
    ),
    "array of a model": ({"prediction": {"x": [0, 1]}}, r"^prediction\['x'\] must be the name of"),
    "number": ({"attribute": 3}, "^attribute must be the name of a column, .*; received 3"),
    "two weights": (
        {"weight": ["a", "b"]},
        r"^weight must be the name of one column; received \['a', 'b'\] \(audit takes arrays\)$",
    ),
    "clusters as an array": (
        {"clusters": people()["person"]},
        r"^clusters must be the name of one column; received values of type Series \(audit takes",
    ),
    "run of files": (
        {"run": "filename"},
        r"^run='filename' is for files, one per run, .*; received a frame with the columns \['rec",
    ),
    "no models": ({"prediction": {}}, "^prediction must map names of models to columns"),
    "model of a number": ({"prediction": {1: "tree"}}, "^prediction must map names of models"),
    "several columns of a model": (
        {"prediction": {"x": ["tree", "rule"]}},
        r"^prediction= must name one column for each model, .*received \['tree', 'rule'\] for 'x'",
    ),
    "other models": (
        {"attribute_prediction": {"x": "race_pred"}},
        r"^attribute_prediction must name the models of prediction, \['tree'\]; received \['x'\]",
    ),
    "too many attributes": (
        {"attribute_prediction": ["race_pred", "sex"]},
        r"^attribute_prediction must name 1 column\(s\), one for each attribute and model",
    ),
    "no attribute": ({"attribute": None}, "^attribute must name a column of the table"),
    "no prediction": ({"prediction": None}, "^prediction must name a column of the table; receiv"),
    "no truth": ({"task": None}, r"^task must be given \(MALS, and Multi"),
    "task as attribute": (
        {"attribute": ["race", "recid"]},
        "^a column must have one role; received 'recid' as task or a prediction of it, and as att",
    ),
    "task as weight": ({"weight": "recid"}, "received 'recid' as task .*, and as weight"),
    "attribute twice": ({"attribute": ["race", "race"]}, r"^attribute= must name each column once"),
    "scores of one of two": (
        {"prediction": ["tree", "rule"], "score": "score"},
        r"^score= must be given once for each prediction=; received \['score'\] for \['tree', 'ru",
    ),
    "scores of the attribute of one of two": (
        {"prediction": ["tree", "rule"], "attribute_score": "race_score"},
        r"^attribute_score= must be given once for each model; received \['race_score'\] for 't",
    ),
    "two scores of a model": (
        {"score": {"tree": ["score", "steps"]}},
        r"^score\['tree'\] must be the name of one column; received \['score', 'steps'\]",
    ),
    "scores of another model": ({"score": {"x": "score"}}, "^score must be of audited models"),
    "groups as predictions": (
        {"prediction": bam.Indicators(["tree"])},
        "^prediction must be the name of a column, .*received values of type Indicators",
    ),
    "words as scores": ({"score": "sex"}, "^score must hold numbers; received values such as 'f'"),
    "one group": (
        {"groups": ["a"]},
        "column 'race' must hold only labels listed in groups; received 'b'",
    ),
    "unknown prediction": ({"prediction": "race"}, "a column must have one role"),
    "label": ({"pos_label": "maybe"}, "^pos_label must be one of the classes 'no', 'yes'"),
    "reference without columns": (
        {"reference": people().drop(columns="race")},
        "^in the reference, columns must be in the frame; 'race' is not among",
    ),
    "rows without a run": (
        {"run": "half"},
        rf"^column 'half' must say for every row which run it is of; received {N // 2} row",
    ),
    "runs of two types": (
        {"run": "mixed"},
        "^column 'mixed' must hold runs of one type; received int and str$",
    ),
    "only one run": ({"run": "one"}, r"^a summary of runs needs at least two; received \['1'\]"),
    "reference that is not there": ({"reference": "none.csv"}, "there is none for 'none.csv'"),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    rows = people().assign(half=[1, None] * (N // 2), mixed=[1, "1"] * (N // 2), one=1)
    with pytest.raises(ValueError, match=message) as caught:
        bam.audit_frame(rows, **{**COLUMNS, **changed})
    assert len(str(caught.value).splitlines()) == 1


def test_labels_where_a_prefix_names_the_tasks() -> None:
    with pytest.raises(ValueError, match="labels= must not be given where tasks have names alr"):
        bam.audit_frame(
            images(), task="true_*", prediction="one_*", attribute="group", labels=["dog", "cat"]
        )


def test_files_that_are_not_there(tmp_path: Path) -> None:
    message = "a path must name a file or match some; "
    with pytest.raises(ValueError, match=message + r"there is none for '.*none\.csv'"):
        bam.audit_frame(tmp_path / "none.csv", **COLUMNS)
    with pytest.raises(ValueError, match=r"a folder must hold files that end in \.csv"):
        bam.audit_frame(tmp_path, **COLUMNS)
    with pytest.raises(ValueError, match=message + r"received ''$"):
        bam.audit_frame("", **COLUMNS)


def test_an_error_of_one_run_names_it(tmp_path: Path) -> None:
    rows = people()
    rows["weight"] = rows["weight"].where(rows["seed"] == 1, -1.0)
    message = "^in run '2', column 'weight' must be finite and not negative; received -1.0 in"
    rows.to_csv(tmp_path / "people.csv", index=False)
    for table in (rows, tmp_path / "people.csv"):
        with pytest.raises(ValueError, match=message):
            bam.audit_frame(table, **COLUMNS, run="seed", weight="weight")
    one_group = people()
    one_group.loc[one_group["seed"] == 2, "race"] = "a"
    with pytest.raises(ValueError, match=r"^in run '2', attribute must have at least two groups;"):
        bam.audit_frame(one_group, **COLUMNS, run="seed")


def test_errors_speak_of_files_where_these_were_given(tmp_path: Path) -> None:
    rows, other = people(), people().drop(columns="race")
    head, file, data = (tmp_path / f"{name}.csv" for name in ("head", "other", "people"))
    head.write_text("recid,tree,race\n")
    rows.to_csv(data, index=False)
    other.to_csv(file, index=False)
    for table, reference, message in (
        (head, None, "^the file must have at least one row; received none$"),
        (file, None, "^columns must be in the file; 'race' is not among"),
        ([file, file], None, "^columns must be in the files; 'race' is not among"),
        (rows, file, "^in the reference, columns must be in the file; 'race' is not among"),
        (rows, other, "^in the reference, columns must be in the frame; 'race' is not among"),
        (data, other, "^in the reference, columns must be in the frame; 'race' is not among"),
    ):
        with pytest.raises(ValueError, match=message):
            bam.audit_frame(table, **COLUMNS, reference=reference)


def test_columns_that_have_no_names_of_text() -> None:
    rows = people()
    with pytest.raises(ValueError, match=r"columns of the frame must have names of text; received"):
        bam.audit_frame(rows.set_axis(range(rows.shape[1]), axis=1), **COLUMNS)


@pytest.mark.parametrize(
    ("table", "received"),
    [
        (None, "a NoneType"),
        (3, "a int"),
        ([1, 2, 3], "a list of int"),
        ([], "an empty list"),
        ({"recid": [1]}, "a dict"),
        (people()["recid"], "a Series"),
        (people().to_numpy(), "a ndarray"),
        ([people(), people(), people()], "a list of DataFrame"),
        (["people.csv", people(), people()], "a list of str, DataFrame"),
    ],
)
def test_what_is_no_table(table: Any, received: str) -> None:
    message = rf"^table must be a frame .* paths of files; received {received} \(audit takes arrays"
    with pytest.raises(TypeError, match=message):
        bam.audit_frame(table, **COLUMNS)
    if table is not None:
        with pytest.raises(
            TypeError, match=r"^reference must be \(y_true, sens.*, or paths of files"
        ):
            bam.audit_frame(people(), **COLUMNS, reference=table)


def test_predictions_by_name_count_the_same() -> None:
    frame = people()
    columns = {"task": "recid", "attribute": "race"}
    listed = bam.JointCounts.from_frame(
        frame,
        prediction=["tree", "rule"],
        attribute_prediction=["race_pred", "race"],
        **columns,
    )
    named = bam.JointCounts.from_frame(
        frame,
        prediction={"tree": "tree", "rule": "rule"},
        attribute_prediction={"rule": "race", "tree": ["race_pred"]},
        **columns,
    )
    assert named == listed
    assert named.models == ("tree", "rule")


def test_the_first_model_is_the_first_prediction() -> None:
    frame = people()
    guesses = {"rule": frame["race_pred"], "tree": frame["race"]}
    report = bam.audit(
        frame["recid"],
        {"tree": frame["tree"], "rule": frame["rule"]},
        sensitive_features=frame["race"],
        sensitive_features_pred=guesses,
        n_boot=0,
    )
    assert report.summary["data"]["models"] == ["tree", "rule"]


def test_one_document_for_all(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    report = bam.audit_frame(tmp_path / "people.csv", title="Recidivism", **COLUMNS)
    assert json.loads(report.to_json())["title"] == "Recidivism"


HINT = r" \(audit_frame takes a table or files, and the names of columns\)$"
ROWS = people()


@pytest.mark.parametrize(
    ("y_true", "y_pred", "received"),
    [
        ("people.csv", ROWS["tree"], "'people.csv'"),
        (Path("people.csv"), ROWS["tree"], r"\w+Path\('people.csv'\)"),
        (ROWS["recid"], "tree", "'tree'"),
        (ROWS, "tree", "'tree'"),
        (pl.from_pandas(ROWS), "tree", "'tree'"),
        (pl.from_pandas(ROWS).lazy(), ROWS["tree"], "a LazyFrame"),
        (duckdb.from_df(ROWS), ROWS["tree"], "a DuckDBPyRelation"),
        (ROWS, ROWS["tree"], "labels for a matrix"),
        (pl.from_pandas(ROWS), {"x": ROWS["tree"]}, "labels for a matrix"),
        (ROWS[["score", "weight"]], ROWS["tree"], "labels for a matrix"),
    ],
)
def test_arrays_that_are_tables_or_names(y_true: Any, y_pred: Any, received: str) -> None:
    metric = bam.DirectionalBiasAmplification()
    for call in (bam.audit, metric):
        with pytest.raises(ValueError, match=f"received {received}{HINT}") as caught:
            call(y_true, y_pred, sensitive_features=ROWS["race"])
        assert len(str(caught.value).splitlines()) == 1


def test_an_attribute_by_name() -> None:
    with pytest.raises(ValueError, match=f"^sensitive_features must be .* received 'race'{HINT}"):
        bam.audit(ROWS, "tree", sensitive_features="race")


@pytest.mark.parametrize(
    ("argument", "name"),
    [("y_true", "task"), ("sensitive_features", "attribute"), ("cluster", "clusters")],
)
def test_arguments_that_audit_frame_does_not_take(argument: str, name: str) -> None:
    call: Any = bam.audit_frame
    message = f"audit_frame has no argument '{argument}': {name}= names such a column"
    with pytest.raises(TypeError, match=message):
        call(ROWS, **{argument: "recid"})


def test_columns_that_audit_does_not_take() -> None:
    message = "audit has no argument 'task': audit_frame takes a table and the names of its columns"
    call: Any = bam.audit
    with pytest.raises(TypeError, match=message):
        call(ROWS, task="recid", prediction="tree", attribute="race")
    with pytest.raises(ValueError, match=r"received a DataFrame .audit_frame audits a table"):
        bam.audit_counts(ROWS)  # type: ignore[arg-type]


def test_a_frame_of_one_column_and_indicators_stay_what_they_are() -> None:
    expected = alone(ROWS)
    one = ROWS[["recid"]]
    options: dict[str, Any] = {"sensitive_features": ROWS["race"], "n_boot": 0}
    assert bam.audit(one, {"tree": ROWS["tree"]}, **options).summary == expected
    frame = images()
    options["sensitive_features"] = frame["group"]
    report = bam.audit(part(frame, "true_"), part(frame, "one_"), **options)
    assert report.summary["data"]["tasks_are_columns"]


def test_where_selects_rows_of_files_only(tmp_path: Path) -> None:
    rows = pd.DataFrame({"T": [1, 0] * 20, "P": [1, 0] * 20, "A": ["a", "b"] * 20})
    rows["age"] = range(40)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    options: Any = {"task": "T", "prediction": "P", "attribute": "A", "n_boot": 0}
    report = bam.audit_frame(tmp_path / "rows.csv", where="age >= 10", **options)
    alone = bam.audit_frame(rows[rows["age"] >= 10], **options)
    assert report.summary["metrics"] == alone.summary["metrics"]
    wanted = "Only rows that meet the condition age >= 10 were audited: 30 of 40."
    assert report.summary["notes"][0] == wanted
    with pytest.raises(ValueError, match="where= is for files, since a frame can select its rows"):
        bam.audit_frame(rows, where="age >= 10", **options)

"""``biasamp audit`` where tasks, or groups, are columns of 0 and 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import biasamp, write_csv, write_parquet

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.metrics import predictability

FAST = ["--n-boot", "50"]
TASKS = ["dog", "cat"]
COLUMNS = ["--task", "t_*", "--prediction", "m1_*", "--attribute", "A"]

#: Of 20 images a group: dogs 12 and 6, called so 16 and 4; cats 4 and 10, called so 3 and 11. All
#: four rates move along their correlation.
VALUE = (4 / 20 + 2 / 20 + 1 / 20 + 1 / 20) / 4


def images() -> pd.DataFrame:
    """40 images; the columns of the first model are in another order than those of the truth."""

    def first(a: int, b: int) -> list[int]:
        return [int(i < n) for n in (a, b) for i in range(20)]

    def last(a: int, b: int) -> list[int]:
        return [int(i >= 20 - n) for n in (a, b) for i in range(20)]

    frame = pd.DataFrame(
        {"t_dog": first(12, 6), "t_cat": last(4, 10), "A": ["a"] * 20 + ["b"] * 20}
    )
    frame["m1_cat"], frame["m1_dog"] = last(3, 11), first(16, 4)
    frame["m2_dog"], frame["m2_cat"] = first(12, 6), last(4, 10)
    frame["g_a"], frame["g_b"] = frame["A"].eq("a").astype(int), frame["A"].eq("b").astype(int)
    frame["h_b"], frame["h_a"] = 0.25, 0.75
    return frame.assign(B=["x", "y"] * 20, w=[0.5, 1.5, 2.0, 1.0] * 10, seed=[1, 2] * 20)


def matrix(frame: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """The columns that begin so, under the rest of their names."""
    chosen = [name for name in frame if name.startswith(prefix)]
    return frame[chosen].rename(columns=lambda name: name.removeprefix(prefix))


def expected(frame: pd.DataFrame, **changed: Any) -> dict[str, Any]:
    """The audit of the same rows in memory."""
    arguments: dict[str, Any] = {
        "y_pred": {"m1": matrix(frame, "m1_")},
        "sensitive_features": frame["A"],
        "n_boot": 50,
    }
    return bam.audit(matrix(frame, "t_"), **{**arguments, **changed}).summary


@pytest.fixture
def fitted() -> None:
    """For tests of all numbers: attackers are fitted, which takes most of an audit's time."""


@pytest.fixture(autouse=True)
def unfitted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No attacker is fitted, in the command or in memory, unless a test asks for ``fitted``."""
    if "fitted" not in request.fixturenames:
        monkeypatch.setattr(predictability, "MOST_FITTED", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The images as a CSV file."""
    return write_csv(images(), tmp_path / "images.csv")


def summary_of(path: Path, *arguments: object) -> Any:
    """What a call of the command writes as JSON."""
    out = path.parent / "out.json"
    ended = biasamp("audit", path, *arguments, *FAST, "--json", out)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(out.read_text(), parse_constant=pytest.fail)


def check(found: dict[str, Any], of_rows: dict[str, Any]) -> None:
    """All that no draw and no fitted attacker decides is as in the audit of the rows."""

    def numbers(rows: list[dict[str, Any]]) -> dict[Any, Any]:
        names = ("model", "name", "measure", "task", "attribute", "sign", "run")
        return {
            tuple(row.get(name) for name in names): (
                row.get("value"),
                row.get("contribution", {}).get("value"),
            )
            for row in rows
            # An attacker that is fitted takes the rows in their order.
            if row.get("name") not in ("LA", "DPA T->A", "DPA(U) T->A", "DPA(U) A->T")
        }

    assert found["data"] == of_rows["data"]
    for part in ("metrics", "differences", "trends", "pairs", "fairness"):
        ours, theirs = numbers(found[part]), numbers(of_rows[part])
        assert ours.keys() == theirs.keys()
        for key, pair in theirs.items():
            assert ours[key][0] == pytest.approx(pair[0], abs=1e-12), key
            assert ours[key][1] == pytest.approx(pair[1], abs=1e-12), key


def value_of(summary: dict[str, Any], name: str = "BA A->T", model: str = "m1") -> Any:
    (row,) = (row for row in summary["metrics"] if (row["name"], row["model"]) == (name, model))
    return row["value"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_prefixes(tmp_path: Path, kind: str) -> None:
    write = {"csv": write_csv, "parquet": write_parquet}[kind]
    found = summary_of(write(images(), tmp_path / f"images.{kind}"), *COLUMNS)
    check(found, expected(images()))
    assert value_of(found) == pytest.approx(VALUE)
    assert [of["label"] for of in found["data"]["classes"]] == TASKS
    assert found["data"]["models"] == ["m1"]
    assert found["data"]["attributes"] == ["A"]


@pytest.mark.usefixtures("fitted")
def test_intervals_too_are_those_of_the_rows(path: Path) -> None:
    assert summary_of(path, *COLUMNS) == expected(images())


@pytest.mark.usefixtures("fitted")
def test_order_of_rows_does_not_matter(path: Path) -> None:
    # An engine promises none: a report that depended on it could not be repeated.
    first = summary_of(path, *COLUMNS)
    write_csv(images().sample(frac=1, random_state=0), path)
    assert summary_of(path, *COLUMNS) == first


BOTH = ["--task", "t_dog", "--task", "t_cat"]
LISTS = {
    "lists": ["--task", "t_dog,t_cat", "--prediction", "m1_dog,m1_cat"],
    "lists with spaces": ["--task", "t_dog, t_cat", "--prediction", "m1_dog , m1_cat"],
    "repeated": [*BOTH, "--prediction", "m1_dog", "--prediction", "m1_cat"],
    "repeated and listed": [*BOTH, "--prediction", "m1_dog,m1_cat"],
    "a list of prefixes": ["--task", "t_d*,t_c*", "--prediction", "m1_d*,m1_c*"],
}


@pytest.mark.parametrize("options", LISTS.values(), ids=LISTS)
def test_lists_are_in_one_order(path: Path, options: list[str]) -> None:
    found = summary_of(path, *options, "--attribute", "A")
    assert value_of(found, model="model") == pytest.approx(VALUE)
    assert [of["rows"] for of in found["data"]["classes"]] == [18, 14]


@pytest.mark.parametrize("order", ["m1_dog,m1_cat", "m1_cat,m1_dog"])
def test_a_list_beside_a_prefix_is_not_taken_in_the_order_of_the_file(
    path: Path, order: str
) -> None:
    # Of a prefix the user wrote no order. Called cats, the dogs would give a value far below 0.
    options = ["--task", "t_*", "--prediction", order, "--attribute", "A"]
    ended = biasamp("audit", path, *options, *FAST, "--json", path.parent / "out.json")
    refused = ended.code == 2 and "--prediction" in ended.err
    assert refused or value_of(summary_of(path, *options), model="model") == pytest.approx(VALUE)


def test_several_models(path: Path) -> None:
    found = summary_of(path, *COLUMNS, "--prediction", "m2_*")
    models = {name: matrix(images(), f"{name}_") for name in ("m1", "m2")}
    check(found, expected(images(), y_pred=models))
    assert value_of(found, model="m2") == 0
    differences = {row["name"]: row["value"] for row in found["differences"]}
    assert differences["BA A->T"] == pytest.approx(-VALUE)


def test_one_task_column(path: Path) -> None:
    found = summary_of(path, "--task", "t_d*", "--prediction", "m1_d*", "--attribute", "A")
    assert [of["label"] for of in found["data"]["classes"]] == ["og"]
    # The one task of group a and of b: 4/20 and 2/20.
    assert found["metrics"][1]["value"] == pytest.approx((4 / 20 + 2 / 20) / 2)


GROUPS = ["--task", "t_*", "--prediction", "m1_*", "--attribute", "g_*"]


def test_groups_that_are_columns(path: Path) -> None:
    found = summary_of(path, *GROUPS)
    check(found, expected(images(), sensitive_features=bam.Indicators(matrix(images(), "g_"))))
    assert value_of(found) == pytest.approx(VALUE)
    assert [of["label"] for of in found["data"]["groups"]] == ["a", "b"]


#: The model says a by 3/4 of every image: of dogs a is 12/18, of cats 4/14.
T_TO_A = (2 * (3 / 4 - 12 / 18) + 2 * (4 / 14 - 3 / 4)) / 4


def test_predicted_groups_that_are_probabilities(path: Path) -> None:
    found = summary_of(path, *GROUPS, "--attribute-prediction", "h_*")
    groups, made = (bam.Indicators(matrix(images(), prefix)) for prefix in ("g_", "h_"))
    check(found, expected(images(), sensitive_features=groups, sensitive_features_pred=made))
    assert value_of(found, "BA T->A") == pytest.approx(T_TO_A)


def test_lists_of_groups_are_in_one_order(path: Path) -> None:
    tasks = GROUPS[:4]
    lists = ["--attribute", "g_a,g_b", "--attribute-prediction", "h_a,h_b"]
    assert value_of(summary_of(path, *tasks, *lists), "BA T->A") == pytest.approx(T_TO_A)


def test_labels_of_tasks_with_groups_that_are_columns(path: Path) -> None:
    frame = images()
    options = ["--task", "t_dog", "--prediction", "m1_dog", "--attribute", "g_*"]
    found = summary_of(path, *options, "--attribute-prediction", "h_*")
    # Of the 18 dogs a is 12/18, of the 22 others 8/22.
    moves = [3 / 4 - 12 / 18, 8 / 22 - 3 / 4]
    assert value_of(found, "BA T->A", "m1_dog") == pytest.approx(sum(moves) / 2)
    assert [of["label"] for of in found["data"]["classes"]] == ["0", "1"]
    assert frame["t_dog"].sum() == 18


def test_reference(path: Path) -> None:
    # The groups are swapped, so the correlations are too; columns in another order, and no others.
    training = images()[["A", "t_cat", "t_dog"]].assign(A=["b"] * 20 + ["a"] * 20)
    known = write_parquet(training, path.parent / "training.parquet")
    found = summary_of(path, *COLUMNS, "--reference", known)
    check(found, expected(images(), reference=(matrix(training, "t_"), training["A"])))
    assert value_of(found) == pytest.approx(-VALUE)


def test_weight(path: Path) -> None:
    found = summary_of(path, *COLUMNS, "--weight", "w")
    check(found, expected(images(), sample_weight=images()["w"]))
    assert found["data"]["weighted"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("rule", ["drop", "abstain"])
def test_missing(tmp_path: Path, rule: str, kind: str) -> None:
    frame = images().astype({"m1_dog": "Int64", "m1_cat": "Int64"})
    frame.loc[::7, ["m1_dog", "m1_cat"]] = pd.NA
    write = {"csv": write_csv, "parquet": write_parquet}[kind]
    found = summary_of(write(frame, tmp_path / f"gaps.{kind}"), *COLUMNS, "--missing", rule)
    check(found, expected(frame, missing=rule))
    # Images 0, 7, ..., 35.
    assert found["data"]["rows"] == (40 - 6 if rule == "drop" else 40)


def test_positive_label(path: Path) -> None:
    found = summary_of(path, *COLUMNS, "--pos-label", "cat")
    assert found["data"]["positive"] == "cat"
    assert value_of(found) == pytest.approx((1 / 20 + 1 / 20) / 2)
    assert {row["task"] for row in found["fairness"]} == {"cat", "all"}


def test_runs(path: Path) -> None:
    found = summary_of(path, *COLUMNS, "--run", "seed")
    parts = {str(seed): rows for seed, rows in images().groupby("seed")}
    reports = {
        seed: bam.audit(
            matrix(rows, "t_"),
            {"m1": matrix(rows, "m1_")},
            sensitive_features=rows["A"],
            n_boot=50,
        )
        for seed, rows in parts.items()
    }
    check(found, summarize_reports(reports).summary)
    means = [reports[seed].summary["metrics"][1]["value"] for seed in parts]
    assert value_of(found) == pytest.approx(np.mean(means))
    assert found["data"]["runs"] == 2


def test_several_files_are_parts_of_one_table(tmp_path: Path) -> None:
    parts = [images()[:15], images()[15:].iloc[:, ::-1]]
    for i, part in enumerate(parts):
        write_csv(part, tmp_path / f"part{i}.csv")
    check(summary_of(tmp_path / "part*.csv", *COLUMNS), expected(images()))


def test_separate_attributes(path: Path) -> None:
    both = summary_of(path, *COLUMNS, "--attribute", "g_*", "--separate")
    assert [found["title"] for found in both] == ["2 tasks by A", "2 tasks by group"]
    assert [value_of(found) for found in both] == pytest.approx([VALUE, VALUE])


def test_crossed_attributes(path: Path) -> None:
    found = summary_of(path, *COLUMNS, "--attribute", "B")
    check(found, expected(images(), sensitive_features=images()[["A", "B"]]))
    assert [of["label"] for of in found["data"]["groups"]] == ["a × x", "a × y", "b × x", "b × y"]


@pytest.mark.parametrize(("bound", "code"), [(0.5, 0), (-0.5, 1)])
def test_gate(path: Path, bound: float, code: int) -> None:
    ended = biasamp("audit", path, *COLUMNS, *FAST, "--fail-above", f"BA A->T={bound}")
    assert ended.code == code
    assert ended.err.count("\n") == code


@pytest.mark.usefixtures("fitted")
def test_page(path: Path) -> None:
    page = path.parent / "out.html"
    ended = biasamp("audit", path, *COLUMNS, *FAST, "--html", page)
    assert (ended.code, ended.err) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert all(f">{name}</td>" in text for name in TASKS)


def test_a_list_and_a_prefix_go_together_where_names_are_the_same(tmp_path: Path) -> None:
    frame = images().rename(columns=lambda name: name.removeprefix("t_"))
    path = write_csv(frame, tmp_path / "images.csv")
    found = summary_of(path, "--task", "dog,cat", "--prediction", "m1_*", "--attribute", "A")
    assert value_of(found) == pytest.approx(VALUE)


def test_models_by_lists_are_numbered(path: Path) -> None:
    lists = ["--prediction", "m1_dog,m1_cat", "--prediction", "m2_dog,m2_cat"]
    found = summary_of(path, "--task", "t_dog,t_cat", *lists, "--attribute", "A")
    assert found["data"]["models"] == ["model 1", "model 2"]

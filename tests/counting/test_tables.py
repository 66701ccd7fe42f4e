"""Every engine gives the same columns, and only what is asked for comes into memory."""

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from counting.table_rows import rows_of

import biasamp_adapters as bam
from biasamp_adapters.counting.arrays import read_input
from biasamp_adapters.counting.tables import read_table

pa = pytest.importorskip("pyarrow", reason="pyarrow, from which all engines are filled, is missing")

Engine = Callable[[dict[str, Any]], Any]


def make_spark(module: Any, table: Any) -> Any:
    session = module.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = session.config("spark.sql.shuffle.partitions", "1")  # Not 200.
    return session.getOrCreate().createDataFrame(table)


def make_dask(module: Any, table: Any) -> Any:
    return module.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)


#: For each engine the module that it needs, and how it is filled from a table of Arrow.
ENGINES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "pandas": ("pandas", lambda _, table: table.to_pandas(integer_object_nulls=True)),
    "pandas-pyarrow": ("pandas", lambda _, table: table.to_pandas(types_mapper=pd.ArrowDtype)),
    "polars": ("polars", lambda module, table: module.from_arrow(table)),
    "polars-lazy": ("polars", lambda module, table: module.from_arrow(table).lazy()),
    "pyarrow": ("pyarrow", lambda _, table: table),
    "pyarrow-batch": ("pyarrow", lambda _, table: table.combine_chunks().to_batches()[0]),
    "duckdb": ("duckdb", lambda module, table: module.from_arrow(table)),
    "dask": ("dask.dataframe", make_dask),
    "ibis": ("ibis", lambda module, table: module.memtable(table)),
    "pyspark": ("pyspark.sql", make_spark),
}

#: Engines that each test uses; the others read one table of everything.
USUAL = ("pandas", "polars", "duckdb")


@pytest.fixture(params=USUAL)
def engine(request: pytest.FixtureRequest) -> Engine:
    return make_engine(request.param)


def make_engine(name: str) -> Engine:
    name_of_module, constructor = ENGINES[name]
    module = pytest.importorskip(name_of_module, exc_type=ImportError)

    def make(columns: dict[str, Any]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of the engines themselves.
            return constructor(module, pa.table(columns))

    return make


def matrix_of(groups: bam.OverlappingGroups) -> Any:
    return read_input(groups, "y_true").matrix()


LONG = [Decimal("0.1234567890123456789"), Decimal("0.1234567890123456788")]

KINDS: dict[str, Any] = {
    "text": ["x", None, "y", "y"],
    "whole numbers that floats cannot tell apart": [2**60, None, 2**60 + 1, 2**60 + 1],
    "largest unsigned": pa.array([1, None, 2**64 - 1, 2**64 - 1], pa.uint64()),
    "booleans": [True, None, False, False],
    "floats": [0.5, None, 1.5, 1.5],
    "dates": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 2), dt.date(2020, 1, 2)],
    "times": [dt.datetime(2020, 1, 1, 8), None, dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2)],
    "times of a zone": pa.array([1, None, 10**15, 10**15], pa.timestamp("us", "Asia/Tokyo")),
    "bytes": [b"y", None, b"x", b"x"],
    "decimals": pa.array([Decimal("0.5"), None, Decimal("1.5"), Decimal("1.5")]),
    "whole decimals": pa.array([Decimal("1.00"), None, Decimal("0.00"), Decimal("0.00")]),
    "decimals of many digits": pa.array([LONG[0], None, LONG[1], LONG[1]], pa.decimal128(38, 19)),
    "whole decimals of many digits": pa.array([Decimal(10**30), None, *[Decimal(7)] * 2]),
    "categories": pa.array(["y", "x", "y", "x"]).dictionary_encode(),
    "categories and a missing one": pa.array(["y", None, "x", "x"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_read_table_kind_of_label_is_kept_beside_missing_values(engine, kind) -> None:
    labels = KINDS[kind] if isinstance(KINDS[kind], list) else KINDS[kind].to_pylist()
    groups = ["a", "a", "b", "b"]
    frame = engine({"y": KINDS[kind], "g": groups})
    counts = bam.Counts.from_frame(frame, y_true="y", sensitive_features="g", missing="drop")
    array = np.array(labels, dtype=object)
    expected = bam.Counts.from_arrays(array, sensitive_features=groups, missing="drop")
    assert counts.class_labels == expected.class_labels
    assert [type(x) for x in counts.class_labels] == [type(x) for x in expected.class_labels]
    assert counts == expected


@pytest.mark.parametrize("kind", ["times of a zone", "bytes"])
def test_labels_of_a_kind_are_the_same_in_parquet_and_arrays_of_arrow(tmp_path, kind) -> None:
    table, path = pa.table({"y": KINDS[kind]}).drop_null(), str(tmp_path / "rows.parquet")
    pytest.importorskip("duckdb").from_arrow(table).write_parquet(path)
    labels = bam.Counts.from_frame(path, y_true="y").class_labels
    assert labels == bam.Counts.from_arrays(table["y"]).class_labels
    assert labels == bam.Counts.from_arrays(table["y"].to_pylist()).class_labels


def test_read_table_clusters_that_are_long_decimals_stay_distinct(engine) -> None:
    long = pa.array([Decimal(10**30), Decimal(10**30 + 1)], pa.decimal128(38, 0))
    chunks = read_table(engine({"y": [0, 1], "id": long}), {"y_true": "y", "clusters": "id"})
    clusters = [str(cluster) for chunk in chunks for cluster in chunk["clusters"]]
    assert clusters == ["1" + "0" * 30, "1" + "0" * 29 + "1"]


def test_read_table_column_without_a_value_is_missing(engine) -> None:
    frame = engine({"y": pa.array([None, None], pa.string()), "g": ["a", "b"]})
    assert rows_of(frame, {"y_true": "y", "sensitive_features": "g"}) == {
        (None, "a"): 1,
        (None, "b"): 1,
    }


def test_read_table_types_that_duckdb_alone_has_are_read() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql(
        f"SELECT unnest([{10**30}::HUGEINT, {10**30 + 1}, NULL]) AS y, 0.75 AS s, 1.5 AS w, "
        "'u'::ENUM('v', 'u') AS g, unnest([uuid(), uuid(), uuid()]) AS person"
    )
    names = {"y_true": "y", "y_score": "s", "sample_weight": "w", "sensitive_features": "g"}
    (chunk,) = read_table(relation, names | {"clusters": "person"})
    assert set(chunk["y_true"]) == {10**30, 10**30 + 1, None}
    assert chunk["y_score"]["s"].tolist() == [0.75] * 3
    assert chunk["sample_weight"].tolist() == [1.5] * 3
    assert list(chunk["sensitive_features"]) == ["u"] * 3
    assert len(set(chunk["clusters"])) == 3


def test_read_table_types_of_arrow_that_cannot_be_grouped_are_read() -> None:
    halves, views = pa.array(np.array([1, 0], np.float16)), pa.array(["a", "b"], pa.string_view())
    table, names = pa.table({"y": halves, "g": views}), {"y_true": "y", "sensitive_features": "g"}
    assert rows_of(table, names) == {(0, "b"): 1, (1, "a"): 1}


NAMES = ["len", "n", "count(*)", "a b", "Ünï", "it's", 'qu"ote', "select", "label0", "number1"]


@pytest.mark.parametrize("name", NAMES)
def test_read_table_awkward_name_is_that_of_its_column(engine, name) -> None:
    frame = engine({name: [1, 2, 2], "g": ["a", "b", "b"], "other": [0, 0, 0]})
    assert rows_of(frame, {"y_true": name, "sensitive_features": "g"}) == {(1, "a"): 1, (2, "b"): 2}


def test_read_table_names_that_differ_by_capital_letters_are_two_columns() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("SELECT 1 AS black, 2 AS Black, 3 AS x, 4 AS x")
    assert rows_of(relation, {"y_true": "Black", "y_pred": "black"}) == {(2, 1): 1}


def test_read_table_duplicate_name_matters_only_if_it_is_asked_for() -> None:
    duckdb, dd = pytest.importorskip("duckdb"), pytest.importorskip("dask.dataframe")
    table = pa.table([[1, 0], [5, 6], [7, 8]], names=["y", "x", "x"])
    relation = duckdb.sql("SELECT unnest([1, 0]) AS y, 5 AS x, 7 AS x")
    for frame in (table, relation, dd.from_pandas(table.to_pandas(), npartitions=1)):
        assert rows_of(frame, {"y_true": "y"}) == {(1,): 1, (0,): 1}
        with pytest.raises(ValueError, match="2 columns have the name 'x'"):
            rows_of(frame, {"y_true": "x"})


def test_read_table_level_of_the_index_of_dask_is_found() -> None:
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    index = pd.Index(["u", "v", "v"], name="race")
    frame = dd.from_pandas(pd.DataFrame({"y": [1, 0, 0]}, index=index), npartitions=1)
    assert rows_of(frame, {"y_true": "y", "sensitive_features": "race"}) == {
        (1, "u"): 1,
        (0, "v"): 2,
    }


# Types that cannot be labels.


@pytest.mark.parametrize("column", [[[1], [2, 3]], [{"a": 1}, {"a": 2}]], ids=["list", "struct"])
def test_read_table_nested_column_raises_with_its_name(engine, column) -> None:
    frame = engine({"y": [0, 1], "groups of people": column})
    assert rows_of(frame, {"y_true": "y"}) == {(0,): 1, (1,): 1}
    pattern = "column 'groups of people' must hold labels|must hold labels such as text"
    with pytest.raises(ValueError, match=pattern):
        bam.Counts.from_frame(frame, y_true="y", sensitive_features="groups of people")


def test_read_table_period_is_a_label_in_an_array_and_refused_in_a_frame_of_arrow() -> None:
    months = pd.Series(pd.period_range("2020-01", periods=2, freq="M"), name="y")
    table = pa.Table.from_pandas(months.to_frame())  # It stores whole numbers, 600 and 601.
    assert bam.Counts.from_arrays(table["y"]).class_labels == tuple(months)
    with pytest.raises(ValueError, match="column 'y' must hold labels such as text"):
        bam.Counts.from_frame(table, y_true="y")


def test_read_table_text_as_a_number_raises_with_its_name(engine) -> None:
    frame = engine({"y": [0, 1], "w": ["a", "b"], "true_a": ["0", "x"]})
    with pytest.raises(ValueError, match=r"(column 'w'|sample_weight) must hold numbers"):
        bam.Counts.from_frame(frame, y_true="y", sample_weight="w")
    with pytest.raises(ValueError, match=r"(column 'true_a'|y_true) must hold numbers"):
        bam.Counts.from_frame(frame, y_true="true_*")


@pytest.mark.parametrize("data", [np.zeros(3), pd.Series([1]), 5, None, [{"y": [1]}]])
def test_read_table_of_no_table_raises(data) -> None:
    with pytest.raises(TypeError, match="data must be a frame, a mapping of columns or paths"):
        rows_of(data, {"y_true": "y"})


def test_read_table_equal_rows_come_as_one_unless_they_are_in_memory(engine, request) -> None:
    frame = engine({"y": [0, 1] * 50, "p": [1] * 100, "g": ["a", "b", "b", "b"] * 25})
    (chunk,) = read_table(frame, {"y_true": "y", "y_pred": "p", "sensitive_features": "g"})
    if request.node.callspec.params["engine"] == "pandas":
        assert "count" not in chunk
        return
    # In the order of the labels, whatever that of the engine is.
    assert list(chunk["y_true"]) == [0, 0, 1]
    assert list(chunk["sensitive_features"]) == ["a", "b", "b"]
    assert list(chunk["count"]) == [25, 25, 50]


def test_read_table_matrix_of_numbers_and_booleans(engine) -> None:
    frame = engine(
        {
            "true_a": [True, False, True],
            "true_b": pa.array([0, 1, 1], pa.int8()),
            "pred_b": [0.25, 1.0, None],
            "pred_a": [1, 0, 0],
            "g": ["a", "b", None],
        }
    )
    arguments = {"y_true": "true_*", "y_pred": "pred_*", "sensitive_features": "g"}
    chunks = list(read_table(frame, arguments))
    truth = np.concatenate([matrix_of(chunk["y_true"]) for chunk in chunks])
    predicted = np.concatenate([matrix_of(chunk["y_pred"]["pred"]) for chunk in chunks])
    assert truth.dtype == np.uint8  # Of 0 and 1 alone.
    assert truth.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert predicted[:2].astype(float).tolist() == [[1, 0.25], [0, 1]]
    assert predicted[2, 0] == 0
    assert pd.isna(predicted[2, 1])
    assert "count" not in chunks[0]
    groups = [x for chunk in chunks for x in pd.Series(chunk["sensitive_features"]).tolist()]
    assert groups[:2] == ["a", "b"]
    assert pd.isna(groups[2])


@pytest.mark.parametrize("source", ["relation", "file"])
def test_read_table_matrix_of_duckdb_streams_through_in_chunks(source, tmp_path) -> None:
    duckdb = pytest.importorskip("duckdb")
    tasks = ", ".join(f"(i % {j + 2} = 0)::TINYINT AS true_{j}" for j in range(30))
    frame = duckdb.sql(f"SELECT {tasks} FROM range(300000) t(i)")
    if source == "file":
        frame.write_parquet(str(tmp_path / "rows.parquet"))
        frame = tmp_path / "rows.parquet"
    sizes, total = [], np.zeros(30)
    for chunk in read_table(frame, {"y_true": "true_*"}):
        sizes.append(len(matrix_of(chunk["y_true"])))
        total += matrix_of(chunk["y_true"]).sum(axis=0)
    assert sum(sizes) == 300_000
    assert max(sizes) * 30 <= 2**22
    # Of the numbers below 300,000, every second, third, ... is divided.
    assert total.tolist() == [-(-300_000 // (j + 2)) for j in range(30)]


def test_read_table_mapping_of_columns_of_any_library() -> None:
    polars = pytest.importorskip("polars")
    columns = {
        "y": [1, 0, 1],
        "p": np.array([1, 0, 0]),
        "g": polars.Series(["a", "b", None]),
        "unused": object(),
    }
    counted = rows_of(columns, {"y_true": "y", "y_pred": "p", "sensitive_features": "g"})
    assert counted == {(1, 1, "a"): 1, (0, 0, "b"): 1, (1, 0, None): 1}


@pytest.mark.parametrize("name", ENGINES)
def test_read_table_rows_of_every_engine_are_those_of_arrays(name) -> None:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {
        "y": rng.integers(0, 3, 200),
        "old": rng.integers(0, 3, 200),
        "new": rng.integers(0, 3, 200),
        "race": rng.choice(["a", "b", "c"], 200).tolist(),
        "sex": rng.choice([1, 2], 200),
        "w": rng.choice([0.5, 1.0, 3.0], 200),
        "person": rng.integers(0, 90, 200),
        "times": rng.integers(1, 4, 200),
    }
    names = {"sample_weight": "w", "clusters": "person", "count": "times"}
    models, groups = {"m": "old", "n": "new"}, ["race", "sex"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = make_engine(name)(columns)
        counts = bam.Counts.from_frame(
            frame, y_true="y", y_pred=models, sensitive_features=groups, **names
        )
    expected = bam.Counts.from_arrays(
        columns["y"],
        {model: columns[column] for model, column in models.items()},
        sensitive_features={group: columns[group] for group in groups},
        **{argument: columns[column] for argument, column in names.items()},
    )
    assert counts == expected
    assert counts.rows.n_clusters == expected.rows.n_clusters == len({*columns["person"]})


@pytest.mark.parametrize("name", ENGINES)
def test_read_table_matrix_of_every_engine_is_that_of_arrays(name) -> None:
    matrix = {"true_a": [1, 0, 1, 1], "true_b": [False, True, True, False]}
    frame = make_engine(name)(matrix | {"g": ["a", None, "b", "b"]})
    names = {"y_true": "true_*", "y_pred": "true_*", "sensitive_features": "g"}
    counts = bam.Counts.from_frame(frame, **names, missing="drop")
    sums = counts.to_frame().to_numpy().tolist()
    assert sums == [["a", "a", 1, 1], ["a", "b", 0, 0], ["b", "a", 2, 2], ["b", "b", 1, 1]]

"""Exit codes that mean one thing each, and outputs that never replace an input."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest
import typer
from command import COLUMNS, Ended, biasamp, process, table, write_csv, write_parquet

FAST = ["--n-boot", "50"]
DATA = Path(__file__).parents[1] / "counts" / "data"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with people and training rows."""
    monkeypatch.chdir(tmp_path)
    write_csv(table(), tmp_path / "people.csv")
    write_csv(table()[::2], tmp_path / "training.csv")
    return tmp_path


def refused(ended: Ended, message: str) -> None:
    """Bad input: one line, and nothing was done."""
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert re.search(message, ended.err), ended.err


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


BARE = ["audit", "people.csv", *COLUMNS]
AUDIT = [*BARE, *FAST]
SAME = [
    [*AUDIT, "--html", "people.csv"],
    [*AUDIT, "--json", "./people.csv"],
    [*AUDIT, "--html", "out.html", "--json", "../{here}/people.csv"],
    [*AUDIT, "--json", "{folder}/people.csv"],
    [*AUDIT, "--json", "link.csv"],
    [*AUDIT, "--json", "hard.csv"],
    [*AUDIT, "--reference", "training.csv", "--json", "training.csv"],
    ["audit", "*e.csv", *COLUMNS, *FAST, "--html", "people.csv"],
    ["audit", "**/people.csv", *COLUMNS, *FAST, "--html", "people.csv"],
    ["audit", "link.csv", *COLUMNS, *FAST, "--html", "people.csv"],
    ["audit", "day.json", *FAST, "--json", "day.json"],
    ["audit", "day.json", *FAST, "--reference", "training.json", "--json", "training.json"],
    ["count", "people.parquet", *COLUMNS, "-o", "people.parquet"],
    ["count", "day.json", "training.json", "-o", "day.json"],
    ["count", "*.json", "-o", "day.json"],
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows as Parquet, and twice their counts."""
    folder = tmp_path_factory.mktemp("inputs")
    rows = write_parquet(table(), folder / "people.parquet")
    for name in ("day", "training"):
        assert biasamp("count", rows, *COLUMNS, "-o", folder / f"{name}.json").code == 0
    return folder


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_an_output_never_replaces_an_input(
    folder: Path, inputs: Path, arguments: list[str]
) -> None:
    shutil.copytree(inputs, folder, dirs_exist_ok=True)
    os.symlink("people.csv", "link.csv")
    os.link("people.csv", "hard.csv")
    before = contents(folder)
    given = [each.format(folder=folder, here=folder.name) for each in arguments]
    refused(biasamp(*given), "an output must not replace an input; received '")
    assert contents(folder) == before


def test_an_output_is_compared_before_anything_is_read(folder: Path) -> None:
    (folder / "people.csv").write_bytes(b"no table at all \xff")
    refused(biasamp(*AUDIT, "--json", "people.csv"), "an output must not replace an input")


@pytest.mark.parametrize("target", ["new.html", "old.html"])
def test_other_outputs_are_written(folder: Path, target: str) -> None:
    (folder / "old.html").write_text("old")
    assert biasamp(*AUDIT, "--html", target).code == 0
    assert (folder / target).read_text().lower().startswith("<!doctype html>")


def balanced() -> pd.DataFrame:
    """Groups of one rate, of which the model makes two."""
    return table().assign(T=[0, 1] * 100, P=[1] * 80 + [0] * 20 + [1] * 20 + [0] * 80)


def gate(*bounds: str, option: str = "--fail-above") -> list[str]:
    return [part for bound in bounds for part in (option, bound)]


def required(*bounds: str) -> list[str]:
    return gate(*bounds, option="--require-below")


#: BA of ``balanced`` is 0 by construction; LA is not: P gives away the group of 160 of 200 rows.
GATES: dict[str, tuple[list[str], int, list[str]]] = {
    "passed": (gate("LA=0.9"), 0, []),
    "exceeded": (gate("LA=0.1"), 1, ["LA is"]),
    "by its slug": (gate("la=0.1"), 1, ["LA is"]),
    "shown to be below": (required("LA=0.9"), 0, []),
    "not shown to be below": (required("LA=0.3"), 1, ["LA is .*, not shown to be below 0.3"]),
    "fairness measure": (
        gate("selection_rate_difference=0.1", "accuracy_difference=0.9"),
        1,
        ["selection rate difference of T = 1 is 0.6"],
    ),
    "balanced": (gate("BA A->T=0.02"), 3, ["BA A->T cannot be judged: the reference is balanced"]),
    "balanced too": (gate("MALS=0.02"), 3, ["MALS cannot be judged: the reference is balanced"]),
    "balanced, and a bound below 0": (gate("BA=-0.1"), 3, ["BA A->T cannot be judged"]),
    "exceeded and not judged": (
        gate("BA=0.02", "LA=0.1"),
        1,
        ["LA is", "BA A->T cannot be judged"],
    ),
    "required, and balanced": (
        required("BA A->T=0.9"),
        3,
        ["BA A->T cannot be judged: the reference is balanced"],
    ),
    "not shown to be below, and not judged": (
        [*required("LA=0.3"), *gate("BA=0.02")],
        1,
        ["LA is", "BA A->T cannot be judged"],
    ),
    "not judged and passed": (gate("LA=0.9", "BA=0.02"), 3, ["BA A->T cannot be judged"]),
    "too few replicates": (
        [*gate("LA=0.9"), "--n-boot", "10"],
        3,
        [r"LA cannot be judged: it has no interval \(10 replicates are .* needs --n-boot 40 or "],
    ),
    "no replicates": (
        [*gate("LA=0.9"), "--n-boot", "0"],
        3,
        [r"LA cannot be judged: it has no interval \(no replicates were drawn\)"],
    ),
    "a verdict that needs no replicates": (
        ["--fail-verdict", "cannot_say", "--n-boot", "0"],
        1,
        ["verdict A->T is cannot_say"],
    ),
}


PAGED = [GATES[name][0] for name in ("passed", "balanced", "exceeded and not judged")]


@pytest.mark.parametrize(("options", "code", "lines"), GATES.values(), ids=GATES)
def test_gates(folder: Path, options: list[str], code: int, lines: list[str]) -> None:
    write_csv(balanced(), folder / "people.csv")
    # A page takes long to draw: one for each exit code.
    outputs = ["out.html"] * (options in PAGED) + ["out.json"]
    asked = [part for name in outputs for part in (f"--{name[4:]}", name)]
    ended = biasamp(*(BARE if "--n-boot" in options else AUDIT), *options, *asked)
    assert ended.code == code
    said = ended.err.splitlines()
    assert len(said) == len(lines)
    for line, wanted in zip(said, lines, strict=True):
        assert re.match(f"biasamp: P: {wanted}", line), line
    # The report says why, so it is there whatever the gates say.
    *_, verdict = said_last = ended.out.splitlines()[-len(outputs) - 1 :]
    assert said_last == [*(f"wrote {name}" for name in outputs), verdict]
    assert verdict.startswith("Verdict: ")
    assert all((folder / name).exists() for name in outputs)


def test_runs_of_a_balanced_reference(folder: Path) -> None:
    write_csv(pd.concat([balanced().assign(seed=i) for i in range(3)]), folder / "people.csv")
    ended = biasamp(*AUDIT, "--run", "seed", *gate("BA A->T=0.02"))
    assert ended.code == 3
    assert "BA A->T cannot be judged: the reference is balanced" in ended.err


def test_a_perfect_model_of_unbalanced_data_passes(folder: Path) -> None:
    # Its interval has no width either, but that it does not amplify is known.
    write_csv(table().assign(P=table()["T"]), folder / "people.csv")
    ended = biasamp(*AUDIT, *gate("BA A->T=0.02", "MALS=0.02"))
    assert (ended.code, ended.err) == (0, "")


def test_a_gate_that_can_never_be_judged_is_bad_input(folder: Path) -> None:
    refused(biasamp(*AUDIT, *gate("foo=1")), "must name a number of the report")
    refused(biasamp(*AUDIT, *gate("verdict=0.1")), "a verdict has no bound.*--fail-verdict")
    refused(biasamp(*AUDIT, "--fail-verdict", "amplify"), "some of .*did you mean 'amplifies'")


def test_runs_of_a_balanced_reference_and_metrics_without_pairs(folder: Path) -> None:
    # Only the results of single runs know the signs of MALS.
    write_csv(pd.concat([balanced().assign(seed=i) for i in range(3)]), folder / "people.csv")
    ended = biasamp(*AUDIT, "--run", "seed", *gate("MALS=0.02"))
    assert ended.code == 3
    assert "MALS cannot be judged: the reference is balanced" in ended.err


@pytest.mark.parametrize(
    ("option", "code", "line"),
    [
        ("reverses", 0, ""),
        ("reverses,amplifies", 1, "P: verdict A->T is amplifies: The gap between a and b"),
        ("A->T=amplifies", 1, "P: verdict A->T is amplifies: The gap between a and b"),
        ("verdict A->T=amplifies", 1, "P: verdict A->T is amplifies: The gap between a and b"),
        ("T->A=amplifies", 2, "error: a gate must name a verdict.*; received 'T->A'"),
    ],
)
def test_verdicts(folder: Path, option: str, code: int, line: str) -> None:
    # Rates of .6 and .4 become 1 and 0.
    write_csv(table().assign(P=[1] * 100 + [0] * 100), folder / "people.csv")
    ended = biasamp(*AUDIT, "--fail-verdict", option)
    assert ended.code == code
    assert re.match(f"biasamp: {line}" if line else "$", ended.err)


def test_a_verdict_that_cannot_be_said(folder: Path) -> None:
    write_csv(balanced(), folder / "people.csv")
    ended = biasamp(*AUDIT, "--fail-verdict", "amplifies")
    assert ended.code == 3
    assert "P: verdict A->T cannot be judged: The reference is balanced" in ended.err


def test_which_report_a_gate_speaks_of(folder: Path) -> None:
    write_csv(table().assign(P=[1] * 100 + [0] * 100), folder / "people.csv")
    attributes = ["--attribute", "B", "--separate"]
    ended = biasamp(*AUDIT, *attributes, *gate("BA A->T=0.2"))
    above, unknown = ended.err.splitlines()
    assert above.startswith("biasamp: T = 1 by A: P: BA A->T is +0.4000 [")
    # Both values of B have 50 of 100.
    assert unknown.startswith("biasamp: T = 1 by B: P: BA A->T cannot be judged:")


def test_the_help_tells_the_exit_codes() -> None:
    shown = " ".join(biasamp("audit", "--help").out.split())
    assert (
        "Exit codes: 0 all gates passed; 1 a gate failed; 2 bad input; 3 no gate failed, and one "
        "cannot be judged; 4 internal error." in shown
    )


#: A bug of ours, in a process of its own: which exit code it has is up to the interpreter.
CRASH = """
import sys
from biasamp_adapters import cli
from biasamp_adapters.auditing import audit_files

def crash(*arguments, **options):
    raise KeyError("a\\nb\\x1b[31m")

audit_files.audit_files = crash
cli.run()
"""


def crash(**environment: str) -> Ended:
    """Run the audit with a bug."""
    known = {name: value for name, value in os.environ.items() if name != "BIASAMP_TRACEBACK"}
    ended = subprocess.run(
        [sys.executable, "-c", CRASH, *AUDIT, *gate("BA=0.1")],
        env=known | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_a_crash_is_one_line(folder: Path) -> None:
    ended = crash()
    assert (ended.code, ended.out) == (4, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("biasamp: internal error: KeyError: 'a")
    assert "please report it" in line
    assert "BIASAMP_TRACEBACK=1" in line
    assert "\x1b" not in line


def test_the_traceback_of_a_crash(folder: Path) -> None:
    ended = crash(BIASAMP_TRACEBACK="1")
    assert ended.code == 4
    assert ended.err.startswith("Traceback (most recent call last):\n")
    assert "in crash" in ended.err
    assert ended.err.splitlines()[-1].startswith("biasamp: internal error: KeyError")


def test_an_interrupt_before_the_command_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(app: typer.Typer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(typer.main, "get_command", interrupted)
    assert biasamp("--version") == (130, "", "")


@pytest.mark.parametrize("arguments", [["--version"], ["audit", "no.csv"]])
def test_the_hook_of_the_caller_stays(arguments: list[str]) -> None:
    before = sys.excepthook
    biasamp(*arguments)
    assert sys.excepthook is before


def _deep(folder: Path) -> list[str]:
    (folder / "bad.json").write_text("[" * 200_000 + "]" * 200_000)
    return ["bad.json"]


def _broken_page(folder: Path) -> list[str]:
    biasamp("count", "people.csv", *COLUMNS, "-o", "bad.parquet")
    data = bytearray((folder / "bad.parquet").read_bytes())
    data[4:60] = bytes(range(100, 156))
    (folder / "bad.parquet").write_bytes(data)
    return ["bad.parquet"]


def _broken_header(folder: Path) -> list[str]:
    files = _broken_page(folder)
    data = bytearray((folder / "bad.parquet").read_bytes())
    data[-30:-20] = bytes(10)
    (folder / "bad.parquet").write_bytes(data)
    return files


def _large_weights(folder: Path) -> list[str]:
    text = (DATA / "joint-version-1.json").read_text()
    (folder / "bad.json").write_text(text.replace("[20.0,", "[1e300,"))
    return ["bad.json"]


BAD = {
    "nested": _deep,
    "broken page": _broken_page,
    "broken header": _broken_header,
    "large weights": _large_weights,
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_of_counts_are_bad_input(folder: Path, kind: str) -> None:
    (name,) = BAD[kind](folder)
    message = rf"biasamp: error: .*{name}"
    refused(biasamp("audit", name, *FAST), message)
    refused(biasamp(*AUDIT, "--reference", name), message)
    refused(biasamp("count", name, "-o", "total.json"), message)


def test_a_broken_page_of_a_table_is_bad_input(folder: Path) -> None:
    path = write_parquet(table(), folder / "bad.parquet")
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(range(100, 156))
    path.write_bytes(data)
    refused(biasamp("audit", "bad.parquet", *COLUMNS, *FAST), r"cannot read bad\.parquet")


def test_names_of_columns_that_are_no_text_are_bad_input(folder: Path) -> None:
    data = write_parquet(table().rename(columns={"w": "weight"}), folder / "bad.parquet")
    data.write_bytes(data.read_bytes().replace(b"weight", b"\xff\xfe\xfa\xfb\xfc\xfd"))
    refused(biasamp("audit", "bad.parquet", *COLUMNS, *FAST), r"cannot read bad\.parquet")


def test_old_counts_are_warned_of_in_a_line(folder: Path) -> None:
    ended = process("audit", DATA / "joint-version-1.json", *FAST, cwd=folder)
    assert ended.code == 0
    (line,) = ended.err.splitlines()
    assert re.match(r"biasamp: warning: '.*joint-version-1\.json' has no checksum", line)


def shell(folder: Path, streams: str, *arguments: str) -> Ended:
    """Call the command from a shell, which closes streams."""
    command = f'exec "$@" {streams}'
    biasamp_command = [sys.executable, "-m", "biasamp_adapters.cli", *arguments]
    ended = subprocess.run(
        ["sh", "-c", command, "sh", *biasamp_command],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the audit writes where all streams are open."""
    names = ["out.html", "out.json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("written"))
        write_csv(table(), Path("people.csv"))
        assert biasamp(*AUDIT, "--html", names[0], "--json", names[1]).code == 0
        return {name: Path(name).read_bytes() for name in names}


on_posix = pytest.mark.skipif(os.name != "posix", reason="closes streams with a shell")


@on_posix
@pytest.mark.parametrize(
    ("closed", "bound", "code"),
    [((1,), -0.9, 1), ((2,), -0.9, 1), ((1, 2), -0.9, 1), ((0, 1, 2), 0.9, 0), (None, -0.9, 1)],
)
def test_closed_streams_change_nothing(
    folder: Path,
    written: dict[str, bytes],
    closed: tuple[int, ...] | None,
    bound: float,
    code: int,
) -> None:
    outputs = ["--html", "out.html", "--json", "out.json"]
    call = [*AUDIT, *outputs, *gate(f"BA A->T={bound}")]
    if closed is None:
        # All of them, by a shell; a fork that closes them does not wait for the same imports.
        ended = shell(folder, "<&- >&- 2>&-", *call)
    else:
        ended = process(*call, cwd=folder, closed=closed)
    assert ended.code == code
    assert ended.err.count("\n") == (0 if closed is None or 2 in closed else code)
    assert {name: Path(name).read_bytes() for name in written} == written


@on_posix
@pytest.mark.parametrize("closed", [(1,), (1, 2)])
def test_counts_are_written_without_streams(folder: Path, closed: tuple[int, ...]) -> None:
    call = ["count", "people.csv", *COLUMNS, "-o", "x.parquet"]
    assert process(*call, cwd=folder, closed=closed).code == 0
    with duckdb.connect() as connection:
        ((n,),) = connection.execute("SELECT sum(n) FROM 'x.parquet'").fetchall()
    assert n == 200


@on_posix
def test_bad_input_without_streams(folder: Path) -> None:
    assert process("audit", "none.csv", *COLUMNS, cwd=folder, closed=(1, 2)).code == 2


@on_posix
def test_an_output_to_a_closed_stream_is_bad_input(folder: Path) -> None:
    ended = process(*AUDIT, "--json", "-", cwd=folder, closed=(1,))
    refused(ended, "standard output must be open to be an output")


@on_posix
def test_who_stops_reading_counts(folder: Path) -> None:
    command = ["count", "people.csv", *COLUMNS, "-o", "x.json"]
    ended = shell(folder, "| true", *command)
    assert ended.err == ""
    assert (folder / "x.json").exists()

"""The command line: reads options, calls the audit and writes its renderings."""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from biasamp_adapters import __version__
from biasamp_adapters._files import check_output, write_text
from biasamp_adapters._progress import working
from biasamp_adapters._text import clean, renamed
from biasamp_adapters.command_messages import in_one_line, print_error, warnings_as_lines
from biasamp_adapters.command_options import (
    NOT_GIVEN,
    Command,
    Dataset,
    Missing,
    Texts,
    example,
    usage,
    with_options,
)

if TYPE_CHECKING:
    from biasamp_adapters.auditing import AuditReport, GateFailure


app = typer.Typer(
    name="biasamp",
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help wraps lines; a table would truncate the names of options.
    rich_markup_mode=None,
)

DONE, EXCEEDED, BAD_INPUT, NOT_JUDGED, INTERNAL_ERROR, INTERRUPTED = 0, 1, 2, 3, 4, 130

_EXIT_CODES = (
    f"Exit codes: {DONE} all gates passed; {EXCEEDED} a gate failed; {BAD_INPUT} bad input; "
    f"{NOT_JUDGED} no gate failed, and one cannot be judged; {INTERNAL_ERROR} internal error."
)

#: The environment variable that asks for the traceback of an internal error.
TRACEBACK = "BIASAMP_TRACEBACK"


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"biasamp-adapters {__version__}")
        raise typer.Exit(DONE)


@app.callback(
    invoke_without_command=True,
    epilog="`biasamp demo` needs no file; `biasamp audit --help` has an example.",
)
def biasamp(
    context: typer.Context,
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Audit predictions for bias amplification: does a model amplify the bias of its data?"""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(
    cls=Command,
    short_help="Audit a table of predictions.",
    epilog=example(
        "biasamp audit predictions.csv --task recidivism --prediction model \\",
        "    --attribute race --reference training.csv --html report.html",
    )
    + f"\n\n{_EXIT_CODES}",
)
@with_options
def audit(
    files: list[str],
    task: Texts = NOT_GIVEN,
    attribute: Texts = NOT_GIVEN,
    separate: bool = False,
    reference: Texts = NOT_GIVEN,
    base_rates: str | None = None,
    where: str | None = None,
    groups: Texts = NOT_GIVEN,
    pos_label: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    missing: Missing = Missing.error,
    many_groups: bool = False,
    prediction: Texts = NOT_GIVEN,
    score: Texts = NOT_GIVEN,
    attribute_prediction: Texts = NOT_GIVEN,
    attribute_score: Texts = NOT_GIVEN,
    pos_group: str | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
    full: bool = False,
    html: Path | None = None,
    json_path: Path | None = None,
    fail_above: Texts = NOT_GIVEN,
    require_below: Texts = NOT_GIVEN,
    fail_verdict: Texts = NOT_GIVEN,
) -> None:
    """Audit a table of predictions, one row per person, or counts that `biasamp count` saved."""
    from biasamp_adapters.auditing.audit_files import audit_files, reference_of
    from biasamp_adapters.auditing.audit_table import AuditOptions
    from biasamp_adapters.auditing.choose_columns import ColumnOptions
    from biasamp_adapters.auditing.gate import failures, parse_gate
    from biasamp_adapters.inference.estimates import IntervalOptions

    limits = {
        "--fail-above": fail_above,
        "--require-below": require_below,
        "--fail-verdict": fail_verdict,
    }
    gates = [parse_gate(option, text) for option, texts in limits.items() for text in texts]
    with _standard_input(files, reference) as (data, training):
        _check_outputs([*data, *training, *filter(None, [base_rates])], html, json_path)
        options = AuditOptions(
            reference=reference_of(training, base_rates),
            score=score,
            attribute_score=attribute_score,
            run=run,
            where=where,
            only_groups=groups,
            pos_label=pos_label,
            pos_group=pos_group,
            missing=missing.value,
            intervals=IntervalOptions(n_boot, confidence, random_state=seed),
        )
        columns = ColumnOptions(task, prediction, attribute, attribute_prediction, weight, cluster)
        reports = audit_files(
            data, columns, options, separate=separate, allow_many_groups=many_groups
        )
    failed = failures([report.summary for report in reports], gates)
    _show(reports, html, json_path, full=full)
    raise typer.Exit(_judge(failed, named=len(reports) > 1))


def _judge(failed: Sequence[GateFailure], *, named: bool) -> int:
    """Print which gates failed, and return the exit code that says so."""
    for failure in failed:
        message = f"{failure.report}: {failure}" if named else str(failure)
        print_error(renamed(message, {"n_boot=": "--n-boot "}))
    exceeded = any(failure.judged for failure in failed)
    return EXCEEDED if exceeded else NOT_JUDGED if failed else DONE


@app.command(
    cls=Command,
    short_help="Count a table, to audit it elsewhere.",
    epilog=example(
        "biasamp count monday.csv -o monday.json --task recidivism --prediction model \\",
        "    --attribute race",
    ),
)
@with_options
def count(
    files: list[str],
    output: Path,
    task: Texts = NOT_GIVEN,
    attribute: Texts = NOT_GIVEN,
    weight: str | None = None,
    cluster: str | None = None,
    missing: Missing = Missing.error,
    prediction: Texts = NOT_GIVEN,
    attribute_prediction: Texts = NOT_GIVEN,
) -> None:
    """Count a table, or add up counts, for `biasamp audit` on a machine without the rows.

    Counts hold no names of clusters: those of two files of counts are taken to be different ones.
    """
    from biasamp_adapters.auditing.audit_files import count_files
    from biasamp_adapters.auditing.choose_columns import ColumnOptions

    columns = ColumnOptions(task, prediction, attribute, attribute_prediction, weight, cluster)
    with _standard_input(files) as (data,):
        _check_outputs(data, output)
        counts = count_files(data, columns, missing.value)
    counts.save(output)
    with _ignoring_broken_pipes():
        typer.echo(f"{counts!r}\nwrote {output}")


@app.command(
    cls=Command,
    short_help="Audit data that come with the package.",
    epilog=example("biasamp demo --html demo.html"),
)
@with_options
def demo(
    dataset: Dataset = Dataset.compas,
    attribute: Texts = NOT_GIVEN,
    data_home: Path | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    full: bool = False,
    html: Path | None = Path("biasamp-demo.html"),
    json_path: Path | None = None,
) -> None:
    """Audit the published COMPAS score, without a download."""
    if attribute and dataset is not Dataset.compas:
        raise ValueError(f"--attribute is for --dataset compas; received it for {dataset.value}")
    if data_home is not None and dataset is not Dataset.compas_rows:
        raise ValueError(
            f"--data-home is for --dataset compas-rows; received it for {dataset.value}"
        )
    _check_outputs([], html, json_path)
    options = {"n_boot": n_boot, "random_state": seed}
    if dataset is Dataset.compas:
        report = _audit_of_compas(attribute or ["race"], options)
    else:
        report = _audit_of_rows(dataset, data_home, options)
    _show([report], html, json_path, full=full)


def _audit_of_compas(attribute: list[str], options: dict[str, Any]) -> AuditReport:
    """The audit of the score with its sweep, from the counts that come with the package."""
    from biasamp_adapters.auditing import audit_counts
    from biasamp_adapters.datasets.compas_counts import load_compas_counts

    counts, scores = (
        load_compas_counts(attribute=attribute, threshold=threshold) for threshold in (5, None)
    )
    return audit_counts(
        counts, y_score=scores, title=f"COMPAS: recidivism and {' and '.join(attribute)}", **options
    )


def _audit_of_rows(
    dataset: Dataset, data_home: Path | None, options: dict[str, Any]
) -> AuditReport:
    """The audit of decision trees that predict the task and the attribute."""
    from biasamp_adapters.auditing import audit as run_audit
    from biasamp_adapters.datasets.demo import load_compas_audit, load_diabetes_audit

    compas = dataset is Dataset.compas_rows
    data = load_compas_audit(data_home=data_home) if compas else load_diabetes_audit()
    return run_audit(
        data.y_true,
        data.y_pred,
        sensitive_features=data.sensitive_features,
        sensitive_features_pred=data.sensitive_features_pred,
        reference=data.reference,
        title=data.title,
        **options,
    )


#: Stands for standard output or input, as in other commands.
_STDOUT = Path("-")


@contextmanager
def _standard_input(*lists: Sequence[str]) -> Iterator[list[list[str]]]:
    """Lists of files with a file of what standard input holds in the place of "-"."""
    given = [name for names in lists for name in names if name == str(_STDOUT)]
    if len(given) > 1:
        raise ValueError(f"standard input can be read once; received '-' {len(given)} times")
    if not given:
        yield [[*names] for names in lists]
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "standard_input.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield [[str(path) if name in given else name for name in names] for names in lists]
        except ValueError as error:
            # A temporary path would help nobody.
            raise ValueError(str(error).replace(str(path), "standard input")) from None


def _check_outputs(inputs: Sequence[str], *paths: Path | None) -> None:
    """Raise for invalid outputs before any work is done."""
    from biasamp_adapters.inputs.files import expand

    outputs = [path for path in paths if path is not None]
    if _STDOUT in outputs and getattr(sys.stdout, "name", None) == os.devnull:
        raise ValueError("standard output must be open to be an output; received '-'")
    files = [path if path == _STDOUT else check_output(path) for path in outputs]
    if len(set(files)) < len(files):
        raise ValueError(f"outputs must be different files; received {str(files[0])!r} twice")
    for path, name in product(outputs, expand(inputs)):
        if path != _STDOUT and path.exists() and path.samefile(name):
            raise ValueError(
                f"an output must not replace an input; received {str(path)!r} as an output and "
                f"{name!r} as an input"
            )


def _show(
    reports: list[AuditReport], html: Path | None, json_path: Path | None, *, full: bool
) -> None:
    """Write the reports to files, then to standard output."""
    from biasamp_adapters.auditing.page import to_html
    from biasamp_adapters.auditing.render import to_json
    from biasamp_adapters.command_output import show

    summaries: list[Any] = [report.summary for report in reports]
    texts: dict[Path, str] = {}
    if html is not None:
        with working("Drawing pictures"):
            texts[html] = to_html(summaries)
    if json_path is not None:
        texts[json_path] = to_json(summaries[0] if len(summaries) == 1 else summaries)
    piped = texts.pop(_STDOUT, None)
    for path, text in texts.items():
        write_text(text, path)
    with _ignoring_broken_pipes():
        if piped is not None:
            typer.echo(piped, nl=False)
        else:
            show(summaries, [*texts], full=full)


@contextmanager
def _ignoring_broken_pipes() -> Iterator[None]:
    """Ignore that the reader of the output stops early, as in `biasamp demo | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


#: The class of click, or of the copy of click in newer releases of Typer.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]


def run() -> None:
    """Run the command, and exit with a code that tells how it ended."""
    _open_streams()
    with warnings_as_lines():
        try:
            # Calling ``app`` itself would leave a hook of Typer behind.
            command = typer.main.get_command(app)
            sys.exit(command(prog_name="biasamp", standalone_mode=False) or DONE)
        except (typer.Abort, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        except _USAGE_ERROR as error:
            print_error(f"error: {clean(' '.join(usage(error).split()))}")
            sys.exit(BAD_INPUT)
        except (ValueError, OSError) as error:
            print_error(f"error: {in_one_line(str(error))}")
            sys.exit(BAD_INPUT)
        except Exception:
            sys.excepthook = _report_bug
            raise


def _report_bug(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Report an unexpected error. Python would exit with 1, which means that a gate failed."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(kind, error, trace)
    print_error(
        f"internal error: {in_one_line(f'{kind.__name__}: {error}')} (please report it with its "
        f"traceback, which the environment variable {TRACEBACK}=1 shows)"
    )
    sys.exit(INTERNAL_ERROR)


def _open_streams() -> None:
    """Replace closed streams: otherwise, the next opened file would get their descriptor."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


if __name__ == "__main__":
    run()

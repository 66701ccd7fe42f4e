"""The command line: reads options, calls the audit and writes its renderings."""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer import Option
from typer.core import TyperCommand, TyperOption

from biasamp_adapters import __version__
from biasamp_adapters._files import check_output, write_text
from biasamp_adapters._progress import working
from biasamp_adapters._text import clean, renamed
from biasamp_adapters._warnings import AmplificationWarning, SmallCellsWarning

if TYPE_CHECKING:
    from biasamp_adapters.auditing import AuditReport


class _Command(TyperCommand):
    """A command whose options of one value must not be repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without this check, only the last value of an option would count."""
        _, _, given = self.make_parser(ctx).parse_args([*args])
        for option in given:
            takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
            if takes_one and given.count(option) > 1:
                raise ValueError(
                    f"Option {option.opts[0]!r} must be given once; received it "
                    f"{given.count(option)} times"
                )
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="biasamp",
    no_args_is_help=True,
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


class Missing(StrEnum):
    """The rule for missing values."""

    error = "error"
    drop = "drop"
    abstain = "abstain"


class Dataset(StrEnum):
    """The data of the demonstration."""

    compas = "compas"
    compas_rows = "compas-rows"
    diabetes = "diabetes"


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"biasamp-adapters {__version__}")
        raise typer.Exit(DONE)


@app.callback()
def biasamp(
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Audit predictions for bias amplification: does a model amplify the bias of its data?"""


#: An option that may be repeated, and its default.
Texts: TypeAlias = list[str]
NOT_GIVEN: Texts = []

Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="CSV or Parquet, or counts; globs.")
]
Task = Annotated[
    Texts, Option(help="Column of the true labels; for many 0/1 tasks a list a,b or 'prefix*'.")
]
Prediction = Annotated[
    Texts, Option(help="Column of the predicted labels, or a list; repeat for several models.")
]
Attribute = Annotated[
    Texts,
    Option(help="Column of the protected attribute; repeat to cross. 'prefix*' for 0/1 groups."),
]
AttributePrediction = Annotated[
    Texts, Option(help="Column of the predicted attribute, in the order of --attribute.")
]
Weight = Annotated[str | None, Option(help="Column of sampling weights.")]
Cluster = Annotated[
    str | None,
    Option(help="Column that says which rows belong together, such as those of one person."),
]
MissingRule = Annotated[Missing, Option(help="The rule for missing values.")]
Replicates = Annotated[int, Option("--n-boot", help="Number of bootstrap replicates; 0 for none.")]
Seed = Annotated[int, Option("--seed", help="Seed of the bootstrap.")]
Html = Annotated[Path | None, Option(help="Write the report as one HTML page.")]
Json = Annotated[
    Path | None,
    Option("--json", help="Write the report as JSON; - is standard output, and nothing else."),
]


@app.command(cls=_Command, epilog=_EXIT_CODES)
def audit(
    files: Files,
    task: Task = NOT_GIVEN,
    prediction: Prediction = NOT_GIVEN,
    attribute: Attribute = NOT_GIVEN,
    separate: Annotated[
        bool, Option("--separate", help="Audit each attribute alone; do not cross.")
    ] = False,
    attribute_prediction: AttributePrediction = NOT_GIVEN,
    reference: Annotated[
        Texts,
        Option(help="The training data: files with the columns of task and attribute, or counts."),
    ] = NOT_GIVEN,
    weight: Weight = None,
    cluster: Cluster = None,
    score: Annotated[
        Texts,
        Option(
            help="Column of scores of the positive class, for each --prediction: adds a sweep of "
            "thresholds."
        ),
    ] = NOT_GIVEN,
    run: Annotated[
        str | None,
        Option(help="Column whose values are runs (seeds); 'filename' for one run per file."),
    ] = None,
    pos_label: Annotated[
        str | None, Option(help="The only class or task to evaluate, as the report shows it.")
    ] = None,
    many_groups: Annotated[
        bool,
        Option(
            "--many-groups", help="Allow an attribute of over 100 groups, or of hardly 2 rows each."
        ),
    ] = False,
    missing: MissingRule = Missing.error,
    n_boot: Replicates = 2000,
    seed: Seed = 0,
    confidence: Annotated[float, Option(help="Level of the intervals.")] = 0.95,
    html: Html = None,
    json_path: Json = None,
    fail_above: Annotated[
        Texts,
        Option(
            metavar="METRIC=X",
            help="Fail if METRIC is shown to be above X: its whole interval is, e.g. "
            "'BA A->T=0.02'; repeatable.",
        ),
    ] = NOT_GIVEN,
    require_below: Annotated[
        Texts,
        Option(
            metavar="METRIC=X",
            help="Fail unless METRIC is shown to be below X: its whole interval is; repeatable.",
        ),
    ] = NOT_GIVEN,
    fail_verdict: Annotated[
        Texts,
        Option(
            metavar="CODE,...",
            help="Fail if a verdict is one of these, e.g. 'amplifies,reverses', or "
            "'A->T=amplifies' for one direction; repeatable.",
        ),
    ] = NOT_GIVEN,
) -> None:
    """Audit a table of predictions, one row per person, or counts that `biasamp count` saved."""
    from biasamp_adapters.auditing.audit_files import audit_files
    from biasamp_adapters.auditing.choose_columns import ColumnOptions
    from biasamp_adapters.auditing.gate import failures, parse_bounds, parse_verdicts

    gates = [
        *parse_bounds("--fail-above", fail_above),
        *parse_bounds("--require-below", require_below, required=True),
        *parse_verdicts(fail_verdict),
    ]
    _check_outputs([*files, *reference], html, json_path)
    reports = audit_files(
        files,
        ColumnOptions(task, prediction, attribute, attribute_prediction, weight, cluster),
        separate=separate,
        reference=reference,
        score=score,
        run=run,
        pos_label=pos_label,
        allow_many_groups=many_groups,
        missing=missing.value,
        n_boot=n_boot,
        random_state=seed,
        confidence=confidence,
    )
    failed = failures([report.summary for report in reports], gates)
    _show(reports, html, json_path)
    for failure in failed:
        message = f"{failure.report}: {failure}" if len(reports) > 1 else str(failure)
        _print_error(renamed(message, {"n_boot=": "--n-boot "}))
    exceeded = any(failure.judged for failure in failed)
    raise typer.Exit(EXCEEDED if exceeded else NOT_JUDGED if failed else DONE)


@app.command(cls=_Command)
def count(
    files: Files,
    output: Annotated[Path, Option("--output", "-o", help="Where to write: .json or .parquet.")],
    task: Task = NOT_GIVEN,
    prediction: Prediction = NOT_GIVEN,
    attribute: Attribute = NOT_GIVEN,
    attribute_prediction: AttributePrediction = NOT_GIVEN,
    weight: Weight = None,
    cluster: Cluster = None,
    missing: MissingRule = Missing.error,
) -> None:
    """Count a table, or add up counts, for `biasamp audit` on a machine without the rows.

    Counts hold no names of clusters: those of two files of counts are taken to be different ones.
    """
    from biasamp_adapters.auditing.audit_files import count_files
    from biasamp_adapters.auditing.choose_columns import ColumnOptions

    _check_outputs(files, output)
    columns = ColumnOptions(task, prediction, attribute, attribute_prediction, weight, cluster)
    counts = count_files(files, columns, missing.value)
    counts.save(output)
    with _ignoring_broken_pipes():
        typer.echo(f"{counts!r}\nwrote {output}")


@app.command(cls=_Command)
def demo(
    dataset: Annotated[
        Dataset,
        Option(
            help="compas: the published score, as counts. Others: decision trees on rows; those of "
            "COMPAS are downloaded."
        ),
    ] = Dataset.compas,
    attribute: Annotated[
        Texts,
        Option(help="Attribute of the counts: race, the default, sex, age_cat, ...; repeatable."),
    ] = NOT_GIVEN,
    data_home: Annotated[
        Path | None, Option(help="Folder of downloaded rows, as scikit-learn's data_home.")
    ] = None,
    n_boot: Replicates = 2000,
    seed: Seed = 0,
    html: Html = Path("biasamp-demo.html"),
    json_path: Json = None,
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
    _show([report], html, json_path)


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


#: Stands for standard output, as in other commands.
_STDOUT = Path("-")


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


def _show(reports: list[AuditReport], html: Path | None, json_path: Path | None) -> None:
    """Write the reports to files, then to standard output."""
    from biasamp_adapters.auditing.page import to_html
    from biasamp_adapters.auditing.render import to_json

    summaries: list[Any] = [report.summary for report in reports]
    texts: dict[Path, str] = {}
    if html is not None:
        # Silence matplotlib's messages about its cache of fonts.
        logging.getLogger("matplotlib").setLevel(logging.ERROR)
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
            return
        _print(reports)
        for path in texts:
            typer.echo(f"wrote {path}")


@contextmanager
def _ignoring_broken_pipes() -> Iterator[None]:
    """Ignore that the reader of the output stops early, as in `biasamp demo | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(reports: list[AuditReport]) -> None:
    """Print tables on a terminal, plain text elsewhere."""
    if not sys.stdout.isatty():
        typer.echo("\n".join(map(str, reports)))
        return
    from rich.console import Console

    from biasamp_adapters.auditing.render import on_terminal

    console = Console()
    for report in reports:
        console.print(on_terminal(report.summary))


def _print_error(message: str) -> None:
    """Print one line on standard error."""
    typer.echo(f"biasamp: {message}", err=True)


#: The class of click, or of the copy of click in newer releases of Typer.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]


def run() -> None:
    """Run the command, and exit with a code that tells how it ended."""
    _open_streams()
    with _warnings_as_lines():
        try:
            # Calling ``app`` itself would leave a hook of Typer behind.
            sys.exit(typer.main.get_command(app)(standalone_mode=False) or DONE)
        except (typer.Abort, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        except (_USAGE_ERROR, ValueError, OSError) as error:
            message = _in_one_line(getattr(error, "format_message", error.__str__)())
            # Without a command, the help is shown and the error is empty.
            if message:
                _print_error(f"error: {message}")
            sys.exit(BAD_INPUT)
        except Exception:
            sys.excepthook = _report_bug
            raise


def _report_bug(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Report an unexpected error. Python would exit with 1, which means that a gate failed."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(kind, error, trace)
    _print_error(
        f"internal error: {_in_one_line(f'{kind.__name__}: {error}')} (please report it with its "
        f"traceback, which the environment variable {TRACEBACK}=1 shows)"
    )
    sys.exit(INTERNAL_ERROR)


_OPTIONS = {
    "sensitive_features_pred": "--attribute-prediction",
    "sensitive_features": "--attribute",
    "y_true": "--task",
    "y_pred": "--prediction",
    "y_score": "--score",
    "sample_weight": "--weight",
    "clusters must": "--cluster must",
    "prediction must name each": "--prediction must name each",
    "attribute_prediction must": "--attribute-prediction must",
    "pos_label": "--pos-label",
    # Arguments of audit_frame.
    "attribute_prediction=": "--attribute-prediction ",
    "attribute=": "--attribute ",
    "task=": "--task ",
    "prediction=": "--prediction ",
    "score=": "--score ",
    "weight=": "--weight ",
    "clusters=": "--cluster ",
    "run=": "--run ",
    "missing=": "--missing ",
    "n_boot": "--n-boot",
    "confidence": "--confidence",
    "random_state (seed)": "--seed",
    "missing='drop'": "--missing drop",
    "missing='abstain'": "--missing abstain",
    "in the frame": "in the file",
}

#: Hints that apply to calls only, and their replacements.
_CALL_HINTS = {
    r" \([^()]*\b(labels|groups)=[^()]*\)": "",
    r", reference or (labels|groups)=": " or reference",
    ", or a numpy Generator": "",
    r"\. To get a value for each group, use .*": "",
}


def _in_one_line(message: str) -> str:
    """A message as one line, with names of options in place of names of arguments."""
    for hint, replacement in _CALL_HINTS.items():
        message = re.sub(hint, replacement, message)
    return clean(" ".join(renamed(message, _OPTIONS).split()))


def _open_streams() -> None:
    """Replace closed streams: otherwise, the next opened file would get their descriptor."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each warning of this package as one line."""
    ours = (AmplificationWarning, SmallCellsWarning)
    with warnings.catch_warnings():
        for category in ours:
            warnings.simplefilter("always", category)
        show = warnings.showwarning

        def show_line(
            message: Warning | str, category: type[Warning], *args: Any, **options: Any
        ) -> None:
            if issubclass(category, ours):
                _print_error(f"warning: {_in_one_line(str(message))}")
            else:
                show(message, category, *args, **options)

        warnings.showwarning = show_line
        yield


if __name__ == "__main__":
    run()

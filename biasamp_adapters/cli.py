"""The command `biasamp`: options, one call of the package, and an exit code."""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from biasamp_adapters import __version__, words
from biasamp_adapters.figures import clean
from biasamp_adapters.warning import AmplificationWarning

if TYPE_CHECKING:
    from biasamp_adapters.report.audit_report import AuditReport

PASSED, FAILED, BAD_INPUT, NOT_JUDGED, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 130

#: The environment variable that asks for the traceback of a defect.
TRACEBACK = "BIASAMP_TRACEBACK"

#: The error of wrong options; newer releases of Typer bring their own copy of click.
_USAGE_ERROR: type[Any] = typer.BadParameter.__bases__[0]

#: The types of options.
Texts, Text, File = list[str] | None, str | None, Path | None
Number, Whole = float | None, int | None

#: Sections of the help; in each, options with the names of the arguments of an audit, with their
#: type, what a value is called, and what it means.
_OPTIONS: dict[str, dict[str, tuple[Any, str, str]]] = {
    "Files": {
        "files": (list[str], "FILE", "CSV, Parquet or JSON, all of one kind; or saved counts.")
    },
    "Rows": {"where": (Text, "SQL", "The rows to read, such as \"age >= 18 AND sex = 'F'\".")},
    "Columns": {
        "y_true": (Texts, "COLUMN", "Labels; a quoted pattern such as 'true_*' is a label matrix."),
        "y_pred": (Texts, "COLUMN", "Predictions; for several models, repeat NAME=COLUMN."),
        "sensitive_features": (Texts, "COLUMN", "Groups; repeat to cross features."),
        "y_score": (Texts, "COLUMN", "Scores of the positive class, of a model NAME=COLUMN."),
        "sensitive_features_pred": (Texts, "COLUMN", "Predicted groups, which add T→A."),
        "control_features": (Texts, "COLUMN", "Strata, each of which is also audited alone."),
        "sample_weight": (Texts, "COLUMN", "Weights."),
        "clusters": (Texts, "COLUMN", "Which rows belong together."),
    },
    "Labels": {
        "reference": (Texts, "FILE", "Training data, counts, or rates set by hand (JSON)."),
        "missing": (Text, "RULE", "Rows with missing values: error (the default), drop, abstain."),
        "missing_values": (Text, "A,B", "Labels that mean a missing value, such as 'NA,?'."),
        "pos_label": (Text, "LABEL", "The class of two that is compared."),
        "favorable_label": (Text, "LABEL", "The class that is good for a person."),
    },
    "Method": {
        "threshold": (Number, "X", "Predict the positive class where the score is at least X."),
        "n_boot": (Whole, "N", "Bootstrap replicates; 2000 by default, 0 for no intervals."),
        "confidence": (Number, "X", "Level of the intervals; 0.95 by default."),
        "random_state": (Whole, "N", "Seed of the replicates; 0 by default."),
    },
    "Output": {
        "title": (Text, "TEXT", "Title of the report."),
        "html": (File, "FILE", "Write the report as a page, too."),
        "markdown": (File, "FILE", "Write the report as Markdown, too."),
        "json": (File, "FILE", "Write all numbers as JSON, too."),
        "full": (bool, "", "Print all tables and notes."),
    },
    "Counts": {
        "count": (Texts, "COLUMN", "How many equal rows a row stands for."),
        "output": (Path, "FILE", "Where to save the counts."),
    },
    "Checks, which decide the exit code": {
        "fail_above": (Texts, "METRIC=X", "Fail if the whole interval is above X, as BA=2pt."),
        "require_below": (Texts, "METRIC=X", "Fail unless the whole interval is below X."),
        "fail_below": (Texts, "METRIC=X", "Fail if the whole interval is below X."),
        "require_above": (Texts, "METRIC=X", "Fail unless the whole interval is above X."),
        "require_within": (Texts, "METRIC=X", "Fail unless it is within ±X, as gaps=5pt."),
        "forbid": (Texts, "CODE", "Fail if this is a verdict, as amplifies, or happens to a gap."),
    },
}
_FILES, _ROWS, _COLUMNS, _LABELS, _METHOD, _OUTPUT, _COUNTS, _CHECKS = map(list, _OPTIONS.values())

#: Columns of counts, and options that decide what is counted.
_OF_COUNTS = [name for name in _COLUMNS if name != "control_features"]
_COUNTED = ("missing", "missing_values", "pos_label", "threshold")

#: Options of columns that may differ between models, and the others that may be repeated.
_BY_MODEL = ("y_pred", "y_score", "sensitive_features_pred")
_SEVERAL = {*_COLUMNS, "count", "reference"} - {*_BY_MODEL}


class _Command(typer.core.TyperCommand):
    """A command that refuses an option of one value if it is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options: Any = self.make_parser(ctx).parse_args(args=[*args])[-1]
        for option in options:
            takes_one = not option.multiple and not getattr(option, "is_flag", True)
            if takes_one and options.count(option) > 1:
                raise ValueError(f"{option.opts[0]} must be given once; received several values.")
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="biasamp",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"token_normalize_func": lambda name: name.replace("_", "-")},
)


def _command(*options: str) -> Callable[[Any], Any]:
    """Make a command of a function, which takes these options as keywords."""
    parameters = []
    for section, of_section in _OPTIONS.items():
        for name in (name for name in of_section if name in options):
            kind, metavar, text = of_section[name]
            names = {"full": ["--full"], "output": ["--output", "-o"]}.get(name, [])
            make: Any = typer.Argument if name == "files" else partial(typer.Option, *names)
            about = {"metavar": metavar or None, "help": text, "rich_help_panel": section}
            annotation: Any = Annotated[kind, make(**about, show_default=False)]
            default = {list[str]: Parameter.empty, Path: Parameter.empty, bool: False}.get(kind)
            parameter = Parameter(name, Parameter.KEYWORD_ONLY, default=default)
            parameters.append(parameter.replace(annotation=annotation))

    def register(function: Any) -> Any:
        function.__signature__ = Signature(parameters)
        function.__annotations__ = {x.name: x.annotation for x in parameters}
        name = function.__name__.strip("_")
        return app.command(name, cls=_Command, epilog=words.EXIT_CODES)(function)

    return register


@app.callback(invoke_without_command=True)
def _biasamp(
    context: typer.Context, version: Annotated[bool, typer.Option("--version")] = False
) -> None:
    """Audit predictions: are gaps between groups larger in them than in the labels?"""
    if version:
        print(f"biasamp-adapters {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@_command(*_FILES, *_ROWS, *_COLUMNS, *_LABELS, *_METHOD, *_OUTPUT, *_CHECKS)
def _audit(**given: Any) -> None:
    """Audit tables of predictions, with one row for each case, or counts that `count` saved."""
    import biasamp_adapters as bam

    checks = _read_checks(given)
    _check_outputs(given)
    arguments = _arguments(given, [*_COLUMNS, *_LABELS, *_METHOD, "title"])
    if given["where"] is not None:
        title = words.SELECTED.format(title=given["title"] or "", where=given["where"])
        arguments["title"] = title.strip()
    report = bam.audit(_data(given), **arguments)
    written = _write(report, given)
    code, judged = _judge(report, checks)
    _print(report, given["full"], [*written, *judged])
    raise typer.Exit(code)


@_command(*_FILES, *_ROWS, *_OF_COUNTS, *_COUNTED, *_COUNTS)
def _count(**given: Any) -> None:
    """Count tables, or add saved counts, for audits elsewhere."""
    from biasamp_adapters.counting.counts import Counts, load_counts

    _check_outputs(given)
    arguments = _arguments(given, [*_OF_COUNTS, *_COUNTED, "count"])
    counts = load_counts(given["files"])
    if counts is None:
        counts = Counts.from_frame(_data(given), **arguments)
    elif arguments or given["where"] is not None:
        raise ValueError("saved counts hold all variables, so they are added without options.")
    counts.save(given["output"])
    print(words.COUNTED.format(counts=counts, path=given["output"]))


@_command("html", "markdown", "json", "full")
def _demo(**given: Any) -> None:
    """Audit the published COMPAS scores, which come with the package."""
    import biasamp_adapters as bam

    _check_outputs(given)
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    columns: Any = {"y_true": "two_year_recid", "sensitive_features": "race"}
    report = bam.audit(table, y_score="decile_score", threshold=5, **columns)
    _print(report, given["full"], _write(report, given))


# Options as arguments.


def _arguments(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return options that were given, as arguments of an audit or of counts."""
    given = {name: options[name] for name in names if options[name] not in (None, [])}
    for name, value in given.items():
        if name in _BY_MODEL:
            given[name] = _by_model(name, value, options["files"])
        elif name in _SEVERAL:
            given[name] = value[0] if len(value) == 1 else value
        elif name == "missing_values":
            given[name] = value.split(",")
    return given


def _by_model(name: str, texts: Sequence[str], files: Sequence[str]) -> str | dict[str, str]:
    """Return the column, or those of several models; NAME=COLUMN unless it is a column itself."""
    from biasamp_adapters.counting.paths import names_of_columns

    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    columns = names_of_columns(files[0]) if any("=" in text for text in texts) else ()
    models: dict[str, str] = {}
    for text in texts:
        model, is_named, column = text.partition("=")
        if not is_named or text in columns:
            model = column = text
        if model in models:
            raise ValueError(f"{name} must name each model once; received {model!r:.40} twice.")
        models[model] = column
    return models


def _data(options: Mapping[str, Any]) -> Any:
    """Return the files, or some of their rows."""
    from biasamp_adapters.counting.paths import Selection

    files, where = options["files"], options["where"]
    return files if where is None else Selection(files, where)


# Output.


def _check_outputs(options: Mapping[str, Any]) -> None:
    """Raise before any work if a file cannot be written, or would replace another one."""
    from biasamp_adapters.counting.paths import find_files

    named = [*options.get("files", ()), *(options.get("reference") or ())]
    taken = {Path(path).resolve() for path in find_files(named)}
    for name in ("html", "markdown", "json", "output"):
        path = options.get(name)
        if path is None:
            continue
        if str(path) == "-":
            raise ValueError(f"--{name} must name a file; received '-'.")
        if not path.parent.is_dir():
            raise ValueError(f"There is no folder {str(path.parent)!r} for --{name}.")
        if path.resolve() in taken:
            rule = f"{name} must not replace an input or another output"
            raise ValueError(f"{rule}; received {str(path)!r}.")
        taken.add(path.resolve())


def _write(report: AuditReport, options: Mapping[str, Any]) -> list[str]:
    """Write the files that were asked for, and return lines that say so."""
    to_html = partial(report.to_html, date=date.today().isoformat())
    writers: dict[str, Callable[[Path], str]]
    writers = {"html": to_html, "markdown": report.to_markdown, "json": report.to_json}
    paths = {name: options[name] for name in writers if options[name] is not None}
    for name, path in paths.items():
        writers[name](path)
    return [words.WRITTEN.format(path=path) for path in paths.values()]


def _print(report: AuditReport, full: bool, lines: Sequence[str]) -> None:
    """Print a report and further lines, unless their reader stops, as in `biasamp demo | head`."""
    from biasamp_adapters.report.compose import compose
    from biasamp_adapters.report.terminal import show

    console = Console()
    try:
        if console.is_terminal:
            show(compose(report.summary), console, full)
        else:
            print(report.to_text(full, console.width), end="")
        if lines:
            print(*lines, sep="\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# Checks.


def _read_checks(options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each bound, and each code that is forbidden, as arguments of a check."""
    checks: list[dict[str, Any]] = []
    for rule in _CHECKS:
        form = "CODE" if rule == "forbid" else "METRIC=X, as BA=2pt"
        for text in options[rule] or ():
            metric, _, bound = text.rpartition("=")
            if "," in text or "=" in metric or not (metric or rule == "forbid"):
                message = f"{rule} must be {form}, and is repeated for several"
                raise ValueError(f"{message}; received {text!r:.40}.")
            checks.append({rule: [text] if rule == "forbid" else {metric: bound}})
    return checks


def _judge(report: AuditReport, checks: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
    """Return the exit code, and lines that say which checks fail or cannot be judged."""
    if not checks:
        return PASSED, []
    failures = [report.check(**check) for check in checks]
    failed = sum(any(failure.judged for failure in of_check) for of_check in failures)
    unknown = sum(map(bool, failures)) - failed
    template = words.CHECKS_FAILED if failed else words.CHECKS_PASSED
    template = words.CHECKS_NOT_JUDGED if unknown else template
    # Of several codes, what cannot be judged has one line.
    lines = [*dict.fromkeys(failure.sentence for of_check in failures for failure in of_check)]
    lines.append(template.format(n=len(checks), failed=failed, unknown=unknown))
    return FAILED if failed else NOT_JUDGED if unknown else PASSED, lines


# The whole command.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with those of the process, or others; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    with warnings.catch_warnings():
        warnings.simplefilter("always", AmplificationWarning)
        warnings.showwarning = lambda message, *_, **__: _say(_name_options(f"warning: {message}"))
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command, and turn errors into a line and an exit code."""
    command = typer.main.get_command(app)
    try:
        return command(arguments, prog_name="biasamp", standalone_mode=False) or PASSED
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except _USAGE_ERROR as error:
        message = error.format_message()
        is_file = message.startswith("No such command")
        _say(message + " Write biasamp audit FILE ..." if is_file else message)
    except (ValueError, OSError) as error:
        _say(_name_options(str(error)))
    except Exception as error:
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        _say(words.DEFECT.format(error=text, variable=TRACEBACK))
        return DEFECT
    return BAD_INPUT


def _name_options(message: str) -> str:
    """Return a message of the package with options in the place of arguments, unless in quotes."""
    for name in (name for of_section in _OPTIONS.values() for name in of_section):
        # Names without "_" are arguments at the start and before "=" alone.
        place = name if "_" in name else f"(^{name}|{name}(?==))"
        option = f"--{name.replace('_', '-')}"
        message = re.sub(rf"(?<!['\w-]){place}\b(?!')", option, message)
    return message.replace("a mapping of", "NAME=COLUMN of")


def _say(message: str) -> None:
    """Print one line on standard error."""
    print(f"biasamp: {clean(' '.join(message.split()))}", file=sys.stderr)

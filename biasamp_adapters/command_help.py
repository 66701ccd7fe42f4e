"""The commands: options in sections of the help, given once, and guesses at their names."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperOption

#: The sections of a command's options.
DATA, MODEL, STATISTICS, OUTPUT, GATES = "Data", "Model", "Statistics", "Output", "Gates"

#: Options by the names that people guess.
_GUESSES = {
    "--task": "truth true true-label label labels y y-true target ground-truth outcome",
    "--prediction": "pred preds predictions predicted predict y-pred model models y-hat",
    "--attribute": "group-by sensitive sensitive-feature sensitive-features sensitive-attribute "
    "protected protected-attribute protected-attributes attr attributes demographic",
    "--attribute-prediction": "attribute-pred predicted-attribute sensitive-features-pred",
    "--reference": "train training training-data baseline base reference-data",
    "--weight": "weights sample-weight sample-weights",
    "--cluster": "clusters id person cluster-id",
    "--score": "scores y-score proba probability probabilities y-prob",
    "--run": "runs fold folds",
    "--where": "filter query subset condition",
    "--groups": "group only-groups only keep",
    "--pos-label": "positive positive-label positive-class pos",
    "--missing": "na nan dropna drop-missing",
    "--n-boot": "bootstrap bootstraps n-bootstrap n-bootstraps replicates boot",
    "--seed": "random-state random-seed",
    "--confidence": "level confidence-level ci alpha",
    "--html": "report page output-html",
    "--json": "output-json",
    "--full": "verbose all long details",
    "--fail-above": "max maximum fail-if-above",
    "--fail-verdict": "fail-on verdict",
}
_MEANT = {guess: option for option, guesses in _GUESSES.items() for guess in guesses.split()}

#: Where an example stands, its lines are not wrapped.
_AS_IT_IS = "\b\n"


def example(*lines: str) -> str:
    """The end of a command's help: how it is called."""
    return f"{_AS_IT_IS}Example:\n" + "\n".join(f"  {line}" for line in lines)


class Command(TyperCommand):
    """A command with options in sections; those of one value must not be repeated."""

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

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, section by section, in the order of the command."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                is_argument = param.param_type_name == "argument"
                section = getattr(param, "rich_help_panel", None)
                section = section or ("Arguments" if is_argument else "Other options")
                sections.setdefault(section, []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def explained(error: Exception, options: set[str]) -> str | None:
    """What is said of an option that there is not, if it is known what was meant; else None.

    Parameters
    ----------
    error : exception
        What the parser of the command raised.
    options : set of str
        The options of the command.
    """
    # Only errors about unknown options have possibilities.
    name = getattr(error, "option_name", None)
    if name is None or not hasattr(error, "possibilities"):
        return None
    plain = name.lstrip("-").replace("_", "-").lower()
    meant = f"--{plain}" if f"--{plain}" in options else _MEANT.get(plain)
    return f"No such option: {name} (did you mean {meant}?)" if meant in options else None

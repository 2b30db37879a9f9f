"""What all commands on tables share: errors as sentences, exit codes, common options."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kernelect import numerics
from kernelect.cli._signals import exit_code
from kernelect.cli._terminal import echo
from kernelect.exceptions import InvalidArgument, KernelectError, MissingCapability, unknown_name

#: Names that help lists without importing the numerics: docs/parts.py writes them from the registries.
_NAMES: dict[str, Any] = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))


class GuardedCommand(click.Command):
    """A command whose failures are one sentence: exit code 1 for the job, 2 for wrong use, 130 for Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (InvalidArgument, MissingCapability) as error:
            raise click.UsageError(str(error), ctx) from error
        except KernelectError as error:
            raise click.ClickException(str(error)) from error
        except MemoryError as error:
            raise click.ClickException(
                "There is not enough memory for a table of this size: use fewer rows or columns (--drop)."
            ) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has left, which click ends without a word
                raise
            raise click.ClickException(_on_system(error)) from error
        except KeyboardInterrupt as error:
            echo("\nStopped before the end: no file was left half-written.", err=True)
            ctx.exit(exit_code(error))


def _on_system(error: OSError) -> str:
    """Return the sentence for what the system refused; files of ours have sentences of their own."""
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"The output cannot be written ({reason}): free some space, or send it elsewhere."
    return f"{error.filename!r} cannot be used ({reason}): check the name, its permissions and the space on the disk."


#: What puts an option on a command.
Option = Callable[[Any], Any]


def shared(*options: Option) -> Option:
    """Join options into one decorator, shown in the order given."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


if TYPE_CHECKING:
    from kernelect.numerics import Deadline

    NameType = click.ParamType[str]
else:
    NameType = click.ParamType  # generic to type checkers, and at run time in later versions of click


class Whole(click.IntRange):
    """A whole number; what is none, or outside the range, is refused in a sentence."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            ends = f"of at least {self.min}" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{value!r} must be a whole number {ends}.", param, ctx)


class Seconds(click.FloatRange):
    """A time above 0."""

    def __init__(self) -> None:
        super().__init__(min=0.0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} must be a number of seconds above 0, such as 60.", param, ctx)


class PartName(NameType):
    """The name of a registered part; the registry is read when a name is given, so that help needs no numerics."""

    name = "name"

    def __init__(self, argument: str, names: Callable[[], Sequence[str]]) -> None:
        self.argument, self.names = argument, names

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = list(self.names())
        if value not in known:
            self.fail(str(unknown_name(self.argument, value, known)), param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


def _machines() -> list[str]:
    import kernelect.mixture  # declares one more  # noqa: F401
    from kernelect.estimators import ESTIMATORS

    return list(ESTIMATORS.by_machine())


def _kernels() -> list[str]:
    from kernelect.kernels import KERNELS

    return [name for name in KERNELS.names if name != "precomputed"]


effort = click.option(
    "--effort",
    type=click.Choice(_NAMES["efforts"]),
    help="How many candidates machine auto mixes.  [default: balanced]",
)

MACHINE, KERNEL = PartName("machine", _machines), PartName("kernel", _kernels)

#: The parts that select, as the help lists them; parts that a user has registered are taken as well.
parts = shared(
    click.option("--kernel", metavar="NAME", help=f"Kernel: {', '.join(_NAMES['kernels'])}.  [default: ard]"),
    click.option(
        "--prior", metavar="NAME", help=f"Prior over the widths: {', '.join(_NAMES['priors'])}.  [default: auto]"
    ),
    click.option(
        "--criterion",
        metavar="NAME",
        help="Criterion that selects; each machine has its own. "
        + " ".join(f"{machine}: {', '.join(names)}." for machine, names in _NAMES["criteria"].items()),
    ),
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
quiet = click.option("--quiet", is_flag=True, help="Print no progress and no remarks.")
force = click.option("--force", is_flag=True, help="Overwrite existing files.")
fill_missing = click.option("--fill-missing", is_flag=True, help="Treat absent columns as missing cells.")
format_option = shared(
    click.option(
        "--format", "format_", type=click.Choice(_NAMES["formats"]), help="Format of the table.  [default: detected]"
    ),
    click.option(
        "--sheet", metavar="NAME", help="Sheet of an Excel file, by name or number.  [default: the first with cells]"
    ),
)
table_argument = click.argument("table", metavar="TABLE", type=click.Path(path_type=str, allow_dash=True))
model_argument = click.argument("model", metavar="MODEL", type=click.Path(path_type=Path))
rows_to_read = shared(model_argument, table_argument, format_option)


def whole(name: str, words: str, least: int = 1, default: int | None = None, most: int | None = None) -> Option:
    """Return the option of a whole number."""
    kind = Whole(least, most)
    return click.option(name, type=kind, metavar="N", default=default, show_default=default is not None, help=words)


def file_to_write(words: str, default: str | None = None) -> Option:
    """Return the option of a file that is written."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--out", type=kind, default=default, show_default=default is not None, help=words)


seed = whole("--seed", "Seed of everything random.", 0, 0, 2**32 - 1)
jobs = whole("--jobs", "Number of outer folds to run at the same time.", default=1)
time_limit = click.option("--time-limit", type=Seconds(), metavar="SECONDS", help="Time for the whole run.")


def deadline(limit: float | None) -> Deadline:
    """Return when a command has to end; a process of its own has counted the seconds of its imports."""
    if limit is None:
        return numerics.NEVER
    began = click.get_current_context().obj
    return numerics.Deadline((time.monotonic() if began is None else began) + limit)


private = click.option(
    "--private",
    is_flag=True,
    help="Leave all rows, names of rows and What if out of the page, which may then be shared.",
)
compared = click.option(
    "--compared",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What kernelect compare --json printed for the same table: other methods are shown beside the model.",
)


def _several(name: str, words: str, variable: str | None = None, metavar: str = "COLUMN") -> Option:
    """Return an option that may be given more than once, or once with commas."""
    declared = (name,) if variable is None else (name, variable)
    return click.option(*declared, multiple=True, metavar=metavar, help=f"{words} May be repeated.")


def _single(name: str, words: str) -> Option:
    """Return the option for one column; a second one is refused, not taken in the place of the first."""
    return click.option(name, metavar="COLUMN", multiple=True, callback=_only_one, help=words)


def _only_one(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> str | None:
    if len(given) > 1:
        quoted = " and ".join(map(repr, given))
        raise click.UsageError(f"{param.opts[0]} takes one column, and got {quoted}: give one of them.", ctx)
    return given[0] if given else None


columns = shared(
    _single("--target", "Column to predict (required, except for svmlight)."),
    click.option(
        "--task",
        type=click.Choice(["classification", "regression", "count"]),
        help="What to predict: classes, numbers or counts (whole numbers from 0).  [default: detected from the values]",
    ),
    _single(
        "--event",
        "Column with 1 if the target is the time of an event, 0 if it is the last time without one (survival).",
    ),
    click.option(
        "--ordered",
        metavar="LOW<...<HIGH",
        help="Classes with an order, such as 'mild<moderate<severe'.  [default: that of an ordered categorical]",
    ),
    _several("--drop", "Column to leave out."),
    _several("--keep", "Column to use even if it looks like a row number or name."),
    _several("--id", "Column that names the rows: no input, copied to predictions.", "ids"),
    _several("--categorical", "Column of categories, such as a race coded 1, 2, 3."),
    _several("--number", "Column of numbers, which are all meant (none is a code for missing cells)."),
    _several("--date", "Column of dates, with their form if needed.", metavar="COLUMN[=%d.%m.%Y]"),
    _several("--missing-code", "Cell that means missing, everywhere or in a column.", "missing_codes", "[COLUMN=]CODE"),
    click.option(
        "--schema",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Read the table as this columns.toml says, which an earlier fit wrote.",
    ),
    _single("--weight", "Column with the weight of each row."),
    _single(
        "--group",
        "Column that tells which rows belong together, as a patient's do; they are left out together.  "
        "[default: a column that names subjects]",
    ),
    _single("--time", "Column that tells when a row was observed; folds are predicted from earlier rows."),
    format_option,
)


#: Names of metrics are spelled here too, so that help needs no numerics; a test compares.
METRICS = ("error", "log-loss", "auc", "average-precision", "brier", "f1", "rmse", "mae", "r2")

stakes = shared(
    click.option(
        "--metric",
        type=click.Choice(METRICS),
        help="The figure that counts most; f1 also sets the threshold.  [default: error or rmse]",
    ),
    click.option(
        "--cost",
        "costs",
        multiple=True,
        metavar="TRUE:PREDICTED=COST",
        help="What an error costs: yes:no=5 if it is 5 times as bad to predict no when the truth is yes. The threshold "
        "is chosen by leave-one-out and kept with the model. May be repeated.",
    ),
    click.option(
        "--class-weight",
        metavar="balanced|CLASS=WEIGHT,...",
        help="Count the errors in each class with its weight; balanced counts all classes alike. Probabilities stay "
        "as they are.",
    ),
)


def folds(default: int) -> Option:
    """Return the options of outer folds."""
    return shared(
        whole(
            "--folds",
            "Number of outer folds; each repeats the whole selection. fit takes 0 too: no outer folds.",
            0,
            default,
        ),
        whole("--repeats", "How often to draw the folds.", default=1),
    )


def is_given(name: str) -> bool:
    """Tell whether the user gave an option of the command that runs, and not its default."""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


#: What ``columns`` gives, as :func:`kernelect.cli._load.load_rows` takes it.
COLUMN_WORDS = (
    "drop",
    "keep",
    "ids",
    "categorical",
    "number",
    "date",
    "missing_codes",
    "group",
    "time",
    "event",
    "ordered",
)

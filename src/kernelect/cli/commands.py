"""The group of all commands, each loaded when it is called."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from kernelect import __version__
from kernelect.cli._signals import exit_code
from kernelect.cli._terminal import echo, printable_lines

#: Command -> the line shown for it; the command itself is ``kernelect.cli.<command>.<command>_command``.
COMMANDS = {
    "fit": "Fit a machine to a table, show how good it is, write the model and a report.",
    "predict": "Predict the rows of a table with a saved model.",
    "evaluate": "Score a saved model on rows whose truth is known.",
    "drift": "Tell whether new rows are like those that a saved model was fitted on.",
    "explain": "Show why a saved model predicts what it does.",
    "export": "Write a saved model as C, ONNX or JavaScript.",
    "app": "Fit, read reports and predict in the browser, on this machine.",
    "serve": "Answer requests for predictions by HTTP.",
    "compare": "Compare all machines and kernels on a table.",
    "inspect": "Show what is in a model file.",
    "report": "Write the report on a saved model again.",
    "study": "Run model-selection experiments: the papers', or your own.",
    "sample": "Write a built-in table to try the other commands on.",
    "demo": "See what priors prevent, on built-in data.",
    "completion": "Print a script for shell completion.",
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is used."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error)["message"] = printable_lines(error.message)  # it may quote names from files
            raise
        except KeyboardInterrupt as error:  # while a command is imported; those that run say more themselves
            echo("\nStopped before the start: no file was written.", err=True)
            ctx.exit(exit_code(error))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"kernelect.cli.{name}"), f"{name}_command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS:
            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"There is no command {args[0]!r}.{hint} There are: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        # click would import every command for its help.
        found = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup)
@click.version_option(__version__, prog_name="kernelect")
def kernelect() -> None:
    """Kernel machines that select themselves."""

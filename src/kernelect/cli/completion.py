"""``kernelect completion``: the script that teaches a shell to complete our words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from kernelect.cli import _guard as options
from kernelect.cli._terminal import emit

VARIABLE = "_KERNELECT_COMPLETE"


_HELP = """Print what makes SHELL complete commands and options.

\b
bash: echo 'eval "$(kernelect completion bash)"' >> ~/.bashrc
zsh:  echo 'eval "$(kernelect completion zsh)"' >> ~/.zshrc
fish: kernelect completion fish > ~/.config/fish/completions/kernelect.fish
"""


@click.command(cls=options.GuardedCommand, help=_HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script of a shell."""
    found = get_completion_class(shell)
    assert found is not None, shell  # the three are click's own
    emit(found(ctx.find_root().command, {}, "kernelect", VARIABLE).source() + "\n")

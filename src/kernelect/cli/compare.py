"""``kernelect compare``: every machine and kernel on one table, beside scikit-learn's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelect.cli import _guard as options
from kernelect.cli._load import load_rows, outer_folds
from kernelect.exceptions import InvalidArgument
from kernelect.facts.names import OUT_OF_TIME
from kernelect.facts.numbers import score_words

if TYPE_CHECKING:
    from kernelect.facts.record import ComparisonFacts
    from kernelect.tabular.compare import Comparison


@click.command(cls=options.GuardedCommand)
@options.table_argument
@options.columns
@options.stakes
@click.option(
    "--machine",
    "machines",
    type=options.MACHINE,
    multiple=True,
    help="Only these of our machines; may be given more than once.",
)
@click.option(
    "--kernel",
    "kernels",
    type=options.KERNEL,
    multiple=True,
    help="Only these kernels, for all machines except auto; may be given more than once.  [default: ard, rbf, linear]",
)
@options.effort
@options.folds(default=5)
@options.seed
@options.jobs
@options.time_limit
@options.as_json
@options.quiet
def compare_command(table: str, as_json: bool, quiet: bool, **given: Any) -> None:
    """Compare all machines on TABLE by repeated outer folds, the same folds for each.

    scikit-learn's SVM with a grid, random forest and gradient boosting run next to them, and
    guessing, which looks at no column. They are ranked by --metric. Differences are to the best
    candidate, fold by fold. Their standard errors allow for the overlap of the folds (Nadeau &
    Bengio 2003).

    With --event, Cox regression, a survival forest and one curve for all rows run next to the
    mixture. With --ordered, machines that ignore the order or take classes for numbers and
    logistic regression are there too, ranked by the ranked probability score.
    """
    from kernelect.cli._progress import Watch
    from kernelect.cli._show import Terminal, peer_table, print_json, print_remarks
    from kernelect.facts.doubts import doubts_of, examine
    from kernelect.mixture import AUTO
    from kernelect.tabular.compare import KERNELS, candidates, compare_table
    from kernelect.tabular.evidence import TableEvidence

    if given["kernels"] and given["machines"] == (AUTO,):
        raise InvalidArgument(
            f"--kernel {given['kernels'][0]} does not apply to --machine {AUTO}, which tries several: leave it out, or "
            "add a machine that takes a kernel, such as lssvm."
        )
    read, schema, rows, remarks = load_rows(table, given)
    entries = candidates(schema, given["seed"], given["machines"], given["kernels"] or KERNELS, given["effort"])
    outer, fewer = outer_folds(given, rows, schema, given["time_limit"])
    remarks += fewer
    with Watch(Terminal(stderr=True), quiet) as watch:
        total, names = outer.folds * outer.repeats, [entry.name for entry in entries]
        watches = {
            name: watch.folds(f"candidate {place + 1} of {len(names)}, {name}", total)
            for place, name in enumerate(names)
        }
        found = compare_table(rows, schema, entries, outer, lambda name, done: watches[name](done))
    remarks = [
        *remarks,
        *(f"{doubt['sentence']} {doubt['advice']}" for doubt in doubts_of(examine(TableEvidence(rows, schema)))),
    ]
    facts = _facts(found, read.source, schema.target, remarks)
    if as_json:
        print_json(facts)
        return
    console = Terminal()
    title = f"Predicting {facts['target']} from {facts['title']}: {facts['folds']}, the same for all"
    console.print(peer_table(facts, f"{title}; ranked by {facts['score']}"))
    if not quiet:
        print_remarks(console, _on_candidates(facts))
        print_remarks(console, remarks)


def _on_candidates(facts: ComparisonFacts) -> list[str]:
    """Return the remarks on candidates, one that several share once."""
    found: dict[str, list[str]] = {}
    for row in facts["candidates"]:
        if row["remark"] and row["mark"] != OUT_OF_TIME:  # the table marks who ran out of time
            found.setdefault(row["remark"], []).append(row["name"])
    return [f"{', '.join(names)}: {remark}" for remark, names in found.items()]


def _facts(found: Comparison, title: str, target: str, remarks: list[str]) -> ComparisonFacts:
    from kernelect.facts.quality import describe_estimate
    from kernelect.facts.record import ComparisonFacts, DifferenceFacts, PeerFacts

    rows = []
    for contender in found.contenders:
        behind = found.difference(contender)
        rows.append(
            PeerFacts(
                name=contender.name,
                scores=[] if contender.estimate is None else describe_estimate(contender.estimate, "")["scores"],
                difference=None
                if behind is None
                else DifferenceFacts(
                    value=behind.value,
                    standard_error=behind.standard_error,
                    words=score_words(found.score, behind.value, behind.standard_error),
                ),
                seconds=contender.seconds,
                mark=contender.mark,
                remark=contender.remark,
            )
        )
    return ComparisonFacts(
        title=title, target=target, folds=found.name, score=found.score, candidates=rows, remarks=remarks
    )

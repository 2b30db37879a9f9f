"""A campaign from the command line: ``PYTHONPATH=tests python -m fuzz --fits 1000 --seed 7``."""

from __future__ import annotations

import argparse
import csv
import io
import json
import platform
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fuzz.harness import Tally, campaign, judged, printed, smaller
from fuzz.kinds import KINDS, case_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description="Made-up inputs by the thousand, judged by laws.")
    for name in KINDS:
        parser.add_argument(f"--{name}", type=int, default=0, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the counts, as JSON")
    parser.add_argument("--case", help="one case as a campaign printed it, judged once more")
    parser.add_argument(
        "--table", type=Path, nargs="+", metavar="FILE", help="counts to sum up, as CSV: those of --out, or such sums"
    )
    given = parser.parse_args()
    if given.table is not None:
        printed(summed(given.table))
        return 0
    if given.case is not None:
        return once_more(json.loads(given.case))
    printed(f"seed {given.seed}")
    tallies: list[Tally] = []
    for name, kind in KINDS.items():
        tallies.append(campaign(name, kind.cases(), kind.judge, getattr(given, name), given.seed))
        if given.out is not None:
            given.out.write_text(json.dumps(facts(tallies, given.seed), indent=1) + "\n")
    broken = 0
    for tally in tallies:
        broken += show_failures(tally)
    show_counts(tallies)
    return 1 if broken else 0


def once_more(fields: dict[str, Any]) -> int:
    """Judge one case that was found before."""
    name = fields.pop("kind")
    outcome, failure = judged(name, KINDS[name].judge, case_of(name, fields))
    printed(outcome if failure is None else f"broken: {failure.law}: {failure.seen}")
    return 0 if failure is None else 1


def show_failures(tally: Tally) -> int:
    """Print one failure of each signature, made as small as it gets; returns how many there are."""
    found = tally.distinct()
    for number, (failure, count) in enumerate(sorted(found, key=lambda pair: -pair[1]), start=1):
        small = smaller(failure, KINDS[tally.kind].judge)
        printed(f"\n{tally.kind} {number} ({count} cases): {small.law}: {small.seen}\n  {small.reproduction()}")
    return len(found)


def show_counts(tallies: list[Tally]) -> None:
    printed(f"\n{'':12}{'cases':>8}{'broken':>8}{'minutes':>9}  outcomes")
    for tally in tallies:
        if tally.cases:
            outcomes = ", ".join(f"{count} {name}" for name, count in sorted(tally.outcomes.items()))
            counts = f"{tally.cases:>8}{len(tally.failures):>8}{tally.seconds / 60:>9.1f}"
            printed(f"{tally.kind:12}{counts}  {outcomes}")


def facts(tallies: list[Tally], seed: int) -> dict[str, Any]:
    """Return the counts as they are kept, for the page on reliability."""
    from kernelect import __version__

    kinds = {
        tally.kind: {
            "cases": tally.cases,
            "broken": len(tally.failures),
            "outcomes": dict(sorted(tally.outcomes.items())),
            "failures": [{"law": one.law, "seen": one.seen, "case": asdict(one.case)} for one in tally.failures],
        }
        for tally in tallies
        if tally.cases
    }
    return {"seed": seed, "version": __version__, "python": platform.python_version(), "kinds": kinds}


#: What the page on reliability calls the kinds.
WORDS = {
    "fits": "fits to arrays",
    "frames": "tables of every type of column",
    "files": "tables of changed bytes",
    "models": "forged and damaged model files",
    "commands": "command lines",
    "kills": "kills and interrupts",
}


def summed(paths: list[Path]) -> str:
    """Return the counts of some campaigns, and sums of earlier ones, as the table of the page on reliability."""
    totals: dict[str, Counter[str]] = {words: Counter() for words in WORDS.values()}
    for path in paths:
        for words, counts in counts_of(path).items():
            totals[words] += counts
    with io.StringIO(newline="") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("kind", "cases", "broken", "outcomes"))
        for words, counts in totals.items():
            cases, broken = counts.total(), counts.pop("broken", 0)
            if cases:
                outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
                rows.writerow((words, cases, broken, outcomes))
        return text.getvalue().rstrip("\n")


def counts_of(path: Path) -> dict[str, Counter[str]]:
    """Return what became of the cases of every kind, of a campaign or a sum."""
    if path.suffix == ".json":
        kinds = json.loads(path.read_text())["kinds"]
        return {WORDS[name]: Counter(kind["outcomes"]) for name, kind in kinds.items()}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = {row["kind"]: [each.split(" ", 1) for each in row["outcomes"].split(", ")] for row in rows}
    found = {words: Counter({outcome: int(count) for count, outcome in each}) for words, each in pairs.items()}
    for row in rows:
        found[row["kind"]]["broken"] = int(row["broken"])
    return found


if __name__ == "__main__":
    sys.exit(main())

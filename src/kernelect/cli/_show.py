"""Facts on a terminal. Names and labels come from files: they are never read as markup or control codes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.containers import Lines
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from kernelect.cli._terminal import emit_json, printable, printable_lines
from kernelect.facts.names import OUT_OF_TIME

if TYPE_CHECKING:
    from kernelect.facts.record import (
        ComparisonFacts,
        Doubt,
        Facts,
        MixtureFacts,
        PeerFacts,
        QualityFacts,
        RelevanceFacts,
    )

#: Columns whose relevance is shown; JSON has them all.
_MOST_COLUMNS = 8

#: Letters that labels have in a line at least, if they break between words.
_NARROW_LABELS = 24

#: Blocks of the longest bar.
_BAR = 24

#: What stands between thousands, and a letter of the same width that no text has: printable() spells it out.
_NARROW_SPACE, _STAND_IN = "\N{NARROW NO-BREAK SPACE}", "\ue000"

#: Candidates of a mixture that are shown.
_MOST_CANDIDATES = 6

#: Colours of verdicts, from the worst to the best.
_COLOURS = ("red", "red", "yellow", "yellow", "green")


class Terminal(Console):
    """A console on which nothing can be printed that is no text: the last place before the screen."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable_lines(segment.text))


class _Unbroken(Text):
    """Text whose numbers stay whole: rich breaks lines at every kind of space, that between thousands too."""

    def wrap(self, *args: Any, **named: Any) -> Lines:
        whole = self.copy()
        whole.plain = self.plain.replace(_NARROW_SPACE, _STAND_IN)
        lines = whole.wrap(*args, **named)
        for line in lines:
            line.plain = line.plain.replace(_STAND_IN, _NARROW_SPACE)
        return lines


def plain(value: object, style: str = "") -> Text:
    """Return text for a terminal as it stands: no markup, no control characters."""
    return _Unbroken(printable(value), style=style)


def say(console: Console, value: object, style: str = "") -> None:
    """Print words as they stand; in a group, since rich joins texts that it is given to a text of its own."""
    console.print(Group(plain(value, style)))


def print_json(facts: Any) -> None:
    """Print a JSON document; what JSON does not know (infinity, not a number) becomes null."""
    emit_json(json.dumps(_finite(facts), indent=1, ensure_ascii=False, default=str))


def _finite(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {str(key): _finite(value) for key, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_finite(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts


def print_remarks(console: Console, remarks: Iterable[str]) -> None:
    """Print remarks, each beside a dot."""
    out = Table.grid(padding=(0, 1, 0, 0))
    for remark in remarks:
        out.add_row(Text("·", style="yellow"), plain(remark))
    if out.rows:
        console.print(out)


def figures(title: str, first: str, rows: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> Group:
    """Return a table of figures in words: a row for each name, a column for each figure.

    Parameters
    ----------
    title, first : str
        Of the table, and of its first column.
    rows : mapping of str to mapping of str to str
        Row -> column -> figure; what a row lacks stays empty.
    names : sequence of str
        Columns in their order.
    """
    return Group(plain(title, "bold"), Figures(first, rows, names))  # a title of the table itself would be as narrow


class Figures:
    """A table of figures, or if the terminal is too narrow for it, the figures of each row below its label."""

    def __init__(self, first: str, rows: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> None:
        self.first, self.rows, self.names = first, rows, names

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = self._widths(options.max_width)
        yield self._narrow() if widths is None else self._wide(widths)

    def _widths(self, room: int) -> list[int] | None:
        """Return the columns' widths, so that no label or figure is cut, or None if there is no room for that.

        Headings may break between words, and long labels too. What room is left makes headings longer, in turn.
        """
        columns = [(self.first, [*map(printable, self.rows)])]
        columns += [(name, [row.get(name, "") for row in self.rows.values()]) for name in self.names]
        widths = [max(map(cell_len, [*name.split(), *cells])) for name, cells in columns]
        spare = room - sum(widths) - 2 * len(widths) + 1
        least = max(_NARROW_LABELS, *(cell_len(word) for label in columns[0][1] for word in label.split()))
        if spare < 0 and widths[0] + spare >= least:
            widths[0], spare = widths[0] + spare, 0
        if spare < 0:
            return None
        for place, (name, _) in enumerate(columns):
            more = min(max(cell_len(name) - widths[place], 0), spare)
            widths[place], spare = widths[place] + more, spare - more
        return widths

    def _wide(self, widths: Sequence[int]) -> Group:
        out = open_table()
        out.add_column(self.first, width=widths[0])
        for name, width in zip(self.names, widths[1:], strict=True):
            out.add_column(name, justify="right", width=width)
        for label, row in self.rows.items():
            out.add_row(plain(label), *(row.get(name, "") for name in self.names))
        return Group(out, Text(""))

    def _narrow(self) -> Group:
        lines: list[Any] = [Text("")]
        for label, row in self.rows.items():
            out = Table.grid(padding=(0, 2, 0, 0))
            for name in self.names:
                if row.get(name):
                    out.add_row(plain(f"  {name}", "dim"), row[name])
            lines += [plain(label), out]
        return Group(*lines, Text(""))


def open_table() -> Table:
    """Return a table with one line below its headings."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)


def score_table(quality: QualityFacts) -> Group:
    """Return scores as rows and estimates as columns."""
    from kernelect.facts.quality import scores_by_estimate

    names, rows = scores_by_estimate(quality)
    return figures("How good it is on new rows (± one standard error)", "measured by", rows, names)


def relevance_table(relevance: RelevanceFacts) -> Table:
    """Return the most relevant columns: what shuffling each costs on rows held out, its share in the model, a bar."""
    from kernelect.facts.relevance import by_importance

    found = by_importance(relevance)
    measured = found[0][1] is not None if found else False
    what = f" ({relevance.get('cost', 'loss')} when shuffled, on rows held out; share in the model)" if measured else ""
    title = f"Relevance of columns{what}"
    out = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False)
    out.add_column(overflow="fold")  # a long name goes on in the next line
    for _ in range(2 if measured else 1):
        out.add_column(justify="right", no_wrap=True)
    out.add_column(no_wrap=True, overflow="crop")
    sizes = [max(one["share"] if cost is None else cost["rise"], 0.0) for one, cost in found[:_MOST_COLUMNS]]
    largest = max(sizes, default=1.0) or 1.0
    for (one, cost), size in zip(found, sizes, strict=False):
        words = [cost["words"] if cost else ""] if measured else []
        out.add_row(plain(one["name"]), *words, one["words"], "█" * round(_BAR * size / largest))
    if relevance["columns"] > len(sizes):
        out.add_row(f"and {relevance['columns'] - len(sizes)} more")
    return out


def candidate_table(mixture: MixtureFacts) -> Group:
    """Return the heaviest candidates of a mixture; JSON and page have them all."""
    score = f"leave-one-out {mixture['score']}"
    shown = mixture["candidates"][:_MOST_CANDIDATES]
    rows = {
        one["name"]: {"weight": one["weight_words"], score: one["words"], "seconds": f"{one['seconds']:.1f}"}
        for one in shown
    }
    left = len(mixture["candidates"]) - len(shown)
    title = "Candidates of the mixture" + (f" (the {len(shown)} heaviest of {len(shown) + left})" if left else "")
    return figures(title, "candidate", rows, ["weight", score, "seconds"])


#: What stands behind the seconds of a candidate that ran out of time.
_LATE = " *"

#: What stands beside a score if it is not simply the next one.
_BESIDE = {"concordance": "integrated Brier score", "ranked probability score": "mean distance"}


def peer_table(comparison: ComparisonFacts, title: str) -> Group:
    """Return the candidates of a comparison with the score that counts and another one; JSON has them all."""
    known = list(dict.fromkeys(score["name"] for one in comparison["candidates"] for score in one["scores"]))
    others = [name for name in known if name != comparison["score"]]
    others = sorted(others, key=lambda name: name != _BESIDE.get(comparison["score"]))[:1]
    rows = {one["name"]: _peer(one, comparison["score"]) for one in comparison["candidates"]}
    table = figures(title, "candidate", rows, [comparison["score"], "behind the best", *others, "seconds"])
    late = any(row.get("seconds", "").endswith(_LATE) for row in rows.values())
    said = f"{_LATE.strip()} ran out of time: more --time-limit may give better scores."
    return Group(table, plain(said), Text("")) if late else table


def _peer(one: PeerFacts, counts: str) -> dict[str, str]:
    """Return the figures of a candidate; why some are lacking stands in their place."""
    if not one["scores"]:
        return {counts: one["mark"]}
    late = one["mark"] == OUT_OF_TIME
    best = one["mark"] if one["mark"] and not late else "the best"
    return {
        **{score["name"]: score["words"] for score in one["scores"]},
        "behind the best": one["difference"]["words"] if one["difference"] else best,
        "seconds": f"{one['seconds']:.1f}{_LATE * late}",
    }


def print_doubts(console: Console, doubts: Sequence[Doubt], checked: str) -> None:
    """Print what to doubt, and what was checked."""
    console.print(Text("What to doubt", style="bold"))
    for doubt in doubts:
        words = plain("").append_text(plain(doubt["sentence"], "bold yellow"))
        words.append(" ").append_text(plain(doubt["advice"]))
        console.print(Padding(words, (0, 0, 0, 2)))
    if checked:
        console.print(Padding(plain(checked, "dim" if doubts else "green"), (0, 0, 0, 2)))
    console.print()


def print_verdict(console: Console, facts: Facts) -> None:
    """Print how good the model is, how sure that is and what to do."""
    verdict = facts["verdict"]
    say(console, f"Predicting {facts['target']} from {facts['title']}", "bold")
    say(console, facts["data"]["words"], "dim")
    say(console, f"{verdict['words']}.", f"bold {_COLOURS[verdict['level'] - 1]}")
    for sentence in (verdict["good"], verdict["sure"], f"What to do: {verdict['todo']}"):
        say(console, sentence)
    console.print()


def print_facts(console: Console, facts: Facts, *, experts: bool = False) -> None:
    """Print the verdict, how good the model is, what drives it and what to doubt, for experts how it was found too."""
    from kernelect.facts.doubts import what_was_checked

    print_verdict(console, facts)
    say(console, facts["quality"]["headline"], "bold")
    if "decision" in facts:
        say(console, facts["decision"]["sentence"])
    console.print(score_table(facts["quality"]))
    if "peers" in facts:
        console.print(
            peer_table(facts["peers"], f"Other methods ({facts['peers']['folds']}, the same for all of them)")
        )
    if facts["relevance"]:
        console.print(relevance_table(facts["relevance"]))
        console.print()
    print_doubts(console, facts["doubts"], what_was_checked(facts))
    if experts:
        _print_machine(console, facts)


def _print_machine(console: Console, facts: Facts) -> None:
    """Print what the model is, how the search for it ended, and its candidates."""
    machine = facts["machine"]
    say(console, "How it was found", "bold")
    say(console, machine["sentence"])
    say(console, f"Search: {machine['search']} Size: {machine['size']}.")
    console.print()
    if "mixture" in facts:
        console.print(candidate_table(facts["mixture"]))
        say(console, facts["mixture"]["loss"]["sentence"])
        console.print()

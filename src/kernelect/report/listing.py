"""The facts of a model as tables of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from kernelect.facts.numbers import NOT_KNOWN, counted, duration, fixed, number, percent
from kernelect.facts.quality import scores_by_estimate
from kernelect.facts.record import Facts, MachineFacts, QualityFacts, RelevanceFacts
from kernelect.facts.relevance import by_importance

#: Columns whose relevance is listed one by one.
_MOST_COLUMNS = 30


#: What stands in the place of a difference to itself.
_BEST = "the best"


class ReportTable(TypedDict):
    """A titled table; the first column names the rows."""

    key: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str


def tables_of(facts: Facts) -> list[ReportTable]:
    """Return all tables, from scores and selected values to what was run; those without rows are left out."""
    tables = [
        _scores(facts["quality"]),
        _peers(facts),
        _candidates(facts),
        _parameters(facts["machine"]),
        _relevance(facts["relevance"]),
        _confusion(facts),
        _worst_rows(facts),
        _stages(facts),
        _functions(facts),
        _setting(facts),
    ]
    return [table for table in tables if table is not None and table["rows"]]


def _table(key: str, title: str, columns: Sequence[str], rows: list[list[str]], note: str = "") -> ReportTable:
    """Return a table of the columns that hold anything."""
    kept = [place for place in range(len(columns)) if any(row[place] not in ("", NOT_KNOWN) for row in rows)]
    return ReportTable(
        key=key,
        title=title,
        columns=[columns[place] for place in kept],
        rows=[[row[place] for place in kept] for row in rows],
        note=note,
    )


def _scores(quality: QualityFacts) -> ReportTable:
    names, rows = scores_by_estimate(quality)
    cells = [[score, *(words.get(name, NOT_KNOWN) for name in names)] for score, words in rows.items()]
    return _table("scores", "How good it is", ["measured by", *names], cells, "± one standard error.")


def _parameters(machine: MachineFacts) -> ReportTable:
    rows = [
        [one["name"], one["words"], number(one["length_scale"], 4), one["at_bound"] or ""]
        for one in machine["parameters"]
    ]
    left = machine["parameters_not_listed"]
    note = (
        "gamma = 1 / (2 length scale²), in the units that the machine sees: a larger gamma gives a wigglier function."
    )
    note += f" Not listed: {counted(left, 'further width')} of less relevant inputs." if left else ""
    columns = ["parameter", "value", "length scale", "at the edge"]
    return _table("parameters", "Selected values", columns, rows, note)


def _candidates(facts: Facts) -> ReportTable | None:
    mixture = facts.get("mixture")
    if mixture is None:
        return None
    rows = [
        [one["name"], one["weight_words"], one["words"], duration(one["seconds"]), one["status"]]
        for one in mixture["candidates"]
    ]
    columns = ["candidate", "weight", f"leave-one-out {mixture['score']}", "time", "how its search ended"]
    return _table("candidates", "Candidates of the mixture", columns, rows, mixture["loss"]["sentence"])


def _peers(facts: Facts) -> ReportTable | None:
    peers = facts.get("peers")
    if peers is None:
        return None
    known = dict.fromkeys(score["name"] for one in peers["candidates"] for score in one["scores"])
    names = [peers["score"], *(name for name in known if name != peers["score"])]
    rows = []
    for one in peers["candidates"]:
        words = {score["name"]: score["words"] for score in one["scores"]}
        behind = one["difference"]["words"] if one["difference"] else _BEST if one["scores"] else ""
        figures = [words.get(name, NOT_KNOWN) for name in names]
        rows.append([one["name"], figures[0], behind, *figures[1:], duration(one["seconds"]), one["mark"]])
    columns = ["method", names[0], "behind the best", *names[1:], "time", "note"]
    note = (
        f"From kernelect compare on {peers['title']}: {peers['folds']}, the same for all methods. ± one standard error."
    )
    return _table("peers", "Beside other methods", columns, rows, note)


def _relevance(relevance: RelevanceFacts | None) -> ReportTable | None:
    if relevance is None:
        return None
    rows = []
    for one, held_out in by_importance(relevance)[:_MOST_COLUMNS]:
        inputs = ", ".join(f"{part['name']}: {part['words']}" for part in one["inputs"])
        rows.append([one["name"], NOT_KNOWN if held_out is None else held_out["words"], one["words"], inputs])
    left = relevance["columns"] - len(rows)
    note = f"Not listed: {counted(left, 'further column')} with smaller shares." if left else ""
    cost = f"{relevance.get('cost', 'loss')} when shuffled, on rows held out"
    columns = ["column", cost, "share inside the model", "inputs made from it"]
    return _table("relevance", "Relevance of columns", columns, rows, note)


def _confusion(facts: Facts) -> ReportTable | None:
    record = next((one["record"] for one in facts["pictures"] if one["kind"] == "confusion"), None)
    if record is None:
        return None
    rows: list[list[str]] = []
    for name, counts in zip(record["classes"], record["counts"], strict=True):
        found = counts[len(rows)] / max(sum(counts), 1)
        rows.append([name, *(f"{count:.0f}" for count in counts), percent(found)])
    return _table("confusion", "True against predicted", ["true class", *record["classes"], "found"], rows)


def _worst_rows(facts: Facts) -> ReportTable | None:
    rows = [
        [str(one["row"]), one["observed"], one["predicted"], one["miss"], one["reasons"]]
        for one in facts.get("worst_rows", [])
    ]
    miss = "observed minus predicted" if facts["task"] == "regression" else "probability of what was observed"
    columns = ["row", "observed", "predicted", miss, "strongest reasons"]
    note = "Predicted by models that had not seen the row. Look for slips in these rows first."
    return _table("worst", "The rows predicted worst", columns, rows, note) if rows else None


def _stages(facts: Facts) -> ReportTable:
    rows = [[one["name"], str(one["evaluations"]), number(one["best"], 5)] for one in facts["stages"]]
    return _table("stages", "Stages of the search", ["stage", "evaluations", "best value"], rows)


def _functions(facts: Facts) -> ReportTable:
    rows = [[one["name"], number(one["coefficient"], 4)] for one in facts["functions"]]
    left = facts["machine"]["vectors"] - len(rows)
    note = f"Not listed: {counted(left, 'further function')} with smaller coefficients." if left else ""
    return _table("functions", "Chosen functions", ["function", "coefficient"], rows, note)


def _setting(facts: Facts) -> ReportTable:
    data, machine = facts["data"], facts["machine"]
    rows = [
        ["rows", fixed(data["rows"], 0)],
        ["columns", str(data["columns"])],
        ["inputs of the machine", str(data["inputs"])],
        ["missing cells", fixed(data["missing_cells"], 0)],
        ["criterion", machine["criterion"]],
        ["prior", machine["prior"]],
        ["value of the criterion", number(machine["value"], 6)],
        ["evaluations", fixed(machine["evaluations"], 0)],
        ["time of the fit", duration(facts["seconds"])],
        ["random state", str(facts["random_state"])],
        *([name, version] for name, version in facts["made_with"].items()),
    ]
    return _table("setting", "What was run", ["", "value"], rows)

"""``kernelect demo``: what selection by leave-one-out does, and what its priors prevent."""

from __future__ import annotations

import io
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernelect import LSSVC
from kernelect.cli import _guard as options
from kernelect.cli._show import Terminal, print_json
from kernelect.datasets import sparse_inputs, twonorm
from kernelect.facts.relevance import carrying
from kernelect.files import make_folder, write_whole
from kernelect.plots import RelevanceDisplay, TraceDisplay
from kernelect.plots.style import COLOURS, house_style
from kernelect.results import Evaluation

METHODS: dict[str, dict[str, Any]] = {
    "spherical": {"kernel": "rbf", "prior": None},
    "elliptical": {"kernel": "ard", "prior": None},
    "elliptical, gaussian": {"kernel": "ard", "prior": "gaussian"},
    "LSSVC(), default": {},
}
GRID_METHOD = "SVC, 10 x 10 grid"
TRAINING_ROWS, TEST_ROWS = 400, 4000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    data: str
    method: str
    error: float
    log_loss: float | None
    criterion: float | None
    evaluations: int
    seconds: float
    relevant: list[int] | None
    status: str


@dataclass(frozen=True, kw_only=True)
class DemoProblem:
    """A built-in table, split into training and test rows."""

    name: str
    story: str
    X: np.ndarray
    y: np.ndarray
    new_X: np.ndarray  # noqa: N815
    new_y: np.ndarray


def problems(seed: int) -> list[DemoProblem]:
    """Return the demo's data: one where few inputs matter, one where all do."""
    drawn = []
    for name, story, generate in [
        ("sparse inputs", "3 of 20 inputs matter: an elliptical kernel pays", sparse_inputs),
        ("twonorm", "all 20 inputs matter alike: an elliptical kernel only over-fits", twonorm),
    ]:
        X, y = generate(TRAINING_ROWS + TEST_ROWS, random_state=seed)
        drawn.append(
            DemoProblem(
                name=name,
                story=story,
                X=X[:TRAINING_ROWS],
                y=y[:TRAINING_ROWS],
                new_X=X[TRAINING_ROWS:],
                new_y=y[TRAINING_ROWS:],
            )
        )
    return drawn


def fit_ours(problem: DemoProblem, method: str, observe: Callable[[Evaluation], None]) -> tuple[Row, LSSVC]:
    """Fit one of our machines and measure it."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status is shown below the table
        model = LSSVC(**METHODS[method], verbose=observe).fit(problem.X, problem.y)
    seconds = time.perf_counter() - began
    row = Row(
        data=problem.name,
        method=method,
        error=100.0 * float(np.mean(model.predict(problem.new_X) != problem.new_y)),
        log_loss=float(log_loss(problem.new_y, model.predict_proba(problem.new_X))),
        criterion=model.selection_.value,
        evaluations=model.selection_.n_evaluations,
        seconds=seconds,
        relevant=sorted(carrying(model.feature_importances_)),
        status="" if model.selection_.converged else model.selection_.status,
    )
    return row, model


def fit_grid(problem: DemoProblem) -> Row:
    """Tune scikit-learn's SVC the usual way and measure it."""
    grid = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 1, 10)}
    began = time.perf_counter()
    model = GridSearchCV(SVC(), grid, cv=5).fit(problem.X, problem.y)
    seconds = time.perf_counter() - began
    error = 100.0 * float(np.mean(model.predict(problem.new_X) != problem.new_y))
    fits = 5 * len(grid["C"]) * len(grid["gamma"])
    return Row(
        data=problem.name,
        method=GRID_METHOD,
        error=error,
        log_loss=None,
        criterion=None,
        evaluations=fits,
        seconds=seconds,
        relevant=None,
        status="",
    )


def run_demo(seed: int, console: Console) -> Iterator[tuple[Row, LSSVC | None]]:
    """Fit everything, with a live line of progress, yielding results as they come."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for problem in problems(seed):
            for method in METHODS:
                task = progress.add_task(f"{problem.name}: {method}", total=None)

                def show(row: Evaluation, task: Any = task, words: str = f"{problem.name}: {method}") -> None:
                    best = f"evaluation {row.number}, best {row.best_value:.2f}"
                    progress.update(task, description=f"{words} · {best}")

                yield fit_ours(problem, method, show)
                progress.remove_task(task)
            task = progress.add_task(f"{problem.name}: {GRID_METHOD}", total=None)
            yield fit_grid(problem), None
            progress.remove_task(task)


def table(rows: list[Row], title: str) -> Table:
    """Return the rows of one data set as a table, the smallest error in bold."""
    out = Table(title=title, title_justify="left", title_style="bold")
    out.add_column("method")
    for heading in ("error %", "criterion", "evals", "seconds"):
        out.add_column(heading, justify="right")
    out.add_column("relevant")
    best = min(row.error for row in rows)
    for row in rows:
        error = f"{row.error:.2f}"
        out.add_row(
            row.method + (" [yellow]*[/]" if row.status else ""),
            f"[bold]{error}[/]" if row.error == best else error,
            "" if row.criterion is None else f"{row.criterion:.2f}",
            f"{row.evaluations}",
            f"{row.seconds:.2f}",
            "" if row.relevant is None else _listed(row.relevant),
        )
    return out


def _listed(inputs: list[int]) -> str:
    if len(inputs) <= 6:
        return ", ".join(f"x{j}" for j in inputs)
    return f"{len(inputs)} inputs"


SHOWN = ("elliptical", "LSSVC(), default")


def save_demo_pictures(models: dict[tuple[str, str], LSSVC], out: Path) -> list[Path]:
    """Draw the traces and the relevances: a column per data set, a row per method."""

    def draw_trace(model: LSSVC, ax: Any, colour: str) -> None:
        TraceDisplay.from_selection(model.selection_).plot(ax, colour)

    def draw_relevance(model: LSSVC, ax: Any, colour: str) -> None:
        RelevanceDisplay.from_values(model.feature_importances_).plot(ax, colour)
        ax.tick_params(axis="y", labelsize=7)

    paths = [out / "criterion.png", out / "relevance.png"]
    save_picture(paths[0], "The criterion along its search, stage by stage", models, draw_trace)
    save_picture(paths[1], "Relevance of the inputs (dashed: if all were alike)", models, draw_relevance)
    return paths


def save_picture(
    path: Path, title: str, models: dict[tuple[str, str], LSSVC], draw: Callable[[LSSVC, Any, str], None]
) -> None:
    """Draw one panel for every data set and method shown, and save the picture."""
    import matplotlib

    matplotlib.use("Agg")
    names = list(dict.fromkeys(data for data, _ in models))
    with house_style("kernelect demo") as plt:
        figure, axes = plt.subplots(len(SHOWN), len(names), figsize=(10.5, 8.0), sharex="col")
        for line, method in enumerate(SHOWN):
            for column, name in enumerate(names):
                ax = axes[line, column]
                draw(models[name, method], ax, COLOURS[line])
                ax.set_title(f"{name}: {method}")
                if line < len(SHOWN) - 1:
                    ax.set_xlabel("")
        figure.suptitle(title, ha="left", x=0.01)
        picture = io.BytesIO()
        figure.savefig(picture, format="png")
        write_whole(path, picture.getvalue(), force=True)
        plt.close(figure)


@click.command(cls=options.GuardedCommand)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="kernelect-demo",
    show_default=True,
    help="Folder for the pictures.",
)
@options.seed
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON instead of tables.")
def demo_command(out: Path, seed: int, as_json: bool) -> None:
    """Fit self-selecting machines on built-in data, beside a grid-searched SVC."""
    console = Terminal(stderr=as_json)
    make_folder(out)
    rows: list[Row] = []
    models: dict[tuple[str, str], LSSVC] = {}
    for row, model in run_demo(seed, console):
        rows.append(row)
        if model is not None:
            models[row.data, row.method] = model
    paths = save_demo_pictures(models, out)
    if as_json:
        print_json({"rows": [asdict(row) for row in rows], "pictures": [str(path) for path in paths]})
        return
    for problem in problems(seed):
        console.print(table([row for row in rows if row.data == problem.name], f"{problem.name}: {problem.story}"))
    for row in rows:
        if row.status:
            console.print(f"[yellow]*[/] {row.data}, {row.method}: {row.status}.")
    console.print(
        f"{TRAINING_ROWS} training rows, error on {TEST_ROWS} new ones, seed {seed}. Criterion: PRESS, with a prior "
        "n/2 log PRESS + penalty. Evals: evaluations, for the grid fits. Relevant: inputs with 90 % of the relevance.",
        style="dim",
    )
    console.print("Pictures: " + " and ".join(str(path) for path in paths))

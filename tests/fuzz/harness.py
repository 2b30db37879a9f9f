"""What all kinds of made-up cases share: how they are drawn, watched, made smaller, and written down."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS
from sklearn.exceptions import ConvergenceWarning

import kernelect
from kernelect.exceptions import KernelectError, KernelectWarning

#: Draws every case anew, where Hypothesis by itself makes most of them by small changes to the one before.
INDEPENDENT = "independent"
AVAILABLE_PROVIDERS[INDEPENDENT] = "hypothesis.internal.conjecture.providers.HypothesisProvider"

#: CPU seconds after which a case of this size has taken too long.
MOST_SECONDS = 60.0


class Broken(AssertionError):
    """A law does not hold for a case: which one, and what was seen."""

    def __init__(self, law: str, seen: str) -> None:
        super().__init__(f"{law}: {seen}")
        self.law, self.seen = law, seen


@dataclass(frozen=True)
class Failure:
    """A case with the law that it breaks."""

    kind: str
    case: Any
    law: str
    seen: str

    @property
    def signature(self) -> tuple[str, str, str]:
        """Failures with the same signature most likely share their cause."""
        digits = "".join("#" if letter.isdigit() else letter for letter in self.seen)
        return self.kind, self.law, f"{getattr(self.case, 'estimator', '')} {digits}"[:60]

    def reproduction(self) -> str:
        return f"PYTHONPATH=tests python -m fuzz --case '{json.dumps({'kind': self.kind, **asdict(self.case)})}'"


@dataclass
class Tally:
    """What became of the cases of one kind."""

    kind: str
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seen: set[Any] = field(default_factory=set)
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        return sum(self.outcomes.values())

    def is_new(self, case: Any) -> bool:
        """Tell whether a case is another one than all before; killing the same command again is a case of its own."""
        new = case not in self.seen or self.kind == "kills"
        self.seen.add(case)
        return new

    def distinct(self) -> list[tuple[Failure, int]]:
        """Return one failure of every signature, the smallest, with how many there were."""
        groups: dict[tuple[str, str, str], list[Failure]] = {}
        for failure in self.failures:
            groups.setdefault(failure.signature, []).append(failure)
        return [(min(group, key=lambda one: len(repr(one.case))), len(group)) for group in groups.values()]


def judged(kind: str, judge: Callable[[Any], str], case: Any) -> tuple[str, Failure | None]:
    """Return what became of a case; an error that nobody expected is a failure too."""
    try:
        with in_good_time(), watched():
            return judge(case), None
    except Broken as broken:
        return "broken", Failure(kind, case, broken.law, broken.seen)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.name}"
        return "broken", Failure(kind, case, "no error but a sentence", f"{type(error).__name__} in {where}: {error}")


def campaign(kind: str, cases: Any, judge: Callable[[Any], str], count: int, number: int) -> Tally:
    """Judge ``count`` different cases drawn from a strategy; failures are gathered, none stops the rest."""
    tally = Tally(kind)
    if not count:
        return tally
    began = time.monotonic()

    @seed(number)
    @settings(
        max_examples=2 * count,
        phases=[Phase.generate],
        backend=INDEPENDENT,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def run(case: Any) -> None:
        if tally.cases >= count or not tally.is_new(case):
            return
        outcome, failure = judged(kind, judge, case)
        tally.outcomes[outcome] += 1
        if failure is not None:
            if failure.signature not in {known.signature for known in tally.failures}:
                sys.stderr.write(f"\n{failure.law}: {failure.seen}\n  {failure.reproduction()}\n")
            tally.failures.append(failure)
        if sys.stderr.isatty() or tally.cases % 100 == 0:
            sys.stderr.write(f"\r{kind}: {tally.cases} of {count}, {len(tally.failures)} broken ")
            sys.stderr.flush()

    with suppress(KeyboardInterrupt):  # Ctrl-C ends a campaign early; what was counted until then is kept
        run()
    sys.stderr.write("\n")
    tally.seconds = time.monotonic() - began
    return tally


def smaller(failure: Failure, judge: Callable[[Any], str], tries: int = 40) -> Failure:
    """Return the same failure for a case that cannot be made simpler by one change of it."""
    simplest, left = failure, tries
    changed = True
    while changed and left > 0:
        changed = False
        for case in simpler(simplest.case):
            left -= 1
            _, found = judged(failure.kind, judge, case)
            if found is not None and found.signature[:2] == failure.signature[:2]:
                simplest, changed = found, True
                break
            if left <= 0:
                break
    return simplest


def simpler(case: Any) -> Iterator[Any]:
    """Yield cases that lack one entry of one of the tuples of a case."""
    for name, value in vars(case).items():
        if isinstance(value, tuple):
            for place in range(len(value)):
                yield replace(case, **{name: value[:place] + value[place + 1 :]})


# -- watching ----------------------------------------------------------------------------------------------------------


@contextmanager
def watched() -> Iterator[None]:
    """Break the case where something warns that must not, or where a library writes to the terminal by itself."""
    with quiet_descriptors() as written, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    ours = (ConvergenceWarning, KernelectWarning)
    strangers = [warning for warning in caught if not issubclass(warning.category, ours)]
    if strangers:
        first = strangers[0]
        raise Broken("no warning of another library", f"{first.category.__name__}: {first.message}"[:200])
    if said := written():
        raise Broken("nothing is written to the terminal", said[:200])


@contextmanager
def quiet_descriptors() -> Iterator[Callable[[], str]]:
    """Send the file descriptors of the terminal, which LAPACK writes to, into a file; yields what was written."""
    said = ""
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        sys.stderr.flush()
        kept = os.dup(1), os.dup(2)
        try:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            yield lambda: said
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, copy in enumerate(kept, start=1):
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            said = file.read().decode(errors="replace").strip()


class _Clock:
    """Breaks the case that has worked for too long; its signal is answered once and for all."""

    def __init__(self) -> None:
        self.on = False
        signal.signal(signal.SIGPROF, self._late)

    def _late(self, *_: object) -> None:
        if self.on:
            raise Broken("it ends in good time", f"more than {MOST_SECONDS:.0f} seconds of work")

    @contextmanager
    def __call__(self) -> Iterator[None]:
        self.on = True
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            yield
        finally:
            self.on = False
            signal.setitimer(signal.ITIMER_PROF, 0.0)


in_good_time = _Clock()


class Watch:
    """An audit hook: while it is on, it notes files opened for writing and anything that starts code or processes."""

    _STARTS = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "socket.connect", "pty.spawn")

    def __init__(self) -> None:
        self.on = False
        self.written: list[str] = []
        self.started: list[str] = []
        sys.addaudithook(self._note)

    @contextmanager
    def __call__(self) -> Iterator[Watch]:
        self.on, self.written, self.started = True, [], []
        try:
            yield self
        finally:
            self.on = False

    def _note(self, event: str, arguments: Any) -> None:
        if not self.on:
            return
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            mode, flags = arguments[1] or "", arguments[2] or 0
            if set("wax+") & set(mode) or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self.written.append(os.path.abspath(os.fsdecode(arguments[0])))
        elif event in self._STARTS:
            self.started.append(f"{event} {arguments!r}"[:200])

    def outside(self, folder: str) -> list[str]:
        """Return what was opened for writing outside a folder; caches of libraries are their own business."""
        own = ("/dev/null", "matplotlib", "__pycache__", "fontlist")
        return [
            path for path in self.written if not path.startswith(folder + os.sep) and not any(o in path for o in own)
        ]


# -- one sentence ------------------------------------------------------------------------------------------------------


def require_sentence(error: BaseException, named: set[str]) -> None:
    """Break the case where an error is no sentence, ours or of scikit-learn's checks, that names an argument."""
    text = str(error)
    ours = isinstance(error, KernelectError)
    if not ours and type(error) not in (ValueError, TypeError):
        raise Broken("no error but a sentence", f"{type(error).__name__}: {text}"[:200])
    if isinstance(error, np.linalg.LinAlgError):
        raise Broken("no error but a sentence", f"LinAlgError: {text}"[:200])
    if not ours and not any(place.name == "validate_data" or "sklearn" in place.filename for place in _frames(error)):
        raise Broken("no error but a sentence", f"{type(error).__name__}: {text}"[:200])
    if not text.strip() or (ours and len(text) > 600):
        raise Broken("an error is one sentence", text[:200])
    if not any(name in text for name in named):
        raise Broken("a sentence names the argument", text[:200])


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))


def command_line(words: tuple[str, ...]) -> dict[str, Any]:
    """Return what starts the command line in a process of its own, with this very library, whatever its folder."""
    here = str(Path(kernelect.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": here, "OMP_NUM_THREADS": "1"}
    return {"args": [sys.executable, "-c", "from kernelect.cli import main; main()", *words], "env": environment}


def printed(text: str) -> None:
    sys.stdout.write(text + "\n")

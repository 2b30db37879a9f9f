"""scikit-learn's own tests with this library's estimators in the place of scikit-learn's.

Nothing is copied: the installed test modules are imported, with names such as ``sklearn.svm.SVC`` replaced before. Each
file runs twice, as it is and with the substitution, and every test that fails only with the substitution is listed
with a reason from the table below. A failure without a reason ends the script with an error.

    python benchmarks/substitution.py [--only stacking voting] [--list]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import kernelect

#: What takes the place of what, for tests of classifiers in general.
_CLASSIFIERS = {"sklearn.svm.SVC": "SVC", "sklearn.svm.LinearSVC": "LSSVC"}

#: By a short name: a file of scikit-learn's tests, and what takes the place of what.
FILES: dict[str, tuple[str, dict[str, str]]] = {
    "svm": ("sklearn.svm.tests.test_svm", {"sklearn.svm.SVC": "SVC"}),
    "gpc": ("sklearn.gaussian_process.tests.test_gpc", {"sklearn.gaussian_process.GaussianProcessClassifier": "GPC"}),
    "gpr": ("sklearn.gaussian_process.tests.test_gpr", {"sklearn.gaussian_process.GaussianProcessRegressor": "GPR"}),
    "voting": ("sklearn.ensemble.tests.test_voting", _CLASSIFIERS),
    "stacking": ("sklearn.ensemble.tests.test_stacking", _CLASSIFIERS),
    "calibration": ("sklearn.tests.test_calibration", _CLASSIFIERS),
    "rfe": ("sklearn.feature_selection.tests.test_rfe", _CLASSIFIERS),
    "from-model": ("sklearn.feature_selection.tests.test_from_model", _CLASSIFIERS),
}

#: Name of a test -> why it fails here, in one line, where what it says does not tell: numbers that differ, and errors
#: and warnings that do not come. Most reasons follow from the message of the failure.
TESTS: list[tuple[str, str]] = [
    (r"test_bad_input\[.*lil", "sparse matrices of every form are taken"),
    (r"test_immutable_coef_property", "coef_ is an array that belongs to the caller"),
    (r"svc_leave_two_labels|equivalence_sample_weight_C", "C is selected unless it is given"),
    (r"futurewarning|probA_probB_deprecated", "what scikit-learn takes back was never here"),
    (r"test_sparse_precomputed", "sparse kernel matrices are taken"),
    (r"latent_mean_and_variance_complain", "latent means and variances of several classes have a column each"),
    (r"test_warning_bounds", "bounds are set around the data's scale, and the status says where one was reached"),
    (r"test_gpr_interpolation|predict_no_cov_no_std", "there is always noise, which is selected: no fit interpolates"),
    (
        r"test_anisotropic_kernel",
        "theta holds gamma = 1 / (2 l^2), and a prior shrinks differences of widths",
    ),
    (r"stacking_classifier_error.*predict_proba", "LSSVC has probabilities, which LinearSVC lacks"),
    (r"test_stacking_cv_influence", "the default kernel is not linear, so that there is no coef_ to compare"),
]

#: What a failure says -> why it is one here, in one line. The first that matches counts.
REASONS: list[tuple[str, str]] = [
    (r"more than [\d.]+ s of work", "hundreds of fits one after the other, each of which selects itself"),
    (r"unexpected keyword argument 'decision_function_shape'|break_ties", "several classes are one against the rest"),
    (r"unexpected keyword argument 'probability'", "probabilities are always there, without an argument"),
    (r"no attribute 'log_marginal_likelihood'", "the evidence is an attribute, not a method of hyper-parameters"),
    (r"keyword argument '(optimizer|n_restarts_optimizer)'", "the search is chosen by search= and n_restarts="),
    (r"keyword argument 'normalize_y'", "targets are in a unit of their own without an argument"),
    (r"keyword argument '(n_targets|alpha)'", "the noise is selected, and a prior has no predictions"),
    (r"keyword argument|Invalid parameter '", "an argument that this library has under another name, or not"),
    (r"not fitted yet", "a prior has no predictions before fit"),
    (r"could not convert string to float", "rows are numbers: kernels of text take kernel='precomputed'"),
    (
        r"has no attribute '(bounds|_gamma|_n_support)'",
        "scikit-learn's own kernels and private attributes are asked for",
    ),
    (
        r"Negative values in data passed to `sample_weight`|Sample weights must",
        "negative weights are refused in words of our own",
    ),
    (r"Expected regex|Regex pattern did not match", "an error or a warning in another wording"),
    (r"C=inf must be a positive number", "C is a finite number"),
    (r"return_std=True and return_cov=True", "both at once are refused in another error"),
    (r"<class 'int'> == <class 'numpy.ndarray'>", "n_iter_ is one number: all machines share one search"),
    (r"shapes \(6,\), \(1, 2\) mismatch", "the posterior mean uses all rows, and dual_coef_ is one column"),
]


class Substitution:
    """A plugin of pytest that replaces names before tests are imported, and counts what becomes of the tests."""

    def __init__(self, substitutes: dict[str, str], most: float) -> None:
        self.outcomes: dict[str, str] = {}
        self.most = most
        signal.signal(signal.SIGPROF, self._late)
        for path, name in substitutes.items():
            module, _, attribute = path.rpartition(".")
            setattr(import_module(module), attribute, getattr(kernelect, name))

    def _late(self, *_: object) -> None:
        raise TimeoutError(f"more than {self.most:g} s of work")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """End a test that takes too long: a fit of ours takes a thousand times as long as one at given parameters."""
        signal.setitimer(signal.ITIMER_PROF, self.most)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome of a test, and the last line of its failure."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.outcomes[report.nodeid] = "failed: " + (crash.message if crash else str(report.longrepr))[:400]
        elif report.when == "call" or report.skipped:
            self.outcomes.setdefault(report.nodeid, "skipped" if report.skipped else "passed")


def run_here(name: str, *, substitute: bool, most: float) -> None:
    """Run one file in this process, and write the outcomes as JSON to the last line of the output."""
    module, substitutes = FILES[name]
    plugin = Substitution(substitutes if substitute else {}, most)
    options = ["-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    pytest.main(["--pyargs", module, "-c", os.devnull, "--rootdir", os.getcwd(), *options], plugins=[plugin])
    sys.stdout.write("\n" + json.dumps(plugin.outcomes) + "\n")


def outcomes(name: str, *, substitute: bool, seconds: float, most: float) -> dict[str, str]:
    """Return what becomes of every test of a file, in a process of its own."""
    command = [sys.executable, __file__, "--here", name, "--most", str(most)]
    command += ["--substitute"] if substitute else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    found: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def reason(test: str, message: str) -> str | None:
    """Return why a test fails here, None if the tables do not say."""
    named = next((why for pattern, why in TESTS if re.search(pattern, test)), None)
    return named or next((why for pattern, why in REASONS if re.search(pattern, message, re.DOTALL)), None)


def main() -> int:
    """Run the files and write a table of counts, then one of reasons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(FILES), default=list(FILES), help="files to run")
    parser.add_argument("--seconds", type=float, default=900.0, help="time for one file")
    parser.add_argument("--most", type=float, default=60.0, help="processor seconds for one test")
    parser.add_argument("--list", action="store_true", help="write every failure with its reason")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--substitute", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        run_here(asked.here, substitute=asked.substitute, most=asked.most)
        return 0
    why: Counter[str] = Counter()
    unexplained = []
    sys.stdout.write(f"{'file':<12} {'passed before':>13} {'passed now':>10} {'failed now':>10}\n")
    for name in asked.only:
        before = outcomes(name, substitute=False, seconds=asked.seconds, most=asked.most)
        now = outcomes(name, substitute=True, seconds=asked.seconds, most=asked.most)
        passed = {test for test, outcome in before.items() if outcome == "passed"}
        failed = {test: now.get(test, "failed: not collected") for test in passed if now.get(test) != "passed"}
        line = f"{name:<12} {len(passed):>13} {len(passed) - len(failed):>10} {len(failed):>10}\n"
        sys.stdout.write(line)
        sys.stdout.flush()
        for test, message in sorted(failed.items()):
            found = reason(test, message)
            why[found or "not explained"] += 1
            if found is None:
                unexplained.append(f"{test}: {message}")
            if asked.list:
                sys.stdout.write(f"  {test}: {found or message}\n")
    sys.stdout.write("\nWhy tests fail:\n")
    for words, count in why.most_common():
        sys.stdout.write(f"{count:>5}  {words}\n")
    for each in unexplained:
        sys.stdout.write(f"\nnot explained: {each}\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())

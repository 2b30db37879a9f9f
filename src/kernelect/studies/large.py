"""What the study of large tables compares: machines with the same number of landmarks, and trees, each by task.

Floating-point targets are measurements; all others are labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.studies.build import build
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures, fitted_and_scored, seeded
from kernelect.studies.splits import Problem
from kernelect.typing import Array

#: Widths of the Nystroem kernel that are tried, times one over the number of inputs, and ridges or slacks.
_WIDTHS = (0.03, 0.1, 0.3, 1.0, 3.0)
_RIDGES = np.logspace(-6, 2, 9)
_SLACKS = (0.1, 1.0, 10.0, 100.0)

#: Rows on which the width is searched.
_SEARCHED = 5000

#: Peak memory of a process, and what to write where to begin anew; Linux alone has them.
_STATUS, _PEAK, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs"), "5"


def fit_large(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Fit and score; ``loss`` is the error in percent, or the root mean squared error in percent of the deviation."""
    del needed
    before = _begin_peak()
    figures = fitted_and_scored(seeded(build(method.estimator), seed), problem)
    if "mse" in figures:
        figures["loss"] = 100.0 * float(np.sqrt(figures["mse"]) / np.std(problem.y_test))
    else:
        figures["loss"] = figures["error"]
    return figures if before is None else {**figures, "memory": (_figure("VmHWM") - before) / 1024.0}


def _begin_peak() -> float | None:
    """Begin a new peak of this process' memory and return what it holds now, in KiB; None if that is unknown."""
    try:
        _PEAK.write_text(_RESET)
        return _figure("VmRSS")
    except OSError:
        return None


def _figure(name: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return float(line.split()[1])


class ByTask(BaseEstimator):  # type: ignore[misc]
    """Uses one of two estimators: one for measured targets, one for labels.

    Parameters
    ----------
    regressor : estimator or None
    classifier : estimator or None
    """

    def __init__(self, regressor: Any = None, classifier: Any = None) -> None:
        self.regressor = regressor
        self.classifier = classifier

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the estimator that suits the targets."""
        name = "regressor" if np.asarray(y).dtype.kind == "f" else "classifier"
        chosen = getattr(self, name)
        if chosen is None:
            raise InvalidArgument(f"{name}={chosen!r} has nothing to fit: give an estimator for such targets.")
        self.labels_, self.fitted_ = name == "classifier", clone(chosen).fit(X, y)
        return self

    def predict(self, X: Array) -> Any:
        """Return the predictions of the estimator that was fitted; a column, as CatBoost's classes are, as a vector."""
        found = np.asarray(self.fitted_.predict(X))
        return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found

    def __getattr__(self, name: str) -> Any:
        known = ("selection_", "predict_proba", "classes_") if vars(self).get("labels_") else ("selection_",)
        if name in known and "fitted_" in vars(self):  # a regressor of CatBoost has classes too, none of them
            return getattr(self.fitted_, name)
        raise AttributeError(name)


class TunedNystroem(BaseEstimator):  # type: ignore[misc]
    """scikit-learn's Nystroem features with ridge or logistic regression; cross-validation sets width and ridge.

    Three folds on a part of the rows choose the width. Leave-one-out on all rows then chooses the ridge of a
    regression.

    Parameters
    ----------
    n_components : int
    logistic : bool
        Whether targets are labels.
    random_state : int, optional
    """

    def __init__(self, n_components: int = 500, logistic: bool = False, random_state: int | None = None) -> None:
        self.n_components = n_components
        self.logistic = logistic
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Search on a part, then fit all rows."""
        rows = np.random.default_rng(self.random_state).permutation(len(X))[:_SEARCHED]
        features = Nystroem(n_components=min(self.n_components, len(rows) // 2), random_state=self.random_state)
        last = LogisticRegression(max_iter=200) if self.logistic else RidgeCV(_RIDGES)
        grid: dict[str, Any] = {"nystroem__gamma": [width / X.shape[1] for width in _WIDTHS]}
        if self.logistic:
            grid["logisticregression__C"] = list(_SLACKS)
        search = GridSearchCV(make_pipeline(StandardScaler(), features, last), grid, cv=3)
        self.fitted_ = search.fit(X[rows], y[rows]).best_estimator_.fit(X, y)
        return self

    def predict(self, X: Array) -> Any:
        """Return predictions."""
        return self.fitted_.predict(X)

    def __getattr__(self, name: str) -> Any:
        if name in ("predict_proba", "classes_") and "fitted_" in vars(self):
            return getattr(self.fitted_, name)
        raise AttributeError(name)


class SGPR(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """GPyTorch's sparse Gaussian process regression (Titsias), with one width per input and moving inducing points.

    Parameters
    ----------
    n_inducing : int
    steps : int
        Number of steps of Adam.
    random_state : int, optional
    """

    def __init__(self, n_inducing: int = 500, steps: int = 50, random_state: int | None = None) -> None:
        self.n_inducing = n_inducing
        self.steps = steps
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Maximise the bound."""
        torch = load_extra("torch", caller="SGPR", extra="bench")
        gpytorch = load_extra("gpytorch", caller="SGPR", extra="bench")
        torch.set_num_threads(1)
        torch.manual_seed(self.random_state or 0)
        self.scale_ = StandardScaler().fit(X)
        self.level_, self.spread_ = float(y.mean()), float(y.std())
        inputs = torch.tensor(self.scale_.transform(X), dtype=torch.float64)
        targets = torch.tensor((y - self.level_) / self.spread_, dtype=torch.float64)
        chosen = np.random.default_rng(self.random_state).permutation(len(X))[: self.n_inducing]
        self.model_ = _model(gpytorch, inputs, targets, inputs[chosen].clone())
        self.model_.train()
        optimizer = torch.optim.Adam(self.model_.parameters(), lr=0.1)
        bound = gpytorch.mlls.ExactMarginalLogLikelihood(self.model_.likelihood, self.model_)
        for _ in range(self.steps):
            optimizer.zero_grad()
            loss = -bound(self.model_(inputs), targets)
            loss.backward()
            optimizer.step()
        self.model_.eval()
        return self

    def predict(self, X: Array) -> Array:
        """Return the posterior mean."""
        torch = load_extra("torch", caller="SGPR", extra="bench")
        with torch.no_grad():
            mean = self.model_(torch.tensor(self.scale_.transform(X), dtype=torch.float64)).mean
        return np.asarray(mean.numpy() * self.spread_ + self.level_, dtype=float)


def _model(gpytorch: Any, inputs: Any, targets: Any, inducing: Any) -> Any:
    """Return GPyTorch's model, as its documentation writes it."""
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=inputs.shape[1]))
    kernel = gpytorch.kernels.InducingPointKernel(base, inducing_points=inducing, likelihood=likelihood)

    class Model(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(inputs, targets, likelihood)
            self.mean_module, self.covar_module = gpytorch.means.ConstantMean(), kernel

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    return Model().double()

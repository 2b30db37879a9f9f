"""kernelect as a model of AutoGluon, so that others can measure it beside theirs; TabArena takes such models too.

    pip install 'autogluon.tabular[lightgbm,catboost]'
    python benchmarks/autogluon_model.py            # beside AutoGluon's own models, on a table of scikit-learn

In a program of your own:

    TabularPredictor(label="y").fit(frame, hyperparameters={Kernelect: {"effort": "balanced"}, "GBM": {}})
"""

from __future__ import annotations

import tempfile
from typing import Any

import pandas as pd
from autogluon.core.models import AbstractModel
from autogluon.tabular import TabularPredictor
from sklearn.datasets import load_breast_cancer, load_diabetes

from kernelect import KernelClassifier, KernelRegressor

#: Share of the time limit that is left to AutoGluon's own work after a fit.
_ASIDE = 0.1


class Kernelect(AbstractModel):
    """`KernelClassifier` or `KernelRegressor`. Columns go to it as AutoGluon hands them over."""

    ag_key = "KERNELECT"
    ag_name = "Kernelect"
    seed_name = "random_state"

    def _fit(
        self, X: pd.DataFrame, y: pd.Series, time_limit: float | None = None, num_cpus: int = 1, **kwargs: Any
    ) -> None:
        estimator = KernelRegressor if self.problem_type == "regression" else KernelClassifier
        limit = None if time_limit is None else (1 - _ASIDE) * time_limit
        self.model = estimator(time_limit=limit, n_jobs=num_cpus, **self._get_model_params()).fit(self.preprocess(X), y)

    @classmethod
    def supported_problem_types(cls) -> list[str]:
        """Return what AutoGluon may ask of it."""
        return ["binary", "multiclass", "regression"]

    def _get_default_resources(self) -> tuple[int, int]:
        return 1, 0


def compared(frame: pd.DataFrame, label: str, metric: str) -> pd.DataFrame:
    """Return AutoGluon's leaderboard of ours and some of its own models, on a third of the rows held out."""
    test = frame.sample(frac=1 / 3, random_state=0)
    train = frame.drop(test.index)
    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor(label=label, eval_metric=metric, path=folder, verbosity=0)
        predictor.fit(train, hyperparameters={Kernelect: {}, "GBM": {}, "CAT": {}, "RF": {}}, num_cpus=1, num_gpus=0)
        return predictor.leaderboard(test)[["model", "score_test", "score_val", "fit_time_marginal"]]


if __name__ == "__main__":
    print("breast cancer\n", compared(load_breast_cancer(as_frame=True).frame, "target", "log_loss"), sep="")
    print("diabetes\n", compared(load_diabetes(as_frame=True).frame, "target", "rmse"), sep="")

"""Against shap's exact explainer, and through shap's own plots; where shap is installed."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from kernelect import LSSVC, LSSVR
from kernelect.explain import shapley_values
from kernelect.kernels import ARD, RBF

shap = pytest.importorskip("shap", reason="shap is no dependency")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(40, 5))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


def test_values_are_those_of_its_exact_explainer(rows):
    X, y = rows
    model = LSSVR(ARD([0.3, 0.2, 0.1, 0.4, 0.0]), regularization=0.1).fit(X, y)
    expected = shap.ExactExplainer(model.predict, shap.maskers.Independent(X[:10]))(X[:4])
    found = shapley_values(model, X[:4], X[:10], absent="interventional")
    np.testing.assert_allclose(found.values, expected.values, atol=1e-10)
    np.testing.assert_allclose(found.base_values, expected.base_values, atol=1e-10)


def test_interactions_are_shapiqs_shapley_interaction_index(rows):
    # shap's ExactExplainer has another one, Shapley-Taylor; its TreeExplainer has this one.
    shapiq = pytest.importorskip("shapiq", reason="shapiq is no dependency")
    X, y = rows
    model = LSSVR(RBF(0.2), regularization=0.1).fit(X, y)

    def game(coalitions):
        return [model.predict(np.where(known, X[0], X[:5])).mean() for known in coalitions]

    expected = shapiq.ExactComputer(game=lambda known: np.array(game(known)), n_players=5)("SII", order=2)
    found = shapley_values(model, X[:1], X[:5], interactions=True, absent="interventional")
    for j, k in combinations(range(5), 2):
        assert 2.0 * found.interactions[0, j, k] == pytest.approx(expected[(j, k)], abs=1e-10)


def test_its_plots_take_the_record(rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = rows
    model = LSSVC(RBF(0.2), regularization=0.1).fit(X, np.digitize(y, [-0.5, 0.5]))
    converted = shapley_values(model, X).to_shap()
    shap.plots.waterfall(converted[0, :, 1], show=False)
    shap.plots.beeswarm(converted[:, :, 1], show=False)
    shap.plots.scatter(converted[:, 0, 1], show=False)
    plt.close("all")


def test_texts_become_codes_that_it_can_colour(rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = rows
    frame = pd.DataFrame({"number": X[:, 0], "word": np.where(X[:, 1] > 0, "up", "down")})
    words = ColumnTransformer([("word", OneHotEncoder(sparse_output=False), ["word"])], remainder="passthrough")
    model = make_pipeline(words, LSSVR(RBF(0.2), regularization=0.1)).fit(frame, y)
    converted = shapley_values(model, frame).to_shap()
    np.testing.assert_array_equal(converted.data[:, 1], X[:, 1] > 0)
    shap.plots.beeswarm(converted, show=False)
    shap.plots.waterfall(converted[0], show=False)
    plt.close("all")

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.datasets import sparse_inputs
from kernelect.estimators import objective_of
from kernelect.exceptions import MissingCapability
from kernelect.facts.surface import Surface, spread_over_labels
from kernelect.kernels import RBF
from kernelect.selection import influence


@pytest.fixture(scope="module")
def rows():
    return sparse_inputs(60, n_features=3, random_state=0)


MACHINES = [
    LSSVC(prior="shrinkage"),
    LSSVR(),
    GPC(),
    SVC(),
    SVC(criterion="span"),
    RVC(),
    RVR(kernel="rbf"),  # by its evidence; RVC's depends on the fit before, and holds up to that
    LSSVC(class_weight="balanced", recalibrate=False),
]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_the_objective_is_the_one_that_was_minimised(machine, rows):
    model = machine.fit(*rows)
    objective = objective_of(model, *rows, np.arange(60))
    value = objective.value(model.selection_.theta)
    if machine.prior is not None and "ep" in objective.criterion.judges:
        value /= 60  # shown per row
    assert value == pytest.approx(model.selection_.value, rel=1e-6)


@pytest.mark.parametrize("machine", [RVC(), LSSVC()], ids=str)
def test_the_objective_on_some_of_the_rows(machine, rows):
    model = machine.fit(*rows)
    part = objective_of(model, *rows, np.arange(7, 60, 2))
    assert np.isfinite(part.value(model.selection_.theta))
    assert len(part.X) == 27


def test_the_selected_point_is_the_lowest_of_the_surface(rows):
    model = LSSVR().fit(*rows)
    record = Surface.from_estimator(model, *rows, size=7)
    assert record.rise.shape == (7, 7)
    assert np.unravel_index(record.rise.argmin(), (7, 7)) == (3, 3)
    np.testing.assert_allclose(record.at[:, 3], record.chosen)
    assert record.names == ("gamma of x0", "gamma of x1")


def test_the_first_parameter_runs_along_the_last_axis(rows):
    model = LSSVR(kernel="rbf").fit(*rows)
    record = Surface.from_estimator(model, *rows, size=5)
    assert record.names == ("gamma", "regularization")
    objective = objective_of(model, *rows, np.arange(60))
    nats = [30 * np.log(objective.value(np.log([record.at[0, 4], record.at[1, j]]))) for j in (1, 2)]
    assert record.rise[1, 4] - record.rise[2, 4] == pytest.approx(nats[0] - nats[1])


def test_one_parameter_is_a_curve(rows):
    model = RVC(kernel="rbf").fit(*rows)
    record = Surface.from_estimator(model, *rows, size=5)
    assert record.rise.shape == (5,)
    assert record.chosen == pytest.approx([model.kernel_.gamma])


def test_a_pipeline_shows_the_names_of_its_inputs(rows):
    model = make_pipeline(StandardScaler(), LSSVC()).fit(*rows)
    record = Surface.from_estimator(model, *rows, size=3)
    assert any(name.startswith("gamma of x") for name in record.names)


def test_influence_measures_a_factor_of_ten_both_ways(rows):
    model = LSSVR(kernel="rbf").fit(*rows)
    objective, theta = objective_of(model, *rows, np.arange(60)), model.selection_.theta
    found = influence(objective, theta)
    assert found.names == ("gamma", "regularization")
    moved = np.add(theta, [0.0, np.log(10.0)])
    rise = 30 * np.log(objective.value(moved) / objective.value(theta))
    assert found.above[1] == pytest.approx(rise)
    assert (found.below > 0).all()


def test_many_widths_are_cut_to_the_largest(rng):
    X = rng.normal(size=(40, 30))
    model = LSSVC(recalibrate=False).fit(X, X[:, 4] > 0)
    found = influence(objective_of(model, X, X[:, 4] > 0, np.arange(40)), model.selection_.theta)
    assert len(found.index) == 12
    assert "regularization" in found.names
    assert "gamma[4]" in found.names


def test_what_has_no_surface_says_so(rows):
    X, y = rows
    with pytest.raises(MissingCapability, match="BasisSearchRegressor searches subsets"):
        Surface.from_estimator(BasisSearchRegressor(strategy="forward").fit(X, y), X, y)
    with pytest.raises(MissingCapability, match="LSSVC had nothing to select"):
        Surface.from_estimator(LSSVC(RBF(0.5), regularization=1.0).fit(X, y), X, y)


def test_a_sample_of_rows_keeps_every_class():
    y = np.array([1] * 5 + [0] * 995)
    rows = spread_over_labels(y, 300)
    assert len(rows) == 300
    assert y[rows].sum() in (1, 2)

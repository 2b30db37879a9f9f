"""What every estimator promises: sums, order, limits kept, and models that come back the same."""

import pickle
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

import kernelect
from contracts.declared import require_instances
from contracts.models import answers, every_classifier, every_estimator, every_regressor, fitted, over, queries
from contracts.parts import ESTIMATORS, sample, target_for
from kernelect.estimators import ESTIMATORS as DECLARED
from kernelect.estimators.registry import ESTIMATORS as REGISTERED
from kernelect.mixture import Door
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, load_model, save_model
from kernelect.tabular.pipeline import coding_steps, model_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_every_estimator_has_an_instance():
    require_instances("estimator", ESTIMATORS.values(), "ESTIMATORS")
    public = {name for name in kernelect.__all__ if hasattr(getattr(kernelect, name), "get_params")}
    missing = public - {type(estimator).__name__ for estimator in ESTIMATORS.values()}
    assert not missing, f"add one line for each of {', '.join(missing)} to ESTIMATORS in tests/contracts/parts.py."


@every_classifier
def test_probabilities_sum_to_one_and_the_largest_is_predicted(name):
    model = fitted(name)
    Z = np.vstack([queries(), sample()[0], 50.0 * queries()])
    shares = model.predict_proba(Z)
    assert shares.shape == (len(Z), len(model.classes_))
    assert (shares >= 0.0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[shares.argmax(axis=1)])


@every_regressor
def test_deviations_are_positive_and_intervals_in_order(name):
    model, Z = fitted(name), np.vstack([queries(), 50.0 * queries()])
    assert (model.predict(Z, return_std=True)[1] > 0.0).all()
    if not hasattr(model, "predict_interval"):
        return
    wide, narrow = model.predict_interval(Z, coverage=0.9), model.predict_interval(Z, coverage=0.5)
    assert (wide[0] <= narrow[0]).all()
    assert (narrow[0] <= narrow[1]).all()
    assert (narrow[1] <= wide[1]).all()


@every_estimator
def test_relevances_sum_to_one(name):
    found = fitted(name).feature_importances_
    assert found.shape == (3,)
    assert (found >= 0.0).all()
    assert found.sum() == pytest.approx(1.0)


@every_estimator
def test_a_time_limit_is_kept_and_reported(name):
    X, *_ = sample()
    model = clone(ESTIMATORS[name]).set_params(time_limit=1e-9)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, target_for(name))
    assert np.isfinite(answers(model, queries())).all()
    selection = getattr(model, "selection_", None)  # a mixture has one for each of its members
    if selection is not None and model.n_iter_ == 1 and selection.converged:
        return  # the start was an optimum: there was nothing to stop
    assert [warning.category for warning in caught] == [ConvergenceWarning]
    assert "time" in str(caught[0].message)
    if selection is not None:
        assert model.n_iter_ <= 12
        assert "time limit" in selection.status
        assert not selection.converged


@every_estimator
def test_arguments_stay_as_they_were_given(name):
    before, after = ESTIMATORS[name].get_params(), fitted(name).get_params()
    assert before == after
    assert clone(fitted(name)).get_params() == before


@every_estimator
def test_pickled_models_predict_the_same_bits(name):
    again = pickle.loads(pickle.dumps(fitted(name)))
    np.testing.assert_array_equal(answers(again, queries()), answers(fitted(name), queries()))


@cache
def table_model(name):
    """Return the record of a model on a table with this estimator's target, into which its machine is put."""
    frame = pd.DataFrame(sample()[0], columns=["x0", "x1", "x2"]).assign(y=target_for(name))
    schema, rows, _ = describe_table(frame, "y")
    return fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0)), rows


@over(name for name, estimator in ESTIMATORS.items() if type(estimator).__name__ in REGISTERED.names)
def test_saved_models_predict_the_same_bits(name, tmp_path):
    record, rows = table_model(name)
    # Mixtures code the columns themselves.
    steps = coding_steps(record.schema.columns)
    columns = Pipeline(steps[:1] if isinstance(ESTIMATORS[name], Door) else steps).fit(rows.X)
    machine = clone(ESTIMATORS[name]).fit(columns.transform(rows.X), rows.y)
    word = next(word for word, tasks in DECLARED.by_machine().items() if type(machine) in tasks.values())
    pipeline = Pipeline([*columns.steps, ("machine", machine)])
    save_model(replace(record, model=model_of(pipeline), machine=word), tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect", report=False)
    assert remarks == []
    new = pd.DataFrame(queries(), columns=rows.X.columns)
    before, after, inputs = model_of(pipeline), loaded.model, columns.transform(new)
    np.testing.assert_array_equal(after.predict(new), before.predict(new))
    if before.is_classifier:
        np.testing.assert_array_equal(after.predict_proba(new), before.predict_proba(new))
        np.testing.assert_allclose(after.predict_proba(new), machine.predict_proba(inputs), rtol=1e-12)
        return
    if not is_regressor(machine):  # whose own predictions are risks
        np.testing.assert_allclose(after.predict(new), machine.predict_median(inputs), rtol=1e-12)
        return
    Z = before.inputs(new)
    np.testing.assert_array_equal(after.deviations(Z), before.deviations(Z))
    for ours, theirs in zip((after.predict(new), after.deviations(Z)), machine.predict(inputs, True), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)

"""What campaigns have found, each made as small as it gets: these cases stay mended."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from fuzz import commands, fits
from fuzz.arrays import FitCase
from fuzz.commands import CommandCase
from fuzz.files import model_bytes
from fuzz.mutations import archive_of, members_of
from fuzz.tables import TableCase
from kernelect import LSSVC, LSSVR, RVC, RVR, BasisSearchRegressor, KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.explain import shapley_values
from kernelect.export import onnx_inputs, to_c, to_onnx
from kernelect.kernels import Constant, Linear
from kernelect.tabular import FoldOptions, describe_table, load_model, read_table
from speeds import slowly


def test_a_model_file_with_a_document_where_a_word_stands_is_refused_in_one_short_sentence(tmp_path):
    members = members_of(model_bytes(0))
    description = json.loads(members["model.json"])
    description["model"]["is"] = {"content": ["x" * 5000]}
    members["model.json"] = json.dumps(description).encode()
    (tmp_path / "m.kernelect").write_bytes(archive_of(members))
    with pytest.raises(UnusableModel, match="The model holds a part named") as refused:
        load_model(tmp_path / "m.kernelect")
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("size", [1e-44, 1e44])
def test_relevance_vectors_refuse_dot_products_beyond_double_precision(size):
    """They ended in a LinAlgError, and from 1e80 on in a constant model."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    for model, y in ((RVR("linear"), X[:, 0]), (RVC("linear"), X[:, 0] > 0)):
        assert model.fit(1e20 * X, y).score(1e20 * X, y) > 0.9
        with pytest.raises(InvalidArgument, match=r"X gives kernel values of .* rescale X"):
            model.fit(size * X, y)


@pytest.mark.parametrize("dictionary", ["linear", "polynomial", "fourier", "rbf"])
@pytest.mark.parametrize("constant", [0.1, 1e25, 1e234])
def test_a_constant_column_is_nothing_to_the_basis_search(dictionary, constant):
    """Its mean was a rounding away from it: of 1e234 that is 1e218, whose square overflows."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = X[:, 0].copy()
    expected = (
        BasisSearchRegressor(dictionary).fit(np.where([True, False, True], X, 0.0), y).predict(X * [1.0, 0.0, 1.0])
    )
    Z = np.where([True, False, True], X, constant)
    np.testing.assert_allclose(BasisSearchRegressor(dictionary).fit(Z, y).predict(Z), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("blank", [(), (3, 5)])
def test_true_and_false_are_labels_also_beside_empty_cells(tmp_path, blank):
    """Objects instead of booleans: reading ended in a TypeError, and the classes were 0 and 1."""
    lines = [f"{x},{x > 4},{'' if x in blank else x % 2 == 0}" for x in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["x,flag,y", *lines]) + "\n")
    schema, rows, _ = describe_table(read_table(tmp_path / "t.csv").frame, "y", keep=["x"])
    assert schema.classes == ("False", "True")
    assert len(rows.y) == 12 - len(blank)
    (tmp_path / "t.csv").write_text("\n".join(["x,flag", *(f"{x},{'' if x == 3 else x > 4}" for x in range(12))]))
    assert read_table(tmp_path / "t.csv").frame["flag"].isna().sum() == 1


def test_the_scale_of_equal_targets_is_chosen_without_a_warning():
    """SciPy's skewness of equal numbers warned."""
    X = np.random.default_rng(0).normal(size=(35, 1))
    assert KernelRegressor("fast").fit(X, np.full(35, 3.25)).predict(X) == pytest.approx(np.full(35, 3.25))


def test_squared_losses_of_targets_that_are_all_zero_are_compared_without_a_warning():
    """The slope of the logarithm of next to nothing overflowed."""
    X = np.random.default_rng(0).normal(size=(8, 3))
    assert RVR(criterion="loo", random_state=0, max_iter=40).fit(X, np.zeros(8)).predict(X) == pytest.approx(
        np.zeros(8)
    )


def test_a_model_whose_constants_an_onnx_runtime_takes_for_zero_is_not_exported_there():
    """The runtime left out the intercept of 1e-151: half of the prediction."""
    pytest.importorskip("onnx")
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = LSSVR("rbf").fit(X, 1e-150 * (X[:, 0] + 3.0))
    with pytest.raises(InvalidArgument, match="ONNX runtimes take for 0: fit it to y in a larger unit"):
        to_onnx(model)
    assert "model_predict" in to_c(model)


def test_columns_that_an_onnx_runtime_takes_for_zero_are_not_exported_there():
    """The runtime left out the centre of a column of 1e-307."""
    pytest.importorskip("onnx")
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1e-307, 1.0]
    model = LSSVR("rbf").fit(X * [1e300, 1.0], X[:, 1])
    to_onnx(model)
    model = KernelRegressor("fast").fit(X, X[:, 1])
    with pytest.raises(InvalidArgument, match="at most in column 'x0', which ONNX runtimes take for 0"):
        to_onnx(model)
    assert "model_predict" in to_c(model)


def test_a_constant_column_of_any_size_is_exported():
    """The square of its rounding error overflowed, and the rows made up to try the export were NaN."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[:, 1] = 1e229
    assert "model_predict" in to_c(LSSVR("rbf").fit(X, X[:, 0]))


def test_a_date_in_words_is_refused_as_the_input_of_an_onnx_model():
    """It ended in float()'s own ValueError."""
    pytest.importorskip("onnx")
    days = pd.date_range("2020-01-01", periods=30)
    frame = pd.DataFrame({"x": np.arange(30) % 7 + 0.5, "day": days.strftime("%Y-%m-%d")})
    written = to_onnx(KernelClassifier("fast", random_state=0).fit(frame, days.day > 15))
    with pytest.raises(InvalidArgument, match=r"rows holds '2020-01-01' in column 'day'.*pandas\.to_datetime"):
        onnx_inputs(written, frame)
    assert onnx_inputs(written, frame.assign(day=days))["numbers"].shape == (30, 2)


def test_blanks_around_a_category_make_no_other_one_of_it_in_an_onnx_model():
    """The estimator reads cells without them; the runtime answered as for a level never seen."""
    pytest.importorskip("onnx")
    frame = pd.DataFrame({"x": np.arange(30) % 7 + 0.5, "colour": ["red", "blue", "green"] * 10})
    written = to_onnx(KernelClassifier("fast", random_state=0).fit(frame, np.arange(30) % 3 == 0))
    found = onnx_inputs(written, pd.DataFrame({"x": [1.0] * 3, "colour": [" red", "red", " other "]}))
    assert found["categories"].ravel().tolist() == ["red", "red", " other "]


def test_more_folds_than_any_class_has_rows_are_refused_in_words():
    """scikit-learn's own ValueError ended the command."""
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.1, 4.2, 5.7, 6.3], "y": ["a", "b"] * 3})
    schema, rows, _ = describe_table(frame, "y")
    with pytest.raises(
        InvalidArgument, match="--folds 5 needs a class with 5 rows, and the largest has 3: give --folds 3"
    ):
        FoldOptions(5).splits(rows, schema)
    assert len(FoldOptions(3).splits(rows, schema)) == 3


@pytest.mark.parametrize("power", [-145, -128, 145])
@pytest.mark.parametrize("landmarks", [None, 7])
@pytest.mark.parametrize("criterion", ["press", "gcv"])
def test_dot_products_of_any_unit_give_the_same_least_squares_machine(power, landmarks, criterion):
    """Squares of a ridge of 1e-255, or of its inverse, overflowed: probabilities were NaN, or NumPy warned."""
    X = np.random.default_rng(0).normal(size=(30, 5))
    y = X[:, 0] + 0.1 * X[:, 1] ** 2
    options = {"landmarks": landmarks, "criterion": criterion, "random_state": 0}
    for kernel in ("linear", Constant("auto") * Linear()):
        for model, targets, answer in (
            (LSSVC(kernel, **options), y > 0, "predict_proba"),
            (LSSVR(kernel, **options), y, "predict"),
        ):
            expected = getattr(model.fit(X, targets), answer)(X)
            Z = X * 10.0**power
            np.testing.assert_allclose(getattr(model.fit(Z, targets), answer)(Z), expected, atol=1e-3)


@pytest.mark.parametrize(("kernel", "size"), [("linear", 1e-150), ("polynomial", 1e-155)])
def test_dot_products_without_an_inverse_are_refused_in_a_sentence_about_the_inputs(kernel, size):
    """NumPy warned of an overflow, and the sentence spoke of gamma=inf."""
    X = size * np.random.default_rng(0).normal(size=(30, 5))
    with pytest.raises(InvalidArgument, match=r"^X .* rescale X"):
        LSSVR(kernel).fit(X, X[:, 0] / size)


def test_a_cell_in_another_unit_than_the_training_rows_is_far_away_and_no_infinity():
    """1e12 in a column of 1e-300 overflowed: scikit-learn's check of the member's inputs refused the whole batch."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = X[:, 0] > 0
    X[:, 1] *= 1e-300
    model = KernelClassifier("fast", random_state=0).fit(X, y)
    wild = np.vstack([X, [[0.0, 1e12]]])
    np.testing.assert_allclose(model.predict_proba(wild)[:-1], model.predict_proba(X), rtol=1e-9)


def test_a_model_whose_trees_have_no_input_is_explained():
    """NumPy was asked to stack the boxes of no player."""
    X = np.array([[-1e280, 0.0], [0.0, -2e280], [0.0, 0.0]])
    found = shapley_values(KernelClassifier("fast", random_state=0).fit(X, ["a", "b", "c"]), X, background=X)
    assert np.isfinite(found.values).all()


def test_targets_near_the_smallest_are_fitted_on_dask_as_in_memory():
    """One road measured the largest difference from the mean, the other the standard deviation, which is less."""
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.full(12, 3e-151)
    y[0] = 2e-150
    model = LSSVR(landmarks=3, random_state=0)
    expected = model.fit(X, y).predict(X)
    model.fit(da.from_array(X, chunks=(5, 2)), da.from_array(y, chunks=5))
    np.testing.assert_allclose(model.predict(X) / 1e-150, expected / 1e-150, atol=1e-6)
    with pytest.raises(InvalidArgument, match=r"y differs from its mean by .* rescale y"):
        model.fit(da.from_array(X, chunks=(5, 2)), da.from_array(0.1 * y, chunks=5))


@pytest.mark.parametrize("groups", [None, np.arange(24) % 8])
def test_which_of_several_equal_rows_was_drawn_as_a_landmark_does_not_matter(groups):
    """The first of them lost its function with its row, the others kept it: deviations depended on their order."""
    generator = np.random.default_rng(0)
    X, y = np.tile(generator.normal(size=(12, 2)), (2, 1)), generator.normal(size=24)
    order = np.r_[12:24, :12]
    model = LSSVR("rbf", landmarks=4, random_state=0)
    means, deviations = model.fit(X, y, groups=groups).predict(X, return_std=True)
    left_out = model.loo_prediction_[order]
    model.fit(X[order], y[order], groups=None if groups is None else groups[order])
    np.testing.assert_allclose(model.loo_prediction_, left_out, atol=1e-6)
    np.testing.assert_allclose(np.array(model.predict(X, return_std=True)), [means, deviations], atol=1e-6)


def test_targets_far_from_zero_lose_no_digits_of_a_least_squares_machine():
    """They were solved for with their mean: of 1e6 at a ridge of 1e-8, predictions were off by a tenth of a unit."""
    X = np.random.default_rng(0).normal(size=(12, 4))
    y = np.sin(X[:, 0])
    expected = LSSVR("linear", regularization=1e-8).fit(X, y).predict(X)
    found = LSSVR("linear", regularization=1e-8).fit(X, y + 1e6).predict(X) - 1e6
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "seed", "shape", "target"),
    [("product-matern32", 65536, (10, 3), "large"), *slowly(("product-laplace", 924, (25, 2), "real"))],
)
def test_columns_in_other_places_give_the_same_relevance_vectors(kernel, seed, shape, target):
    """Sums over columns rounded otherwise, and another set of functions was found."""
    case = FitCase(
        estimator="RVR",
        kernel=kernel,
        arguments=(),
        seed=seed,
        rows=shape[0],
        inputs=shape[1],
        target=target,
        spoils=(),
        weights="none",
        twin="columns",
    )
    assert fits.judge(case) == "model"


def test_widths_whose_squares_are_zero_have_a_prior():
    """The Gaussian prior divided 0 by 0 at inputs of 1e130."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(12, 3))
    y = np.arange(12) % 3
    with pytest.warns(ConvergenceWarning, match="the prior has no minimum here"):
        model = LSSVC("rbf", prior="gaussian").fit(1e130 * X, y)
    assert np.isfinite(model.predict_proba(1e130 * X)).all()


@pytest.mark.parametrize("kernel", ["rational-quadratic", "rbf", "ard"])
def test_rows_far_closer_to_each_other_than_to_one_cell_are_refused_in_words(kernel):
    """The width that their distance asks for was infinite, and the sentence spoke of gamma."""
    X = 1e-210 * np.random.default_rng(0).normal(size=(11, 1))
    X[3] = 1e-135
    with pytest.raises(InvalidArgument, match="X varies by about"):
        LSSVR(kernel).fit(X, np.arange(11.0))


@pytest.mark.slow
def test_a_page_that_appears_in_between_is_not_overwritten():
    """``fit`` and ``report`` looked for the page once, and then replaced whatever was there."""
    table = TableCase(65536, 12, ("number", "whole"), "label", "csv")
    words = ("report", "model.kernelect", "train.csv")
    case = CommandCase(words, table, model=0, damage=0, definition=0, process=False, crowded=True)
    assert commands.judge(case) == "exit 2"

"""Kernels of one's own, as the guide has them: written once, then fitted, exported and explained like any other."""

from dataclasses import dataclass
from shutil import which

import numpy as np
import pytest

from kernelect import GPC, LSSVR, kernels
from kernelect.exceptions import MissingCapability
from kernelect.explain import Explainer, shapley_values
from kernelect.export import to_c, to_javascript, to_onnx
from kernelect.kernels import InnerProduct, OverInputs, Parameter, Stationary
from oracles import shapley as oracle
from oracles.compiled import compiler, run_c
from oracles.differences import gradient
from oracles.scripts import run_script


@dataclass(frozen=True, eq=False)
class Heavy(Stationary):
    """(1 + D^power / 2)^-1, of the distance."""

    gamma: object = "auto"
    elliptical: bool = False
    power: object = "auto"
    parameters = (kernels.WIDTH, Parameter("power", 0.8, "shape", below=1.0, above=0.0))

    def profile(self, D):
        return 1.0 / (1.0 + 0.5 * D ** self.value("power"))

    def slope(self, D):
        power = self.value("power")
        with np.errstate(divide="ignore"):
            return np.where(D > 0.0, -0.5 * power * D ** (power - 1.0) * self.profile(D) ** 2, 0.0)

    def shape_slope(self, name, D):
        power, logarithm = self.value("power"), np.log(np.maximum(D, 1e-300))
        return -0.5 * power * logarithm * D**power * self.profile(D) ** 2


@dataclass(frozen=True, eq=False)
class Squared(Stationary):
    """A Gaussian by another name."""

    gamma: object = "auto"
    elliptical: bool = True

    def profile(self, D):
        return np.exp(-0.5 * D)

    def slope(self, D):
        return -0.5 * np.exp(-0.5 * D)


def _start(_kernel, X):
    return 1.0 / (X.shape[1] * np.var(X, axis=0))


@dataclass(frozen=True, eq=False)
class ProductCauchy(OverInputs):
    """prod_j 1 / (1 + t_j^2)."""

    gamma: object = "auto"
    parameters = (Parameter("gamma", _start, "width"),)

    def profile(self, t):
        return 1.0 / (1.0 + t * t)

    def steepness(self, t):
        return 2.0 * t / (1.0 + t * t)


@dataclass(frozen=True, eq=False)
class Smooth(OverInputs):
    """prod_j of a Matern kernel of smoothness 5/2: a polynomial times an exponential."""

    gamma: object = "auto"
    parameters = (Parameter("gamma", _start, "width"),)

    def profile(self, t):
        return (1.0 + t + t**2 / 3.0) * np.exp(-t)

    def steepness(self, t):
        return t * (1.0 + t) / (3.0 + 3.0 * t + t**2)


@dataclass(frozen=True, eq=False)
class Levels(ProductCauchy):
    """prod_j 1 / (1 + gamma_j) over the variables in which two rows differ."""

    compares_codes = True


@dataclass(frozen=True, eq=False)
class Exponential(InnerProduct):
    """exp(gamma T)."""

    gamma: object = "auto"
    centre: object = None
    parameters = (Parameter("gamma", 0.1),)

    def profile(self, T):
        return np.exp(self.value("gamma") * T)

    def slope(self, T):
        return self.value("gamma") * self.profile(T)

    def shape_slope(self, name, T):
        return T * self.slope(T)


@dataclass(frozen=True, eq=False)
class Odd(InnerProduct):
    """T + T^3 / 10: no parameter."""

    centre: object = None

    def profile(self, T):
        return T + T**3 / 10.0

    def slope(self, T):
        return 1.0 + 0.3 * T**2


WIDTHS = np.array([0.1, 0.4, 0.0, 0.25])
OWN = {
    "function of the distance": Heavy(0.2, power=0.7),
    "one width per input": Heavy(WIDTHS, power=0.9),
    "Gaussian": Squared(WIDTHS),
    "product over inputs": ProductCauchy(WIDTHS),
    "product with exponentials": Smooth(WIDTHS),
    "categories": Levels([0.5, 0.0, 1.0, 0.7]),
    "exponential of the inner product": Exponential(0.05),
    "polynomial of the inner product": Odd(),
    "composed": 2.0 * ProductCauchy([0.3, 0.2]).on([0, 3]) * Levels([0.8]).on([2]) + Odd().on([1]),
}
every_kernel = pytest.mark.parametrize("name", OWN)


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(25, 4)) * [1.0, 2.0, 0.5, 1.0] + [0.0, 1.0, -1.0, 0.0]
    X[:, 2] = X[:, 2].round()
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 3]


@pytest.fixture(scope="module")
def models(rows):
    return {name: LSSVR(kernel, regularization=0.5).fit(*rows) for name, kernel in OWN.items()}


@every_kernel
def test_values_and_derivatives_follow(name, rows):
    X, _ = rows
    kernel, Z = OWN[name].start(X), X[:5] + 0.37 * (np.arange(4) != 2)
    weights = np.random.default_rng(0).normal(size=(25, 5))
    by_theta, points = kernel.cross_pullback(X, Z, weights)
    moving = np.isfinite(kernel.theta)  # a width of 0 stays one
    expected = gradient(lambda theta: np.sum(weights * kernel.with_theta(theta).cross(X, Z)), kernel.theta)
    np.testing.assert_allclose(by_theta[moving], expected[moving], rtol=1e-5, atol=1e-6)
    if "categories" not in name and "composed" not in name:  # codes are compared: they have no derivative
        by_points = gradient(lambda other: np.sum(weights * kernel.cross(X, other)), Z)
        np.testing.assert_allclose(points, by_points, rtol=1e-5, atol=1e-7)
    square = np.random.default_rng(1).normal(size=(25, 25))
    np.testing.assert_allclose(kernel.gram(X), kernel.cross(X, X.copy()), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        kernel.pullback(X, square)[moving], kernel.cross_pullback(X, X.copy(), square)[0][moving], rtol=1e-6, atol=1e-9
    )


@every_kernel
def test_c_onnx_and_javascript_predict_as_python(name, models, rows, tmp_path):
    model, new = models[name], rows[0][:9] + 0.2 * (np.arange(4) != 2)
    expected = model.predict(new)
    if compiler() is not None:
        np.testing.assert_allclose(run_c(to_c(model), new, tmp_path)[:, 0], expected, rtol=1e-10, atol=1e-10)
    if which("node") is not None:
        found = [each["values"][0] for each in run_script(to_javascript(model), new.tolist())]
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@every_kernel
def test_onnx_predicts_as_python_in_either_precision(name, models, rows):
    runtime = pytest.importorskip("onnxruntime")
    model, new = models[name], rows[0][:9] + 0.2 * (np.arange(4) != 2)
    for real, tolerance in (("double", 1e-10), ("float32", 1e-3)):
        written = to_onnx(model, real=real).SerializeToString()
        session = runtime.InferenceSession(written, providers=["CPUExecutionProvider"])
        found = session.run(None, {"numbers": new})[0][:, 0]
        np.testing.assert_allclose(found, model.predict(new), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["one width per input", "product with exponentials", "categories"])
def test_variances_of_a_posterior_are_exported_too(name, rows, tmp_path):
    X, y = rows
    model = GPC(2.0 * OWN[name] + kernels.Constant(0.1)).fit(X, y > 0.0)
    if compiler() is not None:
        np.testing.assert_allclose(run_c(to_c(model), X, tmp_path), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("size", [1e15, 1e200])
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", ["one width per input", "product over inputs", "product with exponentials"])
def test_rows_far_away_have_no_say(name, real, size, models, tmp_path):
    if compiler() is None:
        pytest.skip("there is no gcc")
    model = models[name]
    far = np.array([[size, 0.0, 0.0, 0.0], [0.0, -size, 0.0, size]])
    found = run_c(to_c(model, real=real), far, tmp_path, real)[:, 0]
    np.testing.assert_allclose(found, model.intercept_, rtol=1e-3, atol=1e-3)


@every_kernel
@pytest.mark.parametrize("absent", ["marginals", "interventional"])
def test_shapley_values_are_those_of_all_coalitions(name, absent, models, rows):
    model, background = models[name], rows[0][5:8]
    found = shapley_values(model, rows[0][:2], background, interactions=True, absent=absent, method="exact")
    size = max(1.0, np.abs(model.dual_coef_).sum())
    for row in range(2):
        value = getattr(oracle, absent)(model.predict, rows[0][row], background, [[j] for j in range(4)])
        np.testing.assert_allclose(found.values[row], oracle.shapley(value, 4)[0], atol=2e-12 * size)
        np.testing.assert_allclose(found.interactions[row], oracle.interactions(value, 4), atol=4e-12 * size)
    assert not found.remarks


@pytest.mark.skipif(which("node") is None, reason="there is no node")
@pytest.mark.parametrize(
    "name", ["one width per input", "product over inputs", "product with exponentials", "categories", "Gaussian"]
)
def test_javascript_explains_as_python(name, models, rows):
    model, X = models[name], rows[0]
    explainer = Explainer.of(model, X[5:8])
    ask = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map((row) => model.explain(row).values)));
"""
    found = run_script(to_javascript(model, explainer=explainer), X[:3].tolist(), ask)
    np.testing.assert_allclose(np.array(found)[..., 0], explainer.explain(X[:3]).values, rtol=1e-9, atol=1e-11)


@dataclass(frozen=True, eq=False)
class Compact(Stationary):
    """A kernel of bounded reach: a plain array in its profile, and no sum of Gaussians."""

    gamma: object = "auto"
    elliptical: bool = False

    def profile(self, D):
        return np.asarray(np.maximum(1.0 - np.sqrt(D), 0.0) ** 6, dtype=float)

    def slope(self, D):
        root = np.sqrt(np.maximum(D, 1e-300))
        return -3.0 * np.maximum(1.0 - root, 0.0) ** 5 / root


@dataclass(frozen=True, eq=False)
class Even(InnerProduct):
    """A function of the inner product that is neither a polynomial nor an exponential."""

    centre: object = None

    def profile(self, T):
        return np.exp(0.1 * T) + np.exp(-0.1 * T)

    def slope(self, T):
        return 0.1 * (np.exp(0.1 * T) - np.exp(-0.1 * T))


def test_what_does_not_follow_says_why(rows):
    model = LSSVR(Compact(0.1), regularization=0.5).fit(*rows)
    with pytest.raises(MissingCapability, match="Compact has no form without Python: it makes a plain array"):
        to_c(model)
    with pytest.raises(MissingCapability, match="Compact is not a sum of Gaussians, so its Shapley values have no"):
        shapley_values(model, rows[0][:1], method="exact")
    model = LSSVR(Even(), regularization=0.5).fit(*rows)
    with pytest.raises(MissingCapability, match=r"Even is not a polynomial .* or an exponential, so its Shapley"):
        shapley_values(model, rows[0][:1], method="exact")
    own = LSSVR(OWN["exponential of the inner product"], regularization=0.5).fit(*rows)
    explainer = Explainer.of(own)
    with pytest.raises(MissingCapability, match="Exponentials of inner products have no explanation in JavaScript"):
        to_javascript(own, explainer=explainer)

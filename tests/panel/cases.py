"""Small fits whose results shall survive a rebuild of the inside, each under a name.

A case is a function without arguments that returns a fitted estimator and rows to ask it about.
Only the public interface is imported, and only here.
"""

import numpy as np
from sklearn.gaussian_process import kernels as sk

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, dictionaries, subsets
from kernelect.criteria import HMCEvidence, RVMCentreEvidence, RVMCrossValidation
from kernelect.kernels import ARD, RBF, Constant, Linear, Matern, Polynomial

_CENTRED = "dot-product kernels are centred at the mean of the training rows, so that offsets do not matter"
_MEAN_SQUARE = "deviations of rows left out have the mean square of their residuals"
_DOUBT = "the temperature of several classes is fitted with two rows of doubt in all, not one in each class"
_DEALT = (
    "rows are dealt out to the parts of a cross-validation in an order that neither the order of columns nor the names "
    "of classes change"
)
_OWN_ORDER = "support vector machines fit rows in an order of their own, by which rows are set aside and draws are made"
_LEFT_TO_GAIN = "a search for the evidence ends by what is left to gain, and begins from narrow widths too"
_DISTINCT = "weights count for no more rows than there are distinct ones"
_TEMPERATURE = "the temperature of probabilities is found to twelve digits, it was to six"
_OWN_SIGNS = "parts of rows follow signs of the data's own, so that -X has the same ones"

_OWN_COLUMNS = "support vector machines fit columns, signs and classes in the data's own order as well"

_SLOPES = "intercept_ belongs to coef_"

#: Results that were changed on purpose after the panel was first frozen, with the reason. They were frozen anew
#: (``freeze.py --only NAME``) and are compared like all others.
FROZEN_ANEW: dict[str, str] = {
    "lssvr": _MEAN_SQUARE,
    "lssvr two targets, matern52": _MEAN_SQUARE,
    "lssvr fixed": _MEAN_SQUARE,
    "lssvr kernel of scikit-learn": _MEAN_SQUARE,
    "lssvc three classes, rbf": _DOUBT,
    "lssvc fixed": f"{_DOUBT}; {_TEMPERATURE}",
    "lssvr weights, matern32-ard": f"a new row weighs as much as the usual one, not 1; {_MEAN_SQUARE}",
    "lssvc weights, class weights": f"rows of weight 0 no longer change the smoothing of probabilities; {_TEMPERATURE}",
    "svc span, quadratic slack, three classes": _DOUBT,
    "svc hmc-evidence": f"{_OWN_ORDER}; {_OWN_COLUMNS}",
    "svc evidence prior": _OWN_COLUMNS,
    "svc early stopping": f"{_OWN_ORDER}; {_TEMPERATURE}; {_OWN_COLUMNS}",
    "svc early stopping, posteriors, three classes": f"{_OWN_ORDER}; {_OWN_COLUMNS}",
    "gpc": _LEFT_TO_GAIN,
    "gpc three classes, rbf": _LEFT_TO_GAIN,
    "gpc weights, matern32": f"{_LEFT_TO_GAIN}; {_DISTINCT}",
    "gpc shrinkage prior": _LEFT_TO_GAIN,
    "gpc restarts, rbf": _LEFT_TO_GAIN,
    "gpc polynomial": _CENTRED,
    "lssvc linear": f"{_CENTRED}; {_TEMPERATURE}; {_SLOPES}",
    "lssvc polynomial": _CENTRED,
    "lssvc sum of kernels": _CENTRED,
    "lssvr product of kernels, nelder-mead": _CENTRED,
    "rvr loo, linear": f"{_CENTRED}; {_SLOPES}",
    "svc gacv, linear kernel": f"{_CENTRED}; {_TEMPERATURE}; {_SLOPES}",
    "rvc": f"{_DEALT}; and relative widths of a least-squares machine are tried; {_OWN_SIGNS}",
    "rvc three classes, rbf": f"{_DEALT}; {_DOUBT}; {_TEMPERATURE}; {_OWN_SIGNS}",
    "rvc dictionary": f"{_DEALT}; {_OWN_SIGNS}",
    "rvc fixed": f"{_DEALT}; {_OWN_SIGNS}",
    "basis ols, validation": "the rows kept aside are drawn in an order that the rows' order does not change",
    "basis precomputed, weights, no intercept": _DISTINCT,
    "svc weights, class weights": _DISTINCT,
    "rvc weights, class weights": _DISTINCT,
    "rvr cv, weights": _DISTINCT,
    "basis": "the search for widths had its deadline in the place of a tolerance, so it ended too early",
    "basis abf, rbf": "the search for widths had its deadline in the place of a tolerance, so it ended too early",
    "lssvc precomputed": _TEMPERATURE,
    "lssvc curvature prior": _TEMPERATURE,
    "lssvc no prior, recalibrated": _TEMPERATURE,
    "svc ep-evidence, plain predictor": _TEMPERATURE,
    "svc span": _TEMPERATURE,
    "svc jaakkola-haussler": _TEMPERATURE,
    "svc support-vectors": _TEMPERATURE,
    "svc fixed": _TEMPERATURE,
    "lssvc": _TEMPERATURE,
    "svc ensemble of machines": _TEMPERATURE,
}

#: Tolerance, relative and absolute, of every case that is not named in LOOSE.
TOLERANCE = 1e-10

#: Why two posteriors moved in their last digits.
POSTERIOR = (
    "the model that is kept is found to moments within 1e-9; it now begins without sites, where it began with those of "
    "the search's last solution"
)

#: Cases that amplify rounding, with their tolerance and the reason.
LOOSE: dict[str, tuple[float, str]] = {
    "gpc": (1e-8, POSTERIOR),
    "gpc shrinkage prior": (1e-8, POSTERIOR),
    "rvr gaussian prior": (
        1e-7,
        "the occam-evidence is flat along the widths near its optimum: a change in the last bit of the inputs moves "
        "the end of L-BFGS by 6e-10, where the next worst case moves by less than 3e-11",
    ),
}

#: Seed of a change in the last bit of all inputs; None: no change. See freeze.py --jitter.
JITTER: int | None = None

N_QUERIES = 8


# Data: training inputs, targets, rows to ask about.


def two_classes(n=60, d=3, seed=1):
    """Two classes with a curved border and overlap; the third input is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + N_QUERIES, d)) * np.array([1.0, 1.5, 0.7, 2.0])[:d]
    strength = np.sin(1.5 * X[:, 0]) + 0.8 * X[:, 1] + 0.5 * rng.normal(size=len(X))
    labels = np.where(strength > 0.1, "yes", "no")
    return X[:n], labels[:n], X[n:]


def three_classes(n=60, d=2, seed=2):
    """Three clouds that touch."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n + N_QUERIES) % 3
    centres = np.array([[-1.0, -0.6], [1.1, -0.5], [0.0, 1.2]])
    X = rng.normal(size=(len(labels), d))
    X[:, :2] = 0.7 * X[:, :2] + centres[labels]
    return X[:n], labels[:n], X[n:]


def curve(n=60, d=3, seed=3, n_targets=1):
    """Smooth functions of the first two inputs, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n + N_QUERIES, d))
    clean = np.column_stack([np.sin(1.7 * X[:, 0]) + 0.4 * X[:, 1] ** 2, np.cos(2.0 * X[:, 1]) - 0.6 * X[:, 0]])
    y = clean + 0.15 * rng.normal(size=clean.shape)
    return X[:n], y[:n, 0] if n_targets == 1 else y[:n, :n_targets], X[n:]


def as_gram(data):
    """The same data through a Gaussian kernel that was computed before."""
    X, y, queries = data
    kernel = RBF(0.35)
    gram = kernel.gram(X)
    return 0.5 * (gram + gram.T), y, kernel.cross(queries, X)


def as_design(data):
    """The same data as columns of a design matrix."""
    X, y, queries = data

    def columns(X):
        return np.column_stack([X, X**2, np.sin(2.0 * X), np.prod(X, axis=1)])

    return columns(X), y, columns(queries)


def weights(n=60, seed=4):
    """Weights of rows, some of them 0."""
    drawn = np.random.default_rng(seed).uniform(0.4, 2.0, size=n)
    drawn[[3, 17, 29]] = 0.0
    return drawn


def sines(X):
    """A dictionary of the user's own: two columns."""
    return np.sin(1.7 * X[:, :2])


def fitted(estimator, data, **fit_arguments):
    """Return the estimator, fitted, and the rows to ask about."""
    X, y, queries = data
    if JITTER is not None:
        X = jittered(X)
    return estimator.fit(X, y, **fit_arguments), queries


def jittered(X):
    """Return X with the last bit of about half of its entries changed; a square symmetric matrix stays so."""
    rng = np.random.default_rng(JITTER)
    changed = X * (1.0 + np.finfo(float).eps * rng.integers(-1, 2, size=X.shape))
    if X.shape[0] == X.shape[1] and np.array_equal(X, X.T):
        changed = np.triu(changed) + np.triu(changed, 1).T
    return changed


CASES = {
    # Least-squares SVM, classification.
    "lssvc": lambda: fitted(LSSVC(), two_classes()),
    "lssvc three classes, rbf": lambda: fitted(LSSVC("rbf"), three_classes()),
    "lssvc matern32, scg": lambda: fitted(LSSVC("matern32", search="scg"), two_classes()),
    "lssvc matern52-ard, not recalibrated": lambda: fitted(LSSVC("matern52-ard", recalibrate=False), two_classes()),
    "lssvc linear": lambda: fitted(LSSVC("linear"), two_classes()),
    "lssvc polynomial": lambda: fitted(LSSVC("polynomial"), two_classes()),
    "lssvc precomputed": lambda: fitted(LSSVC("precomputed"), as_gram(two_classes())),
    "lssvc gaussian prior": lambda: fitted(LSSVC(prior="gaussian"), two_classes(n=80, seed=3)),
    "lssvc laplace prior": lambda: fitted(LSSVC(prior="laplace"), two_classes(n=80, seed=3)),
    "lssvc curvature prior": lambda: fitted(LSSVC(prior="curvature"), two_classes(d=2)),
    "lssvc evidence prior": lambda: fitted(LSSVC(prior="evidence"), two_classes(n=80, seed=3)),
    "lssvc no prior, recalibrated": lambda: fitted(LSSVC(prior=None, recalibrate=True), two_classes()),
    "lssvc weights, class weights": lambda: fitted(
        LSSVC(class_weight="balanced"), two_classes(), sample_weight=weights()
    ),
    "lssvc restarts, rbf": lambda: fitted(LSSVC("rbf", n_restarts=3, random_state=0), two_classes()),
    "lssvc fixed": lambda: fitted(LSSVC(RBF(0.3), regularization=0.2), three_classes()),
    "lssvc sum of kernels": lambda: fitted(LSSVC(Constant("auto") * RBF() + Linear()), two_classes()),
    # Least-squares SVM, regression.
    "lssvr": lambda: fitted(LSSVR(), curve()),
    "lssvr two targets, matern52": lambda: fitted(LSSVR("matern52"), curve(n_targets=2)),
    "lssvr weights, matern32-ard": lambda: fitted(LSSVR("matern32-ard"), curve(), sample_weight=weights()),
    "lssvr precomputed": lambda: fitted(LSSVR("precomputed"), as_gram(curve())),
    "lssvr fixed": lambda: fitted(LSSVR(ARD([0.5, 0.2, 0.01]), regularization=0.05), curve()),
    "lssvr product of kernels, nelder-mead": lambda: fitted(
        LSSVR(Matern(2.5) * Polynomial(2, coef0=1.0, gamma=0.2), search="nelder-mead"), curve()
    ),
    "lssvr kernel of scikit-learn": lambda: fitted(
        LSSVR(sk.RationalQuadratic(1.5, 0.8, alpha_bounds="fixed") + sk.ConstantKernel(2.0, "fixed")), curve()
    ),
    # SVM.
    "svc": lambda: fitted(SVC(), two_classes()),
    "svc three classes, rbf": lambda: fitted(SVC("rbf"), three_classes(n=45)),
    "svc ep-evidence, plain predictor": lambda: fitted(SVC("rbf", predictor="svm"), two_classes()),
    "svc ep-evidence, quadratic slack": lambda: fitted(
        SVC("matern52", slack="quadratic", predictor="posterior-mean"), two_classes()
    ),
    "svc hmc-evidence": lambda: fitted(
        SVC("rbf", criterion=HMCEvidence(n_chains=10, n_samples=20, n_burn_in=10, n_draws=300, seed=5), max_iter=5),
        two_classes(n=40),
    ),
    "svc span": lambda: fitted(SVC(criterion="span"), two_classes()),
    "svc span, quadratic slack, three classes": lambda: fitted(
        SVC("rbf", criterion="span", slack="quadratic"), three_classes()
    ),
    "svc laplace-evidence": lambda: fitted(SVC("rbf", criterion="laplace-evidence"), two_classes()),
    "svc gacv, linear kernel": lambda: fitted(SVC("linear", criterion="gacv"), two_classes()),
    "svc radius-margin, gaussian prior": lambda: fitted(
        SVC(criterion="radius-margin", slack="quadratic", prior="gaussian"), two_classes()
    ),
    "svc loo, random walk": lambda: fitted(
        SVC("rbf", criterion="loo", search="random-walk", max_iter=15, random_state=0), two_classes(n=40)
    ),
    "svc unsmoothed-span, nelder-mead": lambda: fitted(
        SVC("rbf", criterion="unsmoothed-span", search="nelder-mead", max_iter=30), two_classes()
    ),
    "svc jaakkola-haussler": lambda: fitted(
        SVC("rbf", criterion="jaakkola-haussler", max_iter=30, random_state=0), two_classes()
    ),
    "svc support-vectors": lambda: fitted(
        SVC("rbf", criterion="support-vectors", max_iter=30, random_state=0), two_classes()
    ),
    "svc laplace-evidence, quadratic slack": lambda: fitted(
        SVC("rbf", criterion="laplace-evidence", slack="quadratic"), two_classes(n=80, seed=3)
    ),
    "svc no prior": lambda: fitted(SVC(prior=None), two_classes()),
    "svc shrinkage prior": lambda: fitted(SVC(prior="shrinkage"), two_classes()),
    "svc laplace prior": lambda: fitted(SVC(prior="laplace"), two_classes()),
    "svc evidence prior": lambda: fitted(SVC(prior="evidence"), two_classes(seed=3)),
    "svc weights, class weights": lambda: fitted(
        SVC("rbf", class_weight={"no": 1.0, "yes": 1.7}), two_classes(), sample_weight=weights()
    ),
    "svc precomputed, posterior": lambda: fitted(SVC("precomputed"), as_gram(two_classes())),
    "svc precomputed, span": lambda: fitted(SVC("precomputed", criterion="span"), as_gram(two_classes())),
    "svc fixed": lambda: fitted(SVC(2.0 * RBF(0.3) + Constant(0.5), C=1.5, criterion="span"), two_classes()),
    "svc fixed, posterior": lambda: fitted(SVC(2.0 * RBF(0.3) + Constant(0.5), C=1.5), two_classes()),
    "svc early stopping": lambda: fitted(
        SVC("rbf", criterion="span", early_stopping=True, random_state=0), two_classes()
    ),
    "svc early stopping, posteriors, three classes": lambda: fitted(
        SVC("rbf", early_stopping=True, random_state=0), three_classes(n=45)
    ),
    "svc ensemble of posteriors": lambda: fitted(
        SVC("rbf", n_restarts=2, ensemble=True, random_state=0), two_classes(n=40)
    ),
    "svc ensemble of machines": lambda: fitted(
        SVC("rbf", criterion="span", n_restarts=2, ensemble=True, random_state=1), two_classes()
    ),
    # Gaussian process.
    "gpc": lambda: fitted(GPC(), two_classes()),
    "gpc three classes, rbf": lambda: fitted(GPC("rbf"), three_classes(n=45)),
    "gpc weights, matern32": lambda: fitted(
        GPC("matern32", class_weight="balanced"), two_classes(), sample_weight=weights()
    ),
    # Asked about the training rows: today it answers only when given as many rows as it was fitted on.
    "gpc precomputed": lambda: (fitted(GPC("precomputed"), as_gram(two_classes()))[0], as_gram(two_classes())[0]),
    "gpc polynomial": lambda: fitted(GPC("polynomial"), two_classes()),
    "gpc fixed": lambda: fitted(GPC(3.0 * RBF(0.3) + Constant(1.0)), two_classes()),
    "gpc gradient ascent": lambda: fitted(GPC("rbf", search="gradient-ascent"), two_classes()),
    "gpc shrinkage prior": lambda: fitted(GPC(prior="shrinkage"), two_classes()),
    "gpc restarts, rbf": lambda: fitted(GPC("rbf", n_restarts=2, random_state=0), two_classes(n=40)),
    # Relevance vector machine, classification.
    "rvc": lambda: fitted(RVC(), two_classes()),
    "rvc three classes, rbf": lambda: fitted(RVC("rbf"), three_classes(n=45)),
    "rvc evidence, ard": lambda: fitted(RVC(criterion="evidence"), two_classes()),
    "rvc occam-evidence, no prior": lambda: fitted(RVC(criterion="occam-evidence", prior=None), two_classes(d=2)),
    "rvc occam-evidence, matern52": lambda: fitted(RVC("matern52", criterion="occam-evidence"), two_classes()),
    "rvc centre-evidence, movable": lambda: fitted(
        RVC("rbf", criterion="centre-evidence", centres="movable"), two_classes(d=2)
    ),
    "rvc loo": lambda: fitted(RVC("rbf", criterion="loo"), two_classes(n=40)),
    "rvc weights, class weights": lambda: fitted(
        RVC("rbf", criterion="evidence", class_weight="balanced"), two_classes(seed=6), sample_weight=weights()
    ),
    "rvc precomputed, classical": lambda: fitted(
        RVC("precomputed", criterion="evidence", algorithm="classical"), as_gram(two_classes())
    ),
    "rvc dictionary": lambda: fitted(RVC(dictionary=["linear", sines, "fourier"]), two_classes()),
    "rvc fixed": lambda: fitted(RVC(RBF(0.3), criterion=RVMCrossValidation(n_parts=4)), two_classes()),
    # Relevance vector machine, regression.
    "rvr": lambda: fitted(RVR(), curve(d=2)),
    "rvr gaussian prior": lambda: fitted(RVR(prior="gaussian"), curve(n=80, d=2)),
    "rvr restarts": lambda: fitted(RVR("rbf", n_restarts=2, random_state=0), curve(n=40, d=2)),
    "rvr evidence, scan": lambda: fitted(RVR("rbf", criterion="evidence", search="scan"), curve(d=2)),
    "rvr cv, weights": lambda: fitted(RVR("rbf", criterion="cv"), curve(), sample_weight=weights()),
    "rvr centre-evidence": lambda: fitted(RVR("rbf", criterion=RVMCentreEvidence()), curve(d=2)),
    "rvr loo, linear": lambda: fitted(RVR("linear", criterion="loo"), curve(n=40)),
    "rvr movable, nelder-mead": lambda: fitted(RVR("rbf", centres="movable", search="nelder-mead"), curve(d=2)),
    "rvr dictionary of kernel functions": lambda: fitted(
        RVR(dictionary=dictionaries.LinearTerms() + dictionaries.KernelFunctions("rbf")), curve(d=2)
    ),
    "rvr fixed, classical": lambda: fitted(RVR(RBF(0.3), algorithm="classical"), curve()),
    # Basis search.
    "basis": lambda: fitted(BasisSearchRegressor(), curve()),
    "basis forward, mackay-evidence, polynomial": lambda: fitted(
        BasisSearchRegressor(dictionaries.PolynomialTerms(4), strategy="forward", criterion="mackay-evidence"), curve()
    ),
    "basis sffs, marginal-likelihood, fourier": lambda: fitted(
        BasisSearchRegressor("fourier", strategy="sffs", criterion="marginal-likelihood"), curve()
    ),
    "basis oscillating, union": lambda: fitted(
        BasisSearchRegressor(["linear", sines, dictionaries.KernelFunctions(RBF(0.3))], strategy="oscillating"), curve()
    ),
    "basis ols, validation": lambda: fitted(
        BasisSearchRegressor(dictionaries.PolynomialTerms(3), strategy="ols", random_state=0), curve()
    ),
    "basis ols, evidence, two targets": lambda: fitted(
        BasisSearchRegressor(dictionaries.PolynomialTerms(3), strategy=subsets.OLS(stop="evidence")), curve(n_targets=2)
    ),
    "basis abf, rbf": lambda: fitted(
        BasisSearchRegressor(dictionaries.KernelFunctions("rbf"), strategy="abf"), curve()
    ),
    "basis precomputed, weights, no intercept": lambda: fitted(
        BasisSearchRegressor(["precomputed", "bias"], strategy=subsets.PTA(3, 1), fit_intercept=False),
        as_design(curve()),
        sample_weight=weights(),
    ),
}

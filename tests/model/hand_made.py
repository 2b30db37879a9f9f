"""Models put together by hand from few numbers, one of every kind of part, link, spread and head."""

from dataclasses import replace

import numpy as np

from kernelect.dictionaries import DesignMatrix, Fourier, KernelFunctions, PolynomialTerms, Union
from kernelect.inputs import Indicators, as_frame, fit_coding, fit_warp
from kernelect.kernels import (
    ARD,
    RBF,
    Agreement,
    Category,
    Constant,
    Linear,
    Matern,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
)
from kernelect.kernels import Polynomial as PolynomialKernel
from kernelect.kernels import Precomputed as Given
from kernelect.machines.ep.likelihoods import Hinge, Probit, SquaredHinge
from kernelect.machines.lssvm.landmarks import LandmarkState
from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.machines.lssvm.spread import GroupPulls, LandmarkSpread
from kernelect.model import (
    BagJackknife,
    BoxPart,
    Component,
    Decision,
    ExactJackknife,
    FunctionPart,
    KernelPart,
    LabelHead,
    LandmarkJackknife,
    Model,
    Moderated,
    NoiseModel,
    NumberHead,
    PlainJackknife,
    PosteriorSpread,
    Predictive,
    SubsetSpread,
    TargetScale,
    Tempered,
    TrainingRows,
    Trees,
    View,
    WeightSpread,
)
from kernelect.model import Given as GivenLink
from kernelect.model.relevance import LossBySize, Output, RelevanceModel

N, D = 20, 3
GENERATOR = np.random.default_rng(5)
X = GENERATOR.normal(size=(N, D))
ROWS = GENERATOR.normal(size=(7, D))


def numbers(*shape):
    return GENERATOR.normal(size=shape)


def kernel_part(kernel=None, outputs=1, n=N):
    vectors = X[:n]
    return KernelPart(
        coefficients=numbers(n, outputs), kernel=kernel or ARD(np.array([0.1, 0.5, 0.0])), vectors=vectors
    )


def number_model(component, **head):
    return Model(components=(component,), head=NumberHead(weights=np.ones(1), **head), n_columns=D)


def label_model(component, classes=("no", "yes"), **more):
    return Model(
        components=(component,), head=LabelHead(classes=np.array(classes), weights=np.ones(1)), n_columns=D, **more
    )


def exact(outputs=1):
    part = kernel_part(outputs=outputs)
    spread = ExactJackknife(
        rows=np.arange(N),
        residuals=numbers(N, outputs),
        weights=np.ones(N),
        precision=np.ones(N),
        scale=np.ones(outputs),
        ridge=0.3,
        groups=np.arange(N) // 2,
    )
    return Component(
        parts=(replace(part, representative=True),),
        constant=numbers(outputs),
        spread=spread,
        left_out=numbers(N, outputs),
    )


def on_landmarks(grouped=False):
    m, q = 18, 6
    state = LandmarkState(
        transform=np.asfortranarray(np.tril(numbers(m, m))),
        offset=numbers(m),
        projected=numbers(m, 1),
        target_mean=numbers(1),
        weight=20.0,
        regularization=0.1,
    )
    groups = GroupPulls(pulls=numbers(2, m, 1), shifts=numbers(2, 1), owners=np.array([0, 0, 0, 1, 1, 1]))
    spread = LandmarkSpread(
        state=state,
        epsilon=1e-8,
        noise=0.1,
        inputs=X[:q],
        residuals=numbers(q, 1),
        weights=np.ones(q),
        precision=np.ones(N),
        scale=np.ones(1),
        groups=groups if grouped else None,
    )
    sampled = SampledRows(
        state=state,
        places=np.arange(m),
        numbers=np.arange(q),
        inputs=X[:q],
        targets=numbers(q, 1),
        weights=np.ones(q),
        own=np.array([0, 1, -1, -1, 2, 3]),
        equal=np.full(q, -1),
    )
    part = kernel_part(RBF(0.4), n=m)
    return Component(
        parts=(part,),
        constant=numbers(1),
        spread=LandmarkJackknife(rows=np.arange(q), spread=spread),
        sampled=sampled,
    )


def posterior(likelihood, kernel=None, outputs=1):
    part = kernel_part(kernel or Constant(0.7) * RBF(0.3) + Constant(0.1), outputs)
    roots = tuple(np.linalg.inv(np.linalg.cholesky(part.kernel.gram(X) + np.eye(N))) for _ in range(outputs))
    return Component(
        parts=(part,),
        constant=np.zeros(outputs),
        link=Predictive(likelihood=likelihood, constant=1.3),
        spread=PosteriorSpread(roots=roots, usual=np.ones(outputs)),
    )


def relevance(part, link=None, outputs=1):
    size = len(part.coefficients)
    outs = tuple(
        Output(
            columns=np.arange(size),
            constant=True,
            weights=numbers(size + 1),
            alpha=np.ones(size + 1),
            covariance=np.eye(size + 1),
        )
        for _ in range(outputs)
    )
    losses = LossBySize(loss=numbers(size + 1), standard_error=numbers(size + 1))
    spread = WeightSpread(model=RelevanceModel(outputs=outs, n_vectors=size), unit=1.5, noise=0.2, losses=losses)
    return Component(parts=(part,), constant=numbers(outputs), link=link, spread=spread)


def boxes(d=D, outputs=1):
    # Two trees: x0 <= 0 (x1 <= 1, else), else; and x2 <= 0.5, else.
    trees = Trees(
        roots=np.array([0, 5]),
        feature=np.array([0, 1, -1, -1, -1, 2, -1, -1]),
        threshold=np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        right=np.array([4, 3, 0, 1, 2, 7, 3, 4]),
        boxes=numbers(5, outputs),
        n_inputs=d,
    )
    spread = BagJackknife(
        rows=np.arange(4), residuals=numbers(4, outputs), out=numbers(4, 2) > 0, mean_square=np.ones(outputs)
    )
    return Component(
        parts=(BoxPart(coefficients=numbers(5, outputs), trees=trees),), constant=numbers(outputs), spread=spread
    )


def functions(dictionary):
    built = dictionary.build(X)
    part = FunctionPart(coefficients=numbers(len(built), 1), functions=built)
    size = len(built)
    spread = SubsetSpread(means=numbers(size), root=numbers(size, 2), constant=0.1, noise=np.ones(1))
    return Component(parts=(part,), constant=numbers(1), spread=spread)


def table():
    """A mixture on a coded table: a warped view, one with indicators, and a model of the spread."""
    cells = {
        "size": np.array([1.0, 2.5, np.nan, 4.0] * 5),
        "day": np.array([f"2024-{month:02d}-1{day}" for month in (1, 5) for day in range(10)], dtype=object),
        "colour": np.array(["red", "green", "blue", None] * 5, dtype=object),
    }
    frame = as_frame(_Columns(cells))
    coding = fit_coding(frame)
    Z = coding(frame)
    warp, indicators = fit_warp(Z, coding.numeric), Indicators.of(Z, coding.numeric, coding.categorical)
    kernel = Matern(2.5, np.full(len(coding.numeric), 0.3), elliptical=True).on(coding.numeric) * Category(
        np.full(len(coding.categorical), 0.4)
    ).on(coding.categorical)
    e = len(indicators.inputs)
    numeric = Component(
        view=View(warp=warp),
        parts=(KernelPart(coefficients=numbers(N, 1), kernel=kernel, vectors=warp(Z)),),
        constant=numbers(1),
    )
    trees = replace(boxes(e), view=View(indicators=indicators))
    noise = NoiseModel(
        component=replace(numeric, parts=(replace(numeric.parts[0], coefficients=0.01 * numbers(N, 1)),)),
        low=-2.0,
        high=2.0,
        rows=np.ones((N, 1)),
    )
    head = NumberHead(
        weights=np.array([0.4, 0.6]),
        limits=np.array([[-30.0], [30.0]]),
        scale=TargetScale(name="log", low=-3.0, high=3.0, bounded=True),
        calibration=np.ones(1),
        noise=noise,
    )
    training = TrainingRows(
        numbers=np.arange(N), targets=numbers(N, 1), weights=np.ones(N), left_out=numbers(N, 1), groups=np.arange(N)
    )
    model = Model(
        components=(numeric, trees), head=head, n_columns=3, names=frame.names, coding=coding, training=training
    )
    return model, frame


class _Columns(dict):
    """The least that is read as a table: columns by their names."""

    @property
    def columns(self):
        return list(self)

    def __len__(self):
        return len(next(iter(self.values())))


def given():
    """A model of kernel values."""
    part = KernelPart(
        coefficients=numbers(4, 1), kernel=Given(), vectors=np.zeros((0, 0)), places=np.array([0, 2, 3, 5])
    )
    head = LabelHead(classes=np.array([1, 2]), weights=np.ones(1))
    return Model(
        components=(Component(parts=(part,), constant=numbers(1), link=Tempered(inverse_temperature=2.0)),),
        head=head,
        n_columns=6,
    )


_KERNELS = (
    ARD(np.array([0.1, 0.5, 0.0])),
    RBF(0.3) + 2.0 * Linear(),
    Matern(1.5, 0.2),
    RationalQuadratic(gamma=0.3, alpha=1.2),
    ProductLaplace(np.array([0.1, 0.2, 0.3])),
    ProductMatern(np.array([0.1, 0.2, 0.3])),
    Category(np.array([0.1, 0.2, 0.3])) * Agreement(),
    PolynomialKernel(2, 0.5, 1.0),
    RBF(0.3).on([0, 2]) * Constant(0.4),
    Linear(np.array([0.1, 0.2, 0.3])),
)

#: Name -> model that takes rows of three numbers.
MODELS = {
    "exact": number_model(exact()),
    "exact-two": number_model(exact(2), single=False),
    "landmarks": number_model(on_landmarks()),
    "landmark-groups": number_model(on_landmarks(grouped=True)),
    "probit": label_model(posterior(Probit())),
    "hinge": label_model(posterior(Hinge())),
    "squared-hinge": label_model(posterior(SquaredHinge(), outputs=3), classes=(1, 2, 3)),
    "tempered": label_model(
        Component(parts=(kernel_part(),), constant=numbers(1), link=Tempered(inverse_temperature=2.0))
    ),
    "moderated": label_model(
        relevance(kernel_part(n=5), Moderated(inverse_temperature=1.0)), classes=np.array(["a", "b"], dtype=object)
    ),
    "relevance": number_model(relevance(kernel_part(n=5))),
    "boxes": number_model(boxes()),
    "given": label_model(replace(boxes(outputs=2), link=GivenLink())),
    "plain": number_model(
        replace(boxes(), spread=PlainJackknife(rows=np.arange(4), residuals=numbers(4, 1), mean_square=np.ones(1)))
    ),
    "polynomial": number_model(functions(Union((PolynomialTerms(2), Fourier(2))))),
    "rbf-functions": number_model(functions(KernelFunctions(RBF(0.2), max_centres=5))),
    "columns": number_model(functions(DesignMatrix())),
    "decided": replace(
        label_model(posterior(Probit())),
        head=LabelHead(
            classes=np.array([False, True]),
            weights=np.ones(1),
            sharpness=1.5,
            decision=Decision("cost", 1, 0.2, ((0.0, 1.0), (4.0, 0.0))),
        ),
        names=("a", "b", "c"),
    ),
    **{
        f"kernel-{n}": number_model(Component(parts=(kernel_part(k),), constant=numbers(1)))
        for n, k in enumerate(_KERNELS)
    },
}

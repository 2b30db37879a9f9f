"""Speed of expectation propagation, GPC and the samplers, as ratios measured in one process.

    python benchmarks/ep.py [--quick]

Prints Markdown. Ratios, because absolute times differ between machines; CPU time of one thread.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice

import numpy as np
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import kernels as sk
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from kernelect import GPC
from kernelect.criteria import EPEvidence, HMCEvidence
from kernelect.criteria.ep.chains import effective_samples
from kernelect.datasets import ringnorm, twonorm, waveform
from kernelect.kernels import RBF, Constant
from kernelect.kernels.scale import median_width
from kernelect.machines import EP, EllipticalSlice, Fitted, Hinge, HybridMonteCarlo, Probit
from kernelect.machines.ep.sampling import LatentPosterior


def seconds(action: Callable[[], object], repeats: int = 5) -> float:
    """Return the smallest CPU time of several runs: the one least disturbed."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return min(times)


def solved(n: int, likelihood: Hinge | Probit, constant: float) -> tuple[Fitted, np.ndarray]:
    """Return a machine solved on twonorm, and the Gram matrix one search step away."""
    X, y = twonorm(n, random_state=0)
    gamma = median_width(X)
    gram = (1.0 * RBF(gamma) + Constant(0.2)).gram(X)
    near = (1.1 * RBF(1.1 * gamma) + Constant(0.2)).gram(X)
    machine, targets, ones = EP(likelihood), y[:, None].astype(float), np.ones(n)
    return Fitted(
        machine=machine,
        gram=gram,
        targets=targets,
        weights=ones,
        regularization=constant,
        state=machine.fit(gram, targets, constant, ones),
        n_residuals=n,
    ), near


def ep_against_cholesky(sizes: tuple[int, ...]) -> list[str]:
    """Value and gradient by expectation propagation over one Cholesky factorisation."""
    lines = [
        "| n | likelihood | one Cholesky, ms | cold start | warm start | iterations cold / warm |",
        "|---" * 6 + "|",
    ]
    for n in sizes:
        for likelihood, constant in ((Probit(), 1.0), (Hinge(), 0.6)):
            fitted, near = solved(n, likelihood, constant)
            matrix = np.asfortranarray(fitted.gram + np.eye(n))
            unit = seconds(lambda matrix=matrix: lapack.dpotrf(matrix, lower=1, clean=0), 9)

            def step(gram: np.ndarray, warm: object, fitted: Fitted = fitted) -> int:
                state = fitted.machine.fit(gram, fitted.targets, fitted.regularization, fitted.weights, warm)
                point = Fitted(
                    machine=fitted.machine,
                    gram=gram,
                    targets=fitted.targets,
                    weights=fitted.weights,
                    regularization=fitted.regularization,
                    state=state,
                    n_residuals=len(gram),
                )
                EPEvidence().value_and_gradient(point)
                return state.iterations

            cold, warm = step(fitted.gram, None), step(near, fitted.state)
            ratios = [
                seconds(lambda f=fitted: step(f.gram, None), 3) / unit,
                seconds(lambda f=fitted, g=near: step(g, f.state), 3) / unit,
            ]
            lines.append(
                f"| {n} | {likelihood.name} | {1e3 * unit:.1f} | {ratios[0]:.0f} | {ratios[1]:.0f} | {cold} / {warm} |"
            )
    return lines


def gpc_against_sklearn(sizes: tuple[int, ...]) -> list[str]:
    """Whole fits with the same spherical kernel, amplitude and constant, from the same start."""
    lines = [
        "| n | data | GPC, CPU s | scikit-learn, CPU s | ratio | error % ours / theirs | log-loss ours / theirs |",
        "|---" * 7 + "|",
    ]
    for n in sizes:
        for draw in (twonorm, ringnorm, waveform):
            X, y = draw(n, random_state=0)
            Z, t = draw(4000, random_state=1)
            length = 1.0 / np.sqrt(2.0 * median_width(X))
            kernel = sk.ConstantKernel(1.0) * sk.RBF(length) + sk.ConstantKernel(1.0)
            ours, theirs = GPC(kernel="rbf"), GaussianProcessClassifier(kernel)
            times = [seconds(lambda m=m, X=X, y=y: m.fit(X, y), 3) for m in (ours, theirs)]
            errors = " / ".join(f"{100 * np.mean(m.predict(Z) != t):.2f}" for m in (ours, theirs))
            losses = " / ".join(f"{log_loss(t, m.predict_proba(Z)):.4f}" for m in (ours, theirs))
            lines.append(
                f"| {n} | {draw.__name__} | {times[0]:.2f} | {times[1]:.2f} | {times[0] / times[1]:.2f} "
                f"| {errors} | {losses} |"
            )
    return lines


def gpc_against_gpy(sizes: tuple[int, ...]) -> list[str]:
    """GPy's EP with the same kernel, optimised again and again until it has our evidence."""
    if find_spec("GPy") is None:
        return ["GPy is not installed: `pip install 'kernelect[bench]'` adds this comparison."]
    lines = [
        "| n | data | GPC, CPU s | GPy, CPU s (optimisations) | at least times as fast | ln evidence ours / GPy's |",
        "|---" * 6 + "|",
    ]
    for n in sizes:
        for draw in (twonorm, ringnorm, waveform):
            X, y = draw(n, random_state=0)
            ours = GPC(kernel="rbf")
            own = seconds(lambda m=ours, X=X, y=y: m.fit(X, y), 1)
            target = -n * ours.selection_.value
            spent, runs, reached = optimise_gpy(X, y, target)
            lines.append(
                f"| {n} | {draw.__name__} | {own:.2f} | {spent:.2f} ({runs}) | {spent / own:.0f} "
                f"| {target:.1f} / {reached:.1f} |"
            )
    return lines


def optimise_gpy(X: np.ndarray, y: np.ndarray, target: float, most: int = 10) -> tuple[float, int, float]:
    """Return CPU seconds, optimisations and ln evidence when ``target`` was reached to 0.1, or given up."""
    import GPy

    began = time.process_time()
    length = 1.0 / np.sqrt(2.0 * median_width(X))
    kernel = GPy.kern.RBF(X.shape[1], variance=1.0, lengthscale=length) + GPy.kern.Bias(X.shape[1], variance=1.0)
    inference = GPy.inference.latent_function_inference.expectation_propagation.EP()
    labels, likelihood = (y > 0).astype(float)[:, None], GPy.likelihoods.Bernoulli()
    model = GPy.core.GP(X, labels, kernel=kernel, inference_method=inference, likelihood=likelihood)
    runs = 0
    while runs < most and float(model.log_likelihood()) < target - 0.1:
        model.optimize("lbfgs", max_iters=200)  # stops short of the optimum and says that it has converged
        runs += 1
    return time.process_time() - began, runs, float(model.log_likelihood())


def samplers(n: int, updates: int) -> list[str]:
    """Effective samples per second of CPU time, of the loss and of the derivative in ln k0."""
    fitted, _ = solved(n, Hinge(), 0.6)
    column = fitted.state.columns[0]
    target = LatentPosterior(
        gram=fitted.gram,
        labels=column.labels,
        weights=fitted.weights,
        likelihood=Hinge(),
        constant=fitted.regularization,
    )
    schemes = {
        "the paper's: one chain, one momentum refreshed": (HybridMonteCarlo(refresh="one"), 1, 40 * updates),
        "Hybrid Monte Carlo, 100 chains": (HybridMonteCarlo(), 100, updates),
        "elliptical slice around EP, 100 chains": (EllipticalSlice(), 100, updates),
    }
    lines = ["| scheme | effective samples per second, loss / ln k0 | times the paper's |", "|---" * 3 + "|"]
    paper: list[float] = []
    for name, (sampler, chains, count) in schemes.items():
        stream = sampler.chains(target, column, chains, np.random.default_rng(0))
        for _ in islice(stream, count // 2):  # half thrown away, as in the paper, and not charged
            pass
        began, losses, scales = time.process_time(), [], []
        for theta, _ in islice(stream, count):
            losses.append(target.loss(theta))
            scales.append(np.einsum("ij,ij->j", target.force(theta), theta))
        spent = time.process_time() - began
        rates = [effective_samples(np.array(values)) / spent for values in (losses, scales)]
        paper = paper or rates
        factors = " / ".join(f"{rate / unit:.0f}" for rate, unit in zip(rates, paper, strict=True))
        lines.append(f"| {name} | {rates[0]:.0f} / {rates[1]:.0f} | {factors} |")
    return lines


def ep_against_sampling(n: int) -> list[str]:
    """Time per gradient, and what the sampled one's standard error is."""
    fitted, near = solved(n, Hinge(), 0.6)

    def by_ep() -> None:
        state = fitted.machine.fit(near, fitted.targets, 0.6, fitted.weights, fitted.state)
        EPEvidence().value_and_gradient(
            Fitted(
                machine=fitted.machine,
                gram=near,
                targets=fitted.targets,
                weights=fitted.weights,
                regularization=0.6,
                state=state,
                n_residuals=n,
            )
        )

    ep = seconds(by_ep, 3)
    lines = [
        "| gradient | time over that of EP | effective samples | R-hat |",
        "|---" * 4 + "|",
        "| EP, warm | 1 | | |",
    ]
    for sampler in (EllipticalSlice(), HybridMonteCarlo()):
        criterion = HMCEvidence(sampler)
        spent = seconds(lambda c=criterion: c.gradients(fitted), 1)
        found = criterion.gradients(fitted)[0]
        lines.append(
            f"| {sampler.name}, 100 chains of 100 | {spent / ep:.0f} | {found.effective_samples:.0f} "
            f"| {found.r_hat:.3f} |"
        )
    return lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick
    sizes = (300,) if quick else (300, 1000)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # scikit-learn's parameters at its bounds
        warnings.filterwarnings("ignore", module="GPy|paramz")  # of their own code on new NumPy
        for title, lines in (
            ("EP value and gradient, in Cholesky factorisations of the same size", ep_against_cholesky(sizes)),
            ("GPC against GaussianProcessClassifier", gpc_against_sklearn((400,) if quick else (400, 1000))),
            ("GPC against GPy's expectation propagation", gpc_against_gpy((200,) if quick else (200, 400))),
            ("Samplers, twonorm n = 300, linear slack", samplers(300, 30 if quick else 200)),
            ("One gradient, n = 300, linear slack", ep_against_sampling(300)),
        ):
            print(f"\n### {title}\n\n" + "\n".join(lines), flush=True)


if __name__ == "__main__":
    main()

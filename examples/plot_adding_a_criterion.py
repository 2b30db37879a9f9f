"""
How do I add a criterion of my own?
===================================

A criterion sees a solved machine and returns a number, smaller is better. If it also returns its derivative in every
entry of the Gram matrix, it can choose any number of kernel parameters: kernels turn that derivative into theirs.
"""

# %%
# Step 1: write it
# ----------------
# PRESS squares every leave-one-out residual. Huber's loss squares only small ones, so large errors count less. For a
# least-squares machine the residuals are r_i = alpha_i / P_ii, with P the inverse of the bordered matrix. A change dK
# of the Gram matrix changes alpha by -P dK alpha and P by -P dK P; the rest is the chain rule.

import matplotlib.pyplot as plt
import numpy as np

import kernelect
from kernelect import LSSVR
from kernelect.criteria import Criterion, CriterionValue
from kernelect.machines import LSSVM, Fitted

HINGE = 1.345  # in units of the targets' robust deviation


class HuberLeaveOneOut(Criterion):
    """Sum of Huber's losses of the exact leave-one-out residuals."""

    name = "huber-loo"
    judges = ("lssvm",)

    def value(self, fitted):
        residuals = fitted.state.dual_coef / fitted.state.bordered_diagonal()[:, None]
        return CriterionValue(value=self._loss(residuals, fitted)[0], pointwise=residuals)

    def value_and_gradient(self, fitted):
        P, alpha = fitted.state.bordered_inverse(), fitted.state.dual_coef
        diagonal = np.diagonal(P)[:, None]
        residuals = alpha / diagonal
        value, slope = self._loss(residuals, fitted)
        # r_i = alpha_i / P_ii, so dr_i = (-P dK alpha)_i / P_ii + alpha_i (P dK P)_ii / P_ii^2.
        first = -(P @ (slope / diagonal)) @ alpha.T
        second = P @ (np.sum(slope * alpha / diagonal**2, axis=1)[:, None] * P)
        gradient = 0.5 * (first + first.T) + second
        return CriterionValue(
            value=value, pointwise=residuals, grad_gram=gradient, grad_regularization=float(np.trace(gradient))
        )

    def rescaled(self, value, unit, n_rows):
        return value * unit * unit  # how it grows with the unit of the targets

    def nats(self, value, fitted):  # the scale on which a prior is added
        half = 0.5 * fitted.n_residuals
        return half * np.log(value), half / value

    @staticmethod
    def _loss(residuals, fitted):
        limit = HINGE * 1.4826 * np.median(np.abs(fitted.targets - np.median(fitted.targets)))
        far = np.abs(residuals) > limit
        loss = np.where(far, limit * (np.abs(residuals) - 0.5 * limit), 0.5 * residuals**2)
        return float(loss.sum()), np.clip(residuals, -limit, limit)


kernelect.register(HuberLeaveOneOut)

# %%
# Step 2: check the gradient
# --------------------------
# The criterion can be tested on a random matrix, without a kernel. ``tests/contracts`` does this for every registered
# one.

rng = np.random.default_rng(0)
A = rng.normal(size=(12, 15))
K, targets, direction = A @ A.T / 15, rng.normal(size=(12, 1)), rng.normal(size=(12, 12))
direction = 0.1 * (direction + direction.T)


def solved(gram):
    machine, ridge, weights = LSSVM(), 0.3, np.ones(12)
    state = machine.fit(gram, targets, ridge, weights)
    return Fitted(
        machine=machine,
        gram=gram,
        targets=targets,
        weights=weights,
        regularization=ridge,
        state=state,
        n_residuals=12,
    )


criterion = HuberLeaveOneOut()
claimed = np.sum(criterion.value_and_gradient(solved(K)).grad_gram * direction)
steps = np.logspace(-8, -2, 13)
above = np.array([criterion.value(solved(K + h * direction)).value for h in steps])
below = np.array([criterion.value(solved(K - h * direction)).value for h in steps])
differences = np.abs((above - below) / (2 * steps) - claimed) / abs(claimed)
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.loglog(steps, differences, "o-")
ax.set(xlabel="step of the central difference", ylabel="relative difference to grad_gram")

# %%
# Step 3: use it by name
# ----------------------
# Every tenth value has a large error.

x = np.sort(rng.uniform(-3, 3, size=100))[:, None]
y = np.sin(2 * x[:, 0]) + rng.normal(scale=0.1, size=100)
spoilt = rng.choice(100, 10, replace=False)
y[spoilt] += rng.choice([-4.0, 4.0], size=10)
grid = np.linspace(-3, 3, 300)[:, None]
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(x[:, 0], y, "k.", ms=4)
errors = {}
for name in ("press", "huber-loo"):
    model = LSSVR("rbf", criterion=name).fit(x, y)
    errors[name] = np.sqrt(np.mean((model.predict(grid) - np.sin(2 * grid[:, 0])) ** 2))
    ax.plot(grid[:, 0], model.predict(grid), label=name)
ax.legend()

# %%
# Answer
# ------

print(f"smallest relative difference of the gradient: {differences.min():.0e}")
for name, found in errors.items():
    print(f"{name}: {found:.3f} from the true curve (RMSE)")

# %%
# You write one class with four short methods and register it once. The machine still fits by least squares, so a robust
# criterion changes only what is selected. :doc:`/extending/criterion` shows the same steps for a criterion that is to
# become part of the library.

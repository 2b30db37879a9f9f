"""
Do different criteria agree about the same machine?
===================================================

We train one support vector machine at every point of a grid over its width and its C, and let four criteria judge it.
The last panel shows what they try to predict: the error on new rows.
"""

# %%
# Step 1: evaluate
# ----------------
# A kernel and a C given as numbers leave nothing to select: ``fit`` evaluates the criterion once and
# ``selection_.value`` is its value. Smaller is better for all of them.

import warnings

import matplotlib.pyplot as plt
import numpy as np

from kernelect import SVC
from kernelect.datasets import twonorm
from kernelect.kernels import RBF, Constant

X, y = twonorm(60, random_state=0)
X_new, y_new = twonorm(3000, random_state=1)
widths, slacks = np.logspace(-3.5, 0.5, 9), np.logspace(-1.5, 2, 9)
criteria = ["span", "gacv", "laplace-evidence", "ep-evidence"]
values = {name: np.empty((9, 9)) for name in criteria}
error = np.empty((9, 9))
warnings.simplefilter("ignore")  # the Laplace evidence warns that it is degenerate at large amplitudes
for i, C in enumerate(slacks):
    for j, width in enumerate(widths):
        kernel = 1.0 * RBF(gamma=width) + Constant(0.2)
        for name in criteria:
            model = SVC(kernel, C=C, criterion=name, prior=None, predictor="svm").fit(X, y)
            values[name][i, j] = model.selection_.value
        error[i, j] = 100 * np.mean(model.predict(X_new) != y_new)

# %%
# Step 2: draw them on the same axes
# ----------------------------------
# A cross marks each criterion's own minimum.

figure, axes = plt.subplots(1, 5, figsize=(13, 3.3), sharex=True, sharey=True, layout="constrained")
panels = {**values, "error on new rows, %": error}
chosen = {}
for ax, (name, surface) in zip(axes, panels.items(), strict=True):
    row, column = np.unravel_index(np.argmin(surface), surface.shape)
    chosen[name] = error[row, column]
    ax.contourf(widths, slacks, surface, levels=12, cmap="viridis_r")
    ax.plot(widths[column], slacks[row], "x", color="crimson", ms=10, mew=2.5)
    ax.set(title=name, xscale="log", yscale="log", xlabel="gamma")
axes[0].set_ylabel("C")

# %%
# Answer
# ------

best = chosen.pop("error on new rows, %")
for name, found in chosen.items():
    print(f"{name}: its minimum has {found:.1f} % error on new rows (best point of the grid: {best:.1f} %)")

# %%
# Partly. They agree about the bad regions and differ in the good one. The error on new rows has a long flat valley:
# many pairs of width and C are equally good, so criteria may end far apart on the axes and close in error. What matters
# is whether a criterion's minimum lies in the valley. :doc:`Gold and Sollich (2003) </ideas/gold2003>` compare them on
# five data sets; :doc:`our repetition </results/gold2003>` has the table.

"""
Which search needs the fewest evaluations?
==========================================

All searches minimise the same function of the logarithms of the hyper-parameters. Some use its gradient. We give each
the same machine and count.
"""

# %%
# Step 1: one machine, four searches
# ----------------------------------
# The kernel has one width per input: six hyper-parameters with the ridge.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from kernelect import LSSVR

X, y = make_friedman1(150, n_features=5, noise=1.0, random_state=0)
warnings.simplefilter("ignore")  # a search that is stopped says so, here in the answer
names = ["lbfgs", "scg", "nelder-mead", "random-walk"]
runs = {}
for name in names:
    runs[name] = LSSVR("ard", search=name, prior=None, max_iter=100, tol=1e-6, random_state=0).fit(X, y).selection_

# %%
# Step 2: best value against evaluations
# --------------------------------------

best = min(np.nanmin(run.trace.value) for run in runs.values())
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for name, run in runs.items():
    gap = np.fmin.accumulate(run.trace.value) / best - 1
    ax.plot(np.arange(1, len(gap) + 1), np.maximum(gap, 1e-7), label=name)
ax.set(yscale="log", xscale="log", xlabel="evaluations", ylabel="PRESS above the best found, relative")
ax.legend()

# %%
# Answer
# ------

for name, run in runs.items():
    gap = np.fmin.accumulate(run.trace.value) / best - 1
    near = np.flatnonzero(gap < 1e-3)
    reached = f"within 0.1 % after {near[0] + 1} evaluations" if len(near) else "never within 0.1 %"
    print(f"{name}: {reached}; {len(run.trace)} in all; {run.status}")

# %%
# The searches with a gradient. Their advantage grows with the number of widths: a gradient costs a few evaluations and
# informs about all parameters at once. Searches without a gradient are for criteria that have no derivative.

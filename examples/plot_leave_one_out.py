"""
Is the closed form really leave-one-out?
========================================

Leave-one-out by definition trains n machines. For least squares a formula gives the same numbers from
one. We check it row by row and time both.
"""

# %%
# Step 1: by definition
# ---------------------
# The kernel and the ridge stay fixed, as in the formula.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from kernelect import LSSVR

X, y = load_diabetes(return_X_y=True)
X, y = X[:200], y[:200]
model = LSSVR("rbf").fit(X, y)
fixed = LSSVR(model.kernel_, regularization=model.regularization_)
began = time.process_time()
by_definition = []
for row in range(len(X)):
    others = np.arange(len(X)) != row
    by_definition.append(fixed.fit(X[others], y[others]).predict(X[row : row + 1])[0])
slow = time.process_time() - began

# %%
# Step 2: by the formula
# ----------------------

began = time.process_time()
by_formula = fixed.fit(X, y).loo_prediction_
quick = time.process_time() - began
figure, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
ax.plot(by_definition, by_formula, ".")
ax.axline((150, 150), slope=1, color="grey", lw=0.8)
ax.set(xlabel="prediction of the machine without the row", ylabel="loo_prediction_")

# %%
# Answer
# ------

print(f"largest difference {np.abs(by_formula - by_definition).max():.1e}, on values up to {np.abs(y).max():.0f}")
print(f"{len(X)} machines took {slow / quick:.0f} times as long as one with the formula")

# %%
# Yes, up to rounding. This is what makes selection by leave-one-out affordable: the criterion costs about as much as
# one fit, and its gradient in all widths a few times that.

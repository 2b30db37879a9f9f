"""
Can it take a million rows?
===========================

The exact machine needs a matrix of rows by rows. Landmarks are a few rows that represent the others. The cost
then grows with the number of rows, not with its cube, and leave-one-out stays exact for the fitted machine.
"""

# %%
# Step 1: a million rows of three inputs
# --------------------------------------

import time

import matplotlib.pyplot as plt
import numpy as np

from kernelect import LSSVR


def draw(n, seed):
    """Return inputs and noisy values of a smooth function; single precision halves the memory."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 3)).astype(np.float32)
    signal = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, signal + rng.normal(scale=0.5, size=n), signal


X, y, _ = draw(1_000_000, 0)
X_new, _, truth = draw(2000, 1)

# %%
# Step 2: more rows, same landmarks
# ---------------------------------

sizes, seconds, error = [10_000, 100_000, 1_000_000], [], []
for n in sizes:
    began = time.process_time()
    model = LSSVR("rbf", landmarks=80).fit(X[:n], y[:n])
    seconds.append(time.process_time() - began)
    error.append(np.sqrt(np.mean((model.predict(X_new) - truth) ** 2)))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(sizes, seconds, "o-")
left.set(xscale="log", xlabel="rows", ylabel="CPU seconds of the whole fit", ylim=0)
right.plot(sizes, error, "o-")
right.set(xscale="log", yscale="log", xlabel="rows", ylabel="distance from the true function (RMSE)")

# %%
# Answer
# ------

print(f"{sizes[-1]} rows: {seconds[-1]:.0f} CPU seconds, {len(model.landmarks_)} landmarks")
print(f"distance from the true function: {error[0]:.4f} with {sizes[0]} rows, {error[-1]:.4f} with {sizes[-1]}")
print(model.selection_.status)

# %%
# Yes, on a laptop. The widths are selected on a part of the rows, then all rows are read twice in blocks.
# ``landmarks="auto"``, the default, doubles their number until leave-one-out stops improving.

"""
Does higher evidence mean lower error?
======================================

The evidence is the probability that a model gives to the training labels before it has seen them. It needs no rows
set aside. We vary one width and compare the evidence with the error and the log-loss on new rows.
"""

# %%
# Step 1: one Gaussian process classifier per width
# -------------------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import log_loss

from kernelect import GPC
from kernelect.datasets import ringnorm
from kernelect.kernels import RBF, Constant

X, y = ringnorm(120, random_state=0)
X_new, y_new = ringnorm(3000, random_state=1)
widths = np.logspace(-3.5, 0.5, 25)
evidence, error, loss = [], [], []
for width in widths:
    model = GPC(Constant("auto") * RBF(gamma=width) + Constant("auto"), prior=None).fit(X, y)
    evidence.append(-len(y) * model.selection_.value)
    error.append(100 * np.mean(model.predict(X_new) != y_new))
    loss.append(log_loss(y_new, model.predict_proba(X_new)))

# %%
# Step 2: draw them above each other
# ----------------------------------

figure, axes = plt.subplots(3, 1, figsize=(7, 6.4), sharex=True, layout="constrained")
labels = ["ln evidence (training rows)", "log-loss (new rows)", "error, % (new rows)"]
for ax, values, label in zip(axes, [evidence, loss, error], labels, strict=True):
    ax.plot(widths, values, ".-")
    ax.axvline(widths[np.argmax(evidence)], color="crimson", ls="--", label="highest evidence")
    ax.set(xscale="log", ylabel=label)
axes[0].legend()
axes[-1].set_xlabel("gamma")

# %%
# Answer
# ------

at = int(np.argmax(evidence))
with_loss, with_error = spearmanr(evidence, loss)[0], spearmanr(evidence, error)[0]
print(f"rank correlation of evidence with log-loss {with_loss:.2f}, with error {with_error:.2f}")
print(f"at the highest evidence: log-loss {loss[at]:.3f}, error {error[at]:.2f} %")
print(f"best of all widths: log-loss {min(loss):.3f}, error {min(error):.2f} %")

# %%
# Almost, if there is one width to choose. The evidence and the log-loss on new rows rank the widths almost alike,
# because both ask for probabilities that are right. The error only counts wrong labels and agrees less. With many
# widths this is no longer true: the evidence can be over-fitted too, so the default has a prior.

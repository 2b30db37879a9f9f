"""
Can a model over-fit the criterion that selects it?
===================================================

A selection criterion is computed from the training rows, so it can be over-fitted like a training error. With one
width per input there are many hyper-parameters to fit. We watch one search without a prior and one with the default
prior, on data where all inputs matter alike and the best answer is one common width.
"""

# %%
# Step 1: fit without and with a prior
# ------------------------------------
# twonorm has 20 inputs; we give it 100 training rows. Both machines minimise exact leave-one-out (PRESS).

import matplotlib.pyplot as plt
import numpy as np

from kernelect import LSSVC
from kernelect.datasets import twonorm
from kernelect.kernels import ARD

X, y = twonorm(100, random_state=3)
X_new, y_new = twonorm(4000, random_state=4)
models = {"no prior": LSSVC(prior=None).fit(X, y), "default prior": LSSVC().fit(X, y)}


def errors_along(model, steps=25):
    """Refit at points of the search and return evaluation, leave-one-out error and error on new rows, in %."""
    trace = model.selection_.trace
    rows = np.unique(np.linspace(0, len(trace) - 1, steps).astype(int))
    found = []
    for row in rows:
        values = np.exp(trace.theta[row])
        at_this_point = LSSVC(ARD(gamma=values[:-1]), regularization=values[-1], prior=None, recalibrate=False)
        at_this_point.fit(X, y)
        left_out = np.mean(np.sign(at_this_point.loo_decision_) != y)
        found.append((row + 1, 100 * left_out, 100 * np.mean(at_this_point.predict(X_new) != y_new)))
    return np.array(found)


# %%
# Step 2: compare what leave-one-out promises with what new rows show
# -------------------------------------------------------------------

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
ends = {}
for ax, (name, model) in zip(axes, models.items(), strict=True):
    evaluation, left_out, new = errors_along(model).T
    ends[name] = left_out[-1], new[-1]
    ax.plot(evaluation, left_out, label="leave-one-out (what is selected by)")
    ax.plot(evaluation, new, label="new rows (what counts)")
    ax.set(title=name, xlabel="evaluation of the criterion", ylim=(0, 15))
axes[0].set_ylabel("error, %")
axes[0].legend()

# %%
# Step 3: look at the widths
# --------------------------
# The inputs are all alike, so the true relevance is one twentieth each (dashed).

figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
for shift, (name, model) in zip((-0.2, 0.2), models.items(), strict=True):
    ax.bar(np.arange(20) + shift, 100 * model.feature_importances_, 0.4, label=name)
ax.axhline(5, color="grey", ls="--", lw=1)
ax.set(xlabel="input", ylabel="relevance, %", xticks=range(20))
ax.legend()

# %%
# Answer
# ------

for name, (left_out, new) in ends.items():
    print(f"{name}: leave-one-out promises {left_out:.1f} %, new rows show {new:.1f} %")

# %%
# Yes. Without a prior the search finds widths that suit these 100 rows and no others: leave-one-out keeps falling
# while the error on new rows does not. The prior pulls the widths towards one common width, so leave-one-out
# promises about what new rows show. This is the point of :doc:`Cawley and Talbot (2007) </ideas/cawley2007>`.

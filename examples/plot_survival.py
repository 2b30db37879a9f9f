"""
How long until the event?
=========================

Rows that leave before their event still say something: that it came later. We fit survival times, look at curves of
three rows, and check them on new rows.
"""

# %%
# Step 1: times, some of them cut short
# -------------------------------------

import matplotlib.pyplot as plt
import numpy as np

from kernelect import KernelSurvival


def study(rows, seed):
    """Return inputs, the time that was observed, whether it is that of an event, and the true time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    time = np.exp(1.0 + X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.5 * rng.normal(size=rows))
    end = rng.exponential(8.0, size=rows)
    return X, np.minimum(time, end), time <= end, time


X, observed, event, _ = study(200, 0)
model = KernelSurvival().fit(X, observed, event=event)
print(f"{np.mean(~event):.0%} of the rows left early; leave-one-out concordance {model.loo_score_:.2f}")

# %%
# Step 2: survival functions
# --------------------------

times = np.linspace(0.0, 15.0, 200)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for row in (0, 1, 2):
    ax.plot(times, model.predict_survival_function(X[[row]], times)[0], label=f"row {row}")
ax.set(xlabel="time", ylabel="probability of no event")
ax.legend()

# %%
# Step 3: are they right?
# -----------------------
# New rows whose true times are known: of those with a predicted probability of 0.7, about 0.7 should be alive.

Z, _, _, truth = study(2000, 1)
at = 3.0
predicted = model.predict_survival_function(Z, [at])[:, 0]
edges = np.linspace(0.0, 1.0, 9)
place = np.digitize(predicted, edges[1:-1])
alive = [np.mean(truth[place == k] > at) for k in range(8)]
figure, ax = plt.subplots(figsize=(4.2, 4), layout="constrained")
ax.plot([0, 1], [0, 1], "--", color="grey")
ax.plot([predicted[place == k].mean() for k in range(8)], alive, "o-")
ax.set(xlabel=f"predicted probability of no event until {at:g}", ylabel="share of new rows")

# %%
# Answer
# ------

naive = KernelSurvival().fit(X, observed)
for name, each in {"early leavers as such": model, "early leavers as events": naive}.items():
    print(f"{name}: median times are off by a factor of {np.exp(np.mean(np.log(each.predict_median(Z) / truth))):.2f}")

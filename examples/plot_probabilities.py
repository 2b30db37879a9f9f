"""
Can I trust the probabilities?
==============================

You can trust a probability of 80 % if it comes true in 80 % of the cases. We compare our classifiers with
scikit-learn's SVC and Platt's calibration.
"""

# %%
# Step 1: fit
# -----------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.svm import SVC as SklearnSVC

from kernelect import GPC, LSSVC, SVC
from kernelect.plots import CalibrationDisplay

X, y = make_classification(3200, 8, n_informative=5, class_sep=0.7, flip_y=0.15, random_state=2)
X, y, X_new, y_new = X[:200], y[:200], X[200:], y[200:]
models = {
    "LSSVC()": LSSVC(),
    "SVC()": SVC(),
    "GPC()": GPC(),
    "scikit-learn SVC, calibrated": CalibratedClassifierCV(SklearnSVC(), ensemble=False),
}
for model in models.values():
    model.fit(X, y)

# %%
# Step 2: count how often predictions come true
# ---------------------------------------------
# Large dots stand for many rows.

figure, axes = plt.subplots(1, 4, figsize=(14, 3.7), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    CalibrationDisplay.from_predictions(y_new, model.predict_proba(X_new), classes=model.classes_).plot(ax)
    ax.set_title(name)

# %%
# Answer
# ------

rate = np.mean(y_new)
print(f"always the class shares: log-loss {log_loss(y_new, np.full(len(y_new), rate)):.3f}")
for name, model in models.items():
    error = 100 * (1 - model.score(X_new, y_new))
    print(f"{name}: log-loss {log_loss(y_new, model.predict_proba(X_new)):.3f}, error {error:.1f} %")

# %%
# Yes, within what 200 rows allow. ``LSSVC`` calibrates on exact leave-one-out decision values; ``SVC`` and ``GPC``
# average over the posterior of the decision function. None of them needs folds for it. scikit-learn's calibrated SVC
# does, and is as good on this table. One table cannot tell them apart. The report of ``kernelect fit`` draws this
# picture for your own table and raises a doubt where it bends.

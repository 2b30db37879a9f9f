"""Assessments by plain cross-validation, for reports in tests."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict

from kernelect.facts import Assessment, Estimate, Score


def assess_classifier(pipeline, X, y, folds=3):
    y, classes = np.asarray(y), pipeline.classes_
    parts = KFold(folds, shuffle=True, random_state=0)
    probability = cross_val_predict(clone(pipeline), X, y, cv=parts, method="predict_proba")
    prediction = classes[probability.argmax(axis=1)]
    largest = classes[np.argmax([np.sum(y == one) for one in classes])]
    return Assessment(
        classes=tuple(classes.tolist()),
        leave_one_out=None,
        outer_folds=Estimate(
            name=f"{folds} outer folds",
            scores=(error(prediction != y),),
            y_true=y,
            prediction=prediction,
            probability=probability,
        ),
        baseline=Estimate(name="always the most frequent class", scores=(error(y != largest),)),
    )


def assess_regressor(pipeline, X, y, folds=3):
    y = np.asarray(y)
    prediction = cross_val_predict(clone(pipeline), X, y, cv=KFold(folds, shuffle=True, random_state=0))
    return Assessment(
        classes=None,
        leave_one_out=None,
        outer_folds=Estimate(
            name=f"{folds} outer folds", scores=(rmse(y - prediction),), y_true=y, prediction=prediction
        ),
        baseline=Estimate(name="always the mean", scores=(rmse(y - y.mean()),)),
    )


def error(wrong):
    return Score("error", float(np.mean(wrong)), float(np.std(wrong) / np.sqrt(len(wrong))))


def rmse(residuals):
    value = float(np.sqrt(np.mean(residuals**2)))
    return Score("RMSE", value, float(np.std(residuals**2) / np.sqrt(len(residuals)) / (2 * value)))

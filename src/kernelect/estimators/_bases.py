"""Bases of estimators in scikit-learn, with types: on bases without, a checker takes any argument of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class BaseEstimator:
        """Parameters of an estimator, and how it is displayed."""

        def __getattr__(self, name: str) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __sklearn_clone__(self) -> Any: ...
        def __repr__(self, N_CHAR_MAX: int = 700) -> str: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Any: ...

    class ClassifierMixin:
        """A score of labels."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        """A score of numbers."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin"]

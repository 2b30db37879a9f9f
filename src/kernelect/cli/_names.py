"""Names that help lists, from the registries: written by docs/parts.py."""

KERNELS = (
    "ard",
    "rbf",
    "matern32",
    "matern52",
    "matern32-ard",
    "matern52-ard",
    "rational-quadratic",
    "rational-quadratic-ard",
    "product-laplace",
    "product-matern32",
    "category",
    "agreement",
    "linear",
    "polynomial",
)
PRIORS = (
    "auto",
    "shrinkage",
    "gaussian",
    "laplace",
    "curvature",
    "slope",
    "evidence",
    "log-normal",
    "none",
)
CRITERIA = {
    "lssvm": (
        "press",
        "gcv",
    ),
    "svm": (
        "ep-evidence",
        "hmc-evidence",
        "span",
        "laplace-evidence",
        "gacv",
        "radius-margin",
        "loo",
        "unsmoothed-span",
        "jaakkola-haussler",
        "support-vectors",
    ),
    "gp": (
        "ep-evidence",
        "hmc-evidence",
    ),
    "rvm": (
        "evidence",
        "centre-evidence",
        "occam-evidence",
        "cv",
        "loo",
    ),
    "basis": (
        "evidence",
        "mackay-evidence",
        "marginal-likelihood",
    ),
}
EFFORTS = (
    "fast",
    "balanced",
    "best",
)
FORMATS = (
    "csv",
    "tsv",
    "parquet",
    "feather",
    "excel",
    "json",
    "svmlight",
)

"""From a file with rows and named columns to a fitted model, and back from disk.

The path: :func:`read_table`, :func:`describe_table`, :func:`fit_table`, :func:`save_model`;
and for new rows :func:`load_model`, :func:`match_columns`, :func:`predict_table`.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)

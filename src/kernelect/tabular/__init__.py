"""From a file with rows and named columns to a fitted model, and back from disk.

The path: :func:`read_table`, :func:`describe_table`, :func:`fit_table`, :func:`save_model`;
and for new rows :func:`load_model`, :func:`match_columns`, :func:`predict_table`.
"""

from kernelect.facts import Assessment, Estimate, Score
from kernelect.tabular.assess import assess
from kernelect.tabular.columns import Column
from kernelect.tabular.columns_file import Known, columns_text, read_columns
from kernelect.tabular.compare import candidates, compare_table
from kernelect.tabular.describe import describe_table
from kernelect.tabular.file import load_model, save_model
from kernelect.tabular.folds import FoldOptions
from kernelect.tabular.large import LargeFit, fit_pieces, require_room
from kernelect.tabular.parquet import parquet_columns
from kernelect.tabular.pipeline import MachineOptions
from kernelect.tabular.predict import match_columns, predict_table
from kernelect.tabular.read import Table, read_table, require_table
from kernelect.tabular.reasons import Explained, Reason, explain_table
from kernelect.tabular.record import Observers, fit_table
from kernelect.tabular.rows import Rows
from kernelect.tabular.schema import Schema
from kernelect.tabular.streams import Remarks, Wanted, predict_rows, predicted_pieces
from kernelect.tabular.table_model import TableModel, TableReport

__all__ = [
    "Assessment",
    "Column",
    "Estimate",
    "Explained",
    "FoldOptions",
    "Known",
    "LargeFit",
    "MachineOptions",
    "Observers",
    "Reason",
    "Remarks",
    "Rows",
    "Schema",
    "Score",
    "Table",
    "TableModel",
    "TableReport",
    "Wanted",
    "assess",
    "candidates",
    "columns_text",
    "compare_table",
    "describe_table",
    "explain_table",
    "fit_pieces",
    "fit_table",
    "load_model",
    "match_columns",
    "parquet_columns",
    "predict_rows",
    "predict_table",
    "predicted_pieces",
    "read_columns",
    "read_table",
    "require_room",
    "require_table",
    "save_model",
]

"""Experiments: data sets x splits x methods. They run anywhere, are stored in one file and shown as tables."""

from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study, builtin_studies, parse_study, read_study
from kernelect.studies.engines import Dask, Engine, Local, engine_for
from kernelect.studies.records import StudyTable
from kernelect.studies.run import Plan, Progress, check_plan, run_study
from kernelect.studies.store import Results, ResultsError
from kernelect.studies.tables import make_tables

__all__ = [
    "Dask",
    "Engine",
    "Local",
    "Outcome",
    "Plan",
    "Progress",
    "Results",
    "ResultsError",
    "Study",
    "StudyTable",
    "builtin_studies",
    "check_plan",
    "engine_for",
    "make_tables",
    "parse_study",
    "read_study",
    "run_study",
]

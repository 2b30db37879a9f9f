from kernelect.datasets.generators import ringnorm as ringnorm
from kernelect.datasets.generators import sparse_inputs as sparse_inputs
from kernelect.datasets.generators import twonorm as twonorm
from kernelect.datasets.generators import waveform as waveform
from kernelect.datasets.registry import GENERATORS as GENERATORS
from kernelect.datasets.registry import DataSet as DataSet
from kernelect.datasets.registry import MissingData as MissingData
from kernelect.datasets.registry import load_dataset as load_dataset

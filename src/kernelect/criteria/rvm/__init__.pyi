from kernelect.criteria.rvm.base import RVMCriterion as RVMCriterion
from kernelect.criteria.rvm.centres import RVMCentreEvidence as RVMCentreEvidence
from kernelect.criteria.rvm.cross_validation import RVMCrossValidation as RVMCrossValidation
from kernelect.criteria.rvm.evidence import RVMEvidence as RVMEvidence
from kernelect.criteria.rvm.evidence import RVMOccamEvidence as RVMOccamEvidence
from kernelect.criteria.rvm.held_out import without_row as without_row
from kernelect.criteria.rvm.leave_one_out import RVMLeaveOneOut as RVMLeaveOneOut
from kernelect.criteria.rvm.parts import dealt_out as dealt_out

from kernelect.explain.expansion import Expansion as Expansion
from kernelect.explain.expansion import ViewedPart as ViewedPart
from kernelect.explain.expansion import expansion_of as expansion_of
from kernelect.explain.record import Explanation as Explanation
from kernelect.explain.shapley import Explainer as Explainer
from kernelect.explain.shapley import shapley_values as shapley_values

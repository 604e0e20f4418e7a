"""Agreement of orderings and of score vectors, as matrices over many of them at once."""

from irframe.agreement.base import Agreement
from irframe.agreement.kendall import Kendall
from irframe.agreement.parsing import AGREEMENTS, parse_agreement
from irframe.agreement.pearson import Pearson
from irframe.agreement.rbo import RBO
from irframe.agreement.rmse import RMSE
from irframe.agreement.spearman import Spearman
from irframe.agreement.stability import share_above, stable_depth
from irframe.agreement.tau_ap import TauAP

__all__ = [
    "AGREEMENTS",
    "RBO",
    "RMSE",
    "Agreement",
    "Kendall",
    "Pearson",
    "Spearman",
    "TauAP",
    "parse_agreement",
    "share_above",
    "stable_depth",
]

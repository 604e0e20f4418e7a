"""Agreement of orderings and of score vectors, as matrices over many of them at once."""

from irframe.agreements.base import Agreement
from irframe.agreements.kendall import Kendall
from irframe.agreements.parsing import AGREEMENTS, Method, parse_agreement
from irframe.agreements.pearson import Pearson
from irframe.agreements.random_separability import random_separability
from irframe.agreements.rbo import RBO
from irframe.agreements.rmse import RMSE
from irframe.agreements.spearman import Spearman
from irframe.agreements.stability import share_above, stable_depth
from irframe.agreements.tau_ap import TauAP

__all__ = [
    "AGREEMENTS",
    "RBO",
    "RMSE",
    "Agreement",
    "Kendall",
    "Method",
    "Pearson",
    "Spearman",
    "TauAP",
    "parse_agreement",
    "random_separability",
    "share_above",
    "stable_depth",
]


def __dir__() -> list[str]:
    return sorted(__all__)

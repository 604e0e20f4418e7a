"""Correlations and distances of orderings and of score vectors."""

from irframe.agreements.base import Agreement, share_above, stable_depth
from irframe.agreements.correlations import (
    AGREEMENTS,
    RBO,
    RMSE,
    Kendall,
    Method,
    Pearson,
    Spearman,
    TauAP,
    parse_agreement,
)
from irframe.agreements.innate import random_separability

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

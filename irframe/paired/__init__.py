"""Paired significance tests, as values with one kernel over all pairs and all depths."""

from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.bootstrap import Bootstrap, Discrimination
from irframe.paired.classical import PairedT, RankSum, Sign, Wilcoxon, sign_p
from irframe.paired.differences import Differences, describe_differences
from irframe.paired.pairs import all_pairs, baseline_pairs
from irframe.paired.parsing import TESTS, Test, parse_test
from irframe.paired.randomisation import MaxT, Permutation, TukeyHSD

__all__ = [
    "TESTS",
    "Bootstrap",
    "Differences",
    "Discrimination",
    "MaxT",
    "PairedResult",
    "PairedT",
    "PairedTest",
    "Permutation",
    "RankSum",
    "Sign",
    "Test",
    "TukeyHSD",
    "Wilcoxon",
    "all_pairs",
    "baseline_pairs",
    "describe_differences",
    "parse_test",
    "sign_p",
]


def __dir__() -> list[str]:
    return sorted(__all__)

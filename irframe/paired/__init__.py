"""Paired significance tests, as values with one kernel over all pairs and all depths."""

from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.bootstrap import Bootstrap, Discrimination
from irframe.paired.differences import Differences, describe_differences
from irframe.paired.max_t import MaxT
from irframe.paired.paired_t import PairedT
from irframe.paired.pairs import all_pairs, baseline_pairs
from irframe.paired.parsing import TESTS, Test, parse_test
from irframe.paired.permutation import Permutation
from irframe.paired.rank_sum import RankSum
from irframe.paired.sign import Sign, sign_p
from irframe.paired.tukey_hsd import TukeyHSD
from irframe.paired.wilcoxon import Wilcoxon

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

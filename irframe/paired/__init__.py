"""Paired significance tests."""

from typing import Literal

from irframe.paired.bootstrap import Bootstrap, Discrimination
from irframe.paired.classical import PairedT, RankSum, Sign, Wilcoxon, sign_p
from irframe.paired.differences import Differences, PairedResult, PairedTest, describe_differences
from irframe.paired.pairs import all_pairs, baseline_pairs
from irframe.paired.randomisation import MaxT, Permutation, TukeyHSD

TestName = Literal["t", "wilcoxon", "ranksum", "sign", "permutation", "bootstrap", "tukey"]
Test = TestName | PairedTest
"""Type of a paired test or of the short name of a paired test."""

TESTS: dict[str, type[PairedTest]] = {
    test.name: test for test in (PairedT, Wilcoxon, RankSum, Sign, Permutation, Bootstrap, TukeyHSD)
}
"""Mapping from the short name of a test to its class."""


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
    "TestName",
    "TukeyHSD",
    "Wilcoxon",
    "all_pairs",
    "baseline_pairs",
    "describe_differences",
    "sign_p",
]


def __dir__() -> list[str]:
    return sorted(__all__)

"""Paired significance tests."""

from typing import Literal

from irframe.checks import as_written, choice
from irframe.paired.bootstrap import Bootstrap, Discrimination
from irframe.paired.classical import PairedT, RankSum, Sign, Wilcoxon, sign_p
from irframe.paired.differences import Differences, PairedResult, PairedTest, describe_differences
from irframe.paired.pairs import all_pairs, baseline_pairs
from irframe.paired.randomisation import MaxT, Permutation, TukeyHSD

TestName = Literal["t", "wilcoxon", "ranksum", "sign", "permutation", "bootstrap", "tukey"]
Test = TestName | PairedTest
"""A paired test, or its short name."""

TESTS: dict[str, type[PairedTest]] = {
    test.name: test for test in (PairedT, Wilcoxon, RankSum, Sign, Permutation, Bootstrap, TukeyHSD)
}
"""Mapping from the short name of a test to its class."""


def parse_test(test: Test) -> PairedTest:
    """Return the paired test for a name.

    Parameters
    ----------
    test
        Short name of a test: ``"t"``, ``"wilcoxon"``, ``"ranksum"``, ``"sign"``, ``"permutation"``,
        ``"bootstrap"`` or ``"tukey"``. The test then has default options. A test or the repr of a
        test is also valid.

    Returns
    -------
    PairedTest
        The test.

    Examples
    --------
    >>> parse_test("t")
    PairedT()
    >>> parse_test(Wilcoxon(correction=True))
    Wilcoxon(correction=True, exact=False, decimals=12)
    >>> parse_test("Permutation(samples=999)")
    Permutation(samples=999, seed=0)
    """
    if isinstance(test, PairedTest):
        return test
    if isinstance(test, str) and test in TESTS:
        return TESTS[test]()
    written: PairedTest | None = as_written(test, {kind.__name__: kind for kind in TESTS.values()})
    if written is not None:
        return written
    return TESTS[choice("a test such as Wilcoxon(correction=True), or its name", test, TESTS)]()


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
    "parse_test",
    "sign_p",
]


def __dir__() -> list[str]:
    return sorted(__all__)

"""Corrections for multiple comparisons, and the option value Significance.

Values: Significance.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, Literal, Self, cast, get_args

import numpy as np

from irframe.arrays import Array
from irframe.checks import as_written, choice, level, listed
from irframe.errors import ParameterError
from irframe.option_values import OptionValue, Unused
from irframe.paired import TESTS, MaxT, PairedT, PairedTest, Permutation, Test
from irframe.record import NONE
from irframe.scores.repeats import OVERS, Over

Correction = Literal[
    "bonferroni",
    "sidak",
    "holm-sidak",
    "holm",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "fdr_tsbh",
    "fdr_tsbky",
]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""Names of corrections, which are those of statsmodels' function `multipletests`."""

Family = Literal["depth", "metric", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Names of the sets of comparisons that are corrected together, see `Significance`."""


def adjust_p(
    groups: Sequence[Array], adjust: Correction | None, *, family: Family, alpha: float
) -> list[Array]:
    """Correct p-values for multiple comparisons.

    Parameters
    ----------
    groups
        One array of p-values per group, each of shape (metric, depth, pair).
    adjust
        One of `CORRECTIONS`, or None.
    family
        The p-values that are corrected together. ``"depth"``: all pairs of one metric at one depth.
        ``"metric"``: all pairs of one metric at all depths. ``"all"``: all pairs of all metrics,
        depths and groups.
    alpha
        Significance level. Only the two-stage corrections ``fdr_tsbh`` and ``fdr_tsbky`` use the
        significance level.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values, with the shapes of `groups`.

    Examples
    --------
    >>> adjust_p([np.array([[[0.01, 0.02]]])], "bonferroni", family="depth", alpha=0.05)
    [array([[[0.02, 0.04]]])]
    """
    if family == "all":
        flat = np.concatenate([p.ravel() for p in groups])
        ends = np.cumsum([p.size for p in groups])[:-1]
        adjusted = np.split(adjust_rows(flat, adjust, alpha), ends)
        return [values.reshape(p.shape) for values, p in zip(adjusted, groups, strict=True)]
    n_axes = 2 if family == "depth" else 1
    rows = [p.reshape(*p.shape[:n_axes], -1) for p in groups]
    return [
        adjust_rows(r, adjust, alpha).reshape(p.shape) for r, p in zip(rows, groups, strict=True)
    ]


def adjust_rows(p: Array, adjust: Correction | None, alpha: float) -> Array:
    """Correct p-values together along the last axis.

    Examples
    --------
    >>> adjust_rows(np.array([[0.01, 0.02], [0.03, 0.4]]), "bonferroni", 0.05)
    array([[0.02, 0.04],
           [0.06, 0.8 ]])
    """
    if adjust is None:
        return p.copy()
    compute = IN_ORDER.get(adjust) or partial(_by_statsmodels, method=adjust, alpha=alpha)
    missing = np.isnan(p)  # a test without a p-value still counts as a comparison
    filled = np.where(missing, 1, p)
    order = filled.argsort(axis=-1)
    adjusted = np.empty(p.shape)
    np.put_along_axis(adjusted, order, compute(np.take_along_axis(filled, order, axis=-1)), axis=-1)
    return np.where(missing, np.nan, np.minimum(adjusted, 1))


def _by_statsmodels(p: Array, *, method: str, alpha: float) -> Array:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow to import

    rows = p.reshape(-1, p.shape[-1])
    # Sidak's correction computes the logarithm of 1 - p, and NumPy warns if p is 1
    with np.errstate(divide="ignore"):
        adjusted = [multipletests(row, alpha, method, is_sorted=True)[1] for row in rows]
    return np.array(adjusted).reshape(p.shape)


def _bh(p: Array) -> Array:
    shares = np.arange(1, p.shape[-1] + 1) / p.shape[-1]
    return np.asarray(np.minimum.accumulate((p / shares)[..., ::-1], axis=-1)[..., ::-1])


# statsmodels corrects one family per call, and these functions correct all families at once
IN_ORDER: dict[str, Callable[[Array], Array]] = {
    "bonferroni": lambda p: p * p.shape[-1],
    "holm": lambda p: np.maximum.accumulate(p * np.arange(p.shape[-1], 0, -1), axis=-1),
    "fdr_bh": _bh,
}
"""Mapping from the name of a correction to a function that corrects p-values sorted along the last
axis."""


def parse_test(test: Test) -> PairedTest:
    """Return the paired test that a short name stands for.

    Parameters
    ----------
    test
        Short name of a test: ``"t"``, ``"wilcoxon"``, ``"ranksum"``, ``"sign"``, ``"permutation"``,
        ``"bootstrap"`` or ``"tukey"``. A short name stands for the test with its default options. A
        test object, or the repr of a test object, is also valid.

    Returns
    -------
    PairedTest
        The test.

    Examples
    --------
    >>> from irframe.paired import Wilcoxon
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


MAX_T: Literal["max-t"] = "max-t"
AUTO: Literal["auto"] = "auto"
Adjust = Correction | Literal["max-t", "auto", "none"] | MaxT | None
"""Type of a correction for multiple comparisons, or of its name.

``"auto"`` is Holm's correction if the test needs a correction. ``"none"`` and None mean no
correction.
"""
Parsed = Correction | MaxT | None


def parse_correction(
    adjust: Adjust,
    test: PairedTest | None = None,
    family: Family = "depth",
    *,
    auto: Correction | None = "holm",
) -> Parsed:
    """Return the correction that an option stands for.

    Parameters
    ----------
    adjust
        A correction, or its name.
    test
        The test whose p-values are corrected, or None for a test that is not paired.
    family
        The set of comparisons that are corrected together, one of `FAMILIES`.
    auto
        The correction that ``"auto"`` stands for. For joint tests ``"auto"`` is always None.

    Raises
    ------
    ParameterError
        If the correction or family is unknown, or the test does not support the correction. Joint
        tests, such as Tukey's, support no correction, because their p-values are already adjusted.

    Examples
    --------
    >>> from irframe.paired import TukeyHSD
    >>> parse_correction("auto", PairedT()), parse_correction("auto", TukeyHSD())
    ('holm', None)
    """
    if family not in FAMILIES:
        choice("family", family, FAMILIES)
    if isinstance(adjust, str) and adjust == AUTO:
        return None if test is not None and test.joint else auto
    chosen: Any = as_written(adjust, {MaxT.__name__: MaxT}) or adjust
    if chosen is not None and not isinstance(chosen, MaxT):
        chosen = choice("adjust=None or a correction", chosen, (*CORRECTIONS, MAX_T, AUTO, NONE))
    if chosen == MAX_T:
        chosen = MaxT()
    elif chosen == NONE:
        chosen = None
    if chosen is not None and test is not None and test.joint:
        expected = f"adjust=None, because p-values of {test.name} are already adjusted"
        raise ParameterError(expected, repr(adjust))
    if isinstance(chosen, MaxT) and not isinstance(test, PairedT | Permutation):
        expected = f"the test t or permutation for adjust={MAX_T!r}"
        raise ParameterError(expected, "another test" if test is None else repr(test))
    parsed: Parsed = chosen
    return parsed


def parse_stepwise(
    adjust: Adjust, test: PairedTest | None = None, *, auto: Correction | None = "holm"
) -> Correction | None:
    """Return a correction that needs only p-values.

    Raises
    ------
    ParameterError
        See `parse_correction`. An error is also raised if the correction is max-T, which needs
        scores.
    """
    correction = parse_correction(adjust, test, auto=auto)
    if isinstance(correction, MaxT):
        raise ParameterError("a correction that needs only p-values, such as 'holm'", MAX_T)
    return correction


ANOVA: Literal["anova"] = "anova"
"""Name of the F-test of several systems, which only `topics_needed` uses."""


@dataclass(frozen=True, repr=False)
class Significance(OptionValue):
    """Significance test, correction and significance level.

    Every function that tests pairs of systems accepts a `Significance` as ``test=``. If only the
    test differs from the defaults, the name of the test can be passed instead. A function that does
    not use a field raises an error if the field is set.

    Parameters
    ----------
    test
        A paired test or its name: ``"t"``, ``"wilcoxon"``, ``"ranksum"``, ``"sign"``,
        ``"permutation"``, ``"bootstrap"``, ``"tukey"``. Randomisation tests have the options
        `samples` and `seed`, for example ``irframe.paired.Permutation(samples=999)``. The default
        is ``"t"`` in all functions except `outcomes`.
    adjust
        Correction for multiple comparisons. Methods of statsmodels' `multipletests` are available,
        such as ``"holm"``, ``"bonferroni"`` or ``"fdr_bh"``. ``"max-t"`` or a `MaxT` are available
        for the tests t and permutation. ``"none"`` or None means no correction. ``"auto"`` is
        Holm's correction, with three exceptions. P-values of ``"tukey"`` are not corrected, because
        they are already adjusted for all pairs. P-values in `median_p` are not corrected, because
        `median_p` makes no decisions. P-values in `reordering` and `ablation` are not corrected,
        because the paper that introduced these analyses does not correct them.
    family
        The comparisons that are corrected together: ``"depth"``, all pairs of one metric at one
        depth in one group; ``"metric"``, all pairs of one metric at all depths in one group;
        ``"all"``, all rows of the result.
    alpha
        Significance level, and one minus the confidence level of intervals, above 0 and below 1.
    over
        The population to which the test generalises, if systems have repeats (were run several
        times) or topics belong to tasks. ``"both"``: new topics and new repeats. ``"topic"``: new
        topics with the same repeats, tested on means over repeats. ``"repeat"``: new repeats on the
        same topics. ``"both"`` and ``"repeat"`` need the test t. ``"task"``: new tasks, where the
        tasks declared by `design` are treated as a random sample.

    Raises
    ------
    ParameterError
        If the test, correction, family or over is unknown, if the test does not support the
        correction, or if alpha is not between 0 and 1.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Significance("permutation", adjust="max-t")
    Significance('permutation', adjust='max-t')
    >>> ir.Significance("tukey", adjust="holm")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected adjust=None, because p-values of tukey are already
    adjusted, but found 'holm'.
    """

    test: Test | Sequence[Test] | None = None
    _: KW_ONLY
    adjust: Adjust = AUTO
    family: Family = "depth"
    alpha: float = 0.05
    over: Over = "both"

    def __post_init__(self) -> None:
        """Check every field."""
        level(self.alpha)
        choice("over", self.over, OVERS)
        for test in listed(self.test) or ["t"]:
            parse_correction(self.adjust, None if test == ANOVA else parse_test(test), self.family)

    @property
    def only_test(self) -> PairedTest:
        """The test of a `Significance` with exactly one test."""
        return parse_test(cast("Test", self.test or "t"))

    @classmethod
    def beside(cls, test: object, adjust: Adjust, alpha: float) -> Self:
        """Return a `Significance` from a test and separate options.

        Raises
        ------
        ParameterError
            If `test` is a `Significance`, and separate options are also passed.
        """
        if not isinstance(test, cls):
            return cls(cast("Test", test), adjust=adjust, alpha=alpha)
        if (adjust, alpha) != (cls.adjust, cls.alpha):
            expected = "adjust= and alpha= inside of Significance(...), not as separate arguments"
            raise ParameterError(expected, repr(test), "set them in Significance(...)")
        return test


Tested = Significance | Test
"""Type of the argument ``test=``: a `Significance`, or the name of a test."""
TestedByMetric = Annotated[Tested, Unused("family")]
"""Type of ``test=`` in functions that always use the family ``"depth"`` and do not accept
`family`."""
TestedMeans = Annotated[Tested, Unused("over")]
"""Type of ``test=`` in functions that always test means over repeats and do not accept `over`."""
TestedMeansByMetric = Annotated[Tested, Unused("family", "over")]
TestsByMetric = Annotated[Tested | Sequence[Test], Unused("family", "over")]
"""Type of ``test=`` in a function that accepts several tests, but neither `family` nor `over`."""

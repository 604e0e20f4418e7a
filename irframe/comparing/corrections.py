"""Corrections for multiple comparisons, and how a difference is called significant.

Values: Significance.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, Literal, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from irframe.checks import as_written, choice, level, listed
from irframe.errors import ParameterError
from irframe.option_values import OptionValue, Unused
from irframe.paired import MaxT, PairedT, PairedTest, Permutation, Test, parse_test
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
"""The corrections of statsmodels' `multipletests`."""

Family = Literal["depth", "metric", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Which comparisons are corrected for each other."""


def adjust_p(
    groups: Sequence[NDArray[Any]], adjust: Correction | None, *, family: Family, alpha: float
) -> list[NDArray[Any]]:
    """Correct p-values for the number of comparisons.

    Parameters
    ----------
    groups
        p-values of each group, shape (metric, depth, pair).
    adjust
        One of `CORRECTIONS`, or None.
    family
        ``"depth"``: the pairs of a metric at a depth; ``"metric"``: those of a metric at all its
        depths; ``"all"``: every p-value of every group.
    alpha
        Significance level, which the two-stage corrections (``fdr_ts...``) depend on.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values, shaped as `groups`.

    Examples
    --------
    >>> adjust_p([np.array([[[0.01, 0.02]]])], "bonferroni", family="depth", alpha=0.05)
    [array([[[0.02, 0.04]]])]
    """
    if family == "all":
        flat = np.concatenate([p.ravel() for p in groups])
        parts = np.split(adjust_rows(flat, adjust, alpha), np.cumsum([p.size for p in groups])[:-1])
        return [part.reshape(p.shape) for part, p in zip(parts, groups, strict=True)]
    kept = 2 if family == "depth" else 1
    rows = [p.reshape(*p.shape[:kept], -1) for p in groups]
    return [
        adjust_rows(r, adjust, alpha).reshape(p.shape) for r, p in zip(rows, groups, strict=True)
    ]


def adjust_rows(p: NDArray[Any], adjust: Correction | None, alpha: float) -> NDArray[Any]:
    """Correct the p-values of every row together, rows along the last axis.

    Examples
    --------
    >>> adjust_rows(np.array([[0.01, 0.02], [0.03, 0.4]]), "bonferroni", 0.05)
    array([[0.02, 0.04],
           [0.06, 0.8 ]])
    """
    if adjust is None:
        return p.copy()
    compute = IN_ORDER.get(adjust) or partial(_by_statsmodels, method=adjust, alpha=alpha)
    missing = np.isnan(p)  # which count as comparisons
    filled = np.where(missing, 1, p)
    order = filled.argsort(axis=-1)
    adjusted = np.empty(p.shape)
    np.put_along_axis(adjusted, order, compute(np.take_along_axis(filled, order, axis=-1)), axis=-1)
    return np.where(missing, np.nan, np.minimum(adjusted, 1))


def _by_statsmodels(p: NDArray[Any], *, method: str, alpha: float) -> NDArray[Any]:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow to import

    rows = p.reshape(-1, p.shape[-1])
    with np.errstate(divide="ignore"):  # Sidak's takes the logarithm of 1 - p
        adjusted = [multipletests(row, alpha, method, is_sorted=True)[1] for row in rows]
    return np.array(adjusted).reshape(p.shape)


def _bh(p: NDArray[Any]) -> NDArray[Any]:
    shares = np.arange(1, p.shape[-1] + 1) / p.shape[-1]
    return np.asarray(np.minimum.accumulate((p / shares)[..., ::-1], axis=-1)[..., ::-1])


IN_ORDER: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "bonferroni": lambda p: p * p.shape[-1],
    "holm": lambda p: np.maximum.accumulate(p * np.arange(p.shape[-1], 0, -1), axis=-1),
    "fdr_bh": _bh,
}
"""Usual corrections, of all rows at once, of p-values that rise along the last axis."""


MAX_T: Literal["max-t"] = "max-t"
AUTO: Literal["auto"] = "auto"
Adjust = Correction | Literal["max-t", "auto", "none"] | MaxT | None
"""A correction for many comparisons, or its name; ``"auto"`` is Holm's where the test needs one,
and ``"none"`` is None."""
Parsed = Correction | MaxT | None


def parse_correction(
    adjust: Adjust,
    test: PairedTest | None = None,
    family: Family = "depth",
    *,
    auto: Correction | None = "holm",
) -> Parsed:
    """Return a correction as it is or, of a name, as what it stands for.

    Parameters
    ----------
    adjust
        A correction or its name.
    test
        The test whose p-values it corrects; None for one that is no paired test.
    family
        What is corrected together.
    auto
        What ``"auto"`` is where the test needs a correction.

    Raises
    ------
    ParameterError
        For an unknown correction or family, one of other tests, and any correction of a test that
        allows for all pairs itself.

    Examples
    --------
    >>> from irframe.paired import TukeyHSD
    >>> parse_correction("auto", PairedT()), parse_correction("auto", TukeyHSD())
    ('holm', None)
    """
    chosen: Any = as_written(adjust, {MaxT.__name__: MaxT}) or adjust
    if chosen is not None and not isinstance(chosen, MaxT):
        chosen = choice("adjust=None or a correction", chosen, (*CORRECTIONS, MAX_T, AUTO, NONE))
    if chosen == AUTO:
        chosen = None if test is not None and test.joint else auto
    chosen = MaxT() if chosen == MAX_T else None if chosen == NONE else chosen
    choice("family", family, FAMILIES)
    if chosen is not None and test is not None and test.joint:
        wanted = f"adjust=None, as p-values of {test.name} allow for all pairs already"
        raise ParameterError(wanted, repr(adjust))
    if isinstance(chosen, MaxT) and not isinstance(test, PairedT | Permutation):
        wanted = f"the test t or permutation, whose pairs {MAX_T} corrects"
        raise ParameterError(wanted, "another" if test is None else repr(test))
    parsed: Parsed = chosen
    return parsed


def parse_stepwise(
    adjust: Adjust, test: PairedTest | None = None, *, auto: Correction | None = "holm"
) -> Correction | None:
    """Return a correction as `parse_correction` does, where it can only read p-values.

    Raises
    ------
    ParameterError
        As `parse_correction`, and for max-T, which reads scores.
    """
    correction = parse_correction(adjust, test, auto=auto)
    if isinstance(correction, MaxT):
        raise ParameterError("a correction that reads p-values alone, such as 'holm'", MAX_T)
    return correction


ANOVA: Literal["anova"] = "anova"
"""A test of several systems at once, which only `topics_needed` has."""


@dataclass(frozen=True, repr=False)
class Significance(OptionValue):
    """How a difference between two systems is called significant.

    Every verb that decides pairs takes one as ``test=``. The name of a test is enough where the
    other fields have their defaults. A verb that does not use a field refuses it.

    Parameters
    ----------
    test
        A paired test or its name: ``"t"``, ``"wilcoxon"``, ``"ranksum"``, ``"sign"``,
        ``"permutation"``, ``"bootstrap"``, ``"tukey"``. Tests that resample have their own
        `samples` and `seed`, such as ``irframe.paired.Permutation(samples=999)``. By default that
        of the verb, which is ``"t"`` for all but `outcomes`.
    adjust
        Correction of the p-values for the number of comparisons, one of statsmodels'
        `multipletests`, such as ``"holm"``, ``"bonferroni"``, ``"fdr_bh"``; or ``"max-t"``, a
        `MaxT`, for the tests t and permutation; or ``"none"``, None. ``"auto"`` is Holm's, and none
        for a test that allows for all pairs itself, as ``"tukey"`` does. Verbs that decide nothing
        (`median_p`), or follow a paper that does not correct (`reordering`, `ablation`), take
        ``"auto"`` for none.
    family
        Which comparisons are corrected together: ``"depth"``, those of one metric at one depth in
        one group; ``"metric"``, those of one metric at all its depths in one group; ``"all"``, all
        rows of the result.
    alpha
        Significance level, and one minus the confidence level of intervals, above 0 and below 1.
    over
        What differences are generalised over where systems were run several times: ``"both"``, new
        topics and new repeats; ``"topic"``, new topics for these repeats, on means over them;
        ``"repeat"``, new repeats on these topics. But for ``"topic"``, for the test t alone. Of
        topics that come in tasks, see `design`, ``"task"``: new tasks, of which these are a sample.

    Raises
    ------
    ParameterError
        For an unknown test, correction, family or over, a correction that the test does not allow,
        and an alpha outside (0, 1).

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Significance("permutation", adjust="max-t")
    Significance('permutation', adjust='max-t')
    >>> ir.Significance("tukey", adjust="holm")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: wanted adjust=None, as p-values of tukey allow for all pairs
    already; found 'holm'.
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
        """The test, where there is one."""
        return parse_test(cast("Test", self.test or "t"))

    @classmethod
    def beside(cls, test: Any, adjust: Adjust, alpha: float) -> Self:
        """Return the significance that a test and the options beside it describe.

        Raises
        ------
        ParameterError
            If options stand beside a value that holds them.
        """
        if not isinstance(test, cls):
            return cls(test, adjust=adjust, alpha=alpha)
        if (adjust, alpha) != (cls.adjust, cls.alpha):
            advice = f"change the value: {test!r}"
            wanted = "adjust= and alpha= beside the name of a test, or inside Significance(...)"
            raise ParameterError(wanted, "both", advice)
        return test


Tested = Significance | Test
"""How pairs are decided; the name of a test is enough."""
TestedByMetric = Annotated[Tested, Unused("family")]
"""The same of what corrects the comparisons of one metric at one depth."""
TestedMeans = Annotated[Tested, Unused("over")]
"""The same of a verb that does not count what repeats vary by."""
TestedMeansByMetric = Annotated[Tested, Unused("family", "over")]
TestsByMetric = Annotated[Tested | Sequence[Test], Unused("family", "over")]
"""The same of verbs that do neither."""

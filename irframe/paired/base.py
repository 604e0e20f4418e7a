"""What a paired test is: a value with a kernel over all pairs and depths, whole or by folds."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np

from irframe.arrays import Ends, Floats
from irframe.checks import whole
from irframe.errors import ParameterError
from irframe.names import as_html
from irframe.paired.design import Design
from irframe.paired.pairs import Pairs


class PairedResult(NamedTuple):
    """Evidence that the two systems of a pair differ.

    Parameters
    ----------
    statistic
        Shape (pair, depth); positive where a is ahead of b. Each test says what it is.
    p
        Two-sided p-values, shape (pair, depth), not adjusted for the number of pairs.

    Examples
    --------
    >>> PairedResult(statistic=2.0, p=0.05).p
    0.05
    """

    statistic: Floats
    p: Floats

    def decided(self) -> "PairedResult":
        """Give no p to pairs whose differences are all the same, unless they are 0.

        Their statistic, that of tests which estimate how differences vary, is infinite or, of one
        topic, NaN: nothing says how they vary, and so nothing is shown.

        Examples
        --------
        >>> PairedResult(np.array([2.0, np.inf, 0.0]), np.array([0.2, 0.0, 1.0])).decided().p
        array([0.2, nan, 1. ])
        """
        return PairedResult(self.statistic, np.where(np.isfinite(self.statistic), self.p, np.nan))


@dataclass(frozen=True, kw_only=True)
class PairedTest(ABC):
    """Whether two systems differ, judged from their scores on the same topics.

    A test is a value: its options are its fields, two tests with equal options are equal, and
    its `repr` evaluates back to it. Its `kernel` tests all pairs at all depths.

    Examples
    --------
    >>> from irframe.paired import PairedT, parse_test
    >>> parse_test("t") == PairedT()
    True
    """

    name: ClassVar[str]
    """What `parse_test` calls the test."""
    title: ClassVar[str]
    """What captions call it."""
    _repr_html_ = as_html
    designed: ClassVar[bool] = False
    """Whether it has a form for topics that were drawn together, or count more than others."""
    joint: ClassVar[bool] = False
    """Whether its p-values already allow for all pairs of the systems, and need no correction."""
    inverted: ClassVar[bool] = False
    """Whether it has intervals of its own, of the differences that it does not find significant;
    beside the p-values of others stand Student's."""

    def __post_init__(self) -> None:
        wrong = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.type is bool and not isinstance(getattr(self, field.name), bool)
        ]
        if wrong:
            raise ParameterError("True or False", "", "choose one of the two", wrong)

    @abstractmethod
    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once.

        Parameters
        ----------
        scores
            Shape (system, topic, depth), without NaN.
        pairs
            Shape (pair, 2), positions of systems a and b, as `all_pairs` and `baseline_pairs`
            give; all pairs by default.

        Returns
        -------
        PairedResult
            `statistic` and `p`, each of shape (pair, depth).
        """

    def under(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth, of topics that were drawn so; if `designed`.

        Parameters
        ----------
        design
            How topics were drawn.
        scores, pairs
            As for `kernel`, which tests topics that were drawn independently and count alike.

        Returns
        -------
        PairedResult
            As `kernel` gives it.
        """
        raise NotImplementedError(f"{self!r} has no form for topics that were drawn together")

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return between which values mean differences lie, as the test has it; if `inverted`.

        Parameters
        ----------
        scores, pairs
            As for `kernel`.
        design
            How topics were drawn; by default independently, and all count alike.
        alpha
            One minus the confidence level.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, shape (pair, depth): 0 is outside exactly where p < alpha, but
            for pairs whose differences are all the same.
        """
        raise NotImplementedError(f"{self!r} has no intervals of its own")


@dataclass(frozen=True, kw_only=True)
class Resampling(PairedTest):
    """A test by random draws, the same for every pair and depth.

    Parameters
    ----------
    samples
        How many draws, at least 1.
    seed
        Of the generator of the draws, at least 0; the same seed gives the same p-values.
    """

    samples: int
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("samples", self.samples, low=1)
        whole("seed", self.seed, low=0)

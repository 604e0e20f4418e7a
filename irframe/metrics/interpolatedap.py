"""Interpolated precision averaged over levels of recall."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Metric, parameter
from irframe.metrics.iprec import IPrec


@dataclass(frozen=True, kw_only=True, repr=False)
class InterpolatedAP(Metric):
    """Interpolated precision averaged over levels of recall, by default eleven.

    Parameters
    ----------
    levels
        Levels of recall, each 0 to 1.
    rounding
        How a level becomes a number of documents, as for `IPrec`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean of `IPrec` at 0, 0.1, ..., 1; ``levels=(0.2, 0.5, 0.8)`` is the average over three
    points of early TRECs.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Half of the relevant documents are found, at rank 2: six of eleven levels are reached.

    >>> from irframe.metrics import InterpolatedAP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(InterpolatedAP(), [0, 1], judged=[1, 1]).round(4)
    array([0.    , 0.2727])
    """

    levels: tuple[float, ...] = parameter(tuple(tenth / 10 for tenth in range(11)))
    rounding: str = parameter("up", choices=("up", "nearest"))
    rel: int = parameter(1, low=1, high=127)

    order = "relevance"
    fillings = "cut"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.levels, tuple) or not self.levels:
            raise MetricError("levels of InterpolatedAP, a tuple of numbers", repr(self.levels))
        object.__setattr__(self, "levels", tuple(IPrec(recall=x).recall for x in self.levels))

    def kernel(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the mean interpolated precision of the list cut at each depth."""
        words = {"found": found, "precision": precision, "n_relevant": n_relevant}
        total: Floats = sum(point.kernel(**words) for point in self._points())  # type: ignore[assignment]
        return total / len(self.levels)

    def _points(self) -> list[IPrec]:
        """Return precision at every level, from the highest down as trec_eval adds them up."""
        return [IPrec(recall=level, rounding=self.rounding) for level in sorted(self.levels)[::-1]]

"""Option values: ties, pool, units, searches and stops.

Values: Ties, Pool, Units, Searches, Budget, Threshold, AfterSearches.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd

from irframe import names as words
from irframe.checks import check_int, choice, listed, number
from irframe.errors import DepthError, ParameterError, shortened
from irframe.option_values import OptionValue, Unused
from irframe.stops import AXES

HIGHEST_SEED = (1 << 64) - 1

Contributing = str | Sequence[Hashable] | None
PoolDepth = int | Mapping[Hashable, int] | None
Table = Mapping[Any, Any] | pd.Series | pd.DataFrame
ChunksOf = str | Table | None
"""The document of each chunk: a column of the runs, a regular expression, or a table."""
Copies = Table | None
"""A table document -> representative of its copies. None if documents have no copies."""
Lengths = str | Table | None
"""The length of each unit: a column of the runs, or a table document -> length."""
LaterCopies = Literal["spend", "skip"]
"""Whether later copies keep their ranks ("spend") or are removed ("skip")."""
ThresholdLike = float | Sequence[float] | Mapping[Any, float] | Literal["all"] | None
"""The lowest score that is read: numbers, a number per system, or all scores in the lists."""
CUTS: tuple[words.Cut, ...] = ("whole", "skip", "part")


@dataclass(frozen=True, repr=False)
class Ties(OptionValue):
    """The order of documents with equal scores.

    The parameter `ties` also accepts the rule alone.

    Parameters
    ----------
    ties
        The rule that orders documents with equal scores. ``"trec"``: the greater document id comes
        first, compared by bytes as in trec_eval. ``"doc"``: the smaller document id comes first.
        ``"order"``: the earlier row comes first. ``"random"``: the order is random and depends only
        on system, topic, document and `seed`. ``"mean"``: as ``"trec"``, but tied documents share
        their gain. ``"rank"``: the rank column decides, and scores are ignored. A frame without
        scores is ranked by its rank column.
    dtype
        Precision in which scores are compared: ``"float64"``, or ``"float32"`` as in pytrec_eval
        and in trec_eval up to version 9.0.8.
    seed
        Seed of ``"random"``, a whole number of at least 0.

    Raises
    ------
    ParameterError
        If the rule or the precision is unknown, or the seed is invalid.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Ties("random", seed=3)
    Ties('random', seed=3)
    """

    FLAT: ClassVar[Mapping[str, str]] = {"dtype": "score_dtype"}

    ties: words.TieRule = words.DEFAULT_TIES
    _: KW_ONLY
    dtype: words.ScoreDtype = words.DEFAULT_DTYPE
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the fields."""
        choice("ties", self.ties, words.TIES)
        choice("score_dtype", self.dtype, words.SCORE_DTYPES)
        check_int("seed", self.seed, low=0, high=HIGHEST_SEED)


TiesLike = words.TieRule | Ties
"""A rule for equal scores, or a `Ties`."""


@dataclass(frozen=True, repr=False)
class Pool(OptionValue):
    """The depth of the judged pool, and the contributing systems.

    The parameter `pool` also accepts the depth alone.

    Parameters
    ----------
    depth
        Depth of the pool, or a mapping collection -> depth. The default of each collection is the
        greatest depth down to which all documents of all contributing runs are judged.
    contributing
        The systems whose runs formed the pool: a list, or the name of a boolean column of the runs.
        The default is the column ``contributing``. Without such a column, all systems contribute.

    Raises
    ------
    DepthError
        If a depth is not a whole number of at least 0.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Pool(depth=100, contributing="official")
    Pool(100, contributing='official')
    """

    FLAT: ClassVar[Mapping[str, str]] = {"depth": "pool_depth"}

    depth: PoolDepth = None
    _: KW_ONLY
    contributing: Contributing = None

    def __post_init__(self) -> None:
        """Check the depth."""
        every = self.depth.values() if isinstance(self.depth, Mapping) else [self.depth]
        for depth in every:
            if depth is not None:
                check_int("pool_depth", depth, low=0, error=DepthError)


PoolLike = PoolDepth | Pool
"""The depth of the pool, or a `Pool`."""


@dataclass(frozen=True, repr=False)
class Units(OptionValue):
    """The units retrieved: their documents, lengths and copies.

    The parameter `units` also accepts `of` alone, if it is a string.

    Parameters
    ----------
    of
        The document of each chunk, if chunks were retrieved and documents were judged: a column of
        the runs, a regular expression or a table, as for `irframe.verbs.collapse`. Each document
        counts once, at the position of its first chunk.
    length
        The length (cost) of each unit, such as tokens, characters or seconds. Lengths are at least
        0. Either a column of the runs, or a table document -> length. An `irframe.Budget` needs
        lengths.
    copies
        A dictionary, Series or frame document -> representative of its copies. Only the first copy
        in a list has a gain. The grade of this copy is the highest grade of all copies.
    later_copies
        ``"spend"``: later copies keep their ranks, without a gain. ``"skip"``: later copies are
        removed.

    Raises
    ------
    ParameterError
        If a value is not a column, regular expression or table.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Units(length="tokens"), ir.Units("doc_id")
    (Units(length='tokens'), Units('doc_id'))
    """

    of: ChunksOf = None
    _: KW_ONLY
    length: Lengths = None
    copies: Copies = None
    later_copies: LaterCopies = "spend"

    def __post_init__(self) -> None:
        """Check the fields."""
        choice("later_copies", self.later_copies, ("spend", "skip"))
        for name, text in (("of", "a string, "), ("length", "a column, "), ("copies", "")):
            value = getattr(self, name)
            is_table = isinstance(value, Mapping | pd.Series | pd.DataFrame)
            if value is not None and not is_table and not (text and isinstance(value, str)):
                expected = f"{name} to be {text}a dictionary, a Series or a frame of two columns"
                raise ParameterError(expected, shortened(value))


UnitsLike = str | Units | None
"""The document of each chunk, or a `Units`."""


@dataclass(frozen=True, repr=False)
class Searches(OptionValue):
    """The searches of an agent, and their depth.

    The parameter `search` also accepts the column alone.

    Parameters
    ----------
    search
        The column of the runs that numbers searches: from 1 within each topic, or from 0 in all
        systems. The lists of a topic are read in this order and merged. A document has a gain only
        at its first occurrence, but every occurrence adds its length. The merged list has ranks
        and no scores. A search without results has no rows. If every topic has one search, lists
        do not change.
    each
        Number of documents read per search. Repeated documents are included.

    Raises
    ------
    ParameterError
        If `search` is not a string, or `each` is not a whole number of at least 1.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Searches("turn", each=5)
    Searches('turn', each=5)
    """

    search: str | None
    _: KW_ONLY
    each: int | None = None

    @classmethod
    def column(cls, search: "SearchLike") -> str | None:
        """Return the column that numbers searches, or None."""
        return None if search is None else cls.read(search).search

    def __post_init__(self) -> None:
        """Check the fields."""
        if not isinstance(self.search, str):
            found = "none" if self.search is None else shortened(self.search)
            raise ParameterError("search to be the column that numbers searches", found)
        if self.each is not None:
            check_int("each", self.each, low=1)


SearchLike = str | Searches | None
"""The column that numbers searches, or a `Searches`."""


def _check_positions(along: str, positions: int | Sequence[int]) -> None:
    """Raise unless stops are distinct positive integers."""
    axis = AXES[along]
    option, advice = axis.option, axis.advice
    _each_once(option, [check_int(option, pos, low=1, advice=advice) for pos in listed(positions)])


def _each_once(name: str, stops: Sequence[float]) -> None:
    repeated = sorted({stop for stop in stops if stops.count(stop) > 1})
    if repeated or not stops:
        found = f"{len(repeated)} again" if repeated else "none"
        raise ParameterError(
            f"{name} to have at least one value and no duplicates", found, "", repeated
        )


@dataclass(frozen=True, repr=False)
class Budget(OptionValue):
    """A stop for readers: the total length that is read.

    Parameters
    ----------
    budget
        One or several whole numbers in the unit of lengths. A metric is scored at the depth of the
        last unit that fits, with the full ideal ranking. A metric with its own depth is scored at
        this depth, or at the depth of the last unit that fits if that is smaller. Its ideal ranking
        is cut at its own depth.
    cut
        ``"whole"``: reading ends before the first unit that does not fit. ``"skip"``: units that
        do not fit are skipped. ``"part"``: reading ends inside the first unit that does not fit.
        ``"part"`` requires judgments of spans.

    Raises
    ------
    ParameterError
        If a budget is not a whole number of at least 1, or is repeated.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Budget([500, 1000], cut="skip")
    Budget([500, 1000], cut='skip')
    """

    ALONG: ClassVar[str] = words.BUDGET

    budget: int | Sequence[int]
    _: KW_ONLY
    cut: words.Cut = "whole"

    def __post_init__(self) -> None:
        """Check the fields."""
        choice("cut", self.cut, CUTS)
        _check_positions(self.ALONG, self.budget)


@dataclass(frozen=True, repr=False)
class Threshold(OptionValue):
    """A stop for readers: the lowest score that is read.

    Parameters
    ----------
    threshold
        One or several numbers, in the precision in which scores are compared. ``"all"``: the
        distinct scores in the lists, or 200 evenly spaced ones if there are more. For systems with
        different score scales, a mapping system -> number. A metric is scored at the depth of the
        last score that reaches the threshold, as for `irframe.Budget`.

    Raises
    ------
    ParameterError
        If a threshold is not a number, or is repeated.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.Threshold(0.4)
    Threshold(0.4)
    """

    ALONG: ClassVar[str] = words.THRESHOLD

    threshold: ThresholdLike

    def __post_init__(self) -> None:
        """Check the numbers."""
        threshold: Any = self.threshold
        if isinstance(threshold, str):
            choice("threshold", threshold, ("all",))
        # A Series is ambiguous: its labels may be systems, or only number its values.
        elif isinstance(threshold, pd.Series):
            advice = "pass series.to_dict() for a threshold per system, else series.tolist()"
            raise ParameterError("threshold to be numbers or a dictionary", "a Series", advice)
        elif isinstance(threshold, Mapping):
            for system, least in threshold.items():
                number(f"threshold of {system}", least)
        else:
            _each_once("threshold", [number("threshold", least) for least in listed(threshold)])


@dataclass(frozen=True, repr=False)
class AfterSearches(OptionValue):
    """A stop for readers: the number of searches read.

    Parameters
    ----------
    searches
        One or several whole numbers. If a topic has fewer searches, all of them are read.

    Raises
    ------
    ParameterError
        If a value is not a whole number of at least 1, or is repeated.

    Examples
    --------
    >>> import irframe as ir
    >>> ir.AfterSearches([1, 2])
    AfterSearches([1, 2])
    """

    ALONG: ClassVar[str] = words.SEARCH

    searches: int | Sequence[int]

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_positions(self.ALONG, self.searches)


Stop = Budget | Threshold | AfterSearches
"""The rule by which a reader leaves each list before its end."""
BudgetAlone = Annotated[Budget | None, Unused("cut")]
"""A budget without `cut`, for functions that accept no other stop."""
CopiesAlone = Annotated[Units | None, Unused("of", "length", "later_copies")]
"""Units that set only the field `copies`, for functions that read no other field."""

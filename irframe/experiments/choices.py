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
"""The highest seed of random tie-breaking. `random_keys` writes seeds as 16 hexadecimal digits."""

Contributing = str | Sequence[Hashable] | None
PoolDepth = int | Mapping[Hashable, int] | None
Table = Mapping[Any, Any] | pd.Series | pd.DataFrame
ChunksOf = str | Table | None
"""A column of the runs, a regular expression or a table that maps each chunk to its document."""
Copies = Table | None
"""A table that maps each copy of a document to one representative. None if there are no copies."""
Lengths = str | Table | None
"""A column of the runs with the length of each unit, or a table that maps documents to lengths."""
LaterCopies = Literal["spend", "skip"]
"""Whether later copies of a document keep their ranks ("spend") or are removed ("skip")."""
ThresholdLike = float | Sequence[float] | Mapping[Any, float] | Literal["all"] | None
"""The lowest score at which a user still reads a document.

The value is a number, several numbers, a mapping from systems to numbers, or "all" for all scores
in lists.
"""
CUTS: tuple[words.Cut, ...] = ("whole", "skip", "part")


@dataclass(frozen=True, repr=False)
class Ties(OptionValue):
    """The order of documents with equal scores.

    The parameter `ties` of other functions also accepts the rule as a string.

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
        Seed of the random order, an integer of at least 0. Only the rule ``"random"`` uses the
        seed.

    Raises
    ------
    ParameterError
        If the rule for ties or the precision is unknown, or the seed is invalid.

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

    The parameter `pool` of other functions also accepts the depth as a number.

    Parameters
    ----------
    depth
        Depth of the pool, or a mapping from collections to depths. The default depth of each
        collection is the greatest depth down to which all documents of all contributing runs are
        judged.
    contributing
        A list of the systems whose runs formed the pool, or the name of a boolean column of the
        runs that marks their rows. The default is the column ``contributing``. If the runs have no
        column ``contributing``, all systems contribute.

    Raises
    ------
    DepthError
        If a depth is not an integer of at least 0.

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
        depths = self.depth.values() if isinstance(self.depth, Mapping) else [self.depth]
        for depth in depths:
            if depth is not None:
                check_int("pool_depth", depth, low=0, error=DepthError)


PoolLike = PoolDepth | Pool
"""The depth of the pool, or a `Pool`."""


@dataclass(frozen=True, repr=False)
class Units(OptionValue):
    """Documents, lengths and copies of the retrieved units.

    The parameter `units` of other functions also accepts the value of `of` if it is a string.

    Parameters
    ----------
    of
        A column of the runs, a regular expression or a table that maps each chunk to its document,
        as in `irframe.verbs.collapse`. `of` is needed if chunks were retrieved and documents were
        judged. Each document counts once, at the position of its first chunk.
    length
        A column of the runs with the length of each unit, or a table that maps documents to
        lengths. A length is the cost of reading a unit, in tokens, characters or seconds, and at
        least 0. The stop rule `irframe.Budget` needs lengths.
    copies
        A dictionary, Series or frame that maps each copy of a document to one representative. Only
        the first copy in a list has a gain. The first copy gets the highest grade of all copies.
    later_copies
        ``"spend"``: later copies keep their ranks but have no gain. ``"skip"``: later copies are
        removed.

    Raises
    ------
    ParameterError
        If the value of a field is neither a table nor a string that the field accepts.

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
"""A `Units`, or the value of its field `of` if the value is a string."""


@dataclass(frozen=True, repr=False)
class Searches(OptionValue):
    """The column that numbers an agent's searches, and their depth.

    The parameter `search` of other functions also accepts the name of the column.

    Parameters
    ----------
    search
        The column of the runs that numbers searches within each topic. The numbering starts at 1,
        or at 0 in all systems. The lists of a topic are read in the order of searches and merged. A
        document has a gain only at its first occurrence, but every occurrence adds its length. The
        merged list has ranks and no scores. A search without results has no rows. If every topic
        has only one search, lists do not change.
    each
        Number of documents read per search. Repeated documents are counted each time. The default
        is to read all documents.

    Raises
    ------
    ParameterError
        If `search` is not a string, or `each` is not an integer of at least 1.

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
            got = "none" if self.search is None else shortened(self.search)
            raise ParameterError("search to be the name of the column that numbers searches", got)
        if self.each is not None:
            check_int("each", self.each, low=1)


SearchLike = str | Searches | None
"""A `Searches`, or the name of the column that numbers searches."""


def _check_positions(along: str, positions: int | Sequence[int]) -> None:
    """Raise unless stops are distinct positive integers."""
    axis = AXES[along]
    option = axis.option
    advice = axis.advice
    _each_once(option, [check_int(option, pos, low=1, advice=advice) for pos in listed(positions)])


def _each_once(name: str, stops: Sequence[float]) -> None:
    repeated = sorted({stop for stop in stops if stops.count(stop) > 1})
    if repeated or not stops:
        got = "repeated values" if repeated else "none"
        raise ParameterError(
            f"{name} to have at least one value and no duplicates", got, "", repeated
        )


@dataclass(frozen=True, repr=False)
class Budget(OptionValue):
    """A stop rule that limits the total length read.

    Parameters
    ----------
    budget
        One or several integers in the unit of lengths. A metric without a cutoff is scored at the
        depth of the last unit that fits, and its ideal ranking is not cut. A metric with a cutoff
        is scored at its cutoff, or at the last unit that fits if this unit comes earlier. The
        ideal ranking of a metric with a cutoff is cut at the cutoff.
    cut
        ``"whole"``: reading ends before the first unit that does not fit. ``"skip"``: units that
        do not fit are skipped. ``"part"``: reading ends inside the first unit that does not fit.
        ``"part"`` requires judgments of spans.

    Raises
    ------
    ParameterError
        If a budget is not an integer of at least 1, or is repeated.

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
    """A stop rule that sets the lowest score read.

    Parameters
    ----------
    threshold
        One or several numbers, which are rounded to the precision in which scores are compared.
        ``"all"`` stands for the distinct scores in the lists, or for 200 evenly spaced scores if
        the lists contain more. If systems have different score scales, pass a mapping from systems
        to numbers. A metric is scored at the depth of the last document whose score reaches the
        threshold. Cutoffs of metrics are handled as by `irframe.Budget`.

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
        threshold: object = self.threshold
        if isinstance(threshold, str):
            choice("threshold", threshold, ("all",))
        # A Series is ambiguous: its index may contain systems, or only the positions of its values.
        elif isinstance(threshold, pd.Series):
            advice = "pass series.to_dict() for a threshold per system, else series.tolist()"
            raise ParameterError(
                "threshold to be a number, a sequence of numbers or a dictionary",
                "a Series",
                advice,
            )
        elif isinstance(threshold, Mapping):
            for system, least in threshold.items():
                number(f"threshold of {system}", least)
        else:
            _each_once("threshold", [number("threshold", least) for least in listed(threshold)])


@dataclass(frozen=True, repr=False)
class AfterSearches(OptionValue):
    """A stop rule that limits the number of searches read.

    Parameters
    ----------
    searches
        One or several integers. If a topic has fewer searches, all its searches are read.

    Raises
    ------
    ParameterError
        If a number is not an integer of at least 1, or is repeated.

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
"""A rule that decides where a user stops reading each list."""
BudgetAlone = Annotated[Budget | None, Unused("cut")]
"""A `Budget` without `cut`, for functions that accept no other stop rule."""
CopiesAlone = Annotated[Units | None, Unused("of", "length", "later_copies")]
"""A `Units` with only the field `copies`, for functions that use no other field."""

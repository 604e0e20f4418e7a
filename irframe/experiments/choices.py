"""How an experiment is built, and where reading stops, as checked values.

Values: Ties, Pool, Units, Searches, Budget, Threshold, AfterSearches.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd

from irframe import names as words
from irframe.checks import choice, listed, number, whole
from irframe.errors import DepthError, ParameterError, shortened
from irframe.option_values import OptionValue, Unused
from irframe.stops import AXES

HIGHEST_SEED = (1 << 64) - 1

Contributing = str | Sequence[Hashable] | None
PoolDepth = int | Mapping[Hashable, int] | None
Table = Mapping[Any, Any] | pd.Series | pd.DataFrame
ChunksOf = str | Table | None
"""Which document a chunk is of: a column of the runs, a pattern, or a table."""
Copies = Table | None
"""Document -> the one that stands for it."""
Lengths = str | Table | None
"""A column of the runs, or document -> length."""
LaterCopies = Literal["spend", "skip"]
"""Whether a copy of what stands above it keeps its rank."""
ThresholdLike = float | Sequence[float] | Mapping[Any, float] | Literal["all"] | None
"""The least score that is read: numbers, a number of each system, or all that lists have."""
CUTS: tuple[words.Cut, ...] = ("whole", "skip", "part")


@dataclass(frozen=True, repr=False)
class Ties(OptionValue):
    """How rankings are decided: a rule for equal scores, their precision, a seed.

    A function that has `ties` takes the rule alone as well.

    Parameters
    ----------
    ties
        Who comes first among equal scores. ``"trec"``: the greater document id, by bytes, as
        trec_eval. ``"doc"``: the smaller one. ``"order"``: the earlier row. ``"rank"``: the
        rank column decides alone and scores are ignored. ``"random"``: chance, drawn for every
        system, topic and document by `seed` and by nothing else. ``"mean"``: as ``"trec"``, to be
        scored with shared gain. A frame without scores is ranked by its rank column.
    dtype
        ``"float64"``, or ``"float32"`` to tie what pytrec_eval and trec_eval to 9.0.8 tie.
    seed
        Seed of ``"random"``, a whole number from 0, so that the same call gives the same order.

    Raises
    ------
    ParameterError
        For an unknown rule or precision, or a seed that is no whole number from 0.

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
        whole("seed", self.seed, low=0, high=HIGHEST_SEED)


TiesLike = words.TieRule | Ties
"""A rule for equal scores, or all of how rankings are decided."""


@dataclass(frozen=True, repr=False)
class Pool(OptionValue):
    """What was judged: how deep the pool is, and whose runs made it.

    A function that has `pool` takes the depth alone as well.

    Parameters
    ----------
    depth
        Depth of the pool, or a mapping collection -> depth; by default the greatest depth down
        to which every document of every contributing run is judged, in each collection.
    contributing
        The systems whose runs made the pool: a list, or the name of a boolean column of the runs;
        by default the column ``contributing`` if there is one, else all systems.

    Raises
    ------
    DepthError
        For a depth that is no whole number from 0.

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
                whole("pool_depth", depth, low=0, error=DepthError)


PoolLike = PoolDepth | Pool
"""The depth of the pool, or all that is known of it."""


@dataclass(frozen=True, repr=False)
class Units(OptionValue):
    """What a hit is: which document it is of, what it costs, and of what it is a copy.

    A function that has `units` takes `of` alone as well, where it is a text.

    Parameters
    ----------
    of
        Which document each chunk is of, where documents are judged and chunks were retrieved: a
        column of the runs, a pattern or a table, as for `irframe.verbs.collapse`. A document
        stands at its first chunk, and is counted once.
    length
        What each unit costs (tokens, characters, seconds), from 0: a column of the runs, or
        document -> length. An `irframe.Budget` needs it.
    copies
        Document -> the one that stands for it, as a dictionary, a Series or a frame: only the
        first of them in a list has a gain, the highest of their grades.
    later_copies
        ``"spend"``: the others keep their ranks, and gain nothing. ``"skip"``: they are taken out.

    Raises
    ------
    ParameterError
        For what is no column, pattern or table.

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
        for name, text in (("of", "a text, "), ("length", "a column, "), ("copies", "")):
            value = getattr(self, name)
            is_table = isinstance(value, Mapping | pd.Series | pd.DataFrame)
            if value is not None and not is_table and not (text and isinstance(value, str)):
                wanted = f"{name}=, {text}a dictionary, a Series or a frame of two columns"
                raise ParameterError(wanted, shortened(value))


UnitsLike = str | Units | None
"""What a hit is, or the document that each chunk is of."""


@dataclass(frozen=True, repr=False)
class Searches(OptionValue):
    """Which column numbers the searches of an agent, and how much of each search was read.

    A function that has `search` takes the column alone as well.

    Parameters
    ----------
    search
        The column of the runs that numbers the searches of a topic, from 1 or all from 0: what an
        agent saw. Lists are read one after the other, each document where it came first, which
        has an order and no scores. What comes again has its length again, and no gain. A search
        that found nothing has no rows; where all lists are of one search nothing changes.
    each
        How many documents of each search are read, before those seen before are left out.

    Raises
    ------
    ParameterError
        For what is no column, or no whole number from 1.

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
        """Return the column that numbers searches, None where no searches are told."""
        return None if search is None else cls.read(search).search

    def __post_init__(self) -> None:
        """Check the fields."""
        if not isinstance(self.search, str):
            found = "none" if self.search is None else shortened(self.search)
            raise ParameterError("search=, the column that numbers searches", found)
        if self.each is not None:
            whole("each", self.each, low=1)


SearchLike = str | Searches | None
"""The column that numbers searches, and perhaps how many documents of each are read."""


def _whole_places(along: str, places: Any) -> None:
    """Refuse stops that are no integers from 1, or repeated."""
    axis = AXES[along]
    _each_once(
        axis.option,
        [whole(axis.option, place, low=1, advice=axis.advice) for place in listed(places)],
    )


def _each_once(name: str, places: list[Any]) -> None:
    again = sorted({stop for stop in places if places.count(stop) > 1})
    if again or not places:
        found = f"{len(again)} again" if again else "none"
        raise ParameterError(f"{name}=, each once", found, "", again)


@dataclass(frozen=True, repr=False)
class Budget(OptionValue):
    """Where reading stops: how much text is read.

    Parameters
    ----------
    budget
        A whole number in the unit of lengths, or several. A metric is that at the depth down to
        which units fit, by the whole ideal ranking; one with a depth of its own is read to the
        nearer of the two, by the ideal of its depth.
    cut
        ``"whole"``: reading ends before the first unit that does not fit. ``"skip"``: it goes on
        with those that do. ``"part"``: what fits of that unit is read; for judgments by spans.

    Raises
    ------
    ParameterError
        For budgets that are no whole numbers from 1, or come twice.

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
        _whole_places(self.ALONG, self.budget)


@dataclass(frozen=True, repr=False)
class Threshold(OptionValue):
    """Where reading stops: the least score that is read.

    Parameters
    ----------
    threshold
        A number or several, in the precision in which scores are compared; or ``"all"`` scores
        that lists have (200 of more, evenly by rank); or system -> number, for systems whose
        scores are on different scales. A metric is that at the depth down to which scores reach
        it, as for `irframe.Budget`.

    Raises
    ------
    ParameterError
        For thresholds that are no numbers, or come twice.

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
        given: Any = self.threshold
        if isinstance(given, str):
            choice("threshold", given, ("all",))
        elif isinstance(given, pd.Series):  # whose labels may say of which systems they are
            advice = "threshold=series.to_dict() for one of each system, series.tolist() for all"
            raise ParameterError("threshold= that says of what it is", "a Series", advice)
        elif isinstance(given, Mapping):
            for system, least in given.items():
                number(f"threshold of {system}", least)
        else:
            _each_once("threshold", [number("threshold", least) for least in listed(given)])


@dataclass(frozen=True, repr=False)
class AfterSearches(OptionValue):
    """Where reading stops: after how many searches.

    Parameters
    ----------
    searches
        A whole number or several. A topic with fewer searches stays where its last one ended.

    Raises
    ------
    ParameterError
        For what is no whole number from 1, or comes twice.

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
        _whole_places(self.ALONG, self.searches)


Stop = Budget | Threshold | AfterSearches
"""Where reading of every list stops, if at no depth."""
BudgetAlone = Annotated[Budget | None, Unused("cut")]
"""Budgets of whole units, where no other stop is of use."""
CopiesAlone = Annotated[Units | None, Unused("of", "length", "later_copies")]
"""Which documents are copies, where nothing else is read of units."""

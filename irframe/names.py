"""Names of dimensions, columns and attributes, and marks among grades.

Frames are recognised by the roles of their columns. A role has one canonical name, which arrays
use, and several aliases, which other tools use. Frames that verbs return keep the caller's names.
"""

import inspect
import re
from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, get_args

from irframe.escaping import html

VERSION = "0.1.0"

SYSTEM = "system"
TOPIC = "topic"
DEPTH = "depth"
METRIC = "metric"
DOC = "doc"
SCORE = "score"
RANK = "rank"
GRADE = "grade"
ITERATION = "iteration"
SUBTOPIC = "subtopic"
STRATUM = "stratum"
PROBABILITY = "probability"
NUGGET = "nugget"
IMPORTANCE = "importance"
ASSIGNMENT = "assignment"

GROUP = "group"
"""Name of the groups if they are passed as an unnamed mapping."""
REPEAT = "repeat"
"""Dimension of repeats, such as seeds, passes of a judge or variations of a query."""
SHARD = "shard"
"""Name of the repeats that `split` makes by dividing the documents."""
OWN_REPEATS = (REPEAT, "seed", "trial", "checkpoint", "fold")
"""Names of columns that number the repeats of a system."""
REPEATS_IN_TOPICS = ("variation", "sample")
"""Names of columns that number repeats within a topic. Topics may have different numbers of
repeats."""
REPEAT_NAMES = (*OWN_REPEATS, "epoch", "pass", *REPEATS_IN_TOPICS, SHARD)
"""Names of all columns of repeats. Such a column is used if it distinguishes duplicate rows."""
REPEATS, REPEATED = "repeats", "repeated"
"""Attributes of scores: the kind of repeats, and the caller's name for repeats."""
Layout = Literal["system", "shared", "topic"]
"""Whether repeats differ for each system, are shared by all systems, or differ for each topic."""
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
CHUNKS = ("chunk", "chunk_id", "segment_id", "node_id")
"""Columns that name chunks of documents."""
START, END, SET = "start", "end", "set"
BORDERS: dict[str, tuple[str, ...]] = {
    START: ("start", "start_index", "start_char_idx"),
    END: ("end", "end_index", "end_char_idx"),
}
"""Names of columns with the first position of a span of text, and with the position after its
end."""
DRAWN = "drawn"
"""Attribute of scores: how topics were drawn."""
OF_REFERENCE = "n_topics", "n_topics_reference"
"""Attributes of a result: the number of topics of the scores, and of the reference scores. They
exist if the numbers differ."""
P_VALUES = "p_values"
"""Attribute of shares of pairs: whether their p-values are corrected."""
CAUTION = "caution"
"""Attribute of a result: its cautions, which tables and reports print."""
UNKNOWN = "nothing_judged"
"""Attribute of scores: the systems that retrieved no judged document."""
NO_VERDICT = "no verdict"
"""The verdict on a pair with a system that retrieved no judged document."""
BUDGET = "budget"
"""Dimension that replaces depth: the budget, which is the amount of text that a user reads."""
LENGTH = "length"
"""Name of the lengths, or other costs, of retrieved documents."""
BUDGETS = "budgets"
"""Attribute of scores at budgets: the unit of the budgets, and the value of `Cut`."""
GIVEN_RESAMPLES = "given resamples"
"""Name of a bootstrap test whose resamples the caller passed."""
ORDERINGS = "orderings"
"""Attribute of a result: the significance test for innate orderings."""
DIRECTION = "direction"
"""Attribute of a result: the assumed direction of unknown metrics."""
LOWER = "lower"
"""Attribute of scores: unknown metrics for which lower is better."""
UNIT = "unit"
"""Coordinate of systems: what a system retrieves, such as documents or chunks."""
UNITS = "units_of"
"""Attribute of a frame of scores: pairs of system and unit, if runs have units."""
THRESHOLD, THRESHOLDS = "threshold", "thresholds"
"""Dimension that replaces depth: the lowest score of a document that a user reads. The attribute
has the same meaning."""
SEARCH, SEARCHES = "search", "searched_by"
"""Dimension that replaces depth: the number of searches. The attribute names the column of
searches."""
Cut = Literal["whole", "skip", "part"]
"""What happens to the first unit that exceeds a budget."""

BOUND = "bound"
"""Dimension of the lowest and the highest possible score."""
PAIR, SIDES = "pair", ("system_a", "system_b")
"""Dimension of pairs of systems, and the columns of the two systems."""
JUDGES = ("judge_a", "judge_b")
"""Columns that name the two judges of a pair."""

ALIASES: dict[str, tuple[str, ...]] = {
    SYSTEM: ("system", "name", "run", "run_id", "runid", "tag", "variant", "model"),
    TOPIC: ("topic", "qid", "query_id", "q_id", "query-id", "query"),
    DOC: (
        *("doc", "docno", "doc_id", "docid", "corpus-id", "corpus_id", "pid", "document"),
        *("chunk", "chunk_id"),
    ),
    SCORE: ("score",),
    RANK: ("rank", "position"),
    GRADE: ("grade", "label", "relevance", "rel"),
    ITERATION: ("iteration",),
    SUBTOPIC: ("subtopic", "intent", "aspect", "set"),
    STRATUM: ("stratum",),
    PROBABILITY: ("probability",),
    NUGGET: ("nugget", "nugget_id", "text"),
    IMPORTANCE: ("importance",),
    ASSIGNMENT: ("assignment", "support"),
}
"""Role -> accepted names, the canonical one first."""
_ROLES = [(role, name) for role, names in ALIASES.items() for name in reversed(names)]
"""Pairs of role and name. The canonical name comes last, so that it takes precedence."""

PARTS = (*chain(*BORDERS.values()), *CHUNKS, *ALIASES[SUBTOPIC])
"""Columns whose values distinguish several rows of the same document."""
LISTED_SCORE = "listed_score"
"""Column of scores that do not determine the ranking, because the order of the list does."""
LAST_RESORTS = frozenset({"variant", "model", "query", "document", "position", "chunk", "chunk_id"})
"""Column names that often have another meaning. Such a column has a role only if no other column
has the same role."""

METRICS = "metrics"
"""Attribute of a frame of scores: the columns that are metrics."""

SURPLUS = "columns_surplus"
"""Attribute of a frame that was read from files: system -> numbers of the skipped columns."""

JUDGMENTS = "judgments_digest"
"""Attribute of scores and results: number and digest of the judgments."""

FILES = "files"
"""Attribute of a frame that was read from files: their names, sizes and modification times."""

PROBLEMS = "problems"
"""Attribute of a frame that was read from files: the errors in skipped files."""

NAMESPACES = ("metrics", "verbs", "paired", "gains", "agreements", "plots")
"""Modules of `irframe` with public names."""
COLLECTION = "collection"
"""Attribute of cubes and scores: the coordinate or column of collections."""
TOPICS_OF = "topics_of"
"""Attribute of a frame of scores: pairs of collection and topics."""

RESULT = "result"
"""Attribute of a frame or array: the verb that returned it."""
SCORE_VERBS = frozenset(
    (
        *("evaluate", "score", "standardise", "bounds", "tie_ranges", "score_nuggets", "design"),
        *("losses", "select_top"),
    )
)
"""Verbs that return scores per system and topic, with the direction of the metric.

Other verbs return values over systems and topics that do not rank systems.
"""

TieRule = Literal["trec", "doc", "order", "rank", "random", "mean", "block"]
"""Rule for the order of documents with equal scores."""
TIES: tuple[TieRule, ...] = get_args(TieRule)
DEFAULT_TIES: TieRule = "trec"
ScoreDtype = Literal["float64", "float32"]
"""Precision in which scores are compared."""
SCORE_DTYPES: tuple[ScoreDtype, ...] = get_args(ScoreDtype)
DEFAULT_DTYPE: ScoreDtype = "float64"
NoRel = Literal["zero", "nan", "silence"]
"""Score of topics without relevant documents, unless a metric defines it."""
NO_RELS: tuple[NoRel, ...] = get_args(NoRel)

EMPTY = -(1 << 15)
"""Mark in an array of grades: no document was retrieved at this rank."""
UNJUDGED = EMPTY + 1
"""Mark in an array of grades: the document at this rank was never judged."""
LOWEST_GRADE, HIGHEST_GRADE = EMPTY + 2, (1 << 15) - 1
"""Lowest and highest grade of an assessor. The two integers below the lowest grade are `UNJUDGED`
and `EMPTY`."""


def roles(columns: Iterable[Hashable]) -> dict[str, Hashable]:
    """Return the column for each role.

    The canonical name comes first, then the aliases in the order of `ALIASES`, then names that
    differ by case.

    Parameters
    ----------
    columns
        The column names of a frame.

    Returns
    -------
    dict
        Role -> column name, for the roles that some column has.

    Examples
    --------
    >>> roles(["qid", "docno", "score", "price"])
    {'topic': 'qid', 'doc': 'docno', 'score': 'score'}
    """
    return dict(_roles_of(tuple(columns)))


@lru_cache(maxsize=256)
def _roles_of(columns: tuple[Hashable, ...]) -> dict[str, Hashable]:
    """Return the column for each role."""
    present = {*columns}
    lower = {name.lower(): name for name in present if isinstance(name, str)}
    by_case: dict[str, Hashable] = {role: lower[name] for role, name in _ROLES if name in lower}
    return by_case | {role: name for role, name in _ROLES if name in present}


_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, such as controls and lone surrogates."""


def printable(value: object) -> Any:
    """Replace characters in nested texts that XML does not allow.

    Examples
    --------
    >>> printable({"system": ["bm25", chr(1) + "a"]})
    {'system': ['bm25', '�a']}
    """
    if isinstance(value, str):
        return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return dict(zip(map(printable, value), map(printable, value.values()), strict=True))
    return list(map(printable, value)) if isinstance(value, list | tuple) else value


def as_html(value: object) -> str:
    """Return the code and description of a value as HTML.

    Examples
    --------
    >>> import irframe as ir
    >>> as_html(ir.gains.Linear())
    '<code>Linear(top=None)</code>: Gain proportional to the grade, 1 for the top grade.'
    """
    meaning = (inspect.getdoc(type(value)) or "").partition("\n\n")[0]
    return f"<code>{html(repr(value))}</code>: {html(' '.join(meaning.split()))}"


def plural(noun: str) -> str:
    """Return the plural of a noun.

    Examples
    --------
    >>> plural("seed"), plural("pass")
    ('seeds', 'passes')
    """
    return noun + ("es" if noun.endswith(("s", "ch")) else "s")


def low_to_high(low: int, high: int) -> str:
    """Return a range as text, or its only number.

    Examples
    --------
    >>> low_to_high(3, 16), low_to_high(16, 16)
    ('3 to 16', '16')
    """
    return f"{high}" if low == high else f"{low} to {high}"


def counted(count: int | str, noun: str) -> str:
    """Return a number and its noun, such as "2 topics".

    Examples
    --------
    >>> counted(1, "topic"), counted("3 to 16", "topic")
    ('1 topic', '3 to 16 topics')
    """
    return f"{count} {noun if str(count) == '1' else plural(noun)}"

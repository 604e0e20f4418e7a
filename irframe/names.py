"""Names of dimensions, columns and attributes, and special grades.

Frames are recognised by the roles of their columns, such as topic and document. A role has one
canonical name, which arrays use, and several aliases, which other tools use. Frames that irframe
returns have the same column names as the input.
"""

import inspect
import re
from collections.abc import Hashable, Iterable, Mapping
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
"""Name of the column or dimension of groups if groups are passed as a mapping without a name."""
REPEAT = "repeat"
"""Dimension of repeats, such as seeds, passes of a judge or variations of a query."""
SHARD = "shard"
"""Name of repeats that are parts of the collection, made by `split`."""
OWN_REPEATS = (REPEAT, "seed", "trial", "checkpoint", "fold")
"""Names of columns that number the repeats of a system."""
REPEATS_IN_TOPICS = ("variation", "sample")
"""Names of columns that number the repeats of a topic. Topics may have different numbers of
repeats."""
REPEAT_NAMES = (*OWN_REPEATS, "epoch", "pass", *REPEATS_IN_TOPICS, SHARD)
"""Names of all columns of repeats. Such a column counts as repeats only if rows would be duplicates
without it."""
REPEATS = "repeats"
"""Attribute of scores: the kind of repeats."""
REPEATED = "repeated"
"""Attribute of scores: the name of the column of repeats in the input."""
Layout = Literal["system", "shared", "topic"]
"""Kind of repeats: separate repeats of each system, repeats shared by all systems, or separate
repeats of each topic."""
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
CHUNKS = ("chunk", "chunk_id", "segment_id", "node_id")
"""Names of columns with the ids of chunks of documents."""
START = "start"
END = "end"
SET = "set"
BORDERS: dict[str, tuple[str, ...]] = {
    START: ("start", "start_index", "start_char_idx"),
    END: ("end", "end_index", "end_char_idx"),
}
"""Names of columns with the start of a text span, and with the position after the end of the
span."""
DRAWN = "drawn"
"""Attribute of scores: the sampling design of topics."""
OF_REFERENCE = "n_topics", "n_topics_reference"
"""Attributes of a result: the number of topics of the scores, and the number of topics of the
reference. The attributes exist only if the topics may differ."""
P_VALUES = "p_values"
"""Attribute of results about all pairs: a string that states whether p-values are corrected."""
CAUTION = "caution"
"""Attribute of a result: its cautions, which tables and reports print."""
UNKNOWN = "nothing_judged"
"""Attribute of scores: the systems that retrieved no judged document."""
NO_VERDICT = "no verdict"
"""Text in place of a verdict if one system of a pair retrieved no judged document."""
BUDGET = "budget"
"""Dimension that replaces depth: the budget, which is the amount of text that a user reads."""
LENGTH = "length"
"""Name of the values of retrieved documents that a budget limits: lengths or other costs."""
BUDGETS = "budgets"
"""Attribute of scores at budgets: a string with the unit of budgets and the policy for the first
document that exceeds a budget."""
GIVEN_RESAMPLES = "given resamples"
"""Name of the bootstrap test in a result if the user passed the resamples."""
ORDERINGS = "orderings"
"""Attribute of a result: the significance test for innate orderings."""
DIRECTION = "direction"
"""Attribute of a result: whether lower or higher is assumed to be better for unknown metrics."""
LOWER = "lower"
"""Attribute of scores: unknown metrics for which lower is better."""
UNIT = "unit"
"""Coordinate of systems: the retrieved unit, such as documents or chunks."""
UNITS = "units_of"
"""Attribute of a frame of scores: pairs of a system and its retrieved unit, if runs have units."""
THRESHOLD = "threshold"
"""Dimension that replaces depth: the lowest score of a document that a user reads."""
THRESHOLDS = "thresholds"
"""Attribute of scores at thresholds: the name of the score that thresholds are compared with."""
SEARCH = "search"
"""Dimension that replaces depth: the number of searches."""
SEARCHES = "searched_by"
"""Attribute of scores after searches: the name of the column of searches."""
Cut = Literal["whole", "skip", "part"]
"""Policy for the first document that exceeds a budget."""

BOUND = "bound"
"""Dimension with two labels: the lower and the upper bound of a score."""
PAIR = "pair"
"""Dimension of pairs of systems."""
SIDES = ("system_a", "system_b")
"""Columns that name the two systems of a pair."""
JUDGES = ("judge_a", "judge_b")
"""Columns that name the two judges of a pair of judges."""

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
"""Mapping from roles to names of columns, with the canonical name first."""
_ROLES = [(role, name) for role, names in ALIASES.items() for name in reversed(names)]
"""Pairs of a role and a name. The canonical name comes last, so that it takes precedence."""

PARTS = (*chain(*BORDERS.values()), *CHUNKS, *ALIASES[SUBTOPIC])
"""Columns that distinguish several rows of one document, such as chunks or subtopics."""
LISTED_SCORE = "listed_score"
"""Column of scores that are kept although the order of the list determines the ranking."""
LAST_RESORTS = frozenset({"variant", "model", "query", "document", "position", "chunk", "chunk_id"})
"""Column names that often have another meaning. Such a column has a role only if no other column
has the same role."""

METRICS = "metrics"
"""Attribute of a frame of scores: the columns that are metrics."""

SURPLUS = "columns_surplus"
"""Attribute of runs that were read from files: a mapping from systems to the numbers of skipped
columns."""

JUDGMENTS = "judgments_digest"
"""Attribute of scores and results: a string with the number of judgments and their digest."""

FILES = "files"
"""Attribute of a frame that was read from files: the names, sizes and modification times of the
files."""

PROBLEMS = "problems"
"""Attribute of a frame that was read from files: the errors in skipped files."""

NAMESPACES = ("metrics", "verbs", "paired", "gains", "agreements", "plots")
"""Modules of `irframe` with public names."""
COLLECTION = "collection"
"""Attribute of cubes and scores: the name of the coordinate or column with collections."""
TOPICS_OF = "topics_of"
"""Attribute of a frame of scores: pairs of a collection and a list of its topics."""

Attributes = Mapping[Any, Any]
"""The attributes (`attrs`) of a pandas or xarray object, whose values may have any type."""
RESULT = "result"
"""Attribute of a frame or array: the name of the function or method that returned the object."""
SCORE_VERBS = frozenset(
    (
        *("evaluate", "score", "standardise", "bounds", "tie_ranges", "score_nuggets", "design"),
        *("losses", "select_top"),
    )
)
"""Functions that return scores by system and topic, by which systems can be ranked.

Values by system and topic from all other functions do not rank systems.
"""

TieRule = Literal["trec", "doc", "order", "rank", "random", "mean", "block"]
"""Tie policy: the rule that orders documents with equal scores."""
TIES: tuple[TieRule, ...] = get_args(TieRule)
DEFAULT_TIES: TieRule = "trec"
ScoreDtype = Literal["float64", "float32"]
"""Floating-point type in which scores of documents are compared."""
SCORE_DTYPES: tuple[ScoreDtype, ...] = get_args(ScoreDtype)
DEFAULT_DTYPE: ScoreDtype = "float64"
NoRel = Literal["zero", "nan", "silence"]
"""Policy for the score of topics without relevant documents, if the metric defines no score."""
NO_RELS: tuple[NoRel, ...] = get_args(NoRel)

# both are below every grade, so no relevance threshold accepts them, and one comparison with
# UNJUDGED finds all judged documents
EMPTY = -(1 << 15)
"""Special grade in arrays: no document was retrieved at this rank."""
UNJUDGED = EMPTY + 1
"""Special grade in arrays: the document at this rank was not judged."""
LOWEST_GRADE = EMPTY + 2
"""Lowest valid grade of a judgment. The two integers below are `UNJUDGED` and `EMPTY`."""
HIGHEST_GRADE = (1 << 15) - 1
"""Highest valid grade of a judgment."""


def roles(columns: Iterable[Hashable]) -> dict[str, Hashable]:
    """Map roles to the columns of a frame.

    If several columns fit a role, the canonical name takes precedence, then the aliases in the
    order of `ALIASES`, then names that differ by case.

    Parameters
    ----------
    columns
        The column names of a frame.

    Returns
    -------
    dict
        Mapping from roles to column names. Roles without a column are omitted.

    Examples
    --------
    >>> roles(["qid", "docno", "score", "price"])
    {'topic': 'qid', 'doc': 'docno', 'score': 'score'}
    """
    # a copy, because callers may change the dictionary and the cache must not change
    return dict(_roles_of(tuple(columns)))


@lru_cache(maxsize=256)
def _roles_of(columns: tuple[Hashable, ...]) -> dict[str, Hashable]:
    """Map roles to columns, as `roles` describes."""
    present = {*columns}
    lower = {name.lower(): name for name in present if isinstance(name, str)}
    by_case: dict[str, Hashable] = {role: lower[name] for role, name in _ROLES if name in lower}
    return by_case | {role: name for role, name in _ROLES if name in present}


_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Pattern for characters that XML 1.0 does not allow, such as control characters."""


def printable(value: object) -> Any:
    """Replace characters in nested data that XML does not allow.

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


def counted(count: int | str, noun: str) -> str:
    """Return a number and its noun, such as "2 topics".

    Examples
    --------
    >>> counted(1, "topic"), counted("3 to 16", "topic")
    ('1 topic', '3 to 16 topics')
    """
    return f"{count} {noun if str(count) == '1' else plural(noun)}"

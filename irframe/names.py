"""The words: dimensions, columns, the aliases accepted on input, and the marks inside a cube.

Frames are recognised by the role of their columns. A role has one canonical name, used by
every array, and a few aliases that other tools write; a frame that comes back from a verb
keeps the names its caller uses.
"""

import inspect
import re
from collections.abc import Hashable, Iterable
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
"""What groups are called that came as a mapping without a name."""
REPEAT = "repeat"
"""Dimension of repeats: seeds, passes of a judge, variations of a query."""
SHARD = "shard"
"""What repeats are called that `split` makes of documents."""
OWN_REPEATS = (REPEAT, "seed", "trial", "checkpoint", "fold")
"""What a column of repeats of a system may be called."""
REPEAT_NAMES = (*OWN_REPEATS, "epoch", "pass", "variation", "sample", SHARD)
"""What one of any kind may be called, where it tells rows apart that are else the same."""
REPEATS, REPEATED = "repeats", "repeated"
"""Attributes of scores: what a repeat is, and what the caller calls repeats."""
Layout = Literal["system", "shared", "topic"]
"""What a repeat is a draw of."""
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
CHUNKS = ("chunk", "chunk_id", "segment_id", "node_id")
"""Columns that name a part of a document."""
START, END, SET = "start", "end", "set"
BORDERS: dict[str, tuple[str, ...]] = {
    START: ("start", "start_index", "start_char_idx"),
    END: ("end", "end_index", "end_char_idx"),
}
"""What columns are called that say where a span of text begins and ends, half open."""
DRAWN = "drawn"
"""The attribute of scores that says, by topic, how topics were drawn."""
OF_REFERENCE = "n_topics", "n_topics_reference"
"""Attributes of a result: how many topics each side has, where these are not the same."""
P_VALUES = "p_values"
"""Attribute of shares of pairs: whether the p-values that they rest on are corrected."""
CAUTION = "caution"
"""The attribute of a result that says what to beware of; tables and reports print it."""
UNKNOWN = "nothing_judged"
"""The attribute of scores that names systems of which no retrieved document is judged."""
NO_VERDICT = "no verdict"
"""What is said of a pair one of whose systems is such a one."""
BUDGET = "budget"
"""Dimension in place of depth: how much text is read."""
LENGTH = "length"
"""What is told of the documents of lists: what each one costs."""
BUDGETS = "budgets"
"""Attribute of scores at budgets: in what these are counted, and what fits into one."""
GIVEN_RESAMPLES = "given resamples"
"""What stands for a bootstrap test by resamples of the caller."""
ORDERINGS = "orderings"
"""Attribute of a result: by which test orderings were compared, beside a metric."""
DIRECTION = "direction"
"""Attribute of a result: which way the scores of unknown metrics were read."""
LOWER = "lower"
"""Attribute of scores: those of which lower is better, whose names do not say so."""
UNIT = "unit"
"""Coordinate of systems, or what scores say: of what their lists are."""
UNITS = "units_of"
"""Attribute of a frame of scores: every system with its unit, as pairs, where runs say it."""
THRESHOLD, THRESHOLDS = "threshold", "thresholds"
"""Dimension in place of depth: the least score that is read; and the attribute that says so."""
SEARCH, SEARCHES = "search", "searched_by"
"""Dimension in place of depth: after how many searches; and the attribute that names their column.
"""
Cut = Literal["whole", "skip", "part"]
"""What becomes of the first unit that a budget has no room for."""

BOUND = "bound"
"""Dimension of a lower and an upper score."""
PAIR, SIDES = "pair", ("system_a", "system_b")
"""Dimension of pairs of systems, and what names the systems of a pair."""
JUDGES = ("judge_a", "judge_b")
"""What names the judges of a pair."""

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
"""Role -> names accepted for it, the canonical one first."""
_ROLES = [(role, name) for role, names in ALIASES.items() for name in reversed(names)]
"""Each role beside each of its names, the canonical one last, so that it wins."""

PARTS = (*chain(*BORDERS.values()), *CHUNKS, *ALIASES[SUBTOPIC])
"""Columns that tell parts of a document apart."""
LISTED_SCORE = "listed_score"
"""Column of the scores beside lists whose order decides; it plays no role."""
LAST_RESORTS = frozenset({"variant", "model", "query", "document", "position", "chunk", "chunk_id"})
"""Names that often hold something else, read where no other column has the role."""

METRICS = "metrics"
"""Attribute of a frame of scores: the columns that are metrics."""

SURPLUS = "columns_surplus"
"""Attribute of a frame that was read: system -> numbers of columns of its file passed over."""

JUDGMENTS = "judgments_digest"
"""Attribute of scores and results: how many judgments they rest on, and a number that tells them
from others."""

FILES = "files"
"""Attribute of a frame that was read: name, size and time of change of its files."""

PROBLEMS = "problems"
"""Attribute of a frame that was read: what is wrong with the files that were left out."""

NAMESPACES = ("metrics", "verbs", "paired", "gains", "agreements", "plots")
"""Modules of `irframe` that hold public names."""
TOPICS_OF = "topics_of"
"""Attribute of a frame of scores: every collection with its topics, as pairs."""

RESULT = "result"
"""Attribute of a frame or array: the verb that returned it."""
SCORE_VERBS = frozenset(
    (
        *("evaluate", "score", "standardise", "bounds", "tie_ranges", "score_nuggets", "design"),
        *("losses", "select_top"),
    )
)
"""Verbs that return scores per system and topic, larger or smaller is better as for the metric.

What other verbs return over systems and topics is no score, and systems are not ranked by it.
"""

TieRule = Literal["trec", "doc", "order", "rank", "random", "mean", "block"]
"""How equal scores are put in an order."""
TIES: tuple[TieRule, ...] = get_args(TieRule)
DEFAULT_TIES: TieRule = "trec"
ScoreDtype = Literal["float64", "float32"]
"""The precision in which scores are equal."""
SCORE_DTYPES: tuple[ScoreDtype, ...] = get_args(ScoreDtype)
DEFAULT_DTYPE: ScoreDtype = "float64"
NoRel = Literal["zero", "nan", "silence"]
"""What a topic without relevant documents scores, where a metric does not say."""
NO_RELS: tuple[NoRel, ...] = get_args(NoRel)

EMPTY = -(1 << 15)
"""Mark in an array of grades: no document was retrieved at this rank."""
UNJUDGED = EMPTY + 1
"""Mark in an array of grades: the document at this rank was never judged."""
LOWEST_GRADE, HIGHEST_GRADE = EMPTY + 2, (1 << 15) - 1
"""The grades an assessor may use; the two values below are marks."""


def roles(columns: Iterable[Hashable]) -> dict[str, Hashable]:
    """Find which column plays which role.

    The canonical name wins; otherwise the first alias in the order of `ALIASES`; otherwise one of
    them in capitals.

    Parameters
    ----------
    columns
        The column names of a frame.

    Returns
    -------
    dict
        Role -> the caller's column name, only for the roles found.

    Examples
    --------
    >>> roles(["qid", "docno", "score", "price"])
    {'topic': 'qid', 'doc': 'docno', 'score': 'score'}
    """
    present = {*columns}
    lower = {name.lower(): name for name in present if isinstance(name, str)}
    found: dict[str, Hashable] = {role: lower[name] for role, name in _ROLES if name in lower}
    return found | {role: name for role, name in _ROLES if name in present}


_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 may hold: control characters, lone surrogates, and two that are none."""


def printable(said: Any) -> Any:
    """Return what is to be drawn, a text or texts in lists and dictionaries, as XML may hold it.

    Examples
    --------
    >>> printable({"system": ["bm25", chr(1) + "a"]})
    {'system': ['bm25', '�a']}
    """
    if isinstance(said, str):
        return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", said)
    if isinstance(said, dict):
        return {printable(key): printable(value) for key, value in said.items()}
    return [*map(printable, said)] if isinstance(said, list | tuple) else said


def as_html(value: Any) -> str:
    """Return what a notebook shows of a value: how to write it, and what it is.

    Examples
    --------
    >>> import irframe as ir
    >>> as_html(ir.gains.Linear())
    '<code>Linear(top=None)</code>: Gain in proportion to the grade, 1 for the top grade.'
    """
    meaning = (inspect.getdoc(type(value)) or "").partition("\n\n")[0]
    return f"<code>{html(repr(value))}</code>: {html(' '.join(meaning.split()))}"


def plural(word: str) -> str:
    """Return several of what repeats are called.

    Examples
    --------
    >>> plural("seed"), plural("pass")
    ('seeds', 'passes')
    """
    return word + ("es" if word.endswith(("s", "ch")) else "s")


def low_to_high(low: int, high: int) -> str:
    """Return the ends between which numbers are, or the one that all of them are.

    Examples
    --------
    >>> low_to_high(3, 16), low_to_high(16, 16)
    ('3 to 16', '16')
    """
    return f"{high}" if low == high else f"{low} to {high}"


def counted(count: int | str, word: str) -> str:
    """Return a number and what it counts.

    Examples
    --------
    >>> counted(1, "topic"), counted("3 to 16", "topic")
    ('1 topic', '3 to 16 topics')
    """
    return f"{count} {word if str(count) == '1' else plural(word)}"

"""Odd runs and judgments, and a reference scorer.

A case is a small experiment with one odd feature: a run and judgments as rows of plain values.
Tests pass every case to every reader of `properties.readers` and `properties.file_readers`.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

TAKE, REFUSE, ASK = "take", "refuse", "ask"
"""Rules for the readers of a case. TAKE: the reader must return the scores of the reference scorer.
REFUSE: the reader must raise an error. ASK: the reader may do either."""
Rows = list[dict[str, Any]]
NAN = math.nan


@dataclass(frozen=True)
class Case:
    """A run, judgments, and the rule for reading them.

    Keys of a row are roles of columns, or names of further columns.
    """

    name: str
    rule: str
    run: Rows
    judged: Rows
    called: dict[str, str] = field(default_factory=dict)  # mapping from a role to its column
    empty: tuple[Any, ...] = ()  # topics with an empty list
    unjudged: tuple[Any, ...] = ()  # topics without a judged document
    twice: str = ""  # name of a column that occurs twice

    def write(self, rows: Rows) -> Rows:
        """Return rows with roles replaced by column names."""
        return [{self.called.get(key, key): row[key] for key in row} for row in rows]


ROLES = ("system", "topic", "doc", "rank", "score", "grade")
PLAIN_RUN = [
    ("q1", "a", 3.5),
    ("q1", "b", 2.5),
    ("q1", "c", 1.5),
    ("q2", "b", 2.25),
    ("q2", "a", 1.25),
    ("q2", "d", 0.5),
]
PLAIN_JUDGED = [("q1", "a", 0), ("q1", "b", 1), ("q1", "c", 2), ("q2", "a", 1), ("q2", "d", 0)]


def run(
    rows=PLAIN_RUN, *, topics=None, docs=None, scores=None, ranks=None, keep=True, **more
) -> Rows:
    """Return rows of a run, optionally with other values."""
    topics, docs, rows_of_run = topics or {}, docs or {}, []
    for index, (topic, doc, score) in enumerate(rows):
        row = {"topic": topics.get(topic, topic), "doc": docs.get(doc, doc)}
        if ranks is not None:
            row["rank"] = ranks[index]
        if keep:
            row["score"] = score if scores is None else scores[index]
        rows_of_run.append(row | {key: values[index] for key, values in more.items()})
    return rows_of_run


def judged(rows=PLAIN_JUDGED, *, topics=None, docs=None, grades=None, **more) -> Rows:
    """Return rows of judgments, optionally with other values."""
    topics, docs = topics or {}, docs or {}
    return [
        {
            "topic": topics.get(topic, topic),
            "doc": docs.get(doc, doc),
            "grade": grade if grades is None else grades[index],
        }
        | {key: values[index] for key, values in more.items()}
        for index, (topic, doc, grade) in enumerate(rows)
    ]


def with_ids(name, rule, *, topics=None, docs=None, only=None) -> Case:
    """Return a case with odd topic or document ids."""
    sides = {"run": run, "judged": judged}
    ids = {
        side: make(topics=topics, docs=docs) if only in (None, side) else make()
        for side, make in sides.items()
    }
    return Case(name, rule, ids["run"], ids["judged"])


def grades(name, rule, values) -> Case:
    """Return a case with odd grades."""
    return Case(name, rule, run(), judged(grades=values))


def scores(name, rule, values, **more) -> Case:
    """Return a case with odd scores."""
    return Case(name, rule, run(scores=values, **more), judged())


def ranks(name, rule, values, *, keep=False) -> Case:
    """Return a case with odd ranks, by default without scores."""
    return Case(name, rule, run(ranks=values, keep=keep), judged())


def systems(name: str, rule=TAKE) -> Case:
    """Return a case of two systems named in a column.

    The rule says whether readers must recognise the column by its name.
    """
    second = [(topic, doc + "z", score) for topic, doc, score in PLAIN_RUN]
    both = [row | {"system": "A"} for row in run()] + [row | {"system": "B"} for row in run(second)]
    return Case(f"system in column {name}", rule, both, judged(), called={"system": name})


def named(name: str, first: Any, second: Any, rule: str) -> Case:
    """Return a case of two systems with the given names."""
    second_run = [(topic, doc + "z", score) for topic, doc, score in PLAIN_RUN]
    both = [row | {"system": first} for row in run()] + [
        row | {"system": second} for row in run(second_run)
    ]
    return Case(f"system {name}", rule, both, judged())


def beside(name, rule, /, *, called=None, **more) -> Case:
    """Return a case whose run has additional columns."""
    return Case(name, rule, run(**more), judged(), called=called or {})


TWO_NUMBERS = {"q1": 1, "q2": 2}
NUMBERS = {"a": 11, "b": 12, "c": 13, "d": 14}
TEXTS = {"a": "11", "b": "12", "c": "13", "d": "14"}
WORDS = {"a": "alpha 1", "b": "beta 2", "c": "gamma 0", "d": "delta 1"}
TITLES = ["One", "Two", "Three", "Four", "Five", "Six"]

CASES = [
    Case("plain", TAKE, run(), judged()),
    # cases of ids: readers compare ids exactly, as text, and refuse missing ids
    with_ids("id integers", TAKE, topics=TWO_NUMBERS, docs=NUMBERS),
    # a file cannot distinguish 11 from '11', so frames do not either
    Case("id integers in the run, text in judgments", TAKE, run(docs=NUMBERS), judged(docs=TEXTS)),
    # ids of mixed types cannot be sorted or compared
    with_ids("id of two types", REFUSE, docs={"a": 11}),
    with_ids("id of another type, last of a list", REFUSE, docs={"c": 11}, only="run"),
    with_ids("id of another type in judgments", REFUSE, docs={"c": 11}, only="judged"),
    # if ids were converted to text, two documents would have the same id
    with_ids("id 11 beside '11'", REFUSE, docs={"a": 11, "b": "11"}),
    # pandas converts 11 to 11.0 if other ids of the column are missing
    with_ids("id floats", TAKE, docs={"a": 11.0, "b": 12.0, "c": 13.0, "d": 14.0}),
    Case(
        "id floats in the run, integers in judgments",
        TAKE,
        run(docs={key: float(n) for key, n in NUMBERS.items()}),
        judged(docs=NUMBERS),
    ),
    # boolean ids are always a mistake of the caller
    with_ids("id booleans", REFUSE, docs={"a": True, "b": False}),
    with_ids(
        "id above 2**63",
        TAKE,
        docs={"a": 2**63 + 1, "b": 2**63 + 3, "c": 2**63 + 5, "d": 2**63 + 7},
    ),
    with_ids("id with a space", TAKE, docs={"b": "page 12", "c": "page 7"}),
    with_ids("id with a space, topics", TAKE, topics={"q1": "star wars", "q2": "star trek"}),
    with_ids("id all with a space", TAKE, docs={d: f"page {n}" for d, n in NUMBERS.items()}),
    with_ids("id of a word and a number", TAKE, docs=WORDS),
    Case(
        "id of a word and a number, a hit each",
        TAKE,
        run([("q1", "page 12", 2.5), ("q2", "page 12", 2.5)]),
        judged([("q1", "page 12", 1), ("q2", "page 7", 1)]),
    ),
    with_ids("id of a word and a number, topics", TAKE, topics={"q1": "alpha 1", "q2": "beta 2"}),
    with_ids("id with a tab", TAKE, docs={"b": "page\t12"}),
    with_ids("id with a new line", TAKE, docs={"b": "page\n12"}),
    with_ids("id with a carriage return", TAKE, docs={"b": "page\r12"}),
    with_ids("id with a space before it", TAKE, docs={"b": " b", "c": "b"}),
    with_ids("id with a no-break space", TAKE, docs={"b": "page\u00a012"}),
    with_ids("id with a line separator", TAKE, docs={"b": "page\u202812"}),
    # a zero byte is an ordinary character of an id
    with_ids("id with a zero byte", TAKE, docs={"b": "page\0", "c": "page"}),
    with_ids("id with quotes and commas", TAKE, docs={"b": 'a "b", c'}),
    with_ids("id with a quote and a comma", TAKE, docs={"b": 'a"b,c'}),
    with_ids("id that begins with a quote", TAKE, docs={"b": '"b', "c": "b"}),
    with_ids("id with zeros before it", TAKE, docs={"b": "007", "c": "7"}),
    with_ids(
        "id text of digits",
        TAKE,
        docs={d: str(n) for d, n in NUMBERS.items()},
        topics={"q1": "1", "q2": "2"},
    ),
    with_ids("id NA", TAKE, docs={"b": "NA", "c": "nan"}),
    with_ids("id text None", TAKE, docs={"b": "None", "c": "null"}),
    with_ids("id 1e5 and 100000", TAKE, docs={"b": "1e5", "c": "100000"}),
    with_ids("id true", TAKE, docs={"b": "True", "c": "true"}),
    with_ids("id of two unicode forms", TAKE, docs={"b": "\u00e9", "c": "e\u0301"}),
    # UTF-8 cannot encode a lone surrogate
    with_ids("id with a lone surrogate", REFUSE, docs={"b": "b\ud800"}),
    with_ids("id document #", TAKE, docs={"b": "#b"}),
    with_ids("id topic #", TAKE, topics={"q2": "#2"}),
    with_ids("id topic called topic", TAKE, topics={"q1": "topic", "q2": "qid"}),
    with_ids("id empty document", REFUSE, docs={"b": ""}),
    with_ids("id empty topic", REFUSE, topics={"q2": ""}),
    with_ids("id None, first of a list", REFUSE, docs={"a": None}, only="run"),
    with_ids("id None, last of a list", REFUSE, docs={"c": None}, only="run"),
    with_ids("id NaN, last of a list", REFUSE, docs={"c": NAN}, only="run"),
    with_ids("id None in judgments", REFUSE, docs={"b": None}, only="judged"),
    with_ids("id None topic", REFUSE, topics={"q2": None}, only="run"),
    with_ids("id NaN topic in judgments", REFUSE, topics={"q2": NAN}, only="judged"),
    # cases of grades: grades are integers in any notation, and booleans mean relevant or not
    grades("grade booleans", TAKE, [False, True, True, True, False]),
    grades("grade 1.0", TAKE, [0.0, 1.0, 2.0, 1.0, 0.0]),
    grades("grade text 1", TAKE, ["0", "1", "2", "1", "0"]),
    grades("grade text 1.0", TAKE, ["0.0", "1.0", "2.0", "1.0", "0.0"]),
    grades("grade text +1", TAKE, ["0", "+1", "+2", "+1", "0"]),
    # no program writes grades in this notation
    grades("grade text 1e2", REFUSE, ["0", "1e2", "1", "1", "0"]),
    # values read from files may be text
    grades("grade text beside numbers", TAKE, [0, 1, "2", 1, 0]),
    grades("grade True beside numbers", TAKE, [0, True, 2, 1, 0]),
    grades(
        "grade decimals", TAKE, [Decimal(0), Decimal(1), Decimal("2.0"), Decimal(1), Decimal(0)]
    ),
    grades(
        "grade small unsigned",
        TAKE,
        [np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(1), np.uint8(0)],
    ),
    # a document with a negative grade is judged, and not relevant
    grades("grade -1", TAKE, [-1, 1, 2, 1, 0]),
    grades("grade 40000", REFUSE, [0, 1, 40000, 1, 0]),
    grades("grade 0.5", REFUSE, [0.0, 0.5, 2.0, 1.0, 0.0]),
    grades("grade NaN", REFUSE, [0.0, NAN, 2.0, 1.0, 0.0]),
    grades("grade None", REFUSE, [0, None, 2, 1, 0]),
    grades("grade inf", REFUSE, [0.0, 1.0, math.inf, 1.0, 0.0]),
    grades("grade 2**70", REFUSE, [0, 1, 2**70, 1, 0]),
    grades("grade text yes", REFUSE, ["no", "yes", "yes", "yes", "no"]),
    grades("grade text with blanks", TAKE, [" 0", "1 ", " 2", "1", "0"]),
    grades("grade empty text", REFUSE, ["0", "", "2", "1", "0"]),
    grades("grade text 1_0", REFUSE, ["0", "1_0", "2", "1", "0"]),
    # cases of scores: infinity can be sorted like any number
    scores("score inf", TAKE, [math.inf, 2.5, 1.5, 2.25, 1.25, 0.5]),
    # the document with -inf is last in its list
    scores("score -inf", TAKE, [3.5, 2.5, -math.inf, 2.25, 1.25, 0.5]),
    # NaN cannot be sorted
    scores("score NaN", REFUSE, [3.5, NAN, 1.5, 2.25, 1.25, 0.5]),
    # None cannot be sorted
    scores("score None", REFUSE, [3.5, None, 1.5, 2.25, 1.25, 0.5]),
    # values read from files may be text
    scores("score text 1.5", TAKE, ["3.5", "2.5", "1.5", "2.25", "1.25", "0.5"]),
    # scores given as text are sorted as numbers, so 10 is above 9
    scores("score text 10 and 9", TAKE, ["10", "9", "8", "10", "9", "8"]),
    scores("score text beside numbers", TAKE, [3.5, 2.5, "1.5", 2.25, 1.25, "0.5"]),
    scores("score decimals beside floats", TAKE, [3.5, 2.5, Decimal("1.5"), 2.25, 1.25, 0.5]),
    scores("score True beside numbers", REFUSE, [3.5, 2.5, True, 2.25, 1.25, 0.5]),
    # a comma is not a decimal point
    scores("score text 1,5", REFUSE, ["3,5", "2,5", "1,5", "2,25", "1,25", "0,5"]),
    # only Python allows underscores in numbers
    scores("score text 1_5", REFUSE, ["3_5", "2_5", "1_5", "2_25", "1_25", "0_5"]),
    # a number above the range of floats would become inf and tie with others
    scores("score text 1e400", REFUSE, ["1e401", "1e400", "1.5", "2.25", "1.25", "0.5"]),
    scores("score 10**400", REFUSE, [10**401, 10**400, 1, 3, 2, 1]),
    # as floats, the two integers are equal
    scores("score 2**53+1 beside 2**53", REFUSE, [2**53 + 1, 2**53, 1, 2**53, 2**53 + 1, 1]),
    # as floats, the two integers are equal
    scores("score near 2**64", REFUSE, [2**64 - 1, 2**64 - 2, 1, 2**64 - 2, 2**64 - 1, 1]),
    # -0.0 equals 0.0, so the two documents are tied
    scores("score -0.0 beside 0.0", TAKE, [3.5, 0.0, -0.0, 2.25, 1.25, 0.5]),
    scores(
        "score decimals", TAKE, [Decimal(s) for s in ("3.5", "2.5", "1.5", "2.25", "1.25", "0.5")]
    ),
    # as floats, the two scores are equal
    scores(
        "score decimals closer than floats",
        REFUSE,
        [
            Decimal("1.00000000000000000001"),
            Decimal(1),
            Decimal(0),
            Decimal(3),
            Decimal(2),
            Decimal(1),
        ],
    ),
    scores("score booleans", REFUSE, [True, False, False, True, False, False]),
    scores("score float32", TAKE, [*np.array([3.5, 2.5, 1.5, 2.25, 1.25, 0.5], "f4")]),
    # complex numbers cannot be sorted
    scores("score complex", REFUSE, [3.5 + 0j, 2.5, 1.5, 2.25, 1.25, 0.5]),
    scores("score text yes", REFUSE, ["yes", "no", "no", "yes", "no", "no"]),
    # scores that increase with rank may be distances
    scores("score rises down every list", ASK, [0.25, 1.25, 2.25, 0.5, 1.5, 2.5]),
    # cases of rows: a list must not contain a document twice
    Case("row repeated in the run", REFUSE, run([*PLAIN_RUN, ("q1", "b", 2.5)]), judged()),
    # a list must not contain a document twice
    Case("row repeated with another score", REFUSE, run([*PLAIN_RUN, ("q1", "b", 0.25)]), judged()),
    # the judgments of MS MARCO v2 contain repeated rows
    Case("row repeated in judgments", TAKE, run(), judged([*PLAIN_JUDGED, ("q1", "b", 1)])),
    # the two grades of the document contradict each other
    Case("row judged twice, otherwise", REFUSE, run(), judged([*PLAIN_JUDGED, ("q1", "b", 0)])),
    # rows may be in any order
    Case(
        "rows of a topic in two blocks",
        TAKE,
        run([PLAIN_RUN[i] for i in (0, 3, 1, 4, 2, 5)]),
        judged([PLAIN_JUDGED[i] for i in (0, 3, 1, 4, 2)]),
    ),
    Case("one row", TAKE, run([("q1", "a", 1.5)]), judged([("q1", "a", 1)])),
    # all lists are empty, and a warning names them
    Case("no rows in the run", TAKE, [], judged()),
    # no judged document is left
    Case("no rows in judgments", REFUSE, run(), []),
    # no judged document is left
    Case("no rows at all", REFUSE, [], []),
    # a system that retrieves nothing for a topic scores 0
    Case("topic whose list is empty", TAKE, run(PLAIN_RUN[:3]), judged(), empty=("q2",)),
    # a system that retrieves nothing for a topic scores 0
    Case("topic, the only one, whose list is empty", TAKE, [], judged(), empty=("q1",)),
    # a missing list counts as empty, and a warning names the topic
    Case("topic that the run lacks", TAKE, run(PLAIN_RUN[:3]), judged()),
    # a topic without judgments is dropped, and a warning names the topic
    Case("topic that judgments lack", TAKE, run(), judged(PLAIN_JUDGED[:3])),
    # no document is relevant, so all scores are 0
    Case("topic judged with no document", TAKE, run(), judged(PLAIN_JUDGED[:3]), unjudged=("q2",)),
    # the run and the judgments have no topic in common
    Case("topics in none of both", REFUSE, run(topics={"q1": "x1", "q2": "x2"}), judged()),
    # cases of ranks: without scores, documents are sorted by rank
    ranks("rank alone from 1", TAKE, [1, 2, 3, 1, 2, 3]),
    ranks("rank alone from 0", TAKE, [0, 1, 2, 0, 1, 2]),
    # the rows of rank 1 may have been removed
    ranks("rank alone from 2", TAKE, [2, 3, 4, 2, 3, 4]),
    ranks("rank alone with gaps", TAKE, [1, 3, 9, 1, 2, 7]),
    ranks("rank alone, floats", TAKE, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]),
    # ranks may be numbers in text
    ranks("rank alone, text", TAKE, ["1", "2", "3", "1", "2", "3"]),
    ranks("rank alone, 1.5", REFUSE, [1.0, 1.5, 3.0, 1.0, 2.0, 3.0]),
    # two documents with the same rank have no order
    ranks("rank alone, equal ones", REFUSE, [1, 1, 3, 1, 2, 3]),
    # only the order of ranks counts, not their values
    ranks("rank alone, negative", TAKE, [-1, 2, 3, 1, 2, 3]),
    ranks("rank alone, all -1", REFUSE, [-1, -1, -1, -1, -1, -1]),
    ranks("rank alone, NaN", REFUSE, [1.0, NAN, 3.0, 1.0, 2.0, 3.0]),
    # values that decrease down the list look like scores
    ranks("rank alone, falling from 97", REFUSE, [97, 55, 12, 88, 40, 3]),
    # the rows may be out of order, or the values may not be ranks
    ranks("rank alone, late and in no order", ASK, [40, 92, 85] * 2),
    # values that decrease down the list look like scores
    ranks("rank alone, falling below 0", REFUSE, [-1, -2, -3] * 2),
    # documents are sorted by score, not by rank, if there are scores
    ranks("rank against scores", TAKE, [3, 2, 1, 3, 2, 1], keep=True),
    ranks("rank all 0 beside scores", TAKE, [0] * 6, keep=True),
    ranks("rank NaN beside scores", TAKE, [1.0, NAN, 3.0, 1.0, 2.0, 3.0], keep=True),
    # cases of columns: runs may have additional columns
    *map(systems, ["system", "name", "model", "run_id", "tag", "System"]),
    *(systems(name, ASK) for name in ("model_name", "exp", "setup")),
    named("integers", 1, 2, TAKE),
    named("of two types", 1, "b", REFUSE),
    named("with a space", "my run", "your run", TAKE),
    named("alike up to a space", "bm25 one", "bm25 two", TAKE),
    named("None", "A", None, REFUSE),
    named("NaN", "A", NAN, REFUSE),
    named("empty", "A", "", REFUSE),
    beside("column more, numbers", TAKE, bm25=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    beside("column more, texts", TAKE, title=TITLES),
    beside("column text of documents", TAKE, text=TITLES),
    # a column whose value differs in every row cannot name systems
    beside("column name of documents", TAKE, name=TITLES),
    # the column "query" contains texts, because "qid" contains the topics
    beside(
        "column query beside qid", TAKE, called={"topic": "qid"}, query=["what"] * 3 + ["why"] * 3
    ),
    # the column "document" contains texts, because "docno" contains the ids
    beside("column document beside docno", TAKE, called={"doc": "docno"}, document=TITLES),
    beside("column label in a run", TAKE, label=[0, 1, 2, 0, 1, 0]),
    # "doc" is the column name of irframe, so it takes precedence over "docid"
    beside("column doc beside docid", TAKE, docid=[*"uvwxyz"]),
    beside("column set", TAKE, set=["train"] * 3 + ["test"] * 3),
    # hybrid searches record the source of each hit, which does not name a system
    beside("column source that splits lists", TAKE, source=["dense", "sparse"] * 3),
    beside(
        "column names in capitals", TAKE, called={"topic": "Topic", "doc": "Doc", "score": "Score"}
    ),
    beside("column names of PyTerrier", TAKE, called={"topic": "qid", "doc": "docno"}),
    beside("column names of BEIR", TAKE, called={"topic": "query-id", "doc": "corpus-id"}),
    # neither of two columns with the same name takes precedence
    Case("column doc twice", REFUSE, run(), judged(), twice="doc"),
]


# --- the reference scorer ------------------------------------------------------------------------


def number(value: Any) -> Any:
    """Return a value as an exact number."""
    if isinstance(value, str):
        return Decimal(value)
    return int(value) if isinstance(value, bool | np.bool_) else value


def lists_of(rows: Rows) -> dict[Any, dict[Any, list[Any]]]:
    """Map each system to topics, and these to ranked documents.

    Documents with equal scores are in descending order of their ids.
    """
    hits: Any = defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = number(row["score"]) if "score" in row else -number(row["rank"])
        hits[row.get("system", "run")][row["topic"]].append(
            (key, str(row["doc"]).encode("utf-8", "surrogatepass"), row["doc"])
        )
    return {
        system: {
            topic: [doc for _, _, doc in sorted(scored, key=lambda hit: hit[:2], reverse=True)]
            for topic, scored in topics.items()
        }
        for system, topics in hits.items()
    }


def name_of(value: Any) -> str:
    """Return an id as text; whole floats lose their decimals."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def truth(case: Case) -> dict[Any, tuple[float, ...]]:
    """Map (system, topic) to scores computed with loops."""
    grade: Any = defaultdict(dict)
    for row in case.judged:
        grade[name_of(row["topic"])][name_of(row["doc"])] = int(number(row["grade"]))
    for topic in case.unjudged:
        grade[name_of(topic)] = {}
    scores = {}
    for system, lists in (lists_of(case.run) or {"run": {}}).items():
        retrieved = {
            name_of(topic): [name_of(doc) for doc in docs] for topic, docs in lists.items()
        }
        for topic, graded in grade.items():
            hits = [graded.get(doc, 0) for doc in retrieved.get(topic, [])]
            relevant_ranks = [rank for rank, value in enumerate(hits, 1) if value >= 1]
            relevant = sum(value >= 1 for value in graded.values())
            ap = (
                sum(n / rank for n, rank in enumerate(relevant_ranks, 1)) / relevant
                if relevant
                else 0.0
            )
            best = sum(
                max(g, 0) / math.log2(i + 1)
                for i, g in enumerate(sorted(graded.values(), reverse=True), 1)
            )
            dcg = sum(max(g, 0) / math.log2(i + 1) for i, g in enumerate(hits, 1))
            scores[system, topic] = (
                ap,
                1 / relevant_ranks[0] if relevant_ranks else 0.0,
                len(hits),
                dcg / best if best else 0.0,
            )
    return named_alike(scores)


def named_alike(scores: dict[Any, Any]) -> dict[Any, Any]:
    """Return scores with rounded values and text keys.

    If there is only one system, its name is empty.
    """
    several = len({system for system, _ in scores}) > 1
    return {
        (str(system) if several else "", str(topic)): tuple(round(float(v), 9) for v in values)
        for (system, topic), values in scores.items()
    }

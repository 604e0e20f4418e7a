"""What may be odd about runs and judgments, what is to be said of it, and a slow scorer of rows.

A case is a small experiment, a run and judgments as rows of plain values, with one thing that is
odd. Roads, in `laws.roads` and `laws.roads_of_files`, are ways in; a case goes along every road.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

TAKE, REFUSE, ASK = "take", "refuse", "ask"
"""The rule of a case: scores as the slow scorer says; an error; or right scores of roads that know,
and an error that asks of roads that do not."""
Rows = list[dict[str, Any]]
NAN = math.nan


@dataclass(frozen=True)
class Case:
    """A run and judgments, by role; keys that are no role are further columns."""

    name: str
    rule: str
    why: str
    run: Rows
    judged: Rows
    called: dict[str, str] = field(default_factory=dict)  # role -> what its column is called
    empty: tuple[Any, ...] = ()  # topics whose list has no document
    unjudged: tuple[Any, ...] = ()  # topics whose judgments have no document
    twice: str = ""  # a column that stands there twice

    def write(self, rows: Rows) -> Rows:
        """Return rows with the names their columns go by."""
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
    """Return rows of a run with other topics, documents (old -> new), scores, ranks, columns."""
    topics, docs, made = topics or {}, docs or {}, []
    for place, (topic, doc, score) in enumerate(rows):
        row = {"topic": topics.get(topic, topic), "doc": docs.get(doc, doc)}
        if ranks is not None:
            row["rank"] = ranks[place]
        if keep:
            row["score"] = score if scores is None else scores[place]
        made.append(row | {key: values[place] for key, values in more.items()})
    return made


def judged(rows=PLAIN_JUDGED, *, topics=None, docs=None, grades=None, **more) -> Rows:
    """Return rows of judgments, as `run` does."""
    topics, docs = topics or {}, docs or {}
    return [
        {
            "topic": topics.get(topic, topic),
            "doc": docs.get(doc, doc),
            "grade": grade if grades is None else grades[place],
        }
        | {key: values[place] for key, values in more.items()}
        for place, (topic, doc, grade) in enumerate(rows)
    ]


def with_ids(name, rule, why, *, topics=None, docs=None, only=None) -> Case:
    """Return an oddity of ids, in runs and judgments or in one of them."""
    sides = {"run": run, "judged": judged}
    made = {
        side: make(topics=topics, docs=docs) if only in (None, side) else make()
        for side, make in sides.items()
    }
    return Case(name, rule, why, made["run"], made["judged"])


def grades(name, rule, why, values) -> Case:
    """Return an oddity of grades."""
    return Case(name, rule, why, run(), judged(grades=values))


def scores(name, rule, why, values, **more) -> Case:
    """Return an oddity of scores."""
    return Case(name, rule, why, run(scores=values, **more), judged())


def ranks(name, rule, why, values, *, keep=False) -> Case:
    """Return an oddity of ranks, which decide where there are no scores."""
    return Case(name, rule, why, run(ranks=values, keep=keep), judged())


def systems(
    name: str, rule=TAKE, why="two systems are two, whatever their column is called"
) -> Case:
    """Return two systems in a column of some name."""
    second = [(topic, doc + "z", score) for topic, doc, score in PLAIN_RUN]
    both = [row | {"system": "A"} for row in run()] + [row | {"system": "B"} for row in run(second)]
    return Case(f"system in column {name}", rule, why, both, judged(), called={"system": name})


def named(name: str, first: Any, second: Any, rule: str, why: str) -> Case:
    """Return two systems of some names."""
    other = [(topic, doc + "z", score) for topic, doc, score in PLAIN_RUN]
    both = [row | {"system": first} for row in run()] + [
        row | {"system": second} for row in run(other)
    ]
    return Case(f"system {name}", rule, why, both, judged())


def beside(name, rule, why, /, *, called=None, **more) -> Case:
    """Return a run with a further column."""
    return Case(name, rule, why, run(**more), judged(), called=called or {})


EXACT = "ids are text, compared exactly"
MISSING = "a missing id is no id"
WHOLE = "it is the whole number 1, however it is written"
NO_GRADE = "no whole number that a grade may be"
OWN = "other columns are the caller's own"
TWO_NUMBERS = {"q1": 1, "q2": 2}
NUMBERS = {"a": 11, "b": 12, "c": 13, "d": 14}
TEXTS = {"a": "11", "b": "12", "c": "13", "d": "14"}
WORDS = {"a": "alpha 1", "b": "beta 2", "c": "gamma 0", "d": "delta 1"}
TITLES = ["One", "Two", "Three", "Four", "Five", "Six"]

CASES = [
    Case("plain", TAKE, "nothing is odd", run(), judged()),
    # ids
    with_ids("id integers", TAKE, EXACT, topics=TWO_NUMBERS, docs=NUMBERS),
    Case(
        "id integers in the run, text in judgments",
        TAKE,
        "files cannot tell 11 from '11'",
        run(docs=NUMBERS),
        judged(docs=TEXTS),
    ),
    with_ids("id of two types", REFUSE, "cannot be sorted or compared as one kind", docs={"a": 11}),
    with_ids("id of another type, last of a list", REFUSE, "as above", docs={"c": 11}, only="run"),
    with_ids("id of another type in judgments", REFUSE, "as above", docs={"c": 11}, only="judged"),
    with_ids(
        "id 11 beside '11'", REFUSE, "a cast would merge two documents", docs={"a": 11, "b": "11"}
    ),
    with_ids(
        "id floats",
        TAKE,
        "11.0 comes of a column with gaps: 11",
        docs={"a": 11.0, "b": 12.0, "c": 13.0, "d": 14.0},
    ),
    Case(
        "id floats in the run, integers in judgments",
        TAKE,
        "as above",
        run(docs={key: float(n) for key, n in NUMBERS.items()}),
        judged(docs=NUMBERS),
    ),
    with_ids("id booleans", REFUSE, "nobody means these", docs={"a": True, "b": False}),
    with_ids(
        "id above 2**63",
        TAKE,
        EXACT,
        docs={"a": 2**63 + 1, "b": 2**63 + 3, "c": 2**63 + 5, "d": 2**63 + 7},
    ),
    with_ids("id with a space", TAKE, EXACT, docs={"b": "page 12", "c": "page 7"}),
    with_ids("id with a space, topics", TAKE, EXACT, topics={"q1": "star wars", "q2": "star trek"}),
    with_ids("id all with a space", TAKE, EXACT, docs={d: f"page {n}" for d, n in NUMBERS.items()}),
    with_ids("id of a word and a number", TAKE, EXACT, docs=WORDS),
    Case(
        "id of a word and a number, a hit each",
        TAKE,
        EXACT,
        run([("q1", "page 12", 2.5), ("q2", "page 12", 2.5)]),
        judged([("q1", "page 12", 1), ("q2", "page 7", 1)]),
    ),
    with_ids(
        "id of a word and a number, topics", TAKE, EXACT, topics={"q1": "alpha 1", "q2": "beta 2"}
    ),
    with_ids("id with a tab", TAKE, EXACT, docs={"b": "page\t12"}),
    with_ids("id with a new line", TAKE, EXACT, docs={"b": "page\n12"}),
    with_ids("id with a carriage return", TAKE, EXACT, docs={"b": "page\r12"}),
    with_ids("id with a space before it", TAKE, EXACT, docs={"b": " b", "c": "b"}),
    with_ids("id with a no-break space", TAKE, EXACT, docs={"b": "page\u00a012"}),
    with_ids("id with a line separator", TAKE, EXACT, docs={"b": "page\u202812"}),
    with_ids(
        "id with a zero byte", TAKE, "a character like any other", docs={"b": "page\0", "c": "page"}
    ),
    with_ids("id with quotes and commas", TAKE, EXACT, docs={"b": 'a "b", c'}),
    with_ids("id with a quote and a comma", TAKE, EXACT, docs={"b": 'a"b,c'}),
    with_ids("id that begins with a quote", TAKE, EXACT, docs={"b": '"b', "c": "b"}),
    with_ids("id with zeros before it", TAKE, EXACT, docs={"b": "007", "c": "7"}),
    with_ids(
        "id text of digits",
        TAKE,
        EXACT,
        docs={d: str(n) for d, n in NUMBERS.items()},
        topics={"q1": "1", "q2": "2"},
    ),
    with_ids("id NA", TAKE, EXACT, docs={"b": "NA", "c": "nan"}),
    with_ids("id text None", TAKE, EXACT, docs={"b": "None", "c": "null"}),
    with_ids("id 1e5 and 100000", TAKE, EXACT, docs={"b": "1e5", "c": "100000"}),
    with_ids("id true", TAKE, EXACT, docs={"b": "True", "c": "true"}),
    with_ids("id of two unicode forms", TAKE, EXACT, docs={"b": "\u00e9", "c": "e\u0301"}),
    with_ids("id with a lone surrogate", REFUSE, "no text in UTF-8", docs={"b": "b\ud800"}),
    with_ids("id document #", TAKE, EXACT, docs={"b": "#b"}),
    with_ids("id topic #", TAKE, EXACT, topics={"q2": "#2"}),
    with_ids("id topic called topic", TAKE, EXACT, topics={"q1": "topic", "q2": "qid"}),
    with_ids("id empty document", REFUSE, MISSING, docs={"b": ""}),
    with_ids("id empty topic", REFUSE, MISSING, topics={"q2": ""}),
    with_ids("id None, first of a list", REFUSE, MISSING, docs={"a": None}, only="run"),
    with_ids("id None, last of a list", REFUSE, MISSING, docs={"c": None}, only="run"),
    with_ids("id NaN, last of a list", REFUSE, MISSING, docs={"c": NAN}, only="run"),
    with_ids("id None in judgments", REFUSE, MISSING, docs={"b": None}, only="judged"),
    with_ids("id None topic", REFUSE, MISSING, topics={"q2": None}, only="run"),
    with_ids("id NaN topic in judgments", REFUSE, MISSING, topics={"q2": NAN}, only="judged"),
    # grades
    grades("grade booleans", TAKE, "relevant or not", [False, True, True, True, False]),
    grades("grade 1.0", TAKE, WHOLE, [0.0, 1.0, 2.0, 1.0, 0.0]),
    grades("grade text 1", TAKE, WHOLE, ["0", "1", "2", "1", "0"]),
    grades("grade text 1.0", TAKE, WHOLE, ["0.0", "1.0", "2.0", "1.0", "0.0"]),
    grades("grade text +1", TAKE, WHOLE, ["0", "+1", "+2", "+1", "0"]),
    grades("grade text 1e2", REFUSE, "nobody writes a grade so", ["0", "1e2", "1", "1", "0"]),
    grades("grade text beside numbers", TAKE, "files hold nothing but text", [0, 1, "2", 1, 0]),
    grades("grade True beside numbers", TAKE, "1", [0, True, 2, 1, 0]),
    grades(
        "grade decimals",
        TAKE,
        WHOLE,
        [Decimal(0), Decimal(1), Decimal("2.0"), Decimal(1), Decimal(0)],
    ),
    grades(
        "grade small unsigned",
        TAKE,
        WHOLE,
        [np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(1), np.uint8(0)],
    ),
    grades("grade -1", TAKE, "judged, and not relevant", [-1, 1, 2, 1, 0]),
    grades("grade 40000", REFUSE, NO_GRADE, [0, 1, 40000, 1, 0]),
    grades("grade 0.5", REFUSE, NO_GRADE, [0.0, 0.5, 2.0, 1.0, 0.0]),
    grades("grade NaN", REFUSE, NO_GRADE, [0.0, NAN, 2.0, 1.0, 0.0]),
    grades("grade None", REFUSE, NO_GRADE, [0, None, 2, 1, 0]),
    grades("grade inf", REFUSE, NO_GRADE, [0.0, 1.0, math.inf, 1.0, 0.0]),
    grades("grade 2**70", REFUSE, NO_GRADE, [0, 1, 2**70, 1, 0]),
    grades("grade text yes", REFUSE, NO_GRADE, ["no", "yes", "yes", "yes", "no"]),
    grades("grade text with blanks", TAKE, "1", [" 0", "1 ", " 2", "1", "0"]),
    grades("grade empty text", REFUSE, NO_GRADE, ["0", "", "2", "1", "0"]),
    grades("grade text 1_0", REFUSE, NO_GRADE, ["0", "1_0", "2", "1", "0"]),
    # scores
    scores("score inf", TAKE, "an order like any other", [math.inf, 2.5, 1.5, 2.25, 1.25, 0.5]),
    scores("score -inf", TAKE, "the last of its list", [3.5, 2.5, -math.inf, 2.25, 1.25, 0.5]),
    scores("score NaN", REFUSE, "no place in an order", [3.5, NAN, 1.5, 2.25, 1.25, 0.5]),
    scores("score None", REFUSE, "no place in an order", [3.5, None, 1.5, 2.25, 1.25, 0.5]),
    scores(
        "score text 1.5",
        TAKE,
        "files hold nothing but text",
        ["3.5", "2.5", "1.5", "2.25", "1.25", "0.5"],
    ),
    scores(
        "score text 10 and 9",
        TAKE,
        "as above; never sorted as text",
        ["10", "9", "8", "10", "9", "8"],
    ),
    scores("score text beside numbers", TAKE, "as above", [3.5, 2.5, "1.5", 2.25, 1.25, "0.5"]),
    scores(
        "score decimals beside floats", TAKE, "numbers", [3.5, 2.5, Decimal("1.5"), 2.25, 1.25, 0.5]
    ),
    scores("score True beside numbers", REFUSE, "no score", [3.5, 2.5, True, 2.25, 1.25, 0.5]),
    scores(
        "score text 1,5",
        REFUSE,
        "a decimal comma is no number",
        ["3,5", "2,5", "1,5", "2,25", "1,25", "0,5"],
    ),
    scores(
        "score text 1_5",
        REFUSE,
        "Python's underscores are no number elsewhere",
        ["3_5", "2_5", "1_5", "2_25", "1_25", "0_5"],
    ),
    scores(
        "score text 1e400",
        REFUSE,
        "a number beyond floats would tie with inf",
        ["1e401", "1e400", "1.5", "2.25", "1.25", "0.5"],
    ),
    scores("score 10**400", REFUSE, "a number beyond floats", [10**401, 10**400, 1, 3, 2, 1]),
    scores(
        "score 2**53+1 beside 2**53",
        REFUSE,
        "floats merge the two",
        [2**53 + 1, 2**53, 1, 2**53, 2**53 + 1, 1],
    ),
    scores(
        "score near 2**64",
        REFUSE,
        "floats merge the two",
        [2**64 - 1, 2**64 - 2, 1, 2**64 - 2, 2**64 - 1, 1],
    ),
    scores(
        "score -0.0 beside 0.0",
        TAKE,
        "equal numbers tie, by document",
        [3.5, 0.0, -0.0, 2.25, 1.25, 0.5],
    ),
    scores(
        "score decimals",
        TAKE,
        "numbers",
        [Decimal(s) for s in ("3.5", "2.5", "1.5", "2.25", "1.25", "0.5")],
    ),
    scores(
        "score decimals closer than floats",
        REFUSE,
        "a cast would merge them",
        [
            Decimal("1.00000000000000000001"),
            Decimal(1),
            Decimal(0),
            Decimal(3),
            Decimal(2),
            Decimal(1),
        ],
    ),
    scores("score booleans", REFUSE, "no scores", [True, False, False, True, False, False]),
    scores("score float32", TAKE, "numbers", [*np.array([3.5, 2.5, 1.5, 2.25, 1.25, 0.5], "f4")]),
    scores("score complex", REFUSE, "no place in an order", [3.5 + 0j, 2.5, 1.5, 2.25, 1.25, 0.5]),
    scores("score text yes", REFUSE, "no number", ["yes", "no", "no", "yes", "no", "no"]),
    scores(
        "score rises down every list",
        ASK,
        "distances, where a list is in order",
        [0.25, 1.25, 2.25, 0.5, 1.5, 2.5],
    ),
    # rows
    Case(
        "row repeated in the run",
        REFUSE,
        "a document once in a list",
        run([*PLAIN_RUN, ("q1", "b", 2.5)]),
        judged(),
    ),
    Case(
        "row repeated with another score",
        REFUSE,
        "a document once in a list",
        run([*PLAIN_RUN, ("q1", "b", 0.25)]),
        judged(),
    ),
    Case(
        "row repeated in judgments",
        TAKE,
        "MS MARCO v2 has these",
        run(),
        judged([*PLAIN_JUDGED, ("q1", "b", 1)]),
    ),
    Case(
        "row judged twice, otherwise",
        REFUSE,
        "a contradiction",
        run(),
        judged([*PLAIN_JUDGED, ("q1", "b", 0)]),
    ),
    Case(
        "rows of a topic in two blocks",
        TAKE,
        "rows are in any order",
        run([PLAIN_RUN[i] for i in (0, 3, 1, 4, 2, 5)]),
        judged([PLAIN_JUDGED[i] for i in (0, 3, 1, 4, 2)]),
    ),
    Case("one row", TAKE, "an experiment", run([("q1", "a", 1.5)]), judged([("q1", "a", 1)])),
    Case("no rows in the run", TAKE, "empty lists, and it is said", [], judged()),
    Case("no rows in judgments", REFUSE, "nothing is judged", run(), []),
    Case("no rows at all", REFUSE, "nothing is judged", [], []),
    Case(
        "topic whose list is empty",
        TAKE,
        "nothing was found: 0",
        run(PLAIN_RUN[:3]),
        judged(),
        empty=("q2",),
    ),
    Case(
        "topic, the only one, whose list is empty",
        TAKE,
        "nothing was found: 0",
        [],
        judged(),
        empty=("q1",),
    ),
    Case(
        "topic that the run lacks",
        TAKE,
        "an empty list, with a warning",
        run(PLAIN_RUN[:3]),
        judged(),
    ),
    Case(
        "topic that judgments lack",
        TAKE,
        "dropped, with a warning",
        run(),
        judged(PLAIN_JUDGED[:3]),
    ),
    Case(
        "topic judged with no document",
        TAKE,
        "left out",
        run(),
        judged(PLAIN_JUDGED[:3]),
        unjudged=("q2",),
    ),
    Case(
        "topics in none of both",
        REFUSE,
        "ids do not match",
        run(topics={"q1": "x1", "q2": "x2"}),
        judged(),
    ),
    # ranks
    ranks("rank alone from 1", TAKE, "the order of ranks", [1, 2, 3, 1, 2, 3]),
    ranks("rank alone from 0", TAKE, "the order of ranks", [0, 1, 2, 0, 1, 2]),
    ranks("rank alone from 2", TAKE, "some rows were left out", [2, 3, 4, 2, 3, 4]),
    ranks("rank alone with gaps", TAKE, "the order of ranks", [1, 3, 9, 1, 2, 7]),
    ranks("rank alone, floats", TAKE, "whole numbers", [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]),
    ranks("rank alone, text", TAKE, "numbers as text", ["1", "2", "3", "1", "2", "3"]),
    ranks("rank alone, 1.5", REFUSE, "no rank", [1.0, 1.5, 3.0, 1.0, 2.0, 3.0]),
    ranks("rank alone, equal ones", REFUSE, "two in one place", [1, 1, 3, 1, 2, 3]),
    ranks("rank alone, negative", TAKE, "only the order counts", [-1, 2, 3, 1, 2, 3]),
    ranks("rank alone, all -1", REFUSE, "no ranks", [-1, -1, -1, -1, -1, -1]),
    ranks("rank alone, NaN", REFUSE, "no rank", [1.0, NAN, 3.0, 1.0, 2.0, 3.0]),
    ranks("rank alone, falling from 97", REFUSE, "these look like scores", [97, 55, 12, 88, 40, 3]),
    ranks(
        "rank alone, late and in no order", ASK, "rows are sorted, or scored so", [40, 92, 85] * 2
    ),
    ranks("rank alone, falling below 0", REFUSE, "these look like scores", [-1, -2, -3] * 2),
    ranks("rank against scores", REFUSE, "which of both is it?", [3, 2, 1, 3, 2, 1], keep=True),
    ranks("rank all 0 beside scores", TAKE, "scores decide", [0] * 6, keep=True),
    ranks(
        "rank NaN beside scores", TAKE, "scores decide", [1.0, NAN, 3.0, 1.0, 2.0, 3.0], keep=True
    ),
    # columns
    *map(systems, ["system", "name", "model", "run_id", "tag", "System"]),
    *(systems(name, ASK, "is it the system?") for name in ("model_name", "exp", "setup")),
    named("integers", 1, 2, TAKE, "a name like any other"),
    named("of two types", 1, "b", REFUSE, "as for documents"),
    named("with a space", "my run", "your run", TAKE, EXACT),
    named("alike up to a space", "bm25 one", "bm25 two", TAKE, EXACT),
    named("None", "A", None, REFUSE, MISSING),
    named("NaN", "A", NAN, REFUSE, MISSING),
    named("empty", "A", "", REFUSE, MISSING),
    beside("column more, numbers", TAKE, OWN, bm25=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    beside("column more, texts", TAKE, OWN, title=TITLES),
    beside("column text of documents", TAKE, OWN, text=TITLES),
    beside("column name of documents", TAKE, "a name for each row is no system", name=TITLES),
    beside(
        "column query beside qid",
        TAKE,
        "texts of queries",
        called={"topic": "qid"},
        query=["what"] * 3 + ["why"] * 3,
    ),
    beside(
        "column document beside docno",
        TAKE,
        "texts of documents",
        called={"doc": "docno"},
        document=TITLES,
    ),
    beside("column label in a run", TAKE, OWN, label=[0, 1, 2, 0, 1, 0]),
    beside("column doc beside docid", TAKE, "our own word is certain", docid=[*"uvwxyz"]),
    beside("column set", TAKE, OWN, set=["train"] * 3 + ["test"] * 3),
    beside(
        "column source that splits lists",
        TAKE,
        "hybrid searches say where a hit came from",
        source=["dense", "sparse"] * 3,
    ),
    beside(
        "column names in capitals",
        TAKE,
        "a name like any other",
        called={"topic": "Topic", "doc": "Doc", "score": "Score"},
    ),
    beside("column names of PyTerrier", TAKE, "an alias", called={"topic": "qid", "doc": "docno"}),
    beside(
        "column names of BEIR", TAKE, "an alias", called={"topic": "query-id", "doc": "corpus-id"}
    ),
    Case("column doc twice", REFUSE, "which one?", run(), judged(), twice="doc"),
]


# --- what is right --------------------------------------------------------------------------


def number(value: Any) -> Any:
    """Return a number as it is, exact, and text as a decimal."""
    if isinstance(value, str):
        return Decimal(value)
    return int(value) if isinstance(value, bool | np.bool_) else value


def lists_of(rows: Rows) -> dict[Any, dict[Any, list[Any]]]:
    """Return system -> topic -> documents, the best first; equal scores by document, downward."""
    held: Any = defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = number(row["score"]) if "score" in row else -number(row["rank"])
        held[row.get("system", "run")][row["topic"]].append(
            (key, str(row["doc"]).encode("utf-8", "surrogatepass"), row["doc"])
        )
    return {
        system: {
            topic: [doc for _, _, doc in sorted(found, key=lambda hit: hit[:2], reverse=True)]
            for topic, found in topics.items()
        }
        for system, topics in held.items()
    }


def name_of(value: Any) -> str:
    """Return an id as text; 11.0 is 11."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def truth(case: Case) -> dict[Any, tuple[float, ...]]:
    """Return (system, topic) -> scores, by loops over the rows themselves."""
    grade: Any = defaultdict(dict)
    for row in case.judged:
        grade[name_of(row["topic"])][name_of(row["doc"])] = int(number(row["grade"]))
    made = {}
    for system, lists in (lists_of(case.run) or {"run": {}}).items():
        found = {name_of(topic): [name_of(doc) for doc in docs] for topic, docs in lists.items()}
        for topic, graded in grade.items():
            hits = [graded.get(doc, 0) for doc in found.get(topic, [])]
            places = [place for place, value in enumerate(hits, 1) if value >= 1]
            relevant = sum(value >= 1 for value in graded.values())
            ap = sum(n / place for n, place in enumerate(places, 1)) / relevant if relevant else 0.0
            best = sum(
                max(g, 0) / math.log2(i + 1)
                for i, g in enumerate(sorted(graded.values(), reverse=True), 1)
            )
            dcg = sum(max(g, 0) / math.log2(i + 1) for i, g in enumerate(hits, 1))
            made[system, topic] = (
                ap,
                1 / places[0] if places else 0.0,
                len(hits),
                dcg / best if best else 0.0,
            )
    return named_alike(made)


def named_alike(made: dict[Any, Any]) -> dict[Any, Any]:
    """Return scores without the name of the system where there is one."""
    several = len({system for system, _ in made}) > 1
    return {
        (str(system) if several else "", str(topic)): tuple(round(float(v), 9) for v in values)
        for (system, topic), values in made.items()
    }

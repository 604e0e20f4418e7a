"""The judgments of several judges side by side, and of one judge in several passes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array, Grade
from irframe.checks import choice, listed, whole
from irframe.errors import GradeError, IdError, InputError, ParameterError
from irframe.experiments import coded_tables
from irframe.files.as_runs import Qrels, as_qrels
from irframe.files.ids import Codes, all_of_one_kind, beginnings, repeated, shown
from irframe.files.repeats import repeat_column
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DOC, HIGHEST_GRADE, LOWEST_GRADE, REPEAT_NAMES, TOPIC, UNJUDGED, roles

Grades = Sequence[int] | str | None
"""A scale of grades as users state it."""

OTHERS = {
    "common": "compares what all judges have judged",
    "pairwise": "what both of two have judged",
    "own": "takes each judge's judgments as they are",
}
"""What may be done about judges who judged different documents, beside refusing it."""


@dataclass(frozen=True, eq=False)
class JudgedTwice:
    """Grades by several judges, sorted by topic.

    Parameters
    ----------
    tables
        What each judge is called, and their qrels.
    topics
        The topics by name.
    topic
        The place of every document's topic, shape (document,), rising.
    grade
        Grades, shape (judge, document), `UNJUDGED` where a judge did not judge.
    row
        The row of the judge's qrels that says so, -1 where none does.
    scale
        The grades there are, rising.
    """

    tables: Mapping[Any, coded_tables.QrelsTable]
    topics: pd.Index
    topic: Codes
    grade: NDArray[Grade]
    row: Codes
    scale: NDArray[Grade]

    @property
    def judges(self) -> list[Any]:
        """What the judges are called."""
        return list(self.tables)

    @property
    def judged(self) -> NDArray[Any]:
        """Who judged what, shape (judge, document)."""
        return np.asarray(self.row >= 0)

    def frames(self) -> dict[Any, pd.DataFrame]:
        """Return the qrels of every judge, without what is left out."""
        kept = {name: np.zeros(len(table.grade), bool) for name, table in self.tables.items()}
        for mask, row in zip(kept.values(), self.row, strict=True):
            mask[row[row >= 0]] = True
        return {name: table.judging(kept[name]) for name, table in self.tables.items()}

    def by_topic(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield a topic's place, and whether a document has a grade, (judge, grade, document)."""
        starts = beginnings(self.topic)
        for start, end in zip(starts, np.append(starts[1:], len(self.topic)), strict=True):
            grades = self.grade[:, np.newaxis, start:end]
            yield int(self.topic[start]), grades == self.scale[:, np.newaxis]


def read_judges(
    judges: Mapping[Any, Qrels], pairs: str, grades: Grades, allowed: Sequence[str]
) -> JudgedTwice:
    """Read the judgments of at least two judges.

    Parameters
    ----------
    judges
        Judge -> qrels.
    pairs
        What to do about documents that only some have judged: ``"same"`` refuses them,
        ``"common"`` leaves them out, anything else keeps them.
    grades
        The scale; None if every judge uses its ends, ``"union"``, or the grades there are.
    allowed
        What `pairs` may be.

    Raises
    ------
    IrframeError
        As `compare_judges`.

    Examples
    --------
    >>> first = {"1": {"d1": 0, "d2": 2}}
    >>> read_judges({"a": first, "b": {"1": {"d2": 0, "d1": 2}}}, "same", None, ["same"]).grade
    array([[0, 2],
           [2, 0]], dtype=int16)
    """
    choice("pairs", pairs, allowed)
    if not isinstance(judges, Mapping) or len(judges) < 2:
        found = f"{len(judges)}" if isinstance(judges, Mapping) else type(judges).__name__
        raise ParameterError("at least two judges, {name: qrels}", found)
    tables = _of_one_kind({n: coded_tables.read_qrels_table(q) for n, q in judges.items()})
    marks = {name: int((table.grade == POOLED_UNJUDGED).sum()) for name, table in tables.items()}
    if any(marks.values()):
        wanted = f"judged documents only; grade {POOLED_UNJUDGED} marks pooled, unjudged ones"
        advice = "drop these rows, or give them grade 0 if they were judged"
        offenders = [f"{count} by {name}" for name, count in marks.items() if count]
        raise GradeError(wanted, f"grade {POOLED_UNJUDGED}", advice, offenders)
    judged = _side_by_side(tables)
    everyone: Any = judged.judged.all(axis=0)
    if pairs == "same" and not everyone.all():
        _refuse_differing(judged, [word for word in allowed if word in OTHERS])
    if pairs == "common":
        judged = _chosen_documents(judged, everyone)
    _refuse_none_shared(judged)
    return replace(judged, scale=_scale(judged, grades))


def _refuse_none_shared(judged: JudgedTwice) -> None:
    """Raise if no document is judged by two judges, showing identifiers of the first two."""
    if (judged.judged.sum(axis=0) > 1).any():
        return
    (first, one), (second, other) = list(judged.tables.items())[:2]
    ids = [f"{shown(side.topics)} with {shown(side.doc[:3].to_pylist())}" for side in (one, other)]
    found = f"none: {first} has {ids[0]}, {second} has {ids[1]}"
    raise IdError("documents that two judges have judged", found, "compare the identifiers")


def _side_by_side(tables: Mapping[Any, coded_tables.QrelsTable]) -> JudgedTwice:
    """Return the judgments of all judges, one column per document that any of them judged."""
    parts = list(tables.values())
    topics = _all_topics(tables)
    sides = [
        coded_tables.Side(topics.get_indexer(part.topics)[part.topic], part.doc) for part in parts
    ]
    codes = coded_tables.code_documents(*sides)
    for part, code in zip(parts, codes, strict=True):
        coded_tables.refuse_twice_judged(part, repeated(code))
    every, first = np.unique(np.concatenate(codes), return_index=True)
    grade = np.full((len(parts), len(every)), UNJUDGED, Grade)
    row = np.full(grade.shape, -1)
    for judge, (part, code) in enumerate(zip(parts, codes, strict=True)):
        place = np.searchsorted(every, code)
        grade[judge, place], row[judge, place] = part.grade, np.arange(len(code))
    topic = np.concatenate([side.topic for side in sides])[first]
    judged = JudgedTwice(tables, topics, topic, grade, row, np.unique(grade[row >= 0]))
    return _chosen_documents(judged, np.argsort(topic, kind="stable"))


def _chosen_documents(judged: JudgedTwice, chosen: NDArray[Any]) -> JudgedTwice:
    """Return some of the documents, and the topics of these."""
    topic, row, grade = judged.topic[chosen], judged.row[:, chosen], judged.grade[:, chosen]
    kept, place = np.unique(topic, return_inverse=True)
    return replace(judged, topics=judged.topics[kept], topic=place, row=row, grade=grade)


Tables = Mapping[Any, coded_tables.QrelsTable]


def _of_one_kind(tables: Tables) -> Tables:
    """Return judgments whose topics and documents are text, or numbers, with all judges."""
    docs = all_of_one_kind([table.doc for table in tables.values()])
    kinds = {pd.api.types.is_integer_dtype(table.topics.dtype) for table in tables.values()}
    return {
        name: replace(
            table, names=doc, topics=table.topics.astype(str) if len(kinds) > 1 else table.topics
        )
        for (name, table), doc in zip(tables.items(), docs, strict=True)
    }


def _all_topics(tables: Tables) -> pd.Index:
    """Return the topics of all judges by name."""
    one, *others = tables.values()
    topics = one.topics
    for other in others:
        topics = topics.append(other.topics.difference(topics, sort=False))
    return topics[np.argsort(topics.astype(str).to_numpy(), kind="stable")]


def _refuse_differing(judged: JudgedTwice, policies: Iterable[str]) -> None:
    """Raise for documents that some judge did not judge, naming them and who did not."""
    missing = np.argwhere(~judged.judged)
    offenders = []
    for judge, place in missing[:6]:
        other = int(judged.judged[:, place].argmax())
        table = judged.tables[judged.judges[other]]
        (name,) = table.describe(judged.row[other, [place]])
        offenders.append(f"{name} not by {judged.judges[judge]}")
    offenders += ["..."] * (len(missing) - len(offenders))
    documents = (~judged.judged.all(axis=0)).sum()
    found = f"{documents} of {judged.judged.shape[1]} that some judge did not"
    advice = "say what to do: " + ", ".join(f"pairs={word!r} {OTHERS[word]}" for word in policies)
    raise IdError("the same documents judged by every judge", found, advice, offenders)


def _scale(judged: JudgedTwice, grades: Grades) -> NDArray[Grade]:
    """Return the scale of grades, refusing judges who use another one."""
    used = {
        name: np.unique(row[there])
        for name, row, there in zip(judged.judges, judged.grade, judged.judged, strict=True)
        if there.any()
    }
    every = np.unique(np.concatenate(list(used.values())))
    if grades is None:
        _refuse_ends(used)
        return every
    if isinstance(grades, str):
        choice("grades", grades, ("union",))
        return every
    return _stated(used, grades)


def _refuse_ends(used: Mapping[Any, NDArray[Grade]]) -> None:
    ends = {name: (int(grades[0]), int(grades[-1])) for name, grades in used.items()}
    pairs = list(ends.values())
    usual = max(pairs, key=pairs.count)
    strange = [name for name in ends if ends[name] != usual]
    if strange:
        offenders = [f"{name} from {ends[name][0]} to {ends[name][1]}" for name in strange]
        wanted = "judges who use the same lowest and highest grade"
        found = f"grades from {usual[0]} to {usual[1]}, and"
        stated = f"grades=range({usual[0]}, {usual[1] + 1})"
        advice = f"map the grades first, state the scale, as in {stated}, or say grades='union'"
        raise GradeError(wanted, found, advice, offenders)


def _stated(used: Mapping[Any, NDArray[Grade]], grades: Sequence[int]) -> NDArray[Grade]:
    limits: dict[str, Any] = {"low": LOWEST_GRADE, "high": HIGHEST_GRADE}
    stated = [whole("every one of grades", grade, **limits) for grade in listed(grades)]
    if len(set(stated)) < len(stated) or len(stated) < 2:
        raise ParameterError("grades, at least two, each once", repr(listed(grades)))
    beyond = {name: values[~np.isin(values, stated)] for name, values in used.items()}
    strange = [
        f"{name}: {', '.join(map(str, values))}" for name, values in beyond.items() if len(values)
    ]
    if strange:
        wanted = f"the grades {', '.join(map(str, sorted(stated)))}"
        advice = "map these first, as with clip(upper=3), or say grades='union'"
        raise GradeError(wanted, "grades beyond these, by judge", advice, strange)
    return np.array(sorted(stated), Grade)


JUDGE, PASSES = "judge", "pass"
"""What judges and repeats of judgments are called."""


class Passes(NamedTuple):
    """Judgments by pass, and whose they are."""

    qrels: dict[Any, Any]
    """What a pass is called -> its judgments."""
    judges: list[Any]
    """What the judges are called."""
    owner: Array
    """The place of the judge of every pass, rising."""

    @property
    def counts(self) -> Array:
        """How many passes each judge has."""
        return np.bincount(self.owner, minlength=len(self.judges))

    @property
    def several(self) -> Array:
        """The places of the judges with several passes."""
        return np.flatnonzero(self.counts > 1)

    def of(self, judge: Any) -> list[Any]:
        """Return what the passes of a judge are called."""
        place = self.judges.index(judge)
        return [name for name, own in zip(self.qrels, self.owner, strict=True) if own == place]


def passes_of(judges: Mapping[Any, Any]) -> Passes:
    """Part the passes of judges.

    Parameters
    ----------
    judges
        Judge -> qrels; or a list of qrels, a pass each, or a frame with a column of passes.

    Examples
    --------
    >>> one, two = {"q": {"d": 0}}, {"q": {"d": 1}}
    >>> found = passes_of({"people": one, "model": [one, two]})
    >>> list(found.qrels), found.owner.tolist()
    (['people', 'model [pass 1]', 'model [pass 2]'], [0, 1, 1])
    """
    if not isinstance(judges, Mapping):
        raise ParameterError("at least two judges, {name: qrels}", type(judges).__name__)
    every: dict[Any, Any] = {}
    owner = []
    for place, (name, given) in enumerate(judges.items()):
        if isinstance(given, list | tuple) and not given:
            raise InputError(f"passes of judge {name!r}", "none")
        parts = _passes_of(given)
        many = len(parts) > 1
        named = {f"{name} [pass {key}]" if many else name: part for key, part in parts.items()}
        every |= named
        owner += [place] * len(named)
    return Passes(every, list(judges), np.array(owner, int))


def _passes_of(given: Any) -> dict[Any, Any]:
    """Return the passes of a judge by what they are called."""
    if isinstance(given, list | tuple) and given and all(map(_is_qrels, given)):
        return dict(enumerate(given, start=1))
    if not isinstance(given, pd.DataFrame) or not {*REPEAT_NAMES} & {*given.columns}:
        return {1: given}
    frame = as_qrels(given)
    columns = roles(frame.columns)
    word = repeat_column(frame, [columns[TOPIC], columns[DOC]])
    if word is None:
        return {1: given}
    return {key: part.drop(columns=word) for key, part in frame.groupby(word)}


def _is_qrels(part: Any) -> bool:
    """Tell whether an element of a list is all judgments of a pass, and not one of them."""
    nested = isinstance(part, Mapping) and all(isinstance(x, Mapping) for x in part.values())
    return isinstance(part, pd.DataFrame) or (nested and bool(part))


def by_judge(given: Array, owner: Array) -> Array:
    """Return the share of a judge's passes that give a document a grade.

    Parameters
    ----------
    given
        Whether a pass does, shape (pass, grade, document).
    owner
        The place of each pass's judge, rising.

    Returns
    -------
    numpy.ndarray
        Shape (judge, grade, document), 0 where no pass judged it.
    """
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    total = np.add.reduceat(given.astype(float), starts, axis=0)
    judging = total.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(total, judging, out=np.zeros_like(total), where=judging > 0))


def between(shares: Array) -> Array:
    """Return how often grades of different judges coincide, each judge once, (grade, grade).

    Parameters
    ----------
    shares
        Of each judge and document, those of the grades, shape (judge, grade, document).
    """
    judging = shares.sum(axis=(0, 1))
    weight = np.where(judging > 1, 1 / np.maximum(judging - 1, 1), 0)
    every = shares.sum(axis=0)
    own = np.einsum("jad,jbd,d->ab", shares, shares, weight, optimize=True)
    return np.asarray((every * weight) @ every.T - own)


def coincidences(counts: Array, *, once: bool = False) -> Array:
    """Return how often grades of a document coincide, (grade, grade).

    Parameters
    ----------
    counts
        How often a document was given a grade, shape (grade, document).
    once
        Whether a document counts once, and not as often as it was given a grade.
    """
    given = counts.sum(axis=0)
    pairs = np.maximum((given - 1) * (given if once else 1), 1)
    weighted = counts * np.where(given > 1, 1 / pairs, 0)
    return np.asarray(weighted @ counts.T - np.diag(weighted.sum(axis=1)))

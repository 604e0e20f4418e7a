"""Judgments of several judges, aligned by document."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array, Grade
from irframe.checks import check_int, choice, listed, refuse_equal_names
from irframe.errors import GradeError, IdError, InputError, ParameterError
from irframe.experiments import coded_tables
from irframe.files.as_runs import Qrels, as_qrels
from irframe.frames.ids import Codes, all_of_one_kind, beginnings, repeated, shown
from irframe.frames.likeness import repeat_column
from irframe.names import DOC, HIGHEST_GRADE, LOWEST_GRADE, REPEAT_NAMES, TOPIC, UNJUDGED, roles
from irframe.quantities.subtopics import POOLED_UNJUDGED

Tables = Mapping[Hashable, coded_tables.QrelsTable]
Variables = dict[str, tuple[tuple[str, ...], Array]]
"""Type of a mapping from the name of a variable to its dimensions and values."""
Grades = Sequence[int] | str | None
"""Type of a scale of grades, which is a list of all grades, ``"union"`` or None."""

OTHERS = {
    "common": "uses the documents that all judges have judged",
    "pairwise": "uses, for two judges, the documents that both have judged",
    "own": "uses all judgments of each judge",
}
"""Mapping from each value of ``pairs=`` that allows differing documents to its description in
messages."""


@dataclass(frozen=True, eq=False)
class AlignedGrades:
    """Grades of several judges, aligned by document, sorted by topic.

    Parameters
    ----------
    tables
        Mapping from the name of each judge to the qrels of the judge.
    topics
        Names of the topics.
    topic
        Position of the topic of each document, shape (document,), ascending.
    grade
        Grade of each document by each judge, shape (judge, document). The grade is `UNJUDGED` if
        the judge did not judge the document.
    row
        Position of the row of the judge's qrels that contains the grade, shape (judge, document).
        The position is -1 if the judge did not judge the document.
    scale
        All grades, ascending.
    """

    tables: Tables
    topics: pd.Index
    topic: Codes
    grade: NDArray[Grade]
    row: Codes
    scale: NDArray[Grade]

    @property
    def judges(self) -> list[Hashable]:
        """Names of the judges."""
        return list(self.tables)

    @property
    def judged(self) -> Array:
        """Whether each judge judged each document, shape (judge, document)."""
        return np.asarray(self.row >= 0)

    def frames(self) -> dict[Hashable, pd.DataFrame]:
        """Return each judge's qrels, restricted to the aligned documents."""
        masks = {name: np.zeros(len(table.grade), bool) for name, table in self.tables.items()}
        for mask, row in zip(masks.values(), self.row, strict=True):
            mask[row[row >= 0]] = True
        return {name: table.judging(masks[name]) for name, table in self.tables.items()}

    def by_topic(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield the position and the grade mask of each topic.

        The mask states whether a document has a grade, shape (judge, grade, document).
        """
        # the documents of a topic are consecutive, because topics are sorted
        starts = beginnings(self.topic)
        for start, end in zip(starts, np.append(starts[1:], len(self.topic)), strict=True):
            grades = self.grade[:, np.newaxis, start:end]
            yield int(self.topic[start]), grades == self.scale[:, np.newaxis]


def read_judges(
    judges: Mapping[Any, Qrels], pairs: str, grades: Grades, allowed: Sequence[str]
) -> AlignedGrades:
    """Read and align the judgments of at least two judges.

    Parameters
    ----------
    judges
        Mapping from the name of each judge to qrels.
    pairs
        Policy for documents that only some judges have judged. ``"same"`` raises an error,
        ``"common"`` drops these documents, and other values keep them.
    grades
        The scale of grades, see `compare_judges`.
    allowed
        Valid values of `pairs`.

    Raises
    ------
    IrframeError
        See `compare_judges`.

    Examples
    --------
    >>> first = {"1": {"d1": 0, "d2": 2}}
    >>> read_judges({"a": first, "b": {"1": {"d2": 0, "d1": 2}}}, "same", None, ["same"]).grade
    array([[0, 2],
           [2, 0]], dtype=int16)
    """
    choice("pairs", pairs, allowed)
    if not isinstance(judges, Mapping) or len(judges) < 2:
        got = f"{len(judges)}" if isinstance(judges, Mapping) else type(judges).__name__
        raise ParameterError("at least two judges, as {name: qrels}", got)
    tables = _of_one_kind({n: coded_tables.read_qrels_table(q) for n, q in judges.items()})
    marks = {name: int((table.grade == POOLED_UNJUDGED).sum()) for name, table in tables.items()}
    if any(marks.values()):
        expected = f"judged documents, because grade {POOLED_UNJUDGED} marks unjudged documents"
        advice = "drop these rows, or give them grade 0 if they were judged"
        offenders = [f"{count} by {name}" for name, count in marks.items() if count]
        raise GradeError(expected, f"grade {POOLED_UNJUDGED}", advice, offenders)
    judged = _side_by_side(tables)
    by_all = np.asarray(judged.judged.all(axis=0))
    if pairs == "same" and not by_all.all():
        _refuse_differing(judged, [policy for policy in allowed if policy in OTHERS])
    if pairs == "common":
        judged = _chosen_documents(judged, by_all)
    _refuse_none_shared(judged)
    return replace(judged, scale=_scale(judged, grades))


def _refuse_none_shared(judged: AlignedGrades) -> None:
    """Raise unless some document was judged by two judges."""
    if (judged.judged.sum(axis=0) > 1).any():
        return
    (first, a), (second, b) = list(judged.tables.items())[:2]
    ids = [f"{shown(side.topics)} with {shown(side.doc[:3].to_pylist())}" for side in (a, b)]
    got = f"none: {first} has {ids[0]}, {second} has {ids[1]}"
    raise IdError("documents judged by two judges", got, "compare the identifiers")


def _side_by_side(tables: Tables) -> AlignedGrades:
    """Return the grades of all judges, aligned by document."""
    qrels = list(tables.values())
    topics = _all_topics(tables)
    sides = [
        coded_tables.Side(topics.get_indexer(table.topics)[table.topic], table.doc)
        for table in qrels
    ]
    codes = coded_tables.code_documents(*sides)
    for table, code in zip(qrels, codes, strict=True):
        coded_tables.refuse_twice_judged(table, repeated(code))
    every, first = np.unique(np.concatenate(codes), return_index=True)
    grade = np.full((len(qrels), len(every)), UNJUDGED, Grade)
    row = np.full(grade.shape, -1)
    for judge, (table, code) in enumerate(zip(qrels, codes, strict=True)):
        index = np.searchsorted(every, code)
        grade[judge, index] = table.grade
        row[judge, index] = np.arange(len(code))
    topic = np.concatenate([side.topic for side in sides])[first]
    judged = AlignedGrades(tables, topics, topic, grade, row, np.unique(grade[row >= 0]))
    return _chosen_documents(judged, np.argsort(topic, kind="stable"))


def _chosen_documents(judged: AlignedGrades, chosen: Array) -> AlignedGrades:
    """Return grades restricted to the chosen documents."""
    topics, topic = np.unique(judged.topic[chosen], return_inverse=True)
    row = judged.row[:, chosen]
    grade = judged.grade[:, chosen]
    return replace(judged, topics=judged.topics[topics], topic=topic, row=row, grade=grade)


def _of_one_kind(tables: Tables) -> Tables:
    """Return qrels with document ids and topics of one type."""
    docs = all_of_one_kind([table.doc for table in tables.values()])
    kinds = {pd.api.types.is_integer_dtype(table.topics.dtype) for table in tables.values()}
    return {
        name: replace(
            table, names=doc, topics=table.topics.astype(str) if len(kinds) > 1 else table.topics
        )
        for (name, table), doc in zip(tables.items(), docs, strict=True)
    }


def _all_topics(tables: Tables) -> pd.Index:
    """Return the topics of all judges in alphabetical order."""
    first, *further = tables.values()
    topics = first.topics
    for table in further:
        topics = topics.append(table.topics.difference(topics, sort=False))
    return topics[np.argsort(topics.astype(str).to_numpy(), kind="stable")]


def _refuse_differing(judged: AlignedGrades, policies: Iterable[str]) -> None:
    """Raise for documents that some judges did not judge."""
    missing = np.argwhere(~judged.judged)
    offenders = []
    # the error names five documents and counts the others, so the others need no description
    for judge, index in missing[:6]:
        with_grade = int(judged.judged[:, index].argmax())
        table = judged.tables[judged.judges[with_grade]]
        (name,) = table.describe(judged.row[with_grade, [index]])
        offenders.append(f"{name} not by {judged.judges[judge]}")
    offenders += ["..."] * (len(missing) - len(offenders))
    documents = (~judged.judged.all(axis=0)).sum()
    got = f"{documents} of {judged.judged.shape[1]} documents that some judge did not judge"
    advice = "choose " + ", ".join(
        f"pairs={policy!r}, which {OTHERS[policy]}" for policy in policies
    )
    raise IdError("the same documents judged by every judge", got, advice, offenders)


def _scale(judged: AlignedGrades, grades: Grades) -> NDArray[Grade]:
    """Return the scale of grades, after checks."""
    used = {
        name: np.unique(row[mask])
        for name, row, mask in zip(judged.judges, judged.grade, judged.judged, strict=True)
        if mask.any()
    }
    every = np.unique(np.concatenate(list(used.values())))
    if grades is None:
        _refuse_ends(used)
        return every
    if isinstance(grades, str):
        choice("grades", grades, ("union",))
        return every
    return _passed_scale(used, grades)


def _refuse_ends(used: Mapping[Hashable, NDArray[Grade]]) -> None:
    ends = {name: (int(grades[0]), int(grades[-1])) for name, grades in used.items()}
    pairs = list(ends.values())
    usual = max(pairs, key=pairs.count)
    strange = [name for name in ends if ends[name] != usual]
    if strange:
        offenders = [f"{name} from {ends[name][0]} to {ends[name][1]}" for name in strange]
        expected = "judges who use the same lowest and highest grade"
        got = f"grades from {usual[0]} to {usual[1]}, except for judges"
        listed_grades = f"grades=range({usual[0]}, {usual[1] + 1})"
        advice = f"map the grades first, or pass the scale, as in {listed_grades} or grades='union'"
        raise GradeError(expected, got, advice, offenders)


def _passed_scale(used: Mapping[Hashable, NDArray[Grade]], grades: Sequence[int]) -> NDArray[Grade]:
    listed_grades = [
        check_int("every one of grades", grade, low=LOWEST_GRADE, high=HIGHEST_GRADE)
        for grade in listed(grades)
    ]
    if len(set(listed_grades)) < len(listed_grades) or len(listed_grades) < 2:
        raise ParameterError("at least two different grades in grades=", repr(listed(grades)))
    beyond = {name: values[~np.isin(values, listed_grades)] for name, values in used.items()}
    strange = [
        f"{name}: {', '.join(map(str, values))}" for name, values in beyond.items() if len(values)
    ]
    if strange:
        expected = f"the grades {', '.join(map(str, sorted(listed_grades)))}"
        advice = "map the other grades, for example with clip(upper=3), or pass grades='union'"
        raise GradeError(expected, "other grades by judge", advice, strange)
    return np.array(sorted(listed_grades), Grade)


JUDGE = "judge"
PASSES = "pass"
"""Name of the dimension with the judges, and name of the repeats of a judge."""


class Passes(NamedTuple):
    """Judgments of every pass, and the judge of each pass."""

    qrels: dict[Hashable, Qrels]
    """Mapping from the name of a pass to its judgments."""
    judges: list[Hashable]
    """Names of the judges."""
    owner: Array
    """Position of the judge of each pass, ascending."""

    @property
    def counts(self) -> Array:
        """Number of passes per judge."""
        return np.bincount(self.owner, minlength=len(self.judges))

    @property
    def several(self) -> Array:
        """Positions of the judges with several passes."""
        return np.flatnonzero(self.counts > 1)

    def of(self, judge: Hashable) -> list[Hashable]:
        """Return the names of the passes of a judge."""
        index = self.judges.index(judge)
        return [name for name, owner in zip(self.qrels, self.owner, strict=True) if owner == index]


def passes_of(judges: Mapping[Any, Qrels]) -> Passes:
    """Return the judgments of every pass of every judge.

    Parameters
    ----------
    judges
        Mapping from the name of each judge to qrels, to a list of qrels (one per pass), or to a
        frame with a column that numbers the passes.

    Raises
    ------
    IdError
        If a pass has the name of another pass or judge.

    Examples
    --------
    >>> one, two = {"q": {"d": 0}}, {"q": {"d": 1}}
    >>> passes = passes_of({"people": one, "model": [one, two]})
    >>> list(passes.qrels), passes.owner.tolist()
    (['people', 'model [pass 1]', 'model [pass 2]'], [0, 1, 1])
    """
    if not isinstance(judges, Mapping):
        raise ParameterError("at least two judges, as {name: qrels}", type(judges).__name__)
    every: list[Qrels] = []
    names: list[Hashable] = []
    owner = []
    for index, (name, source) in enumerate(judges.items()):
        if isinstance(source, list | tuple) and not source:
            raise InputError(f"passes of judge {name!r}", "none")
        tables = _passes_of(source)
        many = len(tables) > 1
        every += tables.values()
        names += [f"{name} [pass {key}]" if many else name for key in tables]
        owner += [index] * len(tables)
    refuse_equal_names("judge and every pass", names)
    return Passes(dict(zip(names, every, strict=True)), list(judges), np.array(owner, int))


def _passes_of(source: object) -> dict[Hashable, Qrels]:
    """Return a mapping from each pass to its judgments."""
    if isinstance(source, list | tuple) and source and all(map(_is_qrels, source)):
        return dict(enumerate(source, start=1))
    if not isinstance(source, pd.DataFrame) or not {*REPEAT_NAMES} & {*source.columns}:
        return {1: source}
    frame = as_qrels(source)
    columns = roles(frame.columns)
    column = repeat_column(frame, [columns[TOPIC], columns[DOC]])
    if column is None:
        return {1: source}
    return {key: table.drop(columns=column) for key, table in frame.groupby(column)}


def _is_qrels(value: object) -> bool:
    """Return whether a value is the qrels of one pass.

    A list with any other value contains single judgments of one pass.
    """
    nested = isinstance(value, Mapping) and all(isinstance(x, Mapping) for x in value.values())
    return isinstance(value, pd.DataFrame) or (nested and bool(value))


def by_judge(marks: Array, owner: Array) -> Array:
    """Return the share of each judge's passes with each grade.

    Parameters
    ----------
    marks
        Whether a document has the grade in the pass, shape (pass, grade, document).
    owner
        Position of the judge of each pass, ascending.

    Returns
    -------
    numpy.ndarray
        Shape (judge, grade, document). Shares are 0 if no pass judged the document.
    """
    # the passes of a judge are consecutive, so reduceat sums over each judge
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    total = np.add.reduceat(marks.astype(float), starts, axis=0)
    judging = total.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(total, judging, out=np.zeros_like(total), where=judging > 0))


def between(shares: Array) -> Array:
    """Count coincidences of two grades by different judges.

    The result has the shape (grade, grade). All judges have equal weight, regardless of their
    numbers of passes.

    Parameters
    ----------
    shares
        Share of each judge's passes with each grade, shape (judge, grade, document).
    """
    judging = shares.sum(axis=(0, 1))
    weight = np.where(judging > 1, 1 / np.maximum(judging - 1, 1), 0)
    total = shares.sum(axis=0)
    # pairs of judgments by the same judge are subtracted from the pairs of all judgments
    same_judge = np.einsum("jad,jbd,d->ab", shares, shares, weight, optimize=True)
    return np.asarray((total * weight) @ total.T - same_judge)


def coincidences(counts: Array, *, once: bool = False) -> Array:
    """Count coincidences of two grades of the same document.

    The result has the shape (grade, grade).

    Parameters
    ----------
    counts
        Number of judgments of each document with each grade, shape (grade, document).
    once
        Whether to give every document the weight 1. If False, the weight of a document is its
        number of judgments.
    """
    marks = counts.sum(axis=0)
    # A document with m judgments has m (m - 1) ordered pairs of judgments. Dividing by m - 1 gives
    # the document the weight m, as in the definition of alpha.
    pairs = np.maximum((marks - 1) * (marks if once else 1), 1)
    weighted = counts * np.where(marks > 1, 1 / pairs, 0)
    # the product also counts the pair of each judgment with itself, which the diagonal removes
    return np.asarray(weighted @ counts.T - np.diag(weighted.sum(axis=1)))

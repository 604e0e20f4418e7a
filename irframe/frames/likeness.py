"""Guesses about the roles of columns."""

import re
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.errors import IdError, InputError, warn
from irframe.frames.ids import Codes, repeated
from irframe.frames.values import read_numbers
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC

LIKE = {
    SYSTEM: "system model method retriever retrieval run ranker reranker engine pipeline config "
    "configuration algorithm approach experiment variant index",
    TOPIC: "q query queries question topic search turn user request prompt example sample "
    "conversation claim inquiry",
    DOC: "d doc docs document documents passage passages item url chunk p pid article product "
    "corpus hit answer evidence _id",
    SCORE: "s score scores sim similarity value pred prediction predictions logit logits bm25 "
    "relevance prob probability",
    GRADE: "r g rel relevant relevance relevancy grade judgment judgments judgement judgements "
    "rating ratings liked gold target targets label labels qrel",
}
"""Mapping from a role to words in names of columns that suggest the role."""
DISTANCES = "distance distances dist l2"
"""Words in names of columns that suggest distances. Smaller distances are better."""
_TEXTS = "unnamed index iter assessor text body title"
UNLIKE = {
    TOPIC: _TEXTS,
    DOC: _TEXTS,
    SCORE: f"unnamed index iter rank length words tokens year price {DISTANCES}",
    GRADE: "unnamed index iter assessor rank",
}
"""Mapping from a role to words in names of columns that exclude the role."""
TRIED = 8
"""Maximum number of columns that are tried for each role."""
MOST = 100
"""Maximum number of combinations of columns that are tried."""
LIKE_SEARCHES = {"search", "searches", "call", "turn", "step", "hop", "attempt"}
"""Names of columns that usually number the searches of an agent."""
FEW = 1000
"""A column with at least this number of distinct values is not read as a column of systems."""
KNOWN_PAIRS = frozenset({("docno", "docid")})
"""Pairs of column names for one role. The first column is used even if the values differ.

In frames of PyTerrier, docno is the id of a document, and docid is a row number.
"""
ADVICE = (
    "if a system was run several times, number its repeats in a column "
    f"{words.REPEAT!r} (or {', '.join(words.REPEAT_NAMES[1:-1])})"
)
"""Advice about documents that a list contains several times."""
JUDGED_AGAIN = "if a judge made several passes, number them in a column 'pass'"
"""Advice about documents that are judged several times."""
Column = Callable[[Hashable], pd.Series]
"""A function that returns a column of a table by its name."""


def line_of(frame: pd.DataFrame, columns: Mapping[str, Hashable], expected: Sequence[str]) -> str:
    """Return a line of code that renames columns to roles.

    If several columns may contain the scores of one system each, the code melts the frame.

    Examples
    --------
    >>> line_of(pd.DataFrame({"question": ["1", "2"], "n": [1, 2]}), {}, ["topic"])
    "frame.rename(columns={'question': 'topic'})"
    """
    if not frame.columns.is_unique:
        return ""
    free = [name for name in frame.columns if name not in columns.values()]
    floats = [name for name in free if pd.api.types.is_float_dtype(frame[name])]
    systems = [name for name in floats if not {*UNLIKE[SCORE].split()} & {*words_of(name)}]
    if SCORE in expected and len(systems) > 1:
        # the word bm25 suggests scores, but it also names a system
        one_is_score = any(
            _likeness(name, SCORE) and "bm25" not in words_of(name) for name in systems
        )
        if one_is_score or len(expected) > 1:
            return ""
        value_vars = f", value_vars={systems}" if systems != free else ""
        ids = [columns[TOPIC], columns[DOC]]
        melted = f"frame.melt({ids}, var_name='system', value_name='score'"
        return f"{melted}{value_vars}) if each of {', '.join(map(repr, systems))} is a system"
    distances = [n for n in free if {*DISTANCES.split()} & {*words_of(n)} and is_numeric(frame[n])]
    # smaller distances rank higher, so the line of code negates the distances
    if SCORE in expected and len(distances) == 1:
        further = [role for role in expected if role != SCORE]
        pairs = proposed(frame, columns, further)
        if pairs is not None and _falls(
            frame, distances[0], {**{v: k for k, v in pairs.items()}, **columns}
        ):
            # The values fall along each list, so the column contains scores although its name
            # suggests a distance.
            pairs = {**pairs, distances[0]: SCORE}
            distances = []
        if pairs is not None:
            line = f".rename(columns={pairs})" * bool(pairs)
            negated = f".assign(score=lambda rows: -rows[{distances[0]!r}])" if distances else ""
            return f"frame{line}{negated}"
    pairs = proposed(frame, columns, expected)
    return "" if pairs is None else f"frame.rename(columns={pairs})"


def _falls(frame: pd.DataFrame, name: Hashable, columns: Mapping[str, Hashable]) -> bool:
    """Return whether values sometimes fall and never rise within lists."""
    keys = [columns[role] for role in (SYSTEM, TOPIC) if role in columns]
    steps = frame[name].groupby([frame[key] for key in keys]).diff().dropna()
    return len(steps) > 0 and bool((steps <= 0).all() and (steps < 0).any())


def proposed(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], expected: Sequence[str]
) -> dict[Hashable, str] | None:
    """Propose columns for missing roles; None if ambiguous.

    The name and values of each column must fit its role. A proposal is rejected if its columns make
    a list contain a document twice. The result is None if no combination of columns fits, or if
    several combinations fit equally well.

    Examples
    --------
    >>> frame = pd.DataFrame({"no": [0, 1], "question": ["1", "2"], "url": ["a", "b"]})
    >>> proposed(frame.assign(similarity=[0.5, 0.25]), {}, ["topic", "doc", "score"])
    {'question': 'topic', 'url': 'doc', 'similarity': 'score'}
    >>> proposed(frame, {}, ["topic", "doc", "score"])
    """
    choices = sorted(_choices_of_columns(frame, columns, expected), key=lambda choice: -choice[0])
    best = 0
    best_choices = list[dict[Hashable, str]]()
    for points, pairs in islice(choices, MOST):
        if points < best:
            break
        by_role = {**columns, **{role: name for name, role in pairs.items()}}
        ids = [by_role[role] for role in (SYSTEM, TOPIC, DOC) if role in by_role]
        if len(ids) < 2 or not frame.duplicated(ids).any():
            best = points
            best_choices.append(pairs)
    return best_choices[0] if len(best_choices) == 1 else None


def _choices_of_columns(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], expected: Sequence[str]
) -> Iterator[tuple[int, dict[Hashable, str]]]:
    """Yield combinations of columns for the roles, with their points.

    The points of a combination are the sum of `_likeness` over its columns.
    """
    tried = []
    for role in expected:
        liked = {n: _likeness(n, role) for n in frame.columns if n not in columns.values()}
        fit = [n for n in sorted(liked, key=lambda n: -liked[n]) if liked[n] > 0]
        tried.append([(liked[n], n) for n in fit[:TRIED] if _fits(frame[n], role, liked[n])])
    for choice in product(*tried):
        names = [name for _, name in choice]
        if len({*names}) == len(names):
            yield sum(points for points, _ in choice), dict(zip(names, expected, strict=True))


def _likeness(name: Hashable, role: str) -> int:
    """Rate how well a name fits a role.

    The result is 0 to 3 points.
    """
    name_words = words_of(name)
    like = {*LIKE.get(role, "").split()}
    if {*UNLIKE.get(role, "").split()} & {*name_words}:
        return 0
    return 2 * bool(like & {*name_words[:1]}) + bool(like & {*name_words[1:], str(name).lower()})


def words_of(name: Hashable) -> list[str]:
    """Split the name of a column into words.

    Examples
    --------
    >>> words_of("model_Name-2")
    ['model', 'name', '2']
    """
    return [word for word in re.split(r"[^a-z0-9]+", str(name).lower()) if word]


def _fits(column: pd.Series, role: str, points: int) -> bool:
    """Return whether the values of a column fit a role."""
    try:
        number = column.nunique()
    except TypeError:  # lists and other unhashable values cannot be ids
        return False
    if role == SCORE:
        return is_numeric(column)
    if role == GRADE:
        integers = is_numeric(column) and bool((column % 1 == 0).all())
        return integers and number < max(len(column), 9)
    is_id = not (pd.api.types.is_float_dtype(column) or pd.api.types.is_bool_dtype(column))
    return is_id and (number > 1 or points > 1)


def is_numeric(column: pd.Series) -> bool:
    """Return whether a column is numeric and not boolean."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def like_systems(name: str) -> bool:
    """Return whether the name of a column suggests systems.

    Examples
    --------
    >>> like_systems("model_name"), like_systems("title")
    (True, False)
    """
    return not {*LIKE[SYSTEM].split()}.isdisjoint(words_of(name))


def refuse_rivals(
    frame: Mapping[Hashable, pd.Series] | pd.DataFrame,
    role: str,
    chosen: Hashable,
    names: Sequence[Hashable] = (),
) -> None:
    """Raise if two columns for one role have different values.

    Parameters
    ----------
    frame
        A frame, or columns by name.
    role
        The role. If the chosen column has exactly this name, no error is raised.
    chosen
        The column that was chosen for the role.
    names
        The accepted names of the role, by default those in `irframe.names.ALIASES`.
    """
    if chosen == role:
        return
    rivals = [name for name in names or words.ALIASES[role] if name in frame and name != chosen]
    for name in rivals:
        values = frame[chosen]
        rival_values = frame[name]
        # a column with one value cannot distinguish systems, so it only describes the run
        described = role != SYSTEM or rival_values.nunique() < 2
        decided = (chosen, name) in KNOWN_PAIRS or (name in words.LAST_RESORTS and described)
        if not decided and values.dtype != rival_values.dtype:
            values = values.astype(str)
            rival_values = rival_values.astype(str)
        if not decided and not values.equals(rival_values):
            got = f"columns {chosen!r} and {name!r} with different values"
            advice = f"rename the right column: frame.rename(columns={{{chosen!r}: {role!r}}})"
            raise InputError(f"one column for {role}", got, advice)


def without_titles(columns: dict[str, str], get: Column) -> dict[str, str]:
    """Drop the system role if its column contains document titles.

    Warns
    -----
    IrframeWarning
        If each value in the column of systems belongs to one document.
    """
    name = columns.get(SYSTEM, SYSTEM)
    if name == SYSTEM or not {TOPIC, DOC} <= columns.keys():
        return columns
    topic, labels = (pd.factorize(get(column))[0] for column in (columns[TOPIC], name))
    several = len(topic) - len(np.unique(topic))
    if not several or len(np.unique(labels)) < min(3, len(labels)):
        return columns
    # a title belongs to one document, while a system retrieves several
    doc = pd.factorize(get(columns[DOC]))[0].astype(np.int64)
    if len(np.unique(doc * (labels.max() + 1) + labels)) > len(np.unique(labels)):
        return columns
    warn(f"the column {name!r} does not name systems, because each value belongs to one document")
    return {role: column for role, column in columns.items() if role != SYSTEM}


def refuse_strangers(
    columns: Mapping[str, str],
    names: Iterable[Hashable],
    get: Column,
    levels: Container[Hashable] = (),
) -> None:
    """Raise if a column without a role may name systems.

    The name of a column may suggest systems, as ``model`` does. The values of a column suggest
    systems if the rows of some topic are not in ranked order, and the column splits them into
    ranked lists or separates repeated documents. In a frame without scores and ranks, the values
    suggest systems if the column separates repeated documents.

    Parameters
    ----------
    columns, names, get
        The columns by role, the names of all columns, and a function that returns a column.
    levels
        The names in `names` that are index levels.
    """
    if SYSTEM in columns or TOPIC not in columns:
        return
    candidates = [name for name in names if isinstance(name, str) and name not in columns.values()]
    for name in (name for name in candidates if candidates.count(name) == 1):
        labels, values = _few_labels(get(name))
        if len(values) < 2 or name.lower() in LIKE_SEARCHES:  # `evaluate` handles searches
            continue
        topic = pd.factorize(get(columns[TOPIC]))[0].astype(np.int64)
        lists = topic * (len(values) + 1) + labels
        number = len(np.unique(lists))
        if number == len(np.unique(topic)):
            continue
        docs = pd.factorize(get(columns[DOC]))[0] if DOC in columns else 0 * topic
        unique, unique_by_label = (
            not len(repeated(code * len(topic) + docs)) for code in (topic, lists)
        )
        if not like_systems(name) and (
            name in {*words.REPEAT_NAMES, *words.PARTS}
            or len(topic) < 2 * (number if DOC in columns else len(values))
            or not _are_lists(topic, lists, columns, get, separates=unique_by_label > unique)
        ):
            continue
        shown = ", ".join(map(repr, pd.Index(values[:5]).tolist()))
        got = f"rows of one topic with different values in {name!r} ({shown})"
        advice = (
            f"if {name!r} names systems, {renamed({name: SYSTEM}, levels)}; if it distinguishes "
        )
        advice += f"topics with the same id, groupby({name!r}); if neither, "
        advice += (
            "leave it out" if name in levels or not unique else f"frame.drop(columns={name!r})"
        )
        raise InputError("a column of systems", f"none, and {got}", advice)


def refuse_two_texts(
    columns: Mapping[str, str],
    names: Iterable[Hashable],
    get: Column,
    levels: Container[Hashable] = (),
) -> None:
    """Raise if a topic has several query texts.

    Parameters
    ----------
    columns, names, get, levels
        As for `refuse_strangers`.
    """
    topic_column = columns.get(TOPIC)
    names = [*names]
    text = next(
        (name for name in words.ALIASES[TOPIC] if name in words.LAST_RESORTS and name in names),
        topic_column,
    )
    if text == topic_column or any(str(name).lower() in LIKE_SEARCHES for name in names):
        return  # the searches of an agent for one topic have different query texts
    keys = [role for role in (SYSTEM, TOPIC) if role in columns]
    columns_by_role = {role: get(columns[role]).to_numpy() for role in keys} | {
        "text": get(text).to_numpy()
    }
    once = pd.DataFrame(columns_by_role).dropna().drop_duplicates()
    several = once[once.duplicated(keys, keep=False)]
    if len(several):
        texts = several.groupby(TOPIC, sort=False)["text"].unique()
        offenders = [
            f"{topic!r} ({', '.join(map(repr, queries[:2]))})" for topic, queries in texts.items()
        ]
        advice = "leave it out" if text in levels else f"frame.drop(columns={text!r})"
        advice = f"give each text its own topic, or if they belong to one topic, {advice}"
        got = f"{len(offenders)} topics with several query texts in {text!r}"
        raise InputError("one query text per topic", got, advice, offenders)


def renamed(pairs: Mapping[Hashable, str], levels: Container[Hashable]) -> str:
    """Return a line of code that renames columns and levels.

    Examples
    --------
    >>> renamed({"exp": "system", "q": "topic"}, ["q"])
    "frame.rename(columns={'exp': 'system'}).rename_axis(index={'q': 'topic'})"
    """
    of_columns, of_levels = (
        {name: role for name, role in pairs.items() if (name in levels) == level}
        for level in (0, 1)
    )
    line = f".rename(columns={of_columns})" * bool(of_columns)
    return f"frame{line}{f'.rename_axis(index={of_levels})' * bool(of_levels)}"


def _few_labels(column: pd.Series) -> tuple[Codes, Any]:
    """Factorize a column with few distinct texts.

    The result has no labels if the column is numeric or has at least `FEW` distinct values.
    """
    none: tuple[Codes, Any] = np.zeros(len(column), np.int64), ()
    if is_numeric(column):
        return none
    try:
        few = column.iloc[: 2 * FEW].nunique() < FEW
        labels, values = pd.factorize(column) if few else none
    except TypeError:  # lists and other unhashable values cannot name systems
        return none
    are_few_texts = 1 < len(values) < FEW and isinstance(values[0], str)
    # missing values have the code -1, which becomes 0
    return (labels.astype(np.int64) + 1, values) if are_few_texts else none


def _are_lists(
    topic: Codes, lists: Codes, columns: Mapping[str, str], get: Column, *, separates: bool
) -> bool:
    """Return whether a column splits unordered rows into ranked lists.

    `lists` are the codes of lists if the column names systems. `separates` is True if the column
    separates repeated documents.
    """
    role = next((role for role in (SCORE, RANK) if role in columns), None)
    if role is None:
        return separates
    order = np.argsort(topic, kind="stable")
    key, _ = read_numbers(get(columns[role]), role)
    key = key[order]
    codes = lists[order]
    topic = topic[order]
    worse = key[1:] > key[:-1] if role == SCORE else key[1:] < key[:-1]
    same = codes[1:] == codes[:-1]
    inside = topic[1:] == topic[:-1]
    contiguous = len(codes) - int(same.sum()) == len(np.unique(codes)) and not (worse & same).any()
    return bool((worse & inside).any() and (separates or contiguous))


def about_duplicates(owner: Codes, lists: Codes, duplicates: Codes, drop: str, *ways: str) -> str:
    """Return advice about duplicated rows.

    Parameters
    ----------
    owner, lists
        The system and the list of each row.
    duplicates
        The positions of duplicated rows.
    drop
        The code that drops duplicates.
    ways
        Other advice. The last item is about repeats, and is omitted unless some
        system has duplicates in all of its lists.
    """
    unaffected = owner[~np.isin(lists, lists[duplicates])]
    advice = "; ".join(ways if np.setdiff1d(owner, unaffected).size else ways[:-1])
    return f"{advice}{'; else ' * bool(advice)}drop the duplicates: {drop}"


def repeat_column(frame: pd.DataFrame, keys: list[Hashable]) -> str | None:
    """Return the column that numbers repeats, or None.

    A column ``repeat`` always numbers repeats. A column with another usual name, such as ``seed``,
    numbers repeats if it distinguishes all rows with equal keys. If no column distinguishes these
    rows, the columns of chunks, spans and subtopics are added to the keys.

    Parameters
    ----------
    frame
        A frame.
    keys
        Columns that together identify a row in a frame without repeats.

    Examples
    --------
    >>> rows = pd.DataFrame({"topic": ["1", "1"], "seed": [1, 2], "fold": 1})
    >>> repeat_column(rows, ["topic"]), repeat_column(rows[:1], ["topic"])
    ('seed', None)
    """
    candidates = repeat_candidates(frame.columns)
    if words.REPEAT in candidates:
        return words.REPEAT
    if not candidates or not frame.duplicated(keys).any():
        return None
    separating = [name for name in candidates if not frame.duplicated([*keys, name]).any()]
    units = [name for name in words.PARTS if name in frame.columns and name not in keys]
    if units and not separating:
        return repeat_column(frame, [*keys, *units])
    if len(separating) > 1:
        advice = f"rename one: frame.rename(columns={{{separating[0]!r}: {words.REPEAT!r}}})"
        got = f"{len(separating)} such columns"
        raise IdError("one column that numbers repeats", got, advice, separating)
    return separating[0] if separating else None


def repeat_candidates(names: Iterable[Hashable]) -> list[str]:
    """Return the columns whose names suggest repeats."""
    present = {name for name in names if isinstance(name, str)}
    return [name for name in words.REPEAT_NAMES if name in present]

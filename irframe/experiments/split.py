"""Judgments that are repeated: passes of a judge, and shards of a collection's documents.

One such repeat is a draw for all systems, and each is scored by judgments of its own.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.errors import ParameterError
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.ids import is_judgments
from irframe.files.repeats import repeat_column
from irframe.names import DOC, REPEAT_NAMES, REPEATED, REPEATS, SHARD, TOPIC, Layout, roles
from irframe.record import recorded
from irframe.warned import in_group

_TOLD = re.compile(r"(\d+) of (\d+), seed (\d+)")


@recorded
def split(runs: Runs | Qrels, n: int, *, seed: int = 0) -> pd.DataFrame:
    """Deal the documents of runs, or of judgments, to shards: repeats of any collection.

    A shard is a collection of its own, with the lists and the judgments of its documents; how
    systems differ from shard to shard says what another collection of documents might have said.

    Parameters
    ----------
    runs
        Run frame or qrels frame, or what `as_runs` and `as_qrels` take.
    n
        How many shards, at least 2.
    seed
        Another seed deals otherwise, at least 0.

    Returns
    -------
    pandas.DataFrame
        The same rows with a column ``shard``. A document is in the same shard wherever it is, so
        that `evaluate` deals judgments as runs were dealt, and scores every shard by its own:
        index (system, shard, topic), shared repeats. A topic without relevant documents in a shard
        is NaN there, and not compared.

    Raises
    ------
    ParameterError
        For fewer than two shards.

    Notes
    -----
    The shard is the CRC-32 of the document's id modulo n; for a seed above 0 first mixed with
    it, as SplitMix64 does.

    References
    ----------
    .. [1] Ferro, Sanderson. Sub-corpora impact on system effectiveness. SIGIR 2017.
       doi:10.1145/3077136.3080674
    .. [2] Ferro, Sanderson. Improving the accuracy of system performance estimation by using
       shards. SIGIR 2019. doi:10.1145/3331184.3338062

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.split(2, seed=1).ireval.evaluate(qrels, "AP")
    >>> scores.index.names, scores.attrs["repeats"]
    (FrozenList(['system', 'shard', 'topic']), 'shared')
    """
    shards, start = whole("n", n, low=2), whole("seed", seed, low=0)
    return _dealt(as_qrels(runs) if is_judgments(runs) else as_runs(runs), shards, start)


def _dealt(frame: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    codes, docs = pd.factorize(frame[roles(frame.columns)[DOC]])
    number = np.array([zlib.crc32(str(doc).encode()) for doc in docs], np.uint64)
    word = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    place = (mixed(number + word) if seed else number) % np.uint64(n)
    names = np.array([f"{shard + 1} of {n}, seed {seed}" for shard in range(n)])
    dealt = frame.assign(**{SHARD: names[place[codes]]})
    dealt.attrs = dict(frame.attrs)
    return dealt


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose every bit depends on all bits of the words, as splitmix64 does."""
    bits = words
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


Part = tuple[Any, Any, pd.DataFrame]
"""The label of some judgments, runs, and the judgments by which these are scored."""


def parts_of(runs: Any, qrels: Any) -> tuple[str, Iterator[Part]] | None:
    """Return what repeats of judgments are called, and each with the runs that it judges.

    Parameters
    ----------
    runs
        Runs, perhaps of shards.
    qrels
        Judgments, perhaps of several passes, which a column tells apart.

    Returns
    -------
    str, iterator, or None
        None where judgments are not repeated.

    Raises
    ------
    ParameterError
        For shards of runs, and of judgments, that are not the same.
    """
    sharded = isinstance(runs, pd.DataFrame) and SHARD in runs.columns
    labels = list(pd.unique(runs[SHARD])) if sharded else []
    dealt = [_TOLD.fullmatch(str(label)) for label in labels]
    if labels and all(dealt):
        return SHARD, _of_shards(runs, qrels, {(int(m[2]), int(m[3])) for m in dealt if m})
    frame = qrels if isinstance(qrels, pd.DataFrame) else None
    if frame is None or not {*REPEAT_NAMES} & {*frame.columns}:
        return None
    columns = roles(frame.columns)
    word = repeat_column(frame, [columns[role] for role in (TOPIC, DOC) if role in columns])
    if word is None or frame[word].nunique(dropna=False) < 2:
        return None
    return word, ((key, runs, part.drop(columns=word)) for key, part in frame.groupby(word))


def _of_shards(runs: pd.DataFrame, qrels: Any, dealt: set[tuple[int, int]]) -> Iterator[Part]:
    if len(dealt) > 1:
        offenders = [f"{n} shards, seed {seed}" for n, seed in sorted(dealt)]
        raise ParameterError("runs that were dealt in one way", "several", "", offenders)
    judged = as_qrels(qrels)
    if SHARD not in judged.columns:
        judged = _dealt(judged, *next(iter(dealt)))
    if not {*judged[SHARD]} & {*runs[SHARD]}:
        strange = sorted({*judged[SHARD]})
        raise ParameterError("judgments that were dealt as the runs", "", "", strange)
    for label in sorted(runs[SHARD].unique()):
        own, by = (frame[frame[SHARD] == label].drop(columns=SHARD) for frame in (runs, judged))
        for frame, whole_ in ((own, runs), (by, judged)):
            frame.attrs = dict(whole_.attrs)
        if len(by):
            yield label, own, by


def scored_apart(
    runs: Any, qrels: Any, repeats: Layout | None, score: Callable[[Any, Any, bool], pd.DataFrame]
) -> pd.DataFrame | None:
    """Score runs by every repeat of judgments; None where these are not repeated.

    Parameters
    ----------
    runs, qrels
        As for `parts_of`.
    repeats
        What a repeat is said to be.
    score
        Scores runs by judgments, with NaN where nothing is relevant if so.
    """
    several = parts_of(runs, qrels)
    if several is None:
        return None
    word, parts = several
    if repeats not in {None, "shared"}:
        wanted = f"repeats='shared', as each {word} of judgments is one draw for all systems"
        raise ParameterError(wanted, repr(repeats))
    tables = {}
    for label, own, judged in parts:
        with in_group(f"{word} {label}"):
            tables[label] = score(own, judged, word == SHARD)
    attributes = {**next(iter(tables.values())).attrs, REPEATED: word, REPEATS: "shared"}
    for table in tables.values():
        table.attrs = {}
    joined: pd.DataFrame = pd.concat(tables, names=[word])
    last = joined.index.nlevels - 1
    joined = joined.reorder_levels([*range(1, last), 0, last])
    groups = [joined.index.get_level_values(n) for n in range(last - 1)]
    codes = pd.factorize(pd.MultiIndex.from_arrays(groups) if len(groups) > 1 else groups[0])[0]
    ordered = pd.DataFrame(joined.iloc[np.argsort(codes, kind="stable")])
    ordered.attrs = attributes
    return ordered

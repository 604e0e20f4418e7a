"""Judgments of which there are several: passes of a judge, and shards of a collection's documents.

Each of these is a draw for all systems.
"""

import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.checks import whole
from irframe.errors import ParameterError
from irframe.experiments import policy as policies
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.kinds import is_judgments
from irframe.files.repeats import repeat_column
from irframe.record import recorded

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
    codes, docs = pd.factorize(frame[words.roles(frame.columns)[words.DOC]])
    number = np.array([zlib.crc32(str(doc).encode()) for doc in docs], np.uint64)
    start = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    place = (policies.mixed(number + start) if seed else number) % np.uint64(n)
    names = np.array([f"{shard + 1} of {n}, seed {seed}" for shard in range(n)])
    return frame.assign(**{words.SHARD: names[place[codes]]})


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
    sharded = isinstance(runs, pd.DataFrame) and words.SHARD in runs.columns
    labels = list(pd.unique(runs[words.SHARD])) if sharded else []
    dealt = [_TOLD.fullmatch(str(label)) for label in labels]
    if labels and all(dealt):
        return words.SHARD, _of_shards(runs, qrels, {(int(m[2]), int(m[3])) for m in dealt if m})
    if not isinstance(qrels, pd.DataFrame) or not {*words.REPEAT_NAMES} & {*qrels.columns}:
        return None
    columns = words.roles(qrels.columns)
    keys = [columns[role] for role in (words.TOPIC, words.DOC) if role in columns]
    word = repeat_column(qrels, keys)
    if word is None or qrels[word].nunique(dropna=False) < 2:
        return None
    return word, ((key, runs, part.drop(columns=word)) for key, part in qrels.groupby(word))


def _of_shards(runs: pd.DataFrame, qrels: Any, dealt: set[tuple[int, int]]) -> Iterator[Part]:
    if len(dealt) > 1:
        offenders = [f"{n} shards, seed {seed}" for n, seed in sorted(dealt)]
        raise ParameterError("runs that were dealt in one way", "several", "", offenders)
    judged, shard = as_qrels(qrels), words.SHARD
    if shard not in judged.columns:
        judged = _dealt(judged, *next(iter(dealt)))
    if not {*judged[shard]} & {*runs[shard]}:
        strange = sorted({*judged[shard]})
        raise ParameterError("judgments that were dealt as the runs", "", "", strange)
    for label in sorted(runs[shard].unique()):
        own, by = (f[f[shard] == label].drop(columns=shard) for f in (runs, judged))
        if len(by):
            yield label, own, by

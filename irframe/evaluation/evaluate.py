"""Evaluation of runs against one or several sets of judgments.

Each set of judgments is called a repeat. A repeat is one pass of a judge over all documents, or one
shard of the documents. All systems are scored with each repeat.

Verbs: evaluate, split.
"""

import re
import zlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import check_int
from irframe.errors import OneCall, ParameterError, in_group, warn
from irframe.evaluation.repeats import Folded, fold, not_lacking
from irframe.evaluation.scorer_input import Reader
from irframe.evaluation.scoring import Plan, Rel, Scoring, Thresholds, one_or_several
from irframe.evaluation.searches import add_costs
from irframe.experiments import choices, group_columns
from irframe.experiments import policy as policies
from irframe.experiments.coded_tables import read_table
from irframe.experiments.judgments import Judgments
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs, in_groups
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.kinds import is_judgments
from irframe.frames.likeness import repeat_column
from irframe.metrics import Metric
from irframe.record import InGroups, recorded


@recorded(groups=True)
def evaluate(
    runs: Runs | ScannedRuns,
    qrels: Qrels | policies.Metrics,
    *metrics: policies.Metrics,
    depth: int | None = None,
    ties: choices.TiesLike = words.DEFAULT_TIES,
    topics: policies.Topics = "qrels",
    collection: str | None = None,
    no_rel: words.NoRel | None = None,
    rel: Rel = None,
    units: choices.UnitsLike = None,
    search: choices.SearchLike = None,
    stop: choices.Stop | None = None,
) -> pd.DataFrame:
    """Score runs per system and topic.

    Parameters
    ----------
    runs, qrels
        A run frame and a qrels frame, or any objects that `as_runs` and `as_qrels` convert. Omit
        `qrels` if the run frame has a column of grades. In this column, a missing grade means that
        the document is unjudged. If `runs` is a result of `scan_runs`, only a few files are in
        memory at a time. However, all files are read at once if runs are grouped, if `collection`
        is a column of the runs, or if a column marks contributing runs.
    metrics
        Metrics or their names, as arguments or as a list. A metric with a cutoff, such as
        ``"nDCG@10"``, is scored at its cutoff. Any other metric is scored at `depth`, or on
        complete lists by default. On complete lists, the ideal ranking of nDCG is not cut, and AP
        divides by the number of all relevant documents.
    depth
        Depth at which all lists are cut, at least 1. The default is not to cut lists.
    ties, topics, collection
        As in `cube`.
    no_rel
        Scores of topics without relevant documents. With ``"nan"``, every metric is NaN. With
        ``"silence"``, metrics between 0 and 1 are 1 for an empty list and 0 for any other list.
        Counts do not change, and costs and unbounded gains are NaN. With ``"silence"``, `topics`
        may contain topics without judgments.
    rel
        Lowest relevant grade by collection, such as ``{"dl21": 2}``. Metrics with ``rel`` in their
        names are not affected. The names of metrics do not change.
    units, search
        As in `cube`. If `search` is passed, `metrics` may also contain names of costs.
        ``"shown"`` counts all documents shown, and ``"again"`` counts documents that were shown
        before. The name of the column of lengths stands for the total length of the documents
        shown. Costs ignore cutoffs, and lower costs are better.
    stop
        The rule that decides where a user stops reading each list. The rule is an `irframe.Budget`,
        `irframe.Threshold` or `irframe.AfterSearches`. If `stop` is passed, each metric has a
        column per stop, such as ``"nDCG in 500 tokens"``, ``"P >= 0.4"`` or ``"R after search 2"``.
        If systems have different thresholds, the column is called ``"P >= own threshold"``.

    Returns
    -------
    pandas.DataFrame
        One column per metric. The index levels are system and topic, named as in the run frame. If
        there are groups, the first level is the group. A system has no rows for collections in
        which it did not take part.

        Runs are repeated if they have a column ``repeat``, seed, trial, checkpoint, fold, epoch,
        pass, variation or sample, or the form ``{system: {repeat: run}}``. The index of repeated
        runs has a level of repeats after the level of systems. If a repeat has no list for a topic,
        its list counts as empty. However, missing lists of a ``variation`` or ``sample`` have no
        rows, because topics may have different numbers of variations. `irframe.verbs.design`
        declares the kind of repeats. If judgments are repeated, or `split` divided the runs into
        shards, there are scores for each repeat or shard.

    Raises
    ------
    MetricError
        If a metric such as P needs a cutoff and has none, or if `rel` affects no metric.
    ParameterError
        If `rel` names an unknown collection, or is passed without `collection`.
    IrframeError
        If `cube` or `score` would raise any other error.

    Warns
    -----
    IrframeWarning
        If `cube` would warn of the runs or judgments.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("ab"), "score": [2, 1]})
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["b"], "grade": [1]})
    >>> evaluate(runs, qrels, ["AP", "P@1"])
    metric         AP  P@1
    system topic
    s      1      0.5  0.0
    """
    runs, by = (runs.subject, runs.by) if isinstance(runs, InGroups) else (runs, None)
    qrels, metrics = _own_judgments(runs, qrels, metrics)
    if by is not None:
        runs, qrels, by = group_columns.with_given_groups(runs, qrels, by)
    options: dict[str, Any] = {"depth": depth, "topics": topics, "collection": collection}
    plan = Plan.read(options, metrics, ties, units, search, stop)
    plan = plan._replace(no_rel=no_rel, rel=rel)
    return _with_repeats(plan, by, fold(runs, plan.policy.search), qrels)


def _own_judgments(
    runs: Any, qrels: object, metrics: tuple[policies.Metrics, ...]
) -> tuple[Qrels, tuple[policies.Metrics, ...]]:
    """Return qrels and metrics; read omitted qrels from the runs."""
    # if qrels are omitted, the argument `qrels` contains the first metric or the list of all
    # metrics
    first = [qrels] if isinstance(qrels, str | Metric) else qrels
    if not isinstance(first, list | tuple) or not all(isinstance(m, str | Metric) for m in first):
        return qrels, metrics
    columns = words.roles(runs.columns) if isinstance(runs, pd.DataFrame) else {}
    judged = [columns.get(role) for role in (words.TOPIC, words.DOC, words.GRADE)]
    if not first or None in judged:
        return qrels, metrics
    warn(
        f"all judgments come from {judged[2]!r} of the runs, so relevant documents that no run "
        "retrieved are unknown"
    )
    return runs[judged].drop_duplicates().dropna(subset=judged[2:]), (*first, *metrics)


def _with_repeats(plan: Plan, by: str | None, folded: Folded, qrels: Qrels) -> pd.DataFrame:
    """Score runs or judgments that may be repeated."""
    prepared = plan.prepared
    with OneCall(without=not_lacking(folded.repeat, plan.no_rel)):
        shown = prepared.shown(folded.runs) if prepared.costs else folded.runs
        runs, qrels = plan.inputs(shown, qrels, by)
        if plan.stops is not None and not plan.stops.of:
            # thresholds are chosen from the scores of all runs, so that all groups and shards have
            # the same thresholds
            plan = plan._replace(stops=plan.stops.all_of(_scores_of(runs, plan.policy)))
        several = judgment_repeats(runs, qrels)
        if several is None:
            table = _scored_runs(plan, by, runs, qrels)
            if prepared.costs:
                table = add_costs(table, shown, plan.policy, plan.stops, by, prepared.costs)
        else:
            repeat, subsets = several
            if prepared.costs:
                expected = f"one set of judgments, to compute {prepared.costs[0]!r}"
                got = f"several sets of judgments, by {repeat}"
                raise ParameterError(expected, got, "omit this cost")
            # a topic that has no relevant document in a shard may have some in another shard
            plan = plan._replace(no_rel="nan") if repeat == words.SHARD else plan
            tables = {}
            for label, listed, judged in subsets:
                with in_group(f"{repeat} {label}"):
                    tables[label] = _scored_runs(plan, by, listed, judged)
    if several is None:
        return table if folded.repeat is None else folded.unfold(table)
    folded.refuse_others(repeat)
    table, attributes = _stacked_scores(tables, repeat)
    # repeats are the first level so far; the sort is stable, so repeats and topics keep their order
    last = table.index.nlevels - 1
    table = table.reorder_levels([*range(1, last), 0, last])
    group = table.groupby(level=[*range(last - 1)], sort=False).ngroup()
    ordered = pd.DataFrame(table.iloc[np.argsort(group, kind="stable")])
    ordered.attrs = attributes[0] | _unknown(attributes)
    ordered.attrs |= {words.REPEATED: repeat, words.REPEATS: "shared"}
    return ordered


def _scores_of(runs: Runs | ScannedRuns, policy: policies.Policy) -> Array | None:
    """Return the retrieval scores of all rows; None if missing."""
    table = read_table(runs.readable().frame() if isinstance(runs, ScannedRuns) else runs)
    score = table.score
    # scores are compared with thresholds in this precision, in which similar scores may be equal
    return None if score is None else policies.in_precision(score, policy.score_dtype)


def _scored_runs(
    plan: Plan, by: str | None, runs: Runs | ScannedRuns, qrels: Qrels
) -> pd.DataFrame:
    """Score all runs, or each group if there are groups."""
    if by is None:
        reader, scoring = _prepared(plan, qrels)
        table = scoring.table(reader.read(runs))
        units = runs if isinstance(runs, pd.DataFrame) and words.UNIT in runs.columns else None
        if units is not None and words.SYSTEM in (columns := words.roles(units.columns)):
            pairs = units[[columns[words.SYSTEM], words.UNIT]].drop_duplicates().astype(str)
            table.attrs[words.UNITS] = pairs.to_numpy().tolist()
        return table
    runs = in_groups(runs.readable().frame() if isinstance(runs, ScannedRuns) else runs, by)
    qrels = as_qrels(qrels)
    if group_columns.share_names(qrels, by):
        return _joined_groups(dict(_separate(plan, runs, qrels, by)), by)
    reader, scoring = _prepared(plan, qrels)
    groups = reader.read_groups(runs, by)
    return _joined_groups({key: scoring.table(group) for key, group in groups}, by)


def _separate(
    plan: Plan, runs: pd.DataFrame, qrels: pd.DataFrame, by: str
) -> Iterator[tuple[Hashable, pd.DataFrame]]:
    """Score each group separately, if groups share topic names."""
    absent = {}
    collection = plan.policy.collection
    if plan.rel and collection in qrels.columns:
        # unknown keys raise no error while a group is scored, so they are checked before
        Thresholds(plan.rel, ()).refuse_unknown(qrels[collection])
    everyone = pd.unique(runs[words.roles(runs.columns)[words.SYSTEM]])
    for key in pd.unique(qrels[by]):
        with in_group(f"{by} {key}"):
            reader, scoring = _prepared(plan, qrels[qrels[by] == key])
            scores = scoring.table(reader.read(runs[runs[by] == key]))
        present = set(scores.index.get_level_values(0))
        absent[key] = [name for name in everyone if name not in present]
        yield key, scores
    # if there are collections, a system need not take part in all of them
    if collection is None:
        group_columns.warn_without_rows(by, absent)


def _prepared(plan: Plan, qrels: Qrels) -> tuple[Reader, Scoring]:
    """Return the run reader and the scoring for judgments."""
    unjudged = plan.no_rel == "silence"
    judgments = Judgments.of(qrels, plan.metrics, plan.policy.topics, unjudged=unjudged)
    return Reader(judgments, plan.policy, (), pooled=True), Scoring(judgments, plan)


def _joined_groups(tables: dict[Hashable, pd.DataFrame], by: str) -> pd.DataFrame:
    """Concatenate the scores of groups, and combine their attributes."""
    table, attributes = _stacked_scores(tables, by)
    topics_of = [pair for attrs in attributes for pair in attrs.get(words.TOPICS_OF, ())]
    table.attrs = attributes[0] | ({words.TOPICS_OF: topics_of} if topics_of else {})
    table.attrs |= _unknown(attributes)
    for name in ("top", "pool_depth", words.JUDGMENTS):
        every = np.concatenate([np.ravel(attrs[name]) for attrs in attributes])
        table.attrs[name] = one_or_several(every)
    return table


def _unknown(attributes: Iterable[Mapping[Hashable, Any]]) -> dict[str, list[str]]:
    """Return the attribute that lists systems without judged documents."""
    unknown = set.intersection(*({*attrs.get(words.UNKNOWN, ())} for attrs in attributes))
    return {words.UNKNOWN: sorted(unknown)} if unknown else {}


def _stacked_scores(
    tables: dict[Hashable, pd.DataFrame], name: str
) -> tuple[pd.DataFrame, list[Any]]:
    """Concatenate score frames, and return their attributes in a list."""
    attributes = [table.attrs for table in tables.values()]
    # pandas compares the attributes of concatenated frames, which fails for arrays
    for table in tables.values():
        table.attrs = {}
    return pd.DataFrame(pd.concat(tables, names=[name])), attributes


_SHARD_LABEL = re.compile(r"(\d+) of (\d+), seed (\d+)")


@recorded
def split(runs: Runs | Qrels, n: int, *, seed: int = 0) -> pd.DataFrame:
    """Split the documents of runs or judgments into shards.

    Each shard is a small document collection with its own lists and judgments. The variance of
    scores across shards estimates the variance across document collections.

    Parameters
    ----------
    runs
        A run frame or qrels frame, or any object that `as_runs` or `as_qrels` converts.
    n
        Number of shards, at least 2.
    seed
        Seed of the random assignment of documents to shards, at least 0.

    Returns
    -------
    pandas.DataFrame
        The rows of `runs` with a column ``shard``. Each document is in the same shard in all lists.
        `evaluate` splits judgments in the same way, and scores each shard with its own judgments.
        The index levels of these scores are system, shard and topic. If a topic has no relevant
        document in a shard, its scores in this shard are NaN and are not compared.

    Raises
    ------
    ParameterError
        If `n` is less than 2.

    Notes
    -----
    The shard of a document is the CRC-32 of its id modulo n. If the seed is above 0, the sum of the
    CRC-32 and a multiple of the seed is first hashed as in SplitMix64.

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
    n = check_int("n", n, low=2)
    seed = check_int("seed", seed, low=0)
    return _dealt(as_qrels(runs) if is_judgments(runs) else as_runs(runs), n, seed)


def _dealt(frame: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """Add the column of shards to runs or judgments."""
    codes, docs = pd.factorize(frame[words.roles(frame.columns)[words.DOC]])
    # unlike `hash`, the CRC-32 of a text is the same in every process
    number = np.array([zlib.crc32(str(doc).encode()) for doc in docs], np.uint64)
    # the factor is the increment of SplitMix64, so each seed adds a different number
    start = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    shard_of_doc = (policies.mixed(number + start) if seed else number) % np.uint64(n)
    names = np.array([f"{shard + 1} of {n}, seed {seed}" for shard in range(n)])
    return frame.assign(**{words.SHARD: names[shard_of_doc[codes]]})


JudgedRuns = tuple[Hashable, Runs, pd.DataFrame]
"""The label of one set of judgments, the runs to score, and the judgments."""


def judgment_repeats(runs: Any, qrels: Qrels) -> tuple[str, Iterator[JudgedRuns]] | None:
    """Return the repeats of judgments, with the runs to score.

    Parameters
    ----------
    runs
        Runs, possibly with a column of shards.
    qrels
        Judgments, possibly with a column of repeats.

    Returns
    -------
    str, iterator, or None
        The name of the column of repeats, and an iterator over `JudgedRuns`. None if
        judgments are not repeated.

    Raises
    ------
    ParameterError
        If runs and judgments have no common shard, or runs were split more than once.
    """
    sharded = isinstance(runs, pd.DataFrame) and words.SHARD in runs.columns
    labels = list(pd.unique(runs[words.SHARD])) if sharded else []
    dealt = [_SHARD_LABEL.fullmatch(str(label)) for label in labels]
    # other columns may also have the name shard, so the labels decide whether `split` added the
    # column
    if labels and all(dealt):
        return words.SHARD, _of_shards(runs, qrels, {(int(m[2]), int(m[3])) for m in dealt if m})
    if not isinstance(qrels, pd.DataFrame) or not {*words.REPEAT_NAMES} & {*qrels.columns}:
        return None
    columns = words.roles(qrels.columns)
    keys = [columns[role] for role in (words.TOPIC, words.DOC) if role in columns]
    column = repeat_column(qrels, keys)
    if column is None or qrels[column].nunique(dropna=False) < 2:
        return None
    return column, (
        (key, runs, subset.drop(columns=column)) for key, subset in qrels.groupby(column)
    )


def _of_shards(
    runs: pd.DataFrame, qrels: Qrels, dealt: set[tuple[int, int]]
) -> Iterator[JudgedRuns]:
    """Yield the runs and judgments of each shard."""
    if len(dealt) > 1:
        offenders = [f"{n} shards, seed {seed}" for n, seed in sorted(dealt)]
        raise ParameterError("runs that were split once", "runs with shards of", "", offenders)
    shard = words.SHARD
    judged = as_qrels(qrels)
    if shard not in judged.columns:
        # the shard of a document depends on its id alone, so judgments get the shards of the runs
        judged = _dealt(judged, *next(iter(dealt)))
    if not {*judged[shard]} & {*runs[shard]}:
        labels = sorted({*judged[shard]})
        got = "judgments with other shards"
        raise ParameterError("judgments with the shards of the runs", got, "", labels)
    for label in sorted(runs[shard].unique()):
        of_runs, of_qrels = (f[f[shard] == label].drop(columns=shard) for f in (runs, judged))
        if len(of_qrels):
            yield label, of_runs, of_qrels

"""From frames to scores in one call, and frames as other tools take them.

Verbs: evaluate, to_pytrec_eval, to_ranx.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.checks import choice
from irframe.errors import InputError
from irframe.experiments import coded_tables, group_columns
from irframe.experiments import policy as policies
from irframe.experiments.collapse import ChunksOf, Copies, LaterCopies, Lengths, Units
from irframe.experiments.judgments import Judgments
from irframe.experiments.rank_table import rank
from irframe.experiments.scorer_input import Reader
from irframe.experiments.scoring import Budgets, Plan, Scoring, one_or_several
from irframe.experiments.split import scored_apart
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs, columns_of
from irframe.files.formats import RUN
from irframe.files.ids import refuse_two_units, repeated, require_columns
from irframe.files.read_run import ScannedRuns
from irframe.files.repeats import LACKING, Folded, fold
from irframe.record import recorded
from irframe.warned import OneCall, in_group


@recorded
def evaluate(
    runs: Runs | ScannedRuns,
    qrels: Qrels,
    *metrics: policies.Metrics,
    depth: int | None = None,
    ties: words.Ties = words.DEFAULT_TIES,
    score_dtype: words.ScoreDtype = words.DEFAULT_DTYPE,
    topics: policies.Topics = "qrels",
    contributing: policies.Contributing = None,
    pool_depth: policies.PoolDepth = None,
    collection: str | None = None,
    by: group_columns.GroupBy | None = None,
    seed: int = 0,
    no_rel: words.NoRel | None = None,
    rel: group_columns.Rel = None,
    repeats: words.Layout | None = None,
    of: ChunksOf = None,
    copies: Copies = None,
    later_copies: LaterCopies = "spend",
    length: Lengths = None,
    budget: int | Sequence[int] | None = None,
    cut: words.Cut = "whole",
) -> pd.DataFrame:
    """Score runs per system and topic.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame, or what `as_runs` and `as_qrels` take. Runs may also be the
        files that `scan_runs` finds: a few are in memory at a time, or all of them where `by`,
        `collection` or a column of contributing runs is asked for.
    metrics
        Metrics or their names, as arguments or as a list. One with a depth of its own
        (``"nDCG@10"``) is scored there. One without is scored at `depth`, or else on all that was
        retrieved with nothing cut: nDCG by the whole ideal ranking, AP by all relevant documents.
    depth
        Cut all lists here, at least 1; by default nowhere.
    ties, score_dtype, topics, contributing, pool_depth, collection, seed
        As for `cube`.
    by
        A column that is constant per system or topic, or topic (or system) -> group: scores of
        every group, as those of the cubes that `cube` gives with it.
    no_rel
        ``"nan"``: topics without relevant documents score NaN, whatever the metric.
    rel
        Lowest relevant grade by collection, such as ``{"dl21": 2}``: that of metrics whose name
        gives none, in these collections; they are called what they were asked for.
    repeats
        What one repeat is, where a column ``repeat`` (or seed, trial, checkpoint, fold, epoch,
        pass, variation, sample) says of which repeat of its system a row is, or runs are
        ``{system: {repeat: run}}``: ``"system"``, a draw of its own system, as a trained model by
        its seed; ``"shared"``, one draw for all systems, as a pass of a judge or a shard of
        documents; ``"topic"``, a draw inside its topic, as a variation of the query. By default
        ``"system"`` for the first five names; of others verbs that need it ask. Judgments with such
        a column, and runs that `split` dealt, are scored repeat by repeat, which are shared.
    of, copies, later_copies, length
        As for `cube`.
    budget
        How much text is read, in the unit of `length`, whole numbers: a column for every metric and
        budget, called ``"nDCG in 500 tokens"``. The metric is that at the depth down to which units
        fit, by the whole ideal ranking.
    cut
        ``"whole"``: reading ends before the first unit that does not fit. ``"skip"``: it goes on
        with those that do. ``"part"``: what fits of that unit is read; for judgments by spans.

    Returns
    -------
    pandas.DataFrame
        Index (system, topic), named as in the caller's frame, with the group first if `by` is
        given; a column per metric, as printed. A system has no rows in collections in which
        it did not take part. Runs with repeats have these in the index, after their system.

    Raises
    ------
    MetricError
        For a metric that needs a depth and has none, such as P; for `rel` if no metric takes it.
    ParameterError
        For `rel` of unknown collections, or without `collection`.
    IrframeError
        As `cube` and `score`.

    Warns
    -----
    IrframeWarning
        As `cube`.

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
    chosen = policies.parse_metrics(metrics)
    choice("no_rel", "zero" if no_rel is None else no_rel, ("nan", "zero"))
    runs, qrels, groups = group_columns.with_given_groups(runs, qrels, by)
    folded, units = fold(runs), Units(of, copies, later_copies, length)
    policy = policies.Policy(
        depth=policies.cut_at(chosen, depth) if budget is None else depth,
        ties=ties,
        score_dtype=score_dtype,
        topics=topics,
        contributing=folded.contributing(contributing),
        pool_depth=pool_depth,
        collection=collection,
        seed=seed,
        **units.decided,
    )
    plan = Plan(chosen, policy, no_rel, rel, Budgets.read(budget, cut))
    return _repeated(partial(_scored, plan, groups), folded, qrels, units, policy, repeats)


def units_of(runs: Any) -> dict[str, Any]:
    """Return the attribute that says of which unit the lists of each system are, if runs say it."""
    if not isinstance(runs, pd.DataFrame) or words.UNIT not in runs.columns:
        return {}
    system = words.roles(runs.columns).get(words.SYSTEM)
    if system is None:
        return {}
    pairs = runs[[system, words.UNIT]].drop_duplicates().astype(str)
    return {words.UNITS: [list(pair) for pair in pairs.itertuples(index=False)]}


def _repeated(
    score: Callable[..., pd.DataFrame],
    folded: Folded,
    qrels: Qrels,
    units: Units,
    policy: policies.Policy,
    repeats: words.Layout | None,
) -> pd.DataFrame:
    """Score runs of which there may be several repeats, and judgments of which there may."""
    with OneCall(without=LACKING if repeats == "topic" else None):
        runs, qrels = units.runs(folded.runs, policy), units.qrels(qrels)
        apart = scored_apart(runs, qrels, repeats, score)
        table = score(runs, qrels) if apart is None else apart
    if apart is None:
        return folded.unfold(table, repeats)
    folded.refuse_others(apart.index.names[-2])
    return apart


def _scored(
    plan: Plan,
    by: str | None,
    runs: Runs | ScannedRuns,
    qrels: Qrels,
    barren: bool = False,  # noqa: FBT001, FBT002 - called by place
) -> pd.DataFrame:
    """Score runs, or each group of them; if wanted, NaN where nothing is relevant."""
    plan = plan._replace(no_rel="nan") if barren else plan
    if by is None:
        reader, scoring = _prepared(plan, qrels)
        table = scoring.table(reader.read(runs))
        table.attrs |= units_of(runs)
        return table
    runs = as_runs(runs.readable().frame() if isinstance(runs, ScannedRuns) else runs)
    qrels = as_qrels(qrels)
    if group_columns.share_names(qrels, by):
        return _joined(dict(_apart(plan, runs, qrels, by)), by)
    reader, scoring = _prepared(plan, qrels)
    groups = reader.read_groups(runs, by)
    return _joined({key: scoring.table(part) for key, part in groups}, by)


def _apart(
    plan: Plan, runs: pd.DataFrame, qrels: pd.DataFrame, by: str
) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Score groups whose topics share names with those of others, each by itself."""
    collection, absent = plan.policy.collection, {}
    if plan.rel and collection in qrels.columns:
        group_columns.Thresholds(plan.rel, ()).refuse_unknown(qrels[collection])
    everyone = pd.unique(runs[words.roles(runs.columns)[words.SYSTEM]])
    for key in pd.unique(qrels[by]):
        with in_group(f"{by} {key}"):
            reader, scoring = _prepared(plan, qrels[qrels[by] == key])
            part = scoring.table(reader.read(runs[runs[by] == key]))
        here = set(part.index.get_level_values(0))
        absent[key] = [name for name in everyone if name not in here]
        yield key, part
    if collection is None:
        group_columns.tell_without_rows(by, absent)


def _prepared(plan: Plan, qrels: Qrels) -> tuple[Reader, Scoring]:
    judgments = Judgments.of(qrels, plan.metrics, plan.policy.topics)
    return Reader(judgments, plan.policy, (), pooled=True), Scoring(judgments, plan)


def _joined(parts: dict[Any, pd.DataFrame], by: str) -> pd.DataFrame:
    """Put the scores of groups together, with all their top grades and pool depths."""
    attributes = [part.attrs for part in parts.values()]
    for part in parts.values():
        part.attrs = {}
    table = pd.DataFrame(pd.concat(parts, names=[by]))
    topics_of = [pair for attrs in attributes for pair in attrs.get(words.TOPICS_OF, ())]
    table.attrs = attributes[0] | ({words.TOPICS_OF: topics_of} if topics_of else {})
    for name in ("top", "pool_depth", words.JUDGMENTS):
        every = np.concatenate([np.ravel(attrs[name]) for attrs in attributes])
        table.attrs[name] = one_or_several(every)
    return table


def to_pytrec_eval(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Make the dictionaries of a run frame or a qrels frame that pytrec_eval, ranx and BEIR take.

    Parameters
    ----------
    frame
        A qrels frame, if it has grades; else a run frame. Without scores, minus the rank is the
        score, which keeps the order.

    Returns
    -------
    dict
        ``{topic: {doc: grade}}``, or ``{topic: {doc: score}}``; of several systems one of these
        for each, ``{system: {topic: {doc: score}}}``. Ids are text, as these tools need it.

    Raises
    ------
    InputError
        For a frame that is neither.
    IdError
        For a document that is listed or judged twice.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": [1, 1], "docno": ["d7", "d3"], "score": [2.5, 0.5]})
    >>> to_pytrec_eval(run)
    {'1': {'d7': 2.5, 'd3': 0.5}}
    """
    known = columns_of(frame)
    table = frame if known is None else known
    if known is not None and words.GRADE in words.roles(known.columns):
        judged = coded_tables.read_qrels_table(table)
        columns = judged.columns
        if judged.subtopic_grade is not None:
            column = repr(columns[words.SUBTOPIC])
            raise InputError("judgments with one grade per document", f"subtopics in {column}")
        (codes,) = coded_tables.code_documents(coded_tables.Side(judged.topic, judged.doc))
        coded_tables.refuse_twice_judged(judged, repeated(codes))
        return _nested(table, columns, table[columns[words.GRADE]].astype(int))
    columns = require_columns(table, RUN)
    refuse_two_units(table, columns)
    ranked = rank(table)
    values = -ranked[columns.get(words.RANK, words.RANK)]
    if words.SCORE in columns:
        values = ranked[columns[words.SCORE]].astype(float)
    if words.SYSTEM not in columns or len(ranked[columns[words.SYSTEM]].unique()) == 1:
        return _nested(ranked, columns, values)
    systems = ranked[columns[words.SYSTEM]]
    return {
        str(system): _nested(ranked.loc[rows], columns, values.loc[rows])
        for system, rows in systems.groupby(systems, sort=False).groups.items()
    }


def _nested(frame: pd.DataFrame, columns: Any, values: pd.Series) -> dict[str, dict[str, Any]]:
    """Return topic -> document -> value."""
    nested: dict[str, dict[str, Any]] = {}
    ids = (frame[columns[role]].astype(str).tolist() for role in (words.TOPIC, words.DOC))
    for topic, doc, value in zip(*ids, values.tolist(), strict=True):
        nested.setdefault(topic, {})[doc] = value
    return nested


def to_ranx(frame: pd.DataFrame) -> Any:
    """Make the `ranx.Run`, or `ranx.Qrels`, of a run frame or a qrels frame.

    Parameters
    ----------
    frame
        A qrels frame, if it has grades; else a run frame.

    Returns
    -------
    ranx.Qrels, ranx.Run or list of ranx.Run
        Of several systems a run for each, named after it. Ids are text, as ranx needs it.

    Raises
    ------
    InputError
        If the package ranx is not installed, or for a frame that is neither.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, _ = ir.example_track()
    >>> runs.ireval.to_ranx()[0].name  # doctest: +SKIP
    'bm25'
    """
    try:
        import ranx  # noqa: PLC0415 - only what makes its objects needs it
    except ImportError as error:
        raise InputError("the package ranx", "none", "install it: pip install ranx") from error
    nested = to_pytrec_eval(frame)
    table = columns_of(frame)
    columns = {} if table is None else words.roles(table.columns)
    if words.GRADE in columns:
        return ranx.Qrels(nested)
    if words.SYSTEM not in columns or table is None:
        return ranx.Run(nested)
    systems = [str(system) for system in table[columns[words.SYSTEM]].unique()]
    if len(systems) == 1:
        return ranx.Run(nested, name=systems[0])
    return [ranx.Run(run, name=system) for system, run in nested.items()]

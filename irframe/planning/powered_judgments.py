"""Means and differences of systems from judgments by people of some documents of every topic."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array, Grade
from irframe.checks import number, places
from irframe.cubes import estimate
from irframe.cubes.sampled import Draw, estimated
from irframe.cubes.score import Work
from irframe.cubes.view import experiment_of
from irframe.errors import GradeError, IdError, InputError, ParameterError, warn
from irframe.experiments.coded_tables import QrelsTable, read_qrels_table
from irframe.experiments.judgments import Judgments
from irframe.metrics import Metric
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, PAIR, SIDES, SYSTEM, TOPIC
from irframe.paired import all_pairs, baseline_pairs
from irframe.paired.pairs import fitting, groups
from irframe.scores.scores import BLOCK_BYTES

NAMES = ("value", "pseudo", "alone", "variance", "variance_alone")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of judgments by people and a model."""

    alpha: float
    fixed: bool
    half_width: float | None
    baseline: Hashable | None


def power_judgments(
    cube: xr.Dataset, human: Any, metrics: Any, at: int | Sequence[int] | None, options: Asked
) -> xr.Dataset:
    """Estimate means of systems from a model's judgments and a sample of people's.

    Parameters
    ----------
    cube
        A cube of the model's judgments.
    human
        Qrels frame of people's judgments of a sample of the same documents.
    metrics, at
        As for `irframe.verbs.estimate`.
    options
        What is asked.
    """
    asked_of = metrics if isinstance(metrics, list | tuple) else [metrics]
    chosen, depths = estimate.read_estimated(cube, asked_of, at)
    grade, draw = people_of(cube, read_qrels_table(human))
    estimate.tell_lone(draw, cube.indexes[TOPIC])
    scores = estimates(cube, grade, draw, chosen, depths)
    shares = [facts(metric).share for metric in chosen]
    n = scores["value"].notnull().sum(TOPIC)
    freedom = n - 1.0
    if options.fixed:
        experiment = experiment_of(cube)
        tops, rows = experiment.tops[experiment.judgments.topic], experiment.rows_at(max(depths))
        graded, model = (grade, tops), (experiment.judgments.grade, tops)
        freedom = estimate.freedom_of(chosen, rows, draw, graded, depths, model)
    freedom = freedom.where(n > 1)
    parts = _means_with_intervals(
        scores, draw, options, freedom, shares
    ) | _differences_with_intervals(scores, options)
    counts = {"n_human": int(draw.judged.sum()), "n_model": int(draw.size.sum())}
    attrs = {
        "alpha": options.alpha,
        "interval": estimate.told_scale(chosen, shares, ("arcsine", "log")),
    }
    attrs |= estimate.tell_unknown(draw, parts["error"], parts["ci_low"], freedom)
    return xr.Dataset(parts).assign(counts).assign_attrs(attrs)


def people_of(cube: xr.Dataset, table: QrelsTable) -> tuple[Array, Draw]:
    """Return people's grades of the documents of a cube, and how these were drawn."""
    experiment, labels = experiment_of(cube), cube.indexes[TOPIC]
    base = experiment.judgments
    place = labels.get_indexer(table.topics)[table.topic]
    inside = np.flatnonzero(place >= 0)
    if not len(inside):
        raise IdError("people's judgments of topics of the cube", "none", "", labels)
    docs = table.doc.to_pylist()
    known = pd.MultiIndex.from_arrays([base.topic, base.docs])
    wanted = pd.MultiIndex.from_arrays([place[inside], [docs[row] for row in inside]])
    row = known.get_indexer(wanted)
    strange = wanted[row < 0]
    if len(strange):
        cases = [f"{doc} of topic {labels[code]}" for code, doc in strange]
        wanted_docs = "people's documents among those that the model judged"
        raise IdError(wanted_docs, f"{len(cases)} it did not", "", cases)
    grade = np.full(len(base.row), -1, Grade)
    grade[row] = table.grade[inside]
    high = np.flatnonzero(grade > experiment.tops[base.topic])
    if len(high):
        cases = [f"{grade[index]} of {base.docs[index]}" for index in high]
        raise GradeError("people's grades up to the highest of the model", "higher ones", "", cases)
    label = probability = None
    if table.stratum is not None:
        names, label = table.stratum.to_pylist(), np.full(len(grade), "", object)
        label[row] = [str(names[index]) for index in inside]
        label = _completed(base, label)
    if table.probability is not None:
        probability = np.full(len(grade), np.nan)
        probability[row] = table.probability[inside]
    return grade, Draw.of(base, grade, label, probability)


def _completed(base: Judgments, label: Array) -> Array:
    """Return strata with those of documents that people have no row for.

    They are what the model's judgments say; else that of the topic, where it has one alone.
    """
    lost = label == ""
    if base.strata is not None and (base.strata == label)[~lost].all():
        return base.strata
    given = pd.DataFrame({TOPIC: base.topic, "label": label})[~lost].drop_duplicates()
    lone = given.drop_duplicates(TOPIC, keep=False).set_index(TOPIC)["label"].to_dict()
    label[lost] = [lone.get(topic, "") for topic in base.topic[lost].tolist()]
    lost = label == ""
    if lost.any():
        advice = "draw with draw_to_judge(share), which keeps all, or give the model's strata"
        wanted = "people's judgments with a row for every document of the model, -1 if not drawn"
        raise InputError(wanted, f"none for {int(lost.sum())}", advice, base.docs[lost])
    return label


def estimates(
    cube: xr.Dataset, grade: Array, draw: Draw, metrics: list[Metric], depths: list[int]
) -> xr.Dataset:
    """Estimate the scores of topics, with one weight of the model for all systems.

    What `NAMES` say is over (metric, system, topic, depth): scores, pseudo-values over topics,
    scores from people alone, and how drawing documents varies both; ``weight`` over metric, depth.
    """
    model = Work(metrics, depths).over(cube).to_numpy()
    experiment = experiment_of(cube)
    base, rows = experiment.judgments, experiment.rows_at(cube.sizes[DEPTH])
    top, own, took = experiment.tops[base.topic], base.grade, experiment.there[..., np.newaxis]
    shape = model.shape
    parts = {name: np.empty(shape) for name in NAMES}
    weight = np.empty((len(metrics), len(depths)))
    pairs = estimated(metrics, rows, draw, [(grade, top), (own, top)], depths)
    for row, ((people, cheap), spread) in enumerate(pairs):
        both, of_cheap = (
            np.nansum(np.where(took, part, 0), axis=0) for part in (spread[0, 1], spread[1, 1])
        )
        weight[row] = share = _share(both.sum(axis=0), of_cheap.sum(axis=0))
        without = _share(both.sum(axis=0) - both, of_cheap.sum(axis=0) - of_cheap)
        more = np.where(took, model[row] - cheap, 0.0)
        total = more.sum(axis=1, keepdims=True)
        rest = spread[0, 0] - 2 * without * spread[0, 1] + without**2 * spread[1, 1]
        parts["value"][row] = people + share * (model[row] - cheap)
        parts["pseudo"][row] = people + share * total - without * (total - more)
        parts["alone"][row] = people
        parts["variance"][row] = np.maximum(rest, 0)
        parts["variance_alone"][row] = spread[0, 0]
    return estimate.labelled(cube, parts, metrics, depths).assign(weight=((METRIC, DEPTH), weight))


def _share(both: Array, of_cheap: Array) -> Array:
    share = np.divide(both, of_cheap, out=np.zeros_like(both), where=of_cheap > 0)
    return np.clip(share, 0, 1)


def _means_with_intervals(
    scores: xr.Dataset, draw: Draw, options: Asked, freedom: xr.DataArray, shares: list[bool]
) -> dict[str, Any]:
    """Return means over topics with their intervals, what the model saved, and the plan."""
    n = scores["value"].notnull().sum(TOPIC)
    mean = scores["value"].mean(TOPIC)
    drawn, alone = (
        scores[name].sum(TOPIC, skipna=False) / n**2 for name in ("variance", "variance_alone")
    )
    of_topics, total, total_alone = not options.fixed, drawn, alone
    if of_topics:
        total, total_alone = (
            scores[name].std(TOPIC, ddof=1) ** 2 / n for name in ("pseudo", "alone")
        )
    between = (total - drawn).clip(min=0)
    reach = scipy.special.stdtrit(freedom, 1 - options.alpha / 2)
    error = np.sqrt(total)
    share = draw.judged.sum() / draw.size.sum()
    low, high = estimate.limits(mean, reach * error, shares)
    parts: dict[str, Any] = {"mean": mean, "error": error, "error_alone": np.sqrt(total_alone)}
    parts |= {"ci_low": low, "ci_high": high, "weight": scores["weight"]}
    parts["saving"] = (1 - share) * (1 - drawn / alone.where(alone > 0))
    if options.half_width is not None:
        number("half_width", options.half_width, above=0)
        known = reach if of_topics else scipy.special.ndtri(1 - options.alpha / 2)
        left = (options.half_width / known) ** 2 - (between if of_topics else 0.0)
        odds = 1 / share - 1 if share < 1 else np.nan
        for name, variance in (("n_needed", drawn), ("n_needed_alone", alone)):
            needed = draw.size.sum() / (1 + odds * left / variance)
            parts[name] = np.ceil(needed).where(left > 0)
        missing = int(np.isnan(parts["n_needed"]).sum())
        if missing:
            few = f"{missing} of {parts['n_needed'].size} intervals"
            warn(
                f"no number of judgments on these topics makes {few} so short: more topics do, or "
                "topics='fixed' asks of these topics alone"
            )
    return parts


def _differences_with_intervals(scores: xr.Dataset, options: Asked) -> dict[str, Any]:
    """Return differences of pairs of systems with their intervals, t over topics."""
    if options.fixed:
        return {}
    systems = scores.indexes[SYSTEM]
    if len(systems) < 2:
        raise ParameterError("at least two systems to compare", f"{len(systems)}")
    pairs = all_pairs(len(systems))
    if options.baseline is not None:
        (row,) = places("baseline to be one of the systems", [options.baseline], systems.tolist())
        pairs = baseline_pairs(len(systems), row)
    values, pseudo = (
        scores[name].transpose(METRIC, SYSTEM, TOPIC, DEPTH).to_numpy() for name in NAMES[:2]
    )
    shape = values.shape[0], len(pairs), values.shape[-1]
    mean, half = np.empty(shape), np.empty(shape)
    for block in groups(len(pairs), fitting(values[0, 0].size, BLOCK_BYTES)):
        first, second = pairs[block].T
        for row in range(len(values)):
            apart, spread = (array[row, first] - array[row, second] for array in (values, pseudo))
            n = (~np.isnan(apart)).sum(axis=1)
            mean[row, block] = np.nanmean(apart, axis=1)
            error = np.nanstd(spread, axis=1, ddof=1) / np.sqrt(n)
            half[row, block] = scipy.special.stdtrit(n - 1.0, 1 - options.alpha / 2) * error
    half = np.where(half > 10.0**-TIE, half, np.nan)
    parts = {"difference": mean, "difference_low": mean - half, "difference_high": mean + half}
    coords: dict[str, Any] = {dim: scores[dim].variable for dim in (METRIC, DEPTH)}
    sides = zip(SIDES, pairs.T, strict=True)
    coords |= {name: xr.Variable((PAIR,), systems.take(side)) for name, side in sides}
    return {name: xr.DataArray(part, coords, (METRIC, PAIR, DEPTH)) for name, part in parts.items()}

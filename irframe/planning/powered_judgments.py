"""Means and differences of systems from judgments by people of some documents of every topic."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import number, places
from irframe.cubes.estimate import freedom_of, limits, tell_lone, tell_unknown, told_scale
from irframe.cubes.sampled import Draw, estimated
from irframe.cubes.score import in_blocks, label_scores, refuse_metrics, wanted_depths
from irframe.cubes.view import CELL, experiment_of
from irframe.errors import GradeError, IdError, InputError, ParameterError, warn
from irframe.experiments.coded_tables import QrelsTable, read_qrels_table
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import parse_metrics
from irframe.metrics import Metric
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, PAIR, SIDES, SYSTEM, TOPIC
from irframe.paired import all_pairs, baseline_pairs
from irframe.scores.scores import BLOCK_BYTES

NAMES = ("value", "pseudo", "alone", "variance", "variance_alone")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of judgments by people and a model."""

    alpha: float
    fixed: bool
    half_width: float | None
    baseline: Hashable | None


@dataclass(frozen=True, eq=False)
class Estimates:
    """Scores of topics, (metric, system, topic, depth), and how drawing documents varies them.

    Pseudo-values are those of the jackknife: by how much more n topics add up to than the others,
    the weight found anew. Variances are by the weight of the other topics.
    """

    value: xr.DataArray
    pseudo: xr.DataArray
    alone: xr.DataArray
    variance: xr.DataArray
    variance_alone: xr.DataArray
    weight: xr.DataArray


def power_judgments(
    cube: xr.Dataset, human: Any, metrics: Any, at: int | Sequence[int] | None, asked: Asked
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
    asked
        What is asked.
    """
    chosen = parse_metrics(metrics if isinstance(metrics, list | tuple) else [metrics])
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen)
    if cube.attrs["ties"] == "mean":
        raise InputError("one order of tied documents", "ties='mean'", "choose another ties=")
    grade, draw = people_of(cube, read_qrels_table(human))
    tell_lone(draw, cube.indexes[TOPIC])
    found = estimates(cube, grade, draw, chosen, depths)
    shares = [facts(metric).share for metric in chosen]
    freedom = _freedom(cube, draw, found, asked, depths)
    parts = _means(found, draw, asked, freedom, shares) | _differences(found, asked)
    counts = {"n_human": int(draw.judged.sum()), "n_model": int(draw.size.sum())}
    told = {"alpha": asked.alpha, "interval": told_scale(chosen, shares)}
    told |= tell_unknown(draw, parts["error"], parts["ci_low"], freedom)
    return xr.Dataset(parts).assign(counts).assign_attrs(told)


def people_of(cube: xr.Dataset, table: QrelsTable) -> tuple[Array, Draw]:
    """Return people's grades of the documents of a cube, and how these were drawn."""
    base, labels = experiment_of(cube).judgments, cube.indexes[TOPIC]
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
        told = [f"{doc} of topic {labels[code]}" for code, doc in strange]
        raise IdError(
            "people's documents among those that the model judged",
            f"{len(told)} it did not",
            "",
            told,
        )
    grade = np.full(len(base.row), -1, np.int8)
    grade[row] = table.grade[inside]
    _refuse_grades(cube, grade)
    label = None if table.stratum is None else np.full(len(grade), "", object)
    if label is not None and table.stratum is not None:
        names = table.stratum.to_pylist()
        label[row] = [str(names[each]) for each in inside]
        label = _completed(base, label)
    probability = None if table.probability is None else np.full(len(grade), np.nan)
    if probability is not None and table.probability is not None:
        probability[row] = table.probability[inside]
    return grade, Draw.of(base, grade, label, probability)


def _refuse_grades(cube: xr.Dataset, grade: Array) -> None:
    experiment = experiment_of(cube)
    base = experiment.judgments
    high = np.flatnonzero(grade > experiment.tops[base.topic])
    if len(high):
        named = base.docs[high]
        told = [f"{grade[row]} of {doc}" for row, doc in zip(high, named, strict=True)]
        raise GradeError("people's grades up to the highest of the model", "higher ones", "", told)


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
) -> Estimates:
    """Estimate the scores of topics, with one weight of the model for all systems."""
    model = in_blocks(cube, metrics, depths).to_numpy()
    experiment = experiment_of(cube)
    base, rows = experiment.judgments, experiment.rows_at(cube.sizes[DEPTH])
    top, own, took = experiment.tops[base.topic], base.grade, experiment.there[..., np.newaxis]
    shape = model.shape
    found = {name: np.empty(shape) for name in NAMES}
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
        found["value"][row] = people + share * (model[row] - cheap)
        found["pseudo"][row] = people + share * total - without * (total - more)
        found["alone"][row] = people
        found["variance"][row] = np.maximum(rest, 0)
        found["variance_alone"][row] = spread[0, 0]
    cells = (METRIC, *CELL)
    labelled = {
        name: label_scores(cube, xr.DataArray(part, dims=cells), metrics, depths)
        for name, part in found.items()
    }
    coords = {dim: labelled["value"][dim].variable for dim in (METRIC, DEPTH)}
    return Estimates(**labelled, weight=xr.DataArray(weight, coords, (METRIC, DEPTH)))


def _freedom(
    cube: xr.Dataset, draw: Draw, found: Estimates, asked: Asked, depths: list[int]
) -> xr.DataArray:
    """Return degrees of freedom, NaN where there are too few topics or documents."""
    n = found.value.notnull().sum(TOPIC)
    if asked.fixed:
        rows = experiment_of(cube).rows_at(max(depths))
        return freedom_of(rows, draw, depths).where(n > 1)
    return (n - 1.0).where(n > 1)


def _share(both: Array, of_cheap: Array) -> Array:
    share = np.divide(both, of_cheap, out=np.zeros_like(both), where=of_cheap > 0)
    return np.clip(share, 0, 1)


def _means(
    found: Estimates, draw: Draw, asked: Asked, freedom: xr.DataArray, shares: list[bool]
) -> dict[str, Any]:
    """Return means over topics with their intervals, what the model saved, and the plan."""
    n = found.value.notnull().sum(TOPIC)
    mean = found.value.mean(TOPIC)
    drawn, alone = (
        part.sum(TOPIC, skipna=False) / n**2
        for part in (found.variance.fillna(np.nan), found.variance_alone)
    )
    of_topics = not asked.fixed
    total, total_alone = (
        (part.std(TOPIC, ddof=1) ** 2 / n for part in (found.pseudo, found.alone))
        if of_topics
        else (drawn, alone)
    )
    between = (total - drawn).clip(min=0)
    reach = scipy.special.stdtrit(freedom, 1 - asked.alpha / 2)
    error = np.sqrt(total)
    share = draw.judged.sum() / draw.size.sum()
    low, high = limits(mean, reach * error, shares)
    parts: dict[str, Any] = {"mean": mean, "error": error, "error_alone": np.sqrt(total_alone)}
    parts |= {"ci_low": low, "ci_high": high, "weight": found.weight}
    parts["saving"] = (1 - share) * (1 - drawn / alone.where(alone > 0))
    if asked.half_width is not None:
        number("half_width", asked.half_width, above=0)
        known = reach if of_topics else scipy.special.ndtri(1 - asked.alpha / 2)
        left = (asked.half_width / known) ** 2 - (between if of_topics else 0.0)
        for name, variance in (("n_needed", drawn), ("n_needed_alone", alone)):
            parts[name] = _needed(left, variance, share, int(draw.size.sum()))
        _tell_unreachable(parts["n_needed"])
    return parts


def _needed(left: Any, variance: Any, share: float, size: int) -> Any:
    """Return how many judgments leave this variance, given that of a share; NaN if none do."""
    odds = 1 / share - 1 if share < 1 else np.nan
    wanted = size / (1 + odds * left / variance)
    return np.ceil(wanted).where(left > 0)


def _tell_unreachable(needed: xr.DataArray) -> None:
    missing = int(np.isnan(needed).sum())
    if missing:
        warn(
            f"no number of judgments on these topics makes {missing} of {needed.size} intervals so "
            "short: more topics do, or topics='fixed' asks of these topics alone"
        )


def _differences(found: Estimates, asked: Asked) -> dict[str, Any]:
    """Return differences of pairs of systems with their intervals, t over topics."""
    if asked.fixed:
        return {}
    systems = found.value.indexes[SYSTEM]
    pairs = _pairs(systems, asked.baseline)
    values, pseudo = (
        part.transpose(METRIC, SYSTEM, TOPIC, DEPTH).to_numpy()
        for part in (found.value, found.pseudo)
    )
    shape = values.shape[0], len(pairs), values.shape[-1]
    mean, half = np.empty(shape), np.empty(shape)
    width = max(1, BLOCK_BYTES // (8 * max(1, values[0, 0].size)))
    for start in range(0, len(pairs), width):
        first, second = pairs[start : start + width].T
        for row in range(len(values)):
            apart, spread = (each[row, first] - each[row, second] for each in (values, pseudo))
            n = (~np.isnan(apart)).sum(axis=1)
            here = row, slice(start, start + width)
            mean[here] = np.nanmean(apart, axis=1)
            error = np.nanstd(spread, axis=1, ddof=1) / np.sqrt(n)
            half[here] = scipy.special.stdtrit(n - 1.0, 1 - asked.alpha / 2) * error
    half = np.where(half > 10.0**-TIE, half, np.nan)
    parts = {"difference": mean, "difference_low": mean - half, "difference_high": mean + half}
    coords = {dim: found.value[dim].variable for dim in (METRIC, DEPTH)}
    sides = zip(SIDES, pairs.T, strict=True)
    coords |= {name: xr.Variable((PAIR,), systems.take(side)) for name, side in sides}
    return {name: xr.DataArray(part, coords, (METRIC, PAIR, DEPTH)) for name, part in parts.items()}


def _pairs(systems: pd.Index, baseline: Hashable | None) -> Array:
    if len(systems) < 2:
        raise ParameterError("at least two systems to compare", f"{len(systems)}")
    if baseline is None:
        return all_pairs(len(systems))
    (row,) = places("baseline to be one of the systems", [baseline], systems.tolist())
    return baseline_pairs(len(systems), row)

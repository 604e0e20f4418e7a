"""Scores as trec_eval prints them."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

import irframe as ir
from irframe.metrics.facts import facts
from irframe.metrics.spellings import SETS, each_of_set

SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")
"""Measures that trec_eval prints for all topics together alone."""
_ORDER = {name: place for place, name in enumerate(each_of_set("all_trec"))}


def trec_layout(
    scores: pd.DataFrame, asked: Sequence[str], listed: pd.MultiIndex | None = None
) -> str:
    """Print scores as trec_eval does, one system after the other.

    Parameters
    ----------
    scores
        What `irframe.evaluate` gives.
    asked
        The names asked for; a set of measures, such as ``official``, prints the system, too, as
        several systems do.
    listed
        The pairs of system and topic to print before the averages, in the order of the topics'
        bytes; trec_eval leaves topics out that a run lacks. By default none.

    Examples
    --------
    >>> scores = ir.evaluate(*ir.example_track(), ["P_5", "map", "num_rel_ret"])
    >>> print(trec_layout(scores.loc[["bm25"]], []), end="")
    num_rel_ret             all     97
    map                     all     0.1630
    P_5                     all     0.2375
    """
    several = len(scores.index.unique(level=0)) > 1
    named = several or any(name in SETS for name in asked)
    told = scores.loc[[] if listed is None else scores.index.isin(listed)]
    lines: list[str] = []
    for label, part in scores.groupby(level=0, sort=False):
        lines += _topics(told[told.index.get_level_values(0) == label])
        lines += [f"{'runid':<22}\tall\t{label}\n"] * named
        lines += _averages(part)
    return "".join(lines)


def _topics(scores: pd.DataFrame) -> Iterator[str]:
    """Print the topics of one system."""
    columns = [name for name in _ordered(scores) if name not in SUMMARY_ONLY]
    topics = scores.index.get_level_values(1).astype(str)
    values: list[list[float]] = scores[columns].to_numpy().tolist()
    for topic, row in sorted(zip(topics, values, strict=True), key=lambda pair: pair[0].encode()):
        yield from map(_line, columns, [topic] * len(columns), row)


def _averages(scores: pd.DataFrame) -> Iterator[str]:
    """Print the averages of one system."""
    means = ir.summary(scores)["mean"].droplevel(1)
    topics = [str(topic).encode() for topic in scores.index.get_level_values(1)]
    ordered = scores.iloc[sorted(range(len(topics)), key=topics.__getitem__)]
    for name in _ordered(scores):
        plain = facts(name).summary == "mean"
        yield _line(name, "all", _mean(ordered[name]) if plain else means[name])


def _mean(values: pd.Series) -> float:
    """Average topic after topic as trec_eval does: which way a half is rounded depends on it."""
    known = values.dropna().to_numpy()
    return float(np.add.accumulate(known)[-1] / len(known)) if len(known) else np.nan


def _ordered(scores: pd.DataFrame) -> list[str]:
    return sorted(map(str, scores.columns), key=lambda name: _ORDER.get(name, len(_ORDER)))


def _line(name: str, topic: object, value: float) -> str:
    whole = facts(name).summary == "sum"
    return f"{name:<22}\t{topic}\t" + (f"{value:.0f}" if whole else f"{value:.4f}") + "\n"

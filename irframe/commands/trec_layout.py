"""Scores as trec_eval prints them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Floats
from irframe.commands.relstring import RUNID
from irframe.metrics.base import Summary
from irframe.metrics.facts import average, facts
from irframe.metrics.parse_metric import has_level, parse_metric
from irframe.metrics.spellings import PRINTED, RELSTRING, SETS, TrecName, split_level, trec_name

SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")
"""Measures that trec_eval prints for all topics together alone."""


def trec_layout(
    scores: pd.DataFrame,
    asked: Sequence[str],
    listed: pd.MultiIndex | None = None,
    strings: Mapping[str, pd.Series] | None = None,
    *,
    apart: bool = False,
) -> Iterator[tuple[str, str]]:
    """Print scores as trec_eval 9.0 does, one system after the other.

    Parameters
    ----------
    scores
        What `irframe.evaluate` gives.
    asked
        The names asked for; a set of measures, such as ``official``, prints the system, too, as
        ``runid`` and several systems do.
    listed
        The pairs of system and topic to print before the averages, in the order of the topics'
        bytes; trec_eval leaves topics out that a run lacks. By default none.
    strings
        Label -> the grades of lists by system and topic, as `irframe.commands.relstring` has them.
    apart
        Whether every system is a text of its own, which need not say whose it is.

    Yields
    ------
    tuple
        A system, and its lines.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), ["P_5", "map", "num_rel_ret"])
    >>> [(system, lines)] = trec_layout(scores.loc[["bm25"]], [])
    >>> print(lines, end="")
    num_rel_ret             all     97
    map                     all     0.1630
    P_5                     all     0.2375
    """
    groups = scores.groupby(level=0, sort=False).indices
    several = len(groups) > 1 and not apart
    named = several or any(split_level(name)[0] in {*SETS, RUNID} for name in asked)
    columns, topics = _columns(scores), scores.index.get_level_values(1).astype(str).to_numpy()
    values = dict(zip(scores.columns, scores.to_numpy().T, strict=True))
    cells = {name: values[name] for name in columns}
    told = np.zeros(len(scores), bool) if listed is None else scores.index.isin(listed)
    spelled = {label: of.reindex(scores.index).to_numpy() for label, of in (strings or {}).items()}
    summaries = {name: facts(name).summary for name in columns}
    for label, group in groups.items():
        rows = np.asarray(group)
        ordered = rows[np.argsort([topic.encode() for topic in topics[rows]], kind="stable")]
        lines = [*_topics(ordered[told[ordered]], topics, cells, columns, spelled)]
        lines += [_line(RUNID, "all", str(label))] * named
        for name, column in cells.items():
            mean = _average(column[ordered], summaries[name])
            lines.append(_line(columns[name], "all", _written(name, mean)))
        yield str(label), "".join(lines)


def _columns(scores: pd.DataFrame) -> dict[str, str]:
    """Return the columns in the order in which they are printed, each with its label.

    trec_eval has one level of relevance at a time, which its labels do not say.
    """
    known = {str(name): _known(str(name)) for name in scores.columns}
    theirs = [parse_metric(name) for name, found in known.items() if found]
    mixed = len({getattr(metric, "rel") for metric in theirs if has_level(metric)}) > 1  # noqa: B009
    labels = {
        name: found.label + _level(name) * mixed if found else name for name, found in known.items()
    }
    others = (len(PRINTED),)
    ordered = sorted(known, key=lambda name: found.place if (found := known[name]) else others)
    return {name: labels[name] for name in ordered}


def _known(name: str) -> TrecName | None:
    return trec_name(split_level(name)[0])


def _level(name: str) -> str:
    """Return what ends a name where it says a level of relevance."""
    return name.removeprefix(split_level(name)[0])


def _topics(
    rows: NDArray[Any],
    topics: NDArray[Any],
    cells: Mapping[str, NDArray[Any]],
    columns: Mapping[str, str],
    strings: Mapping[str, NDArray[Any]],
) -> Iterator[str]:
    """Print some rows of scores."""
    if not len(rows):
        return
    told = {name: label for name, label in columns.items() if not _is_summary(name)}
    parts = [
        (label, [_written(name, value) for value in cells[name][rows].tolist()])
        for name, label in told.items()
    ]
    before = sum(_precedes_strings(name) for name in told)
    parts[before:before] = [
        (label, [f"'{text}'" for text in spelled[rows]]) for label, spelled in strings.items()
    ]
    for place, row in enumerate(rows):
        yield from (_line(label, topics[row], texts[place]) for label, texts in parts)


def _is_summary(name: str) -> bool:
    return (known := _known(name)) is not None and known.measure in SUMMARY_ONLY


def _precedes_strings(name: str) -> bool:
    known = _known(name)
    return known is not None and known.place < (PRINTED.index(RELSTRING),)


def _average(scores: Floats, summary: Summary) -> float:
    """Average topic after topic as trec_eval does: which way a half is rounded depends on it."""
    known = scores[~np.isnan(scores)]
    if summary != "mean" or not len(known):
        return float(average(known, summary))
    return float(np.add.accumulate(known)[-1] / len(known))


def _written(name: str, value: float) -> str:
    return f"{value:.0f}" if facts(name).summary == "sum" else f"{value:.4f}"


def _line(label: str, topic: str, text: str) -> str:
    return f"{label:<22}\t{topic}\t{text}\n"

"""Scores as trec_eval prints them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from irframe.commands.relstring import RUNID
from irframe.metrics.averaging import average
from irframe.metrics.base import Summary
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import has_level, parse_metric
from irframe.metrics.spellings import SETS
from irframe.metrics.trec_names import PRINTED, RELSTRING, TrecName, split_level, trec_name

SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")
"""Measures that trec_eval prints for all topics together alone."""


def trec_layout(
    scores: pd.DataFrame,
    asked: Sequence[str],
    listed: pd.MultiIndex | None = None,
    strings: Mapping[str, pd.Series] | None = None,
) -> str:
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

    Examples
    --------
    >>> scores = ir.evaluate(*ir.example_track(), ["P_5", "map", "num_rel_ret"])
    >>> print(trec_layout(scores.loc[["bm25"]], []), end="")
    num_rel_ret             all     97
    map                     all     0.1630
    P_5                     all     0.2375
    """
    several = len(scores.index.unique(level=0)) > 1
    named = several or any(split_level(name)[0] in {*SETS, RUNID} for name in asked)
    told = scores.loc[[] if listed is None else scores.index.isin(listed)]
    of_system = dict(iter(told.groupby(level=0, sort=False)))
    columns = _columns(scores)
    lines: list[str] = []
    for label, part in scores.groupby(level=0, sort=False):
        if label in of_system:
            lines += _topics(of_system[label], columns, strings or {})
        lines += [_line(RUNID, "all", str(label))] * named
        lines += _averages(part, columns)
    return "".join(lines)


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
    scores: pd.DataFrame, columns: Mapping[str, str], strings: Mapping[str, pd.Series]
) -> Iterator[str]:
    """Print the topics of one system."""
    told = {name: label for name, label in columns.items() if not _is_summary(name)}
    cells = {told[name]: [_written(name, value) for value in scores[name]] for name in told}
    before = sum(_precedes_strings(name) for name in told)
    spelled = {label: [f"'{text}'" for text in of[scores.index]] for label, of in strings.items()}
    parts = list(cells.items())
    parts[before:before] = spelled.items()
    topics = scores.index.get_level_values(1).astype(str).tolist()
    for row in sorted(range(len(topics)), key=lambda row: topics[row].encode()):
        yield from (_line(label, topics[row], texts[row]) for label, texts in parts)


def _is_summary(name: str) -> bool:
    return (known := _known(name)) is not None and known.measure in SUMMARY_ONLY


def _precedes_strings(name: str) -> bool:
    known = _known(name)
    return known is not None and known.place < (PRINTED.index(RELSTRING),)


def _averages(scores: pd.DataFrame, columns: Mapping[str, str]) -> Iterator[str]:
    """Print the averages of one system."""
    topics = [str(topic).encode() for topic in scores.index.get_level_values(1)]
    ordered = scores.iloc[sorted(range(len(topics)), key=topics.__getitem__)]
    for name, label in columns.items():
        yield _line(label, "all", _written(name, _average(ordered[name], facts(name).summary)))


def _average(scores: pd.Series, summary: Summary) -> float:
    """Average topic after topic as trec_eval does: which way a half is rounded depends on it."""
    known = scores.dropna().to_numpy()
    if summary != "mean" or not len(known):
        return float(average(known, summary))
    return float(np.add.accumulate(known)[-1] / len(known))


def _written(name: str, value: float) -> str:
    return f"{value:.0f}" if facts(name).summary == "sum" else f"{value:.4f}"


def _line(label: str, topic: str, text: str) -> str:
    return f"{label:<22}\t{topic}\t{text}\n"

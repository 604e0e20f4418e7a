"""A baseline as a file: the scores of one system by topic, and what decided them.

`freeze` writes one; `Frozen` reads it, refuses scores that were decided otherwise, and stands
beside them as one more system; `failing` says of a comparison with a baseline what fails a gate.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import choice, listed, places, whole
from irframe.comparing.frozen_shape import BY_TOPIC, KIND, POLICY, misshapen
from irframe.cubes.parse_scores import parse_scores
from irframe.cubes.scores import Scores
from irframe.errors import (
    IdError,
    InputError,
    MetricError,
    ParameterError,
    StoreError,
    cautions_of,
    shortened,
)
from irframe.experiments.choices import Ties
from irframe.experiments.collapse import Preparation
from irframe.experiments.policy import Policy
from irframe.experiments.rank_table import rank
from irframe.experiments.topic_design import (
    LABELS,
    TopicLabels,
    declaring,
    drawn_topics,
    values_of_topics,
)
from irframe.files.as_runs import Runs, as_runs
from irframe.files.atomic import write_whole
from irframe.files.compression import load, shallow
from irframe.metrics.facts import facts
from irframe.names import (
    DOC,
    DRAWN,
    JUDGMENTS,
    METRICS,
    NO_VERDICT,
    RANK,
    SCORE,
    SYSTEM,
    TOPIC,
    VERSION,
    roles,
)
from irframe.record import steps_of
from irframe.scores.read_scores import read_scores

SUFFIX = ".irframe"
"""How the name of a frozen baseline ends, by which it is told from a system."""
FORMAT = 1
OLD = 90
"""Days after which a baseline is called old."""
FURTHER = {"condense", "draw_to_judge", "pooled", "sample", "standardise"}
"""Verbs that give other judgments or other scores."""

FailOn = Literal["worse", "not-not-worse", "drop", "undecided", "never"]
GATES: dict[str, str] = {
    "worse": "a system is significantly worse, and not shown to be within the margin",
    "not-not-worse": "a system is not shown to be not worse by the margin, unless it scores the "
    "same on every topic",
    "drop": "a mean is lower by more than the margin, whatever the test says",
    "undecided": "the verdict is worse or undecided, also where nothing changed",
    "never": "nothing fails",
}
"""What fails a gate, in a line each."""


def freeze(
    scores: xr.DataArray | pd.DataFrame,
    path: str | PathLike[str],
    *,
    baseline: Any = None,
    documents: int | None = None,
    runs: Runs | None = None,
) -> None:
    """Write the scores of a system to a small file, which later ones are compared with.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    path
        Where to; a name that ends in ``.irframe``. What is there is replaced.
    baseline
        The system whose scores are written; by default the only one there is.
    documents
        How many documents of each of its lists are kept, at least 1, so that a comment can name
        those behind a loss, and say what unjudged ones may be; by default none.
    runs
        The runs that were scored, which have these documents.

    Raises
    ------
    InputError
        For scores by group, or of several systems if none is named.
    ParameterError
        For a baseline that is none of the systems, and for another name of the file.

    Notes
    -----
    The file is JSON, a line for each topic, to be committed beside the judgments: scores with all
    their digits, a hash of the judgments, ties, precision and other policies, the metrics, the
    date, irframe's version, and a checksum. `compare` takes its path for a baseline, and refuses it
    where judgments, policies or metrics differ.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, "nDCG@10")
    >>> with TemporaryDirectory() as folder:
    ...     scores.ireval.freeze(f"{folder}/main.irframe", baseline="bm25")
    ...     new = scores.loc[["splade"]].ireval.compare(baseline=f"{folder}/main.irframe")
    >>> new[["system_a", "system_b", "difference"]]
      system_a system_b  difference
    0   splade     bm25       0.279
    """
    if not is_file(path):
        raise ParameterError(f"a name that ends in {SUFFIX} for a frozen baseline", shortened(path))
    held = _frozen(scores, baseline)
    if documents is not None:
        held["documents"] = _first_documents(runs, held, whole("documents", documents, low=1))
    wrong = next(misshapen(held), None)
    if wrong is not None:
        raise InputError("scores that a file can hold", "", "", [wrong])
    facts = [f"  {json.dumps(n)}: {json.dumps(v)}" for n, v in held.items() if n not in BY_TOPIC]
    for name in [name for name in BY_TOPIC if name in held]:
        rows = ",\n".join(f"    {json.dumps(row)}" for row in held[name])
        facts.append(f'  "{name}": [\n{rows}\n  ]')
    facts.append(f'  "checksum": "{_checksum(held)}"')
    write_whole(path, "{\n" + ",\n".join(facts) + "\n}\n")


def is_file(baseline: Any) -> bool:
    """Return whether a baseline is a file rather than a system.

    Examples
    --------
    >>> is_file("main.irframe"), is_file("bm25")
    (True, False)
    """
    named = isinstance(baseline, str) and baseline.endswith(SUFFIX)
    return named or isinstance(baseline, PathLike)


@dataclass(frozen=True, eq=False)
class Frozen:
    """A baseline that was read from a file."""

    path: str
    facts: dict[str, Any]
    """What the file holds."""
    label: Any
    """What it is called beside the systems that it is compared with."""

    @classmethod
    def read(cls, path: str | PathLike[str], systems: Sequence[Any] = ()) -> "Frozen":
        """Read a file that `freeze` wrote.

        Parameters
        ----------
        path
            The file.
        systems
            Those it is compared with, whose names it does not take.

        Raises
        ------
        StoreError
            If it is not whole, or none.
        """
        held = _read_frozen(os.fspath(path))
        name = held["system"]
        label = f"{name} ({Path(path).name})" if name in {*systems} else name
        if label in {*systems}:
            raise IdError("a name for the baseline that no system has", repr(label))
        return cls(os.fspath(path), held, label)

    @property
    def drawn(self) -> dict[str, "pd.Series[Any]"]:
        """How its topics were drawn, as `design` takes it: the value of each by topic."""
        labels = json.loads(self.facts.get(DRAWN, "{}"))
        return {
            label: pd.Series(held["of"], dtype=object, name=held["name"])
            for label, held in labels.items()
        }

    def cautions(self, topics: pd.Index) -> list[str]:
        """Return what to beware of: its age, topics that nobody else has, what it does not say."""
        held, name, said = self.facts, Path(self.path).name, []
        days = (today() - date.fromisoformat(held["date"])).days
        if days > OLD:
            said.append(f"{name} is {days} days old, of {held['date']}: freeze a new one")
        others = len(self.table.index.difference(topics))
        if others:
            said.append(f"{others} topics of {name} have no scores here, and are left out")
        said += [f"of {name} when it was frozen: {text}" for text in held.get("cautions", [])]
        if held["judgments"] is None:
            said.append(f"neither {name} nor the scores say of which judgments they are")
        return said

    @property
    def table(self) -> pd.DataFrame:
        """The scores, a row per topic."""
        topics, rows = zip(*((topic, row) for topic, *row in self.facts["scores"]), strict=True)
        columns = [_column(*column) for column in self.facts["columns"]]
        return pd.DataFrame(rows, pd.Index(topics), columns, dtype=float)

    @property
    def documents(self) -> int | None:
        """How many documents of each list it keeps at most, None where it keeps none."""
        return max((len(docs) for _, docs in self.facts.get("documents", [])), default=None)

    def lists(self, name: Any) -> pd.DataFrame | None:
        """Return the documents that it keeps as a run of this name, None where it keeps none."""
        kept = self.facts.get("documents", [])
        rows = [
            (name, topic, doc, -place) for topic, docs in kept for place, doc in enumerate(docs, 1)
        ]
        return pd.DataFrame(rows, columns=[SYSTEM, TOPIC, DOC, SCORE]) if rows else None

    @property
    def told(self) -> str:
        """What captions say of it."""
        held = self.facts
        return f"baseline {held['system']} frozen {held['date']} by irframe {held['irframe']}"

    def hold(self, attributes: Mapping[Any, Any]) -> None:
        """Refuse scores of other judgments or policies, naming what differs."""
        held, here = self.facts, _decided(attributes)
        theirs = {"judgments": held["judgments"], **held["policy"]}
        differing = []
        for name in dict.fromkeys([*theirs, *here]):
            sides = [held.get(name) for held in (theirs, here)]
            if sides[0] != sides[1]:
                said = ["not said" if side is None else str(side) for side in sides]
                differing.append(f"{name}: {said[0]} in the file, {said[1]} here")
        if differing:
            raise ParameterError(f"scores decided as those of {self.path}", "", REFREEZE, differing)

    def beside(self, scores: Scores) -> Scores:
        """Return scores with those of the file as one more system, NaN on topics that it lacks."""
        depths = [None] if scores.depths is None else scores.depths.tolist()
        wanted = [_column(metric, depth) for metric in scores.metrics for depth in depths]
        table = self.table
        missing = [column for column in wanted if column not in table.columns]
        if missing:
            there = ", ".join(table.columns[:5])
            raise MetricError(f"metrics of {self.path}: {there}", "", REFREEZE, missing)
        if not table.index.isin(scores.topics).any():
            sides = [table.index[0], scores.topics[0]]
            raise IdError(f"topics that {self.path} has", "none", "", sides)
        if DRAWN in self.facts and DRAWN not in scores.attrs:  # what it was said to be is still so
            scores = scores.take(topic=np.flatnonzero(scores.topics.isin(table.index)))
            scores = _drawn_as(scores, self.drawn)
        chosen = table[wanted].reindex(scores.topics).to_numpy()
        own = chosen.T.reshape(len(scores.metrics), 1, len(depths), -1).swapaxes(2, 3)
        systems = pd.Index([*scores.systems, self.label], dtype=object, name=scores.systems.name)
        joined = np.concatenate([scores.load().values, own], axis=1)
        return replace(scores, values=joined, systems=systems, repeats=None)


def _drawn_as(scores: Scores, labels: Mapping[str, "pd.Series[Any]"]) -> Scores:
    """Return scores with the design that a file holds."""
    names = {label: str(column.name) for label, column in labels.items()}
    values = {
        label: values_of_topics(label, column, scores.topics) for label, column in labels.items()
    }
    drawn = TopicLabels(names, values)
    found = drawn_topics(drawn, scores.topics)
    attrs, design = declaring(scores.attrs, names), None if found is None else found.design
    return replace(scores, attrs=attrs, topic_labels=drawn, design=design)


REFREEZE = "freeze the baseline anew, or score as it was scored"


def today() -> date:
    """Return the date, everywhere the same."""
    return datetime.now(UTC).date()


def failing(
    compared: pd.DataFrame, fail_on: FailOn, margin: float | Mapping[str, float] | None = None
) -> pd.DataFrame:
    """Return the rows of a comparison with a baseline that fail a gate.

    Parameters
    ----------
    compared
        What `compare` gives with a baseline, and a margin or a power.
    fail_on
        One of `GATES`.
    margin
        How much worse does not matter, in units of the metric, or by metric.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), "nDCG@10")
    >>> found = scores.ireval.compare(baseline="splade", margin=0.02)
    >>> [len(failing(found, word, 0.02)) for word in ("worse", "not-not-worse", "drop")]
    [3, 7, 5]
    """
    choice("fail_on", fail_on, GATES)
    if fail_on == "drop" and margin is None:
        raise ParameterError("a margin, for fail_on='drop'", "none")
    void = compared["verdict"] == NO_VERDICT
    worse, undecided = void | (compared["verdict"] == "worse"), compared["verdict"] == "undecided"
    sign = compared["metric"].map(lambda metric: facts(metric).sign)
    limit = compared["metric"].map(margin) if isinstance(margin, Mapping) else margin or 0
    fails = {
        "worse": worse,
        "undecided": worse | undecided,
        "not-not-worse": worse | (undecided & (compared["wins"] + compared["losses"] > 0)),
        "drop": void | (sign * compared["difference"] < -limit),
        "never": worse & False,
    }
    return compared[fails[fail_on]]


def _column(metric: str, depth: int | None) -> str:
    return metric if depth is None else f"{metric} at depth {depth}"


def _decided(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what decided scores, as JSON has it: the judgments, the policy, what was done."""
    policy = {name: attributes[name] for name in POLICY if name in attributes}
    own = [facts(metric).depth for metric in attributes.get(METRICS, ())]
    if own and policy.get("depth") in own and None not in own:
        del policy["depth"]  # which metrics that name a depth of their own have set
    steps = steps_of(attributes)
    said = [step.options["no_rel"] for step in steps if step.options.get("no_rel")]
    policy |= {"no_rel": said[-1]} if said else {}
    done = [f"{s.verb} {s.options}" for s in steps if s.verb in FURTHER]
    policy |= {"made by": done} if done else {}
    plain = json.loads(json.dumps(policy, default=str))
    return {"judgments": attributes.get(JUDGMENTS), **plain}


def _frozen(scores: Any, baseline: Any) -> dict[str, Any]:
    """Return what a file holds of one system."""
    attributes = getattr(scores, "attrs", {})
    read = read_scores(parse_scores(scores, asking="freeze"))
    if isinstance(scores, pd.DataFrame):
        levels = [name for name in scores.index.names if name not in LABELS]
        if len(levels) > 2:
            raise InputError("scores per system and topic", f"{len(levels)} levels")
    if baseline is None and len(read.systems) != 1:
        found, advice = f"{len(read.systems)} of them", "name one with baseline="
        raise InputError("one system to freeze", found, advice, read.systems)
    [name] = listed(baseline) or [read.systems[0]]
    [row] = places("baseline to be one of the systems", [name], read.systems.tolist())
    depths = [None] if read.depths is None else read.depths.tolist()
    values = read.take(system=np.array([row])).load().values[:, 0]
    table = np.moveaxis(values, 1, 0).reshape(len(read.topics), -1)
    if not read.known[row]:
        found, advice = f"none of {name}", "look at the ids of both: irframe check"
        raise InputError("retrieved documents that are judged, of a baseline", found, advice)
    known = ~np.isnan(table).all(axis=1)
    if not known.any() or np.isinf(table).any():
        found = "none" if not known.any() else "infinite ones"
        raise InputError("scores, finite ones", found)
    policy, beware = _decided(attributes), cautions_of(attributes)
    return {
        KIND: FORMAT,
        "system": name if isinstance(name, int) else str(name),
        "date": today().isoformat(),
        "irframe": VERSION,
        "judgments": policy.pop("judgments"),
        **({} if read.topic_labels is None else {DRAWN: _text_of(read.topic_labels, read.topics)}),
        "policy": policy,
        "columns": [[metric, depth] for metric in read.metrics for depth in depths],
        "scores": [
            [topic, *(None if np.isnan(value) else value for value in row)]
            for topic, row in zip(read.topics[known].tolist(), table[known].tolist(), strict=True)
        ],
        **({"cautions": beware} if beware else {}),
    }


def _text_of(drawn: TopicLabels, topics: pd.Index) -> str:
    """Return declared labels as JSON, the value of each by topic."""
    named = topics.astype(str)
    held = {
        label: {"name": drawn.names[label], "of": dict(zip(named, values.tolist(), strict=True))}
        for label, values in drawn.values.items()
    }
    return json.dumps(held)


def _first_documents(runs: Any, held: Mapping[str, Any], kept: int) -> list[list[Any]]:
    """Return the first documents of a system, by topic, in the order in which it was scored."""
    if runs is None:
        raise InputError("runs=, which have the documents to keep", "none")
    frame, policy = as_runs(runs), held["policy"]
    named: dict[str, Any] = roles(frame.columns)
    if SYSTEM in named:
        frame = frame[frame[named[SYSTEM]].astype(str) == str(held["system"])]
    fields = {name: policy[flat] for name, flat in Ties.flat().items() if flat in policy}
    prepared = Preparation(search=policy.get("search"), each=policy.get("each"))
    ties = Ties(**fields)
    ranked = rank(prepared.runs(frame, Policy(**ties.plain, **prepared.decided)), ties)
    first = ranked[ranked[RANK] <= kept]
    docs = dict(list(first.groupby(named[TOPIC], sort=False)[named[DOC]]))
    return [[topic, docs[topic].tolist()] for topic, *_ in held["scores"] if topic in docs]


def _checksum(held: Mapping[str, Any]) -> str:
    return sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16]


def _read_frozen(path: str) -> dict[str, Any]:
    """Return what a file holds, refusing one that is not as it was written."""
    wanted, advice = f"a baseline that irframe froze in {path}", "freeze it again: irframe freeze"
    try:
        held = json.loads(shallow(path, load(path)))
    except OSError as error:
        raise StoreError(wanted, error.strerror or str(error), advice) from None
    except ValueError as error:
        raise StoreError(wanted, getattr(error, "found", "no JSON"), advice) from None
    if not isinstance(held, dict) or KIND not in held:
        raise StoreError(wanted, "another file", advice)
    if held[KIND] != FORMAT:
        raise StoreError(wanted, f"format {held[KIND]}", "take the irframe that wrote it")
    if held.pop("checksum", None) != _checksum(held):
        raise StoreError(wanted, "one that was changed since, as by a merge", advice)
    wrong = next(misshapen(held), None)
    if wrong is not None:
        raise StoreError(wanted, "one that irframe did not write", advice, [wrong])
    return held

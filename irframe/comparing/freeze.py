"""Frozen baselines, which are files with one system's scores.

`freeze` writes a file, and `Frozen` reads it. `Frozen` also refuses to compare scores that were
computed with other judgments or policies, and adds the frozen scores to new scores as a further
system. `failing` selects the rows of a comparison that fail a check.
"""

import json
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import check_int, choice, listed, positions_of
from irframe.comparing.frozen_shape import BY_TOPIC, KIND, POLICY, malformed
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
from irframe.evaluation.collapse import Preparation
from irframe.experiments.choices import Ties
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
from irframe.files.read_file import shallow
from irframe.files.sources import load
from irframe.files.write_run import write_file
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
"""Suffix of the files of frozen baselines. If the argument ``baseline=`` ends in this suffix, it is
the path of a file instead of the name of a system."""
FORMAT = 1
OLD = 90
"""Age in days above which `compare` warns about a frozen baseline."""
FURTHER = {"condense", "draw_to_judge", "pooled", "sample", "standardise"}
"""Names of functions whose options are recorded in the file, because these functions change
judgments or scores."""

FailOn = Literal["worse", "not-not-worse", "drop", "undecided", "never"]
CONDITIONS: dict[str, str] = {
    "worse": "a system is significantly worse, and not shown to be within the margin",
    "not-not-worse": "non-inferiority is not shown, unless the system and the baseline have the "
    "same score on every topic",
    "drop": "a mean is worse by more than the margin, significant or not",
    "undecided": "the verdict is worse or undecided, even if nothing changed",
    "never": "nothing fails",
}
"""Mapping from each value of ``fail_on=`` to a text that states when a check fails."""


def freeze(
    scores: xr.DataArray | pd.DataFrame,
    path: str | PathLike[str],
    *,
    baseline: Hashable | None = None,
    documents: int | None = None,
    runs: Runs | None = None,
) -> None:
    """Write a system's scores to a file as a baseline.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    path
        Name of the file, which must end in ``.irframe``. An existing file is replaced.
    baseline
        The system whose scores are written. The name may be omitted if there is only one system.
    documents
        Number of documents from the top of each list that are also written to the file, at least 1.
        By default no documents are written. Reports need the documents to explain a loss, and to
        bound the effect of unjudged documents.
    runs
        The runs that were scored. The runs are required if `documents` is passed.

    Raises
    ------
    InputError
        If the scores are grouped, or if they have several systems and `baseline` is omitted.
    ParameterError
        If the baseline is not one of the systems, or if the file name does not end in ``.irframe``.

    Notes
    -----
    The file is JSON with one line per topic, so that it can be kept under version control beside
    the judgments. The file contains the scores at full precision, a hash of the judgments, the
    policies of evaluation (such as ties), the metrics, the date, irframe's version, and a checksum.
    `compare` accepts the path of the file as a baseline. The comparison raises an error if
    judgments, policies or metrics differ.

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
        raise ParameterError(f"the name of a file that ends in {SUFFIX}", shortened(path))
    content = _frozen(scores, baseline)
    if documents is not None:
        content["documents"] = _first_documents(
            runs, content, check_int("documents", documents, low=1)
        )
    wrong = next(malformed(content), None)
    if wrong is not None:
        raise InputError("scores that can be written to a file", "", "", [wrong])
    lines = [f"  {json.dumps(n)}: {json.dumps(v)}" for n, v in content.items() if n not in BY_TOPIC]
    # with one line per topic, the diff of two versions of the file is readable
    for name in [name for name in BY_TOPIC if name in content]:
        rows = ",\n".join(f"    {json.dumps(row)}" for row in content[name])
        lines.append(f'  "{name}": [\n{rows}\n  ]')
    lines.append(f'  "checksum": "{_checksum(content)}"')
    write_file(path, "{\n" + ",\n".join(lines) + "\n}\n")


def is_file(baseline: object) -> bool:
    """Return whether a baseline is a path to a file.

    Examples
    --------
    >>> is_file("main.irframe"), is_file("bm25")
    (True, False)
    """
    has_suffix = isinstance(baseline, str) and baseline.endswith(SUFFIX)
    return has_suffix or isinstance(baseline, PathLike)


@dataclass(frozen=True, eq=False)
class Frozen:
    """A baseline read from a file."""

    path: str
    facts: dict[str, Any]
    """Fields of the file, see `frozen_shape`."""
    label: Hashable
    """Name of the baseline in the comparison, which differs from the names of all other systems."""

    @classmethod
    def read(cls, path: str | PathLike[str], systems: Sequence[Hashable] = ()) -> "Frozen":
        """Read a file written by `freeze`.

        Parameters
        ----------
        path
            The file.
        systems
            The systems to compare with the baseline. If one of these systems has the name of the
            baseline, the label of the baseline also contains the file name.

        Raises
        ------
        StoreError
            If the file is missing, incomplete, changed, or not a frozen baseline.
        """
        content = _read_frozen(os.fspath(path))
        name = content["system"]
        label = f"{name} ({Path(path).name})" if name in {*systems} else name
        if label in {*systems}:
            raise IdError("a name for the baseline that no system has", repr(label))
        return cls(os.fspath(path), content, label)

    @property
    def drawn(self) -> dict[str, pd.Series]:
        """Clusters, tasks and weights of topics, as arguments of `design`."""
        labels = json.loads(self.facts.get(DRAWN, "{}"))
        return {
            label: pd.Series(values["of"], dtype=object, name=values["name"])
            for label, values in labels.items()
        }

    def cautions(self, topics: pd.Index) -> list[str]:
        """Return cautions about the file's age, topics and judgments."""
        name = Path(self.path).name
        cautions = []
        frozen = self.facts["date"]
        days = (today() - date.fromisoformat(frozen)).days
        if days > OLD:
            cautions.append(f"{name} was frozen on {frozen}, {days} days ago: freeze it again")
        n_missing = len(self.table.index.difference(topics))
        if n_missing:
            cautions.append(
                f"{n_missing} topics of {name} are left out: the scores lack these topics"
            )
        cautions += [f"{name}, when frozen: {text}" for text in self.facts.get("cautions", [])]
        if self.facts["judgments"] is None:
            cautions.append(f"the judgments of {name} and of the scores are unknown")
        return cautions

    @property
    def table(self) -> pd.DataFrame:
        """The scores of the baseline, one row per topic."""
        topics, rows = zip(*((topic, row) for topic, *row in self.facts["scores"]), strict=True)
        columns = [_column(*column) for column in self.facts["columns"]]
        return pd.DataFrame(rows, pd.Index(topics), columns, dtype=float)

    @property
    def documents(self) -> int | None:
        """Length of the longest list, or None if none exists."""
        return max((len(docs) for _, docs in self.facts.get("documents", [])), default=None)

    def lists(self, name: object) -> pd.DataFrame | None:
        """Return the lists in the file as a run frame."""
        top = self.facts.get("documents", [])
        # the file contains no retrieval scores, so documents are sorted by negated ranks instead
        rows = [
            (name, topic, doc, -rank) for topic, docs in top for rank, doc in enumerate(docs, 1)
        ]
        return pd.DataFrame(rows, columns=[SYSTEM, TOPIC, DOC, SCORE]) if rows else None

    @property
    def caption(self) -> str:
        """Description of the baseline for captions."""
        return "baseline {system} frozen {date} by irframe {irframe}".format(**self.facts)

    def refuse_other_policies(self, attributes: Mapping[Hashable, Any]) -> None:
        """Raise if the scores have other judgments or policies."""
        current = _policies(attributes)
        frozen = {"judgments": self.facts["judgments"], **self.facts["policy"]}
        differing = []
        for name in dict.fromkeys([*frozen, *current]):
            sides = [values.get(name) for values in (frozen, current)]
            if sides[0] != sides[1]:
                shown = ["not set" if side is None else str(side) for side in sides]
                differing.append(f"{name}: {shown[0]} in the file, {shown[1]} here")
        if differing:
            expected = f"scores made with the policies of {self.path}"
            raise ParameterError(expected, "", REFREEZE, differing)

    def add_to(self, scores: Scores) -> Scores:
        """Return the scores with the baseline as a further system.

        The baseline's scores are NaN on topics that the file lacks.
        """
        depths = [None] if scores.depths is None else scores.depths.tolist()
        columns = [_column(metric, depth) for metric in scores.metrics for depth in depths]
        table = self.table
        missing = [column for column in columns if column not in table.columns]
        if missing:
            present = ", ".join(table.columns[:5])
            raise MetricError(f"metrics in {self.path} ({present})", "", REFREEZE, missing)
        if not table.index.isin(scores.topics).any():
            sides = [table.index[0], scores.topics[0]]
            raise IdError(f"scores on topics of {self.path}", "other topics", "", sides)
        # the test needs the clusters, tasks and weights of topics, and new scores often lack them
        if DRAWN in self.facts and DRAWN not in scores.attrs:
            scores = scores.take(topic=np.flatnonzero(scores.topics.isin(table.index)))
            scores = _with_design(scores, self.drawn)
        # columns are sorted by metric and then by depth, as the shape below requires
        chosen = table[columns].reindex(scores.topics).to_numpy()
        added = chosen.T.reshape(len(scores.metrics), 1, len(depths), -1).swapaxes(2, 3)
        systems = pd.Index([*scores.systems, self.label], dtype=object, name=scores.systems.name)
        joined = np.concatenate([scores.load().values, added], axis=1)
        return replace(scores, values=joined, systems=systems, repeats=None)


def _with_design(scores: Scores, labels: Mapping[str, pd.Series]) -> Scores:
    """Return scores with clusters, tasks and weights of topics."""
    names = {label: str(column.name) for label, column in labels.items()}
    values = {
        label: values_of_topics(label, column, scores.topics) for label, column in labels.items()
    }
    topic_labels = TopicLabels(names, values)
    drawn = drawn_topics(topic_labels, scores.topics)
    design = None if drawn is None else drawn.design
    attrs = declaring(scores.attrs, names)
    return replace(scores, attrs=attrs, topic_labels=topic_labels, design=design)


REFREEZE = "freeze the baseline again, or score with the same judgments, metrics and policies"


def today() -> date:
    """Return the date in UTC."""
    return datetime.now(UTC).date()


def failing(
    compared: pd.DataFrame, fail_on: FailOn, margin: float | Mapping[str, float] | None = None
) -> pd.DataFrame:
    """Return the rows of a comparison that fail the check.

    Parameters
    ----------
    compared
        The result of `compare` with a baseline, and with a margin or a power.
    fail_on
        The condition under which a row fails, one of `CONDITIONS`.
    margin
        Largest loss that does not matter in practice, in units of the metric, or a mapping from
        metric to margin.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), "nDCG@10")
    >>> compared = scores.ireval.compare(baseline="splade", margin=0.02)
    >>> [len(failing(compared, condition, 0.02)) for condition in ("worse", "drop")]
    [3, 5]
    """
    choice("fail_on", fail_on, CONDITIONS)
    if fail_on == "drop" and margin is None:
        raise ParameterError("a margin for fail_on='drop'", "none")
    void = compared["verdict"] == NO_VERDICT
    worse = void | (compared["verdict"] == "worse")
    undecided = compared["verdict"] == "undecided"
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


def _policies(attributes: Mapping[Hashable, Any]) -> dict[str, object]:
    """Return the judgments and policies of scores as JSON values."""
    policy = {name: attributes[name] for name in POLICY if name in attributes}
    depths = [facts(metric).depth for metric in attributes.get(METRICS, ())]
    if depths and policy.get("depth") in depths and None not in depths:
        del policy["depth"]  # the depth of the cube has no effect if all metrics have a depth
    steps = steps_of(attributes)
    no_rel = [step.options["no_rel"] for step in steps if step.options.get("no_rel")]
    policy |= {"no_rel": no_rel[-1]} if no_rel else {}
    further = [f"{s.verb} {s.options}" for s in steps if s.verb in FURTHER]
    policy |= {"made by": further} if further else {}
    # policies in the file were written as JSON, which has no tuples and no types of numpy
    plain = json.loads(json.dumps(policy, default=str))
    return {"judgments": attributes.get(JUDGMENTS), **plain}


def _frozen(scores: xr.DataArray | pd.DataFrame, baseline: object) -> dict[str, Any]:
    """Return the content of the file for one system."""
    attributes = getattr(scores, "attrs", {})
    data = read_scores(parse_scores(scores, asking="freeze"))
    if isinstance(scores, pd.DataFrame):
        levels = [name for name in scores.index.names if name not in LABELS]
        if len(levels) > 2:
            raise InputError("scores per system and topic", f"{len(levels)} index levels")
    if baseline is None and len(data.systems) != 1:
        count = f"{len(data.systems)} systems"
        raise InputError("one system to freeze", count, "choose one by baseline=", data.systems)
    [name] = listed(baseline) or [data.systems[0]]
    [row] = positions_of("baseline to be one of the systems", [name], data.systems.tolist())
    depths = [None] if data.depths is None else data.depths.tolist()
    values = data.take(system=np.array([row])).load().values[:, 0]
    table = np.moveaxis(values, 1, 0).reshape(len(data.topics), -1)
    if not data.has_judged[row]:
        advice = "compare the ids of runs and judgments, as irframe check does"
        raise InputError("judged documents in the lists of the baseline", f"none of {name}", advice)
    scored = ~np.isnan(table).all(axis=1)
    if not scored.any() or np.isinf(table).any():
        raise InputError("finite scores", "infinite ones" if scored.any() else "none")
    policy = _policies(attributes)
    cautions = cautions_of(attributes)
    return {
        KIND: FORMAT,
        "system": name if isinstance(name, int) else str(name),
        "date": today().isoformat(),
        "irframe": VERSION,
        "judgments": policy.pop("judgments"),
        **({} if data.topic_labels is None else {DRAWN: _as_json(data.topic_labels, data.topics)}),
        "policy": policy,
        "columns": [[metric, depth] for metric in data.metrics for depth in depths],
        "scores": [
            [topic, *(None if np.isnan(value) else value for value in row)]
            for topic, row in zip(data.topics[scored].tolist(), table[scored].tolist(), strict=True)
        ],
        **({"cautions": cautions} if cautions else {}),
    }


def _as_json(labels: TopicLabels, topics: pd.Index) -> str:
    """Return the clusters, tasks and weights of topics as JSON."""
    ids = topics.astype(str)
    by_topic = {
        label: {"name": labels.names[label], "of": dict(zip(ids, values.tolist(), strict=True))}
        for label, values in labels.values.items()
    }
    return json.dumps(by_topic)


def _first_documents(runs: Runs, content: Mapping[str, Any], depth: int) -> list[list[object]]:
    """Return each topic with the top documents of the baseline."""
    if runs is None:
        raise InputError("runs= for documents=", "none")
    frame = as_runs(runs)
    policy = content["policy"]
    column: dict[str, Any] = roles(frame.columns)
    if SYSTEM in column:
        frame = frame[frame[column[SYSTEM]].astype(str) == str(content["system"])]
    fields = {name: policy[flat] for name, flat in Ties.flat().items() if flat in policy}
    prepared = Preparation(search=policy.get("search"), each=policy.get("each"))
    ties = Ties(**fields)
    ranked = rank(prepared.runs(frame, Policy(**ties.plain, **prepared.decided)), ties)
    first = ranked[ranked[RANK] <= depth]
    docs = dict(list(first.groupby(column[TOPIC], sort=False)[column[DOC]]))
    return [[topic, docs[topic].tolist()] for topic, *_ in content["scores"] if topic in docs]


def _checksum(content: Mapping[str, object]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _read_frozen(path: str) -> dict[str, Any]:
    """Return the content of a file, or raise if invalid."""
    expected = f"a frozen baseline in {path}"
    advice = "freeze the baseline again with irframe freeze"
    try:
        content = json.loads(shallow(path, load(path)))
    except OSError as error:
        raise StoreError(expected, error.strerror or str(error), advice) from None
    except ValueError as error:
        raise StoreError(expected, getattr(error, "found", "no JSON"), advice) from None
    if not isinstance(content, dict) or KIND not in content:
        raise StoreError(expected, "a file of another kind", advice)
    if content[KIND] != FORMAT:
        advice = "read the file with the version of irframe that wrote it"
        raise StoreError(expected, f"format {content[KIND]}", advice)
    if content.pop("checksum", None) != _checksum(content):
        raise StoreError(expected, "a file that was edited, perhaps by a merge", advice)
    wrong = next(malformed(content), None)
    if wrong is not None:
        raise StoreError(expected, "a file that irframe did not write", advice, [wrong])
    return content

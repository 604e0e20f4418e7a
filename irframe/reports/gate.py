"""Pytest fixture that compares runs with a baseline."""

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from irframe.comparing.compare import compare
from irframe.comparing.corrections import Tested
from irframe.comparing.freeze import FailOn, Frozen, failing, freeze, is_file
from irframe.cubes.cube import cube as build
from irframe.errors import IrframeWarning
from irframe.escaping import visible
from irframe.evaluation.evaluate import evaluate
from irframe.experiments.policy import Metrics, cut_at, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.read_runs import read_qrels, read_runs
from irframe.metrics import Metric
from irframe.names import DOC, TOPIC
from irframe.printed import fixed_text
from irframe.reports.markdown import BEST, Change
from irframe.tables.captions import caption_text

SHOWN = 5
"""Number of documents or topics listed in a failure message."""
VERDICT = (
    *("metric", "system_a", "system_b", "difference", "ci_low", "ci_high"),
    *("verdict", "detectable", "n_topics"),
)
OF_SCORES = ("no_rel", "rel")
"""Parameters of `evaluate` that `cube` does not have."""


@dataclass(frozen=True)
class Gate:
    """The pytest fixture ``irframe``.

    Parameters
    ----------
    update
        Whether to write baseline files. A missing file is created. An existing file is replaced if
        all runs pass.
    """

    update: bool = False

    def assert_not_worse(
        self,
        runs: Runs | str | PathLike[str],
        qrels: Qrels | str | PathLike[str],
        metrics: Metrics,
        *,
        baseline: Any,
        margin: float,
        fail_on: FailOn = "not-not-worse",
        test: Tested = "t",
        policy: Mapping[str, Any] | None = None,
    ) -> None:
        """Raise unless every run passes the comparison with a baseline.

        The conditions are those of the command ``irframe compare``.

        Parameters
        ----------
        runs, qrels
            Runs and judgments, in any form that `as_runs` and `as_qrels` accept, or their files.
        metrics
            Metrics or their names.
        baseline
            A file written by ``irframe freeze``, or a system of the runs.
        margin
            Largest difference that does not matter, in units of the metrics, above 0.
        fail_on
            Condition that makes a run fail: ``"not-not-worse"``, ``"worse"``, ``"drop"`` or
            ``"undecided"``.
        test
            Test of differences, in any form that `compare` accepts.
        policy
            Further arguments of `evaluate`, such as ``{"ties": "doc"}``.

        Raises
        ------
        AssertionError
            If a run fails. The message contains the verdicts and the five documents that cause the
            largest losses. Losses are relative to the baseline. If the baseline is a file without
            documents, losses are relative to the best possible ranking.
        IrframeError
            If `evaluate` or `compare` raises an error, such as for a baseline file made with other
            judgments.
        """
        __tracebackhide__ = True
        frame = as_runs(_read_if_path(runs, read_runs))
        judged = as_qrels(_read_if_path(qrels, read_qrels))
        chosen = parse_metrics(metrics)
        decided = dict(policy or {})
        scores = evaluate(frame, judged, chosen, **decided)
        if self.update and is_file(baseline) and not Path(baseline).exists():
            freeze(scores, baseline)
            return
        with warnings.catch_warnings():
            # if a run equals the baseline, its differences have no variance, but the run must pass
            unchanged = "comparisons whose differences are the same"
            warnings.filterwarnings("ignore", unchanged, IrframeWarning)
            verdicts = compare(scores, test, baseline=baseline, margin=margin)
        failed = failing(verdicts, fail_on, margin)
        if failed.empty:
            if self.update and is_file(baseline):
                # the new file contains as many documents of each list as the old file
                documents = Frozen.read(baseline).documents
                freeze(scores, baseline, documents=documents, runs=frame)
            return
        rows = verdicts[verdicts["system_a"] == failed["system_a"].iloc[0]]
        metric = next(metric for metric in chosen if str(metric) == failed["metric"].iloc[0])
        of_cube = {name: value for name, value in decided.items() if name not in OF_SCORES}
        of_cube["depth"] = cut_at(chosen, decided.get("depth"))
        change = Change.of(rows, build(frame, judged, **of_cube), scores, frame)
        raise AssertionError(visible(_failure_text(verdicts, fail_on, change, metric)))


def _read_if_path(source: object, reader: Callable[[str | PathLike[str]], object]) -> object:
    """Read a file; return other arguments unchanged."""
    return reader(source) if isinstance(source, str | os.PathLike) else source


def _failure_text(verdicts: pd.DataFrame, fail_on: str, change: Change, metric: Metric) -> str:
    """Return the message of a failure.

    The message contains the verdicts, the test, and the documents that cause the largest losses.
    """
    system, baseline = change.names
    table = verdicts[[*VERDICT]].to_string(index=False, float_format=fixed_text)
    failure = f"{system} fails the gate {fail_on!r} against {baseline}"
    texts = [failure, table, caption_text(verdicts.attrs)]
    fallen = change.changes(metric).query("rose < 0").sort_values("rose", kind="stable")
    lost = change.lost(metric, fallen.index.tolist()) if len(fallen) else None
    if lost is None:
        worst = fallen.head(SHOWN).rename_axis(TOPIC).reset_index()
        texts.append(f"topics with the largest losses in {metric}:\n{worst.to_string(index=False)}")
        return "\n\n".join(texts)
    order = lost["difference"].abs().sort_values(ascending=False, kind="stable").index
    shown = lost.loc[order[:SHOWN], [TOPIC, DOC, "grade", "rank_b", "rank_a", "difference"]]
    against = baseline if change.both(metric, fallen.index.tolist()) else BEST
    text = shown.rename(columns={"rank_b": f"rank in {against}", "rank_a": f"rank in {system}"})
    of = f", in the first {change.repeat} of each" if change.repeat else ""
    title = f"documents behind the loss in {metric} against {against}, on worse topics{of}:"
    return "\n\n".join([*texts, f"{title}\n{text.to_string(index=False)}"])

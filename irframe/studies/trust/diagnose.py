"""What to know about runs and judgments before trusting a number."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import pandas as pd

from irframe.checks import choice
from irframe.cubes.cube import build_cube
from irframe.errors import IrframeError
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_qrels_table, read_table
from irframe.experiments.policy import Metrics, Policy, parse_metrics
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics.base import Metric
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DEFAULT_TIES, DEPTH, Ties
from irframe.record import recorded
from irframe.studies.trust.cube_checks import check_cube
from irframe.studies.trust.findings import Finding, every_place, finding_of, to_frame
from irframe.studies.trust.frame_checks import check_frames
from irframe.warned import unsaid


@recorded
def diagnose(
    runs: Runs,
    qrels: Qrels,
    metrics: Metrics = (),
    *,
    depth: int | None = None,
    ties: Ties = DEFAULT_TIES,
    contributing: str | Sequence[Hashable] | None = None,
    pool_depth: int | None = None,
    errors: Literal["raise", "report"] = "raise",
) -> pd.DataFrame:
    """Say what to know about runs and judgments before trusting a number.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame, or what `as_runs` and `as_qrels` take.
    metrics
        Metrics or their names that are to be reported; findings that depend on a metric are
        about these.
    depth
        Evaluation depth of metrics without their own, by default that of the longest list.
    ties, contributing, pool_depth
        As for `cube`.
    errors
        What to do about frames that cannot be read: ``"raise"``, or ``"report"``, which makes
        findings of all that is wrong with them, and has every finding name all places.

    Returns
    -------
    pandas.DataFrame
        One row per finding, the gravest first, with the columns

        - ``severity``: ``"error"``, nothing can be scored; ``"warning"``, numbers may mislead;
          ``"note"``, worth saying beside the numbers;
        - ``what`` was found, ``where`` (the first places) and ``how_many`` times;
        - ``advice``, what to do about it;
        - ``reference``, where this is explained.

        With an error there are no findings that need scores. Documents of grade -1 count as
        unjudged.

    Raises
    ------
    InputError
        For an empty frame or a missing column, and whatever else keeps frames from being read,
        unless that is to be reported.

    Notes
    -----
    Looked for are: topics and documents that do not join; documents listed or judged twice;
    missing scores; ranks that contradict scores, or leave some out; systems of other topics;
    missing and short lists; topics without relevant documents; unjudged markers; ties in the top
    20; unjudged documents in the top 10, 20 and 100; evaluation deeper than the pool; pools that
    were still finding relevant documents, under metrics with a recall base; systems that did not
    contribute; pairs of systems closer than the residuals of RBP(p=0.8); and what the paper
    advises to report. Pools take equal scores in the order of rows, as runs are filed: where there
    are some, another order of rows may change what is found of the pool, and the advice says so.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> findings = diagnose(*ir.example_track(), ["AP", "nDCG@10"])
    >>> for row in findings[findings["severity"] == "warning"].itertuples():
    ...     print(row.how_many, row.what)
    209 unjudged documents in the top 10 (16%)
    979 unjudged documents in the top 20 (38%)
    1 evaluation deeper than the pool of contributing runs, as filed, which is 10
    2 18% of the documents pooled last are relevant: more are to be found
    19 pairs of systems closer than their residuals under RBP(p=0.8)
    2 only metrics with a recall base
    """
    chosen = [] if isinstance(metrics, tuple | list) and not metrics else parse_metrics(metrics)
    policy = Policy(ties=ties, contributing=contributing, pool_depth=pool_depth)
    if choice("errors", errors, ("raise", "report")) == "raise":
        return to_frame(
            list(_findings(read_table(runs), read_qrels_table(qrels), chosen, policy, depth))
        )
    with every_place():
        return to_frame(_reported(runs, qrels, chosen, policy, depth))


def _findings(
    table: RunTable,
    judgments: QrelsTable,
    metrics: Sequence[Metric],
    policy: Policy,
    depth: int | None,
) -> Iterator[Finding]:
    """Yield what is found in the frames, then, if nothing is in the way, on their cube."""
    findings = list(check_frames(table, judgments, depth))
    yield from findings
    judged = judgments.grade != POOLED_UNJUDGED
    if judged.any() and not any(finding.severity == "error" for finding in findings):
        with unsaid():
            built = build_cube(table.frame, judgments.frame[judged], policy)
            yield from check_cube(built, metrics, built.sizes[DEPTH] if depth is None else depth)


def _reported(
    runs: Runs, qrels: Qrels, metrics: Sequence[Metric], policy: Policy, depth: int | None
) -> list[Finding]:
    """Return what is found, with an error as the last of it."""
    tables: list[Any] = []
    findings: list[Finding] = []
    for read, frame in ((read_table, runs), (read_qrels_table, qrels)):
        try:
            tables.append(read(frame))
        except IrframeError as error:
            findings.append(finding_of(error))
    if findings:
        return findings
    try:
        for finding in _findings(tables[0], tables[1], metrics, policy, depth):
            findings.append(finding)  # noqa: PERF402 - those before an error count
    except IrframeError as error:
        findings.append(finding_of(error))
    return findings

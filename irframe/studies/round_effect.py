"""What another round of judgments changed: means, ranks, conclusions, and on which topics."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.comparing.significance import Adjust, Family, Pairing
from irframe.cubes.score import score
from irframe.cubes.unjudged import rejudge
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import as_qrels
from irframe.names import DEPTH, DOC, METRIC, RESULT, SUBTOPIC, SYSTEM, TOPIC, roles
from irframe.paired import Test
from irframe.scores.read_scores import Depths, match_reference
from irframe.scores.summary import united
from irframe.studies.coefficients import CONCLUSIONS, JUDGE, conclusions, standings

ROUND = "round"


@verb
def round_effect(
    scores: xr.DataArray | pd.DataFrame | xr.Dataset,
    reference: xr.DataArray | pd.DataFrame,
    *metrics: Metrics,
    test: Test = "t",
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    at: Depths = None,
    by: GroupBy | None = None,
) -> xr.Dataset:
    """Say what changed since an earlier round of judgments: systems, conclusions, topics.

    Parameters
    ----------
    scores
        Scores per system and topic by the judgments that now hold: an array, or a frame, wide or
        long. Or a cube of the runs.
    reference
        Scores of the same systems by the same metrics, by the earlier judgments. Of a cube, the
        judgments of all rounds: a qrels frame with a column ``round``, whose order is that of its
        numbers, or else of its rows. A later grade of a document takes the place of an earlier one.
    metrics
        Metrics or their names, of a cube.
    test, adjust, family, alpha
        Which pairs of systems differ significantly, as for `compare`.
    at
        Depths to look at; by default all there are. Those of the metrics, of a cube.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group.

    Returns
    -------
    xarray.Dataset
        Over metrics, and depths if there are any:

        - ``mean`` and ``rank`` (metric, depth, system), 1 the best, ties sharing the best of their
          ranks; ``reference_mean`` and ``reference_rank``, those of the earlier round;
        - ``conclusions`` (metric, depth, conclusion), pairs of systems that are ``kept``,
          significantly different in the same direction in both rounds; ``lost``, only in the
          earlier one; ``new``, only in the later one; ``reversed``; ``neither``;
        - ``change`` (metric, depth, topic), by how much the systems' scores changed on average, up
          or down, NaN for topics that a round lacks.

        Of a cube, all of these over ``round``, too: each but the first, compared with the one
        before.

    Raises
    ------
    ParameterError
        For other systems or metrics on the two sides, or a reference that is no scores; and for
        metrics that are asked of scores.
    InputError
        For judgments without a column ``round``, with gaps in it, or of one round; and as
        `irframe.verbs.rejudge`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them in some round.

    See Also
    --------
    judge_effect : The same of runs and the judgments of several judges.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> first = runs.ireval.cube(ir.verbs.sample(qrels, 0.3, seed=1))
    >>> rounds = [cube.ireval.score("nDCG", at=10) for cube in (first, first.ireval.rejudge(qrels))]
    >>> found = rounds[1].ireval.round_effect(rounds[0])
    >>> found["conclusions"].squeeze().to_series().to_dict()
    {'kept': 0, 'lost': 0, 'new': 11, 'reversed': 0, 'neither': 17}
    >>> found["change"].squeeze().to_series().idxmax()
    '107'
    >>> handed = qrels.assign(round=1 + qrels["topic"].astype(int) % 2 * (qrels["grade"] > 1))
    >>> cube = runs.ireval.cube(qrels)
    >>> found = cube.ireval.round_effect(handed, "nDCG", at=10).squeeze()
    >>> [found[name].sel(system="splade").item() for name in ("reference_rank", "rank")]
    [2, 3]
    """
    pairing = Pairing(test, adjust, alpha, family)
    if isinstance(scores, xr.Dataset):
        return _by_rounds(scores, reference, metrics, pairing, at)
    if any(metrics):
        raise ParameterError("metrics= of a cube", f"{len(metrics)} of scores, which have theirs")
    if not isinstance(reference, xr.DataArray | pd.DataFrame):
        raise ParameterError("scores of an earlier round, a frame or an array", repr(reference))
    return _effect(scores, reference, pairing, at)


def _by_rounds(
    cube: xr.Dataset, qrels: Any, metrics: tuple[Metrics, ...], pairing: Pairing, at: Depths
) -> xr.Dataset:
    """Hold each round of judgments, with those before, against the one before."""
    chosen = parse_metrics(metrics)
    frame = as_qrels(qrels).reset_index(drop=True)
    if ROUND not in frame or frame[ROUND].isna().any():
        found = f"gaps in {ROUND}" if ROUND in frame else f"no {ROUND}"
        raise InputError(f"a column {ROUND} with a label for every judgment", found)
    labels = frame[ROUND].unique()
    order = sorted(labels) if frame[ROUND].dtype.kind in "iuf" else labels
    if len(order) < 2:
        raise InputError("judgments of several rounds", f"{len(order)}", "", order)
    place = frame[ROUND].map({label: n for n, label in enumerate(order)})
    frame = frame.assign(**{ROUND: place}).sort_values(ROUND, kind="stable")
    own = roles(frame.columns)
    judged = [own[role] for role in (TOPIC, DOC, SUBTOPIC) if role in own]
    twice = frame.duplicated([*judged, ROUND], keep=False)  # which rejudge refuses by name
    scores: list[xr.DataArray] = []
    for n in range(len(order)):
        held = frame[frame[ROUND] <= n]
        held = held[twice[held.index] | ~held.duplicated(judged, keep="last")]
        scores.append(score(rejudge(cube, held.drop(columns=ROUND)), *chosen, at=at))
    parts = [_effect(b, a, pairing, None) for a, b in pairwise(scores)]
    rounds = pd.Index(order[1:], name=ROUND)
    return xr.concat(parts, rounds, join="outer").assign_attrs(parts[-1].attrs)


def _effect(scores: Any, reference: Any, pairing: Pairing, at: Depths) -> xr.Dataset:
    """Say what changed between scores by two rounds of judgments."""
    new, held = match_reference(scores, reference, at)
    if held.metrics != new.metrics:
        raise ParameterError(f"the metrics {', '.join(new.metrics)}", "", "", held.metrics)
    by_judge = standings(held, [new]) | conclusions(held, [new], pairing)
    parts = {  # of the one other round, which needs no dimension
        name: (dims[1:], values[0]) if dims[0] == JUDGE else (dims, values)
        for name, (dims, values) in by_judge.items()
    }
    change = np.abs(new.values - held.values).mean(axis=1)
    parts["change"] = (METRIC, DEPTH, TOPIC), np.moveaxis(change, 1, 2)
    labels = new.labels(SYSTEM) | {TOPIC: new.topics.rename(TOPIC), "conclusion": [*CONCLUSIONS]}
    attrs = united(new.attrs, pairing.told(), {RESULT: "round_effect"})
    result = xr.Dataset(parts, labels, attrs)
    return result if new.depths is not None else result.isel({DEPTH: 0})

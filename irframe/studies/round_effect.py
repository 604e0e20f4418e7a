"""What another round of judgments changed: means, ranks, conclusions, and on which topics."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Adjust, Family
from irframe.comparing.significance import Pairing
from irframe.cubes.verb import verb
from irframe.errors import ParameterError
from irframe.names import DEPTH, METRIC, RESULT, SYSTEM, TOPIC
from irframe.paired import Test
from irframe.scores.read_scores import Depths
from irframe.scores.reference import match_reference
from irframe.scores.summary import united
from irframe.studies.coefficients import CONCLUSIONS, JUDGE, conclusions, standings


@verb
def round_effect(
    scores: xr.DataArray | pd.DataFrame,
    reference: xr.DataArray | pd.DataFrame,
    *,
    test: Test = "t",
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    at: Depths = None,
    by: str | None = None,
) -> xr.Dataset:
    """Say what changed since an earlier round of judgments: systems, conclusions, topics.

    Parameters
    ----------
    scores
        Scores per system and topic by the judgments that now hold: an array, or a frame, wide or
        long.
    reference
        Scores of the same systems by the same metrics, by the earlier judgments.
    test, adjust, family, alpha
        Which pairs of systems differ significantly, as for `compare`.
    at
        Depths to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``: one result per group.

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

    Raises
    ------
    ParameterError
        For other systems or metrics on the two sides, or a reference that is no scores.

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
    """
    pairing = Pairing(test, adjust, alpha, family)
    if not isinstance(reference, xr.DataArray | pd.DataFrame):
        raise ParameterError("scores of an earlier round, a frame or an array", repr(reference))
    new, held = match_reference(scores, reference, at)
    if held.metrics != new.metrics:
        raise ParameterError(f"the metrics {', '.join(new.metrics)}", "", "", held.metrics)
    found = standings(held, [new]) | conclusions(held, [new], pairing)
    parts = {name: _alone(*part) for name, part in found.items()}
    change = np.abs(new.values - held.values).mean(axis=1)
    parts["change"] = (METRIC, DEPTH, TOPIC), np.moveaxis(change, 1, 2)
    labels = new.labels(SYSTEM) | {TOPIC: new.topics.rename(TOPIC), "conclusion": [*CONCLUSIONS]}
    told = united(new.attrs, pairing.told(), {RESULT: "round_effect"})
    result = xr.Dataset(parts, labels, told)
    return result if new.depths is not None else result.isel({DEPTH: 0})


def _alone(dims: tuple[str, ...], values: Array) -> tuple[tuple[str, ...], Array]:
    """Return what there is of the one other round, which needs no dimension."""
    return (dims[1:], values[0]) if dims[0] == JUDGE else (dims, values)

"""The cube by another round of judgments."""

from typing import overload

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import IdError, InputError, warn
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.judged_otherwise import judged_anew
from irframe.experiments.judgments import Judgments
from irframe.files.as_runs import Qrels
from irframe.files.ids import shown
from irframe.names import TOPIC
from irframe.record import steps_of


@overload
def rejudge(cube: xr.Dataset, qrels: Qrels, *, by: None = None) -> xr.Dataset: ...
@overload
def rejudge(cube: xr.Dataset, qrels: Qrels, *, by: GroupBy) -> xr.DataTree: ...
@verb(repeats=True)
def rejudge(
    cube: xr.Dataset, qrels: Qrels, *, by: GroupBy | None = None
) -> xr.Dataset | xr.DataTree:
    """Return the cube of the same runs by other judgments, such as those of a new round.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    qrels
        All judgments that now hold, those of earlier rounds among them: a qrels frame, or what
        `as_qrels` takes.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: a DataTree
        with one such cube per group.

    Returns
    -------
    xarray.Dataset or xarray.DataTree
        The cube that `irframe.cube` would make of the runs and these judgments. With `by`, a tree
        of cubes.

    Raises
    ------
    InputError
        If documents were not judged before, and a list may hold them deeper than it is known by
        name, naming system and topic; and for a cube that was condensed.
    IdError
        If no topic of the cube is judged, or a document is judged twice.

    Warns
    -----
    IrframeWarning
        Of topics that have no judgments any more, and of judged ones that the cube has no lists of;
        both are left out.

    Notes
    -----
    A cube keeps what its lists hold of the judgments, and the names of their unjudged documents
    down to rank 100. So grades may change, and documents lose their judgment, in any cube; those
    that were not judged before need lists of at most 100, or lists that hold them there. A depth of
    the pool that was not given is found anew, but is not known where lists hold documents that were
    not judged before.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> first = runs.ireval.cube(ir.verbs.sample(qrels, 0.5))
    >>> second = first.ireval.rejudge(qrels)
    >>> [int(each.unjudged.sum()) for each in (first, second)]
    [4953, 3720]
    """
    steps = steps_of(cube)
    if any(step.verb == "condense" for step in steps):
        raise InputError("a cube of whole lists", "a condensed one", "condense it afterwards")
    experiment = experiment_of(cube).loaded
    new, topics = Judgments.of(qrels, ()), experiment.judgments.topics
    place = new.topics.get_indexer(topics)
    kept = np.flatnonzero(place >= 0)
    if not len(kept):
        sides = [shown(each[:3]) for each in (topics, new.topics)]
        found = f"none: the cube has {sides[0]}, the judgments {sides[1]}"
        raise IdError("topics of the cube among the judgments", found)
    beyond = new.topics.difference(topics, sort=False)
    _tell(topics[place < 0], "topics of the cube have no judgments any more and are left out")
    _tell(beyond, "topics of the judgments have no lists in the cube and are left out")
    part = experiment.part(np.arange(experiment.shape[0]), kept)
    judgments = Judgments.chosen(new.table, place[kept])
    given = any("pool_depth" in step.options for step in steps)
    changed = judged_anew(part, judgments, given=given, whole=not len(beyond))
    return shown_as(cube.isel({TOPIC: kept}), changed)


def _tell(topics: pd.Index, what: str) -> None:
    if len(topics):
        warn(f"{len(topics)} {what}: {shown(topics)}")

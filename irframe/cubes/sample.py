"""Fewer judgments, left out at random."""

from typing import Any, overload

import pandas as pd
import xarray as xr

from irframe.cubes.stratified import Share, draw_cube, draw_frame
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import ParameterError
from irframe.experiments.coded_tables import (
    Side,
    code_documents,
    read_qrels_table,
    refuse_twice_judged,
)
from irframe.experiments.experiment import fewer_judged
from irframe.experiments.policy import random_keys, refuse_marks, refuse_share, strata_sample
from irframe.files.as_runs import Qrels
from irframe.files.ids import repeated


@overload
def sample(
    data: xr.Dataset,
    share: Share,
    *,
    strata: str | None = None,
    seed: int = 0,
    by: None = None,
) -> xr.Dataset: ...
@overload
def sample(
    data: xr.Dataset, share: Share, *, strata: str | None = None, seed: int = 0, by: str
) -> xr.DataTree: ...
@overload
def sample(
    data: pd.DataFrame, share: Share, *, strata: str | None = None, seed: int = 0, by: None = None
) -> pd.DataFrame: ...
@verb(bounded=True)
def sample(
    data: xr.Dataset | Qrels,
    share: Share,
    *,
    strata: str | None = None,
    seed: int = 0,
    by: str | None = None,
) -> xr.Dataset | xr.DataTree | pd.DataFrame:
    """Keep a share of the judgments, drawn at random for every topic and grade, or stratum.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, or a qrels frame: topic, doc, grade.
    share
        Share of the judgments to keep, above 0 and at most 1; of strata one for all, or
        ``{stratum: share}``.
    strata
        Draw without a look at grades, as who judges only a sample does: a column of the frame whose
        values part the pool of each topic, such as ``"stratum"``, or ``"topic"``, so that the pool
        of a topic is one stratum. Of a cube ``"topic"`` or ``"stratum"``, where it has some.
    seed
        Seed of the random order of the documents. It depends on nothing but the seed and the
        identifiers, so a smaller sample is part of every larger one with the same seed, and a cube
        keeps the judgments that its qrels frame keeps.
    by
        Of a cube, a coordinate of systems or topics: a DataTree with one such cube per group.

    Returns
    -------
    xarray.Dataset, xarray.DataTree or pandas.DataFrame
        The cube, with `by` a tree of cubes, in which the other documents are unjudged; or the rows
        of the frame that are kept, as they were. With `strata` all rows stay, and documents that
        were not drawn have grade -1, pooled and not judged; `stratum` says which each one is of,
        and `probability` how likely it was to be drawn.

    Raises
    ------
    ParameterError
        For a share outside (0, 1], one that is missing for a stratum, or a negative seed; for
        strata that are no column or missing in a row; and for `by` with a qrels frame.
    InputError
        If the cube does not say which documents it holds; with `strata`, if documents are judged
        by subtopic.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Of the n documents of a topic at a grade, ``max(1, floor(share n + 1/2))`` are kept, and at
    least 10 of a grade below 1, or all if there are fewer. Of a stratum there are ``max(2,
    floor(share n + 1/2))``, two because fewer have no spread, from which `estimate` knows its
    standard errors.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> [len(sample(qrels, share)) for share in (1, 0.5, 0.1)]
    [523, 282, 206]
    >>> cube = runs.ireval.cube(qrels)
    >>> [int(sample(cube, share).unjudged.sum()) for share in (1, 0.5, 0.1)]
    [3720, 4953, 5371]

    A third of every pool, to be judged by people, and what precision is then estimated as:

    >>> drawn = sample(qrels, 1 / 3, strata="topic")
    >>> len(drawn), int((drawn["grade"] >= 0).sum())
    (523, 176)
    >>> found = runs.ireval.cube(drawn).ireval.estimate("P", at=10).sel(system="bm25")
    >>> [round(found[name].item(), 2) for name in ("mean", "ci_low", "ci_high")]
    [0.26, 0.16, 0.38]
    """
    if not isinstance(data, xr.Dataset) and by is not None:
        raise ParameterError("by= with a cube only", repr(by), "group the frame: qrels.groupby")
    if strata is not None:
        draw: Any = draw_cube if isinstance(data, xr.Dataset) else draw_frame
        drawn: xr.Dataset | pd.DataFrame = draw(data, share, strata, seed)
        return drawn
    refuse_share(share)
    if isinstance(data, xr.Dataset):
        return _sample_cube(data, share, seed)
    return _sample_frame(data, share, seed)


def _sample_cube(cube: xr.Dataset, share: Any, seed: int) -> xr.Dataset:
    experiment = experiment_of(cube).loaded
    base = experiment.judgments
    keys = random_keys(base.topics[base.topic], base.docs, seed=seed)
    kept = strata_sample(base.topic, base.grade, keys, share)
    return shown_as(cube, fewer_judged(experiment, kept))


def _sample_frame(qrels: Qrels, share: Any, seed: int) -> pd.DataFrame:
    table = read_qrels_table(qrels)
    (codes,) = code_documents(Side(table.topic, table.doc))
    refuse_twice_judged(table, repeated(codes))
    refuse_marks(table.grade)
    keys = random_keys(table.topics[table.topic], table.doc.combine_chunks(), seed=seed)
    return table.judging(strata_sample(table.topic, table.grade, keys, share))

"""Metrics and the C/W/L framework on cubes.

Verbs: score, cwl.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import xarray as xr

from irframe import names as words
from irframe.arrays import Array, in_threads, tiles
from irframe.checks import choice, is_integer, listed
from irframe.cubes import view
from irframe.cubes.verb import verb
from irframe.errors import DepthError, MetricError, ParameterError
from irframe.evaluation.scoring import Rel, Thresholds, describe_rel, warn_uneven
from irframe.evaluation.stopping import Stops, nothing_read, without_relevant
from irframe.experiments.choices import Stop
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import refuse_open
from irframe.experiments.judgments import refuse_subtopics
from irframe.experiments.policy import Metrics, parse_metrics, refuse, refuse_pool, refuse_shared
from irframe.experiments.spans import refuse_spans
from irframe.frames.ids import Codes
from irframe.metrics import METRICS, Block, Evidence, Metric
from irframe.metrics.facts import facts
from irframe.metrics.reading import QUANTITIES
from irframe.quantities.block import by_scale

Kernel = Callable[[Block, Sequence[Metric], Sequence[int]], Iterator[Array]]


def score_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Score a block of rankings by each metric.

    Parameters
    ----------
    block
        Rankings of topics with the same top grade.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        Scores of a metric, shape (..., topic, depth).
    """
    evidence = Evidence(block)
    columns = np.asarray(depths) - 1
    # indexing with the positions of all depths would copy the array
    every = slice(None) if len(columns) == block.grade.shape[-1] else columns
    for metric in metrics:
        yield metric.score(evidence)[..., every]


@dataclass(frozen=True)
class Work:
    """A computation on blocks of rankings."""

    metrics: Sequence[Metric]
    depths: Sequence[int]
    kernel: Kernel = score_block
    """A function like `score_block`, which is called once for each top grade."""
    per_metric: int = 1
    """Number of arrays that the kernel yields per metric."""
    hidden: bool = False
    """Whether the kernel needs the number of unjudged documents below the last depth."""
    ties: bool = False
    """Whether the kernel needs ties even if tied documents do not share their gain."""

    def over(self, cube: xr.Dataset) -> xr.DataArray:
        """Compute the values of a cube.

        The result is lazy if the cube is lazy. The dimensions are (metric, system, topic, depth).
        If the kernel yields several arrays per metric, these arrays are adjacent.
        """
        grade = cube[words.GRADE].variable
        experiment = view.experiment_of(cube)
        if not grade.chunks:
            values = self.tiles(experiment, cube.sizes[words.DEPTH], in_threads)
            return xr.DataArray(view.variable((words.METRIC, *view.CELL), values))
        ends = len(self.metrics) * self.per_metric, len(self.depths)
        positions = map(np.arange, experiment.shape)
        task = partial(_of_block, self)
        scored = view.in_chunks(task, grade.data, experiment, positions, np.float64, ends)
        return xr.DataArray(scored, dims=(words.METRIC, *view.CELL))

    def tiles(
        self, experiment: Experiment, depth: int, run: Callable[..., Iterable[None]]
    ) -> Array:
        """Compute the values of an experiment whose lists are cut.

        Lists are cut at `depth` and processed in tiles. The result has the same dimensions as the
        result of `over`.
        """
        # If a metric skips unjudged documents, documents from below the depth of the cube would
        # move up.
        if any(metric.judged_only for metric in self.metrics):
            refuse_open(experiment.longest, depth)
        fields = experiment.fields(self.metrics, depth)
        rows = len(self.metrics) * self.per_metric
        result = np.empty((rows, *experiment.shape, len(self.depths)))

        def compute(scale: Block) -> Iterator[Array]:
            return self.kernel(scale, self.metrics, self.depths)

        def fill(tile: tuple[slice, slice]) -> None:
            block = experiment.block(fields, depth, tile, ties=self.ties)
            if self.hidden:
                block = replace(block, beyond=beyond(experiment, block, tile))
            for row, values in zip(result, by_scale(block, compute), strict=True):
                row[tile] = values

        # `run` may be the builtin `map`, which computes nothing until its result is read
        list(run(fill, tiles(*experiment.shape, depth)))
        return result


def beyond(experiment: Experiment, block: Block, tile: tuple[slice, slice]) -> Array:
    """Return the number of unjudged documents below the last depth."""
    return np.asarray(experiment.unjudged[tile] - (block.grade == words.UNJUDGED).sum(axis=-1))


def _of_block(
    work: Work, grade: Array, systems: Codes, topics: Codes, experiment: Experiment
) -> Array:
    """Compute the values of a dask block with verified grades."""
    # dask computes blocks in parallel, so the tiles of a block are computed one after another
    selected = experiment.select(systems.ravel(), topics.ravel()).loaded
    return work.tiles(selected, grade.shape[-1], map)


@verb(bounded=True, repeats=True, spans=True, reads=("rel",))
def score(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    no_rel: words.NoRel | None = None,
    rel: Rel = None,
    stop: Stop | None = None,
) -> xr.DataArray:
    """Score every ranking of a cube at every depth.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`. If the cube is backed by dask, the scores are lazy.
    metrics
        Metrics or their names, as arguments or as a list, such as ``"AP"``,
        ``"nDCG@10"``, ``RBP(p=0.8)``.
    at
        Depths to return, at most the depth of the cube. The default is all depths of the cube.
    no_rel
        The scores on topics without relevant documents. ``"nan"`` gives NaN for every metric.
        ``"silence"`` gives 1 if no document is read, and 0 otherwise, as in `irframe.evaluate`.
    rel
        Lowest relevant grade by collection, as in `irframe.evaluate`. The cube must have been built
        with ``collection=``.
    stop
        The rule that determines where users stop reading a list. Pass either `stop` or `at`. An
        `irframe.Budget` needs a cube that was built with lengths of hits. An `irframe.Threshold`
        needs a cube that was built with ``scores=True``. An `irframe.AfterSearches` needs a cube
        that was built with ``search=``.

    Returns
    -------
    xarray.DataArray
        Scores with the dimensions (metric, system, topic, depth), float64. For an `irframe.Budget`
        the last dimension is ``budget``. If a single depth is passed, as in ``at=10``, the result
        has no dimension ``depth``. The scores of a metric with its own depth are constant beyond
        that depth. A score is NaN if the system did not participate in the
        collection of the topic.

    Raises
    ------
    MetricError
        If a metric is unknown, or does not support the tie policy of the cube.
    DepthError
        If depths are beyond the cube.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> cube = ir.cube(runs, qrels)
    >>> score(cube, "AP", "RBP(p=0.5)", at=[5, 10]).sizes["depth"]
    2
    """
    chosen = parse_metrics(metrics)
    stops = None if stop is None else Stops.read(stop, cube.attrs)
    if stops is not None and at is not None:
        raise ParameterError("at= or stop=", "both", "leave one of them out")
    experiment = view.experiment_of(cube)
    if stops is not None and not stops.of:
        # thresholds are computed from all lists of the cube, so that all groups have the same
        # thresholds
        costs = cube.attrs[view.EXPERIMENT].loaded.hits.along or {}
        stops = stops.all_of(costs.get(stops.axis.along))
    stops = stops and stops.of_systems(experiment.systems)
    depths = wanted_depths(cube, chosen, at) if stops is None else list(stops.of)
    refuse_metrics(cube, chosen)
    choice("no_rel", no_rel or "zero", words.NO_RELS)
    collection = cube.attrs.get("collection")
    thresholds = Thresholds.of(rel, chosen, collection if collection in cube.coords else None)
    variants = chosen if rel is None else thresholds.variants(chosen)
    dim = words.DEPTH
    attributes = {} if rel is None else {"rel": describe_rel(rel)}
    if stops is None:
        values = Work(variants, depths).over(cube)
        attributes |= warn_uneven(experiment, variants, max(depths))
    else:
        scored = stops.values(experiment, variants, cube.attrs.get(words.DEPTH))
        dim = stops.axis.dim
        values = xr.DataArray(scored, dims=(words.METRIC, *view.LIST, dim))
        attributes |= stops.attributes(experiment)
    if no_rel not in {None, "zero"}:
        relevant = [experiment.judgments.relevant(facts(metric).rel) for metric in variants]
        nothing = nothing_read(experiment, stops, cube.attrs.get(words.DEPTH))
        options = variants, np.stack(relevant), nothing, str(no_rel)
        values = values.where(*without_relevant(*options))
    if rel is not None:
        values = _on_topics(values, thresholds.positions(chosen, cube[collection].to_numpy()))
    result = label_scores(cube, values, chosen, depths, dim).assign_attrs(attributes)
    if stops is not None and stops.by_system is not None:
        # each system has its own stopping point, so these points become a coordinate of systems
        result = result.isel({dim: 0}, drop=True)
        return result.assign_coords({dim: (words.SYSTEM, [*stops.by_system.values()])})
    return _at_one_depth(result) if is_integer(at) else result


def _at_one_depth(scores: xr.DataArray) -> xr.DataArray:
    """Drop the dimension of a single depth from scores.

    Indexing by xarray would import dask, which takes time.
    """
    last = scores.transpose(..., words.DEPTH)
    coords = {name: coord.variable for name, coord in last.drop_vars(words.DEPTH).coords.items()}
    coords[words.DEPTH] = xr.Variable((), last[words.DEPTH].to_numpy().reshape(()), fastpath=True)
    shown = xr.Variable(last.dims[:-1], last.data[..., 0], last.attrs, fastpath=True)
    return xr.DataArray(shown, coords, name=last.name)


def _on_topics(values: xr.DataArray, positions: Array) -> xr.DataArray:
    """Select the variant of each metric for every topic.

    The variants of a metric differ in their lowest relevant grade. `positions` contains the
    position of a variant, shape (metric, topic).
    """
    every = []
    for variants in positions:
        row = values.isel({words.METRIC: variants[0]})
        for variant in np.unique(variants):
            elsewhere = xr.DataArray(variants != variant, dims=words.TOPIC)
            row = row.where(elsewhere, values.isel({words.METRIC: variant}))
        every.append(row)
    return xr.concat(every, words.METRIC)


def label_scores(
    cube: xr.Dataset,
    values: xr.DataArray,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    dim: str = words.DEPTH,
) -> xr.DataArray:
    """Add coordinates of metrics, depths and the cube to scores.

    Scores are NaN on topics in which a system did not take part.
    """
    indexes = {words.METRIC: np.array([str(metric) for metric in metrics]), dim: np.array(depths)}
    new_coords = {dim: view.labels(dim, index) for dim, index in indexes.items()}
    hidden = {words.DEPTH, "unjudged", *view.CODES.values()}
    coords = {name: coord.variable for name, coord in cube.coords.items() if name not in hidden}
    participated = view.experiment_of(cube).participated
    if not participated.all():
        coords["took_part"] = view.variable(view.LIST, participated)
        values = values.where(xr.DataArray(participated, dims=view.LIST))
    return values.reset_coords(drop=True).assign_coords(coords | new_coords).rename("score")


def refuse_metrics(
    cube: xr.Dataset, metrics: Sequence[Metric], *, ties: words.TieRule | None = None
) -> None:
    """Raise for metrics that cannot be computed on a cube.

    If `ties` is passed, metrics must support this tie policy instead of the tie policy of the cube.
    """
    experiment = view.experiment_of(cube)
    columns = experiment.judgments.table.columns
    spans = view.of_spans(cube)
    refuse_spans(metrics, spans=spans)
    named = words.SUBTOPIC in columns and not spans
    refuse_subtopics(metrics, str(columns[words.SUBTOPIC]) if named else None)
    refuse(metrics, experiment.judgments.levels, ties=ties or experiment.options["ties"])
    if experiment.pool_kind == "unknown" and any(facts(metric).pooled for metric in metrics):
        refuse_pool(metrics)


def read_metrics(
    cube: xr.Dataset, metrics: Metrics | Iterable[Metrics], at: int | Sequence[int] | None
) -> tuple[list[Metric], list[int]]:
    """Return the metrics and depths to score.

    Raise for metrics that cannot be computed on the cube.
    """
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen)
    return chosen, depths


def wanted_depths(
    cube: xr.Dataset, metrics: Sequence[Metric], at: int | Sequence[int] | None
) -> list[int]:
    """Return the depths to score, by default all depths.

    Raise for depths beyond the cube.
    """
    deepest = cube.sizes[words.DEPTH]
    depths = list(range(1, deepest + 1)) if at is None else listed(at)
    beyond = [repr(depth) for depth in depths if not (is_integer(depth) and 1 <= depth <= deepest)]
    beyond += [str(metric) for metric in metrics if (metric.depth or 1) > deepest]
    expected = f"depths from 1 to {deepest}, the depth of the cube"
    if beyond or not depths:
        advice = "build the cube with a greater depth= (missing ranks are empty)"
        raise DepthError(expected, "" if beyond else "none", advice, beyond)
    refuse_repeated_depths(depths, expected)
    return [int(depth) for depth in depths]


def refuse_repeated_depths(depths: Iterable[float], expected: str) -> None:
    """Raise for duplicate depths."""
    repeated = [depth for depth, count in Counter(depths).items() if count > 1]
    if repeated:
        raise DepthError(
            expected, "depths that occur more than once", "name each depth once in at=", repeated
        )


@verb(bounded=True, repeats=True)
def cwl(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
) -> xr.Dataset:
    """Compute gain and cost of users by the C/W/L framework.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics of the C/W/L framework or their names: AP, BPM, DynamicBPM, IFT, INSQ, INST, NERR,
        P, RBP, RR, SDCG.
    at
        Depths to return, at most the depth of the cube. The default is all depths of the cube.
        Lists are cut at these depths.

    Returns
    -------
    xarray.Dataset
        Variables over (metric, system, topic, depth):

        - ``expected_utility`` (EU): the expected gain per rank read, which is the score of the
          metric;
        - ``expected_total_utility`` (ETU): the expected total gain;
        - ``expected_cost`` (EC): the expected cost per rank read, which is 1 because all ranks cost
          the same;
        - ``expected_total_cost`` (ETC): the expected total cost;
        - ``expected_depth`` (ED): the expected number of ranks read.

    Raises
    ------
    MetricError
        If a metric does not define a continuation probability, or does not support the tie policy
        of the cube.
    DepthError
        If depths are beyond the cube.

    Notes
    -----
    Let C(i) be the probability of continuing after rank i. The probability of reading rank i is
    ``V(i) = prod_(j<i) C(j)``, and its weight is ``W(i) = V(i) / sum V``. Rank i is the last rank
    read with probability ``L(i) = V(i) (1 - C(i))``. Then EU = ``sum W(i) g(i)``, ED = ``sum V(i)``
    and ETU = ``sum L(i) sum_(j<=i) g(j)``. ETC is ETU with a gain of 1 at every rank.

    The sums end at rank 1000, or at the `horizon` of a metric. Ranks beyond the list have no gain.
    Users who continue beyond the last rank add to ED but not to ETC. For RR, ETC is 0 if no
    relevant document is retrieved, as in cwl_eval. For RBP the sums are computed over infinitely
    many ranks. AP treats relevant documents that were not retrieved as infinitely deep, so that EU
    is average precision. ED and ETC are then NaN if no relevant document is retrieved. In contrast,
    cwl_eval divides by the number of retrieved relevant documents.

    References
    ----------
    .. [1] Moffat, Bailey, Scholer, Thomas. Incorporating user expectations and behavior into the
       measurement of search effectiveness. ACM TOIS 35, 2017. doi:10.1145/3052768
    .. [2] Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval.
       SIGIR 2019. doi:10.1145/3331184.3331398

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> means = cwl(cube, "INST(T=2)", "RBP(p=0.8)", at=50).mean("topic").sel(depth=50)
    >>> means["expected_depth"].sel(system="bm25").round(2).values.tolist()
    [4.03, 5.0]
    """
    chosen, depths = read_metrics(cube, metrics, at)
    refused = [str(metric) for metric in chosen if metric.reading is None]
    if refused:
        supported = [name for name, metric in METRICS.items() if metric.reading is not None]
        expected = f"metrics of the C/W/L framework: {', '.join(sorted(supported))}"
        raise MetricError(expected, "", "", refused)
    uneven = [metric for metric in chosen if not metric.linear]
    refuse_shared(uneven, cube.attrs["ties"], "expected utility and cost")
    values = Work(chosen, depths, _read_block, len(QUANTITIES)).over(cube)
    arrays = {
        name: values.isel({words.METRIC: slice(position, None, len(QUANTITIES))})
        for position, name in enumerate(QUANTITIES)
    }
    labelled = {name: label_scores(cube, array, chosen, depths) for name, array in arrays.items()}
    return xr.Dataset({name: array.rename(name) for name, array in labelled.items()})


def _read_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the five C/W/L quantities of each metric."""
    columns = [depth - 1 for depth in depths]
    evidence = Evidence(block)
    for metric in metrics:
        yield from (values[..., columns] for values in metric.read(evidence))

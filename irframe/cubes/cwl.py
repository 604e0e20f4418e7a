"""Users as the C/W/L framework has them."""

from collections.abc import Iterator, Sequence

import xarray as xr

from irframe import names as words
from irframe.arrays import Array
from irframe.cubes.score import Work, label_scores, read_metrics
from irframe.cubes.verb import verb
from irframe.errors import MetricError
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.policy import Metrics, refuse_shared
from irframe.metrics import METRICS, Block, Evidence, Metric
from irframe.metrics.reading import QUANTITIES


@verb(bounded=True, repeats=True)
def cwl(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    by: GroupBy | None = None,
) -> xr.Dataset:
    """Say how much users gain, and how far they read, who read as metrics have it.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics of the C/W/L framework or their names: AP, BPM, DynamicBPM, IFT, INSQ, INST, NERR,
        P, RBP, RR, SDCG.
    at
        Depths to return, within the cube; by default all. A list is cut there.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: results of
        each group, the group first.

    Returns
    -------
    xarray.Dataset
        Over (metric, system, topic, depth):

        - ``expected_utility`` (EU): gain for a rank read, the score of the metric;
        - ``expected_total_utility`` (ETU): gain in all;
        - ``expected_cost`` (EC): cost for a rank read, 1 as every rank costs the same;
        - ``expected_total_cost`` (ETC): cost in all;
        - ``expected_depth`` (ED): how many ranks are read.

    Raises
    ------
    MetricError
        For a metric that is no continuation of reading, or that the cube's ties do not allow.
    DepthError
        For depths beyond the cube.

    Notes
    -----
    With C(i) the probability of going on from rank i and V(i) = ``prod_(j<i) C(j)`` that of reading
    it: the weights are ``W(i) = V(i) / sum V``, the last rank read is i with probability
    ``L(i) = V(i) (1 - C(i))``, EU = ``sum W(i) g(i)``, ED = ``sum V(i)``,
    ETU = ``sum L(i) sum_(j<=i) g(j)``, and ETC the same with 1 in place of gain.

    Users are followed down to rank 1000, or the `horizon` of a metric, into what is left of the
    ranks without gain. Who reads on there is never seen to stop: ETC is less than ED by these
    users, and under RR 0 if nothing relevant is found, as cwl_eval has it. RBP is followed
    forever. AP counts the relevant documents that were not retrieved, as if infinitely deep, so
    that EU is average precision, and where none is retrieved ED and ETC are NaN; cwl_eval divides
    by those retrieved.

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
    >>> found = cwl(cube, "INST(T=2)", "RBP(p=0.8)", at=50).mean("topic").sel(depth=50)
    >>> found["expected_depth"].sel(system="bm25").round(2).values.tolist()
    [4.03, 5.0]
    """
    chosen, depths = read_metrics(cube, metrics, at)
    refused = [str(metric) for metric in chosen if metric.reading is None]
    if refused:
        known = [name for name, metric in METRICS.items() if metric.reading is not None]
        wanted = f"metrics of the C/W/L framework: {', '.join(sorted(known))}"
        raise MetricError(wanted, "", "", refused)
    uneven = [metric for metric in chosen if not metric.linear]
    refuse_shared(uneven, cube.attrs["ties"], "what users do who follow")
    values = Work(chosen, depths, _read_block, len(QUANTITIES)).over(cube)
    parts = {
        name: values.isel({words.METRIC: slice(place, None, len(QUANTITIES))})
        for place, name in enumerate(QUANTITIES)
    }
    labelled = {name: label_scores(cube, part, chosen, depths) for name, part in parts.items()}
    return xr.Dataset({name: part.rename(name) for name, part in labelled.items()})


def _read_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the five quantities of a block of rankings, metric by metric."""
    columns, evidence = [depth - 1 for depth in depths], Evidence(block)
    for metric in metrics:
        yield from (values[..., columns] for values in metric.read(evidence))

"""What a change of judges does to the conclusions, in words."""

from collections.abc import Iterator

import pandas as pd
import xarray as xr

from irframe.checks import places
from irframe.errors import InputError
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.record import recorded
from irframe.studies.judges.judge_changes import JUDGE
from irframe.studies.trust.findings import Finding, listed, to_frame

VOORHEES = "Voorhees 2000, doi:10.1016/S0306-4573(00)00010-8"
EQUIVALENT = 0.9
"""Kendall's tau above which orderings customarily count as equivalent."""


@recorded
def judge_findings(effect: xr.Dataset, *, depth: int | None = None) -> pd.DataFrame:
    """Say in words what another judge does to the conclusions about systems.

    Parameters
    ----------
    effect
        What `judge_effect` gives, or some judges, metrics or depths of it.
    depth
        The depth to tell of, by default the greatest.

    Returns
    -------
    pandas.DataFrame
        A row per finding, the gravest first, with the columns of `diagnose`: ``severity``,
        ``what``, ``where``, ``how_many``, ``advice``, ``reference``. A warning says that a
        conclusion changes, a note that it stands, and by how much numbers move.

    Raises
    ------
    InputError
        For another dataset.
    ParameterError
        For a depth that is not there.

    References
    ----------
    .. [1] Voorhees. Variations in relevance judgments and the measurement of retrieval
       effectiveness. Information Processing & Management 36, 2000.
       doi:10.1016/S0306-4573(00)00010-8

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> strict = qrels.assign(grade=qrels["grade"].where(qrels["grade"] != 1, 0))
    >>> effect = ir.judge_effect(runs, {"people": qrels, "strict": strict}, "AP", at=10)
    >>> for row in effect.ireval.judge_findings().itertuples():
    ...     print(row.what.partition(": ")[2])
    systems are ordered alike, tau 1.000
    of 11 significant pairs 5 are kept (45%), 6 lost, 0 reversed; 0 are new
    ranks change by up to 0
    means differ by -0.005 on average, from -0.040 to +0.045
    """
    if not {"conclusions", "bias", "reference_rank"} <= set(effect.data_vars):
        raise InputError("what judge_effect gives", ", ".join(map(str, effect.data_vars)))
    scalars = [dim for dim in (JUDGE, METRIC, DEPTH) if dim not in effect.dims]
    whole = effect.expand_dims(scalars) if scalars else effect
    depths = whole[DEPTH].to_numpy().tolist()
    (place,) = places("depths of the effect", depths[-1] if depth is None else depth, depths)
    layer = whole.isel({DEPTH: place})
    findings = [
        finding
        for judge in layer[JUDGE].to_numpy()
        for metric in layer[METRIC].to_numpy()
        for finding in _findings(layer.sel({JUDGE: judge, METRIC: metric}), depths[place])
    ]
    return to_frame(findings)


def _findings(cell: xr.Dataset, depth: int) -> Iterator[Finding]:
    """Yield what is found under one judge by one metric at one depth."""
    label = label_at(str(cell[METRIC].item()), depth)
    who = f"{label} by {cell[JUDGE].item()} against {cell.attrs['reference']}"
    yield from _order(cell, who)
    yield from _conclusions(cell, who)
    yield _ranks(cell, who)
    yield _bias(cell, who)
    if "group" in cell.dims:
        yield from _groups(cell, who)


def _order(cell: xr.Dataset, who: str) -> Iterator[Finding]:
    if "kendall" in cell["coefficient"]:
        tau = cell["agreement"].sel(coefficient="kendall").item()
        grave = not tau >= EQUIVALENT
        what = f"{who}: systems are ordered {'otherwise' if grave else 'alike'}, tau {tau:.3f}"
        advice = "report the order under both judges" if grave else ""
        yield _finding(what, "", cell.sizes[SYSTEM], advice, grave=grave)


def _conclusions(cell: xr.Dataset, who: str) -> Iterator[Finding]:
    count = cell["conclusions"].to_series().to_dict()
    before = count["kept"] + count["lost"] + count["reversed"]
    share = f" ({count['kept'] / before:.0%})" if before else ""
    what = (
        f"{who}: of {before} significant pairs {count['kept']} are kept{share}, {count['lost']} "
        f"lost, {count['reversed']} reversed; {count['new']} are new"
    )
    changed = count["lost"] + count["reversed"] + count["new"]
    advice = "trust no pair that differs significantly by one judge only" if changed else ""
    yield _finding(what, "", changed, advice, grave=count["reversed"] > 0)


def _ranks(cell: xr.Dataset, who: str) -> Finding:
    moved = (cell["rank"] - cell["reference_rank"]).to_series()
    order = moved.abs().sort_values(ascending=False, kind="stable").index
    most = [
        f"{system} {cell['reference_rank'].sel({SYSTEM: system}).item()} to "
        f"{cell['rank'].sel({SYSTEM: system}).item()}"
        for system in order
        if moved[system]
    ]
    what = f"{who}: ranks change by up to {int(moved.abs().max())}"
    return _finding(what, listed(most), int((moved != 0).sum()))


def _bias(cell: xr.Dataset, who: str) -> Finding:
    bias, ends = cell["bias"].to_series(), cell["bias_interval"]
    above = (ends.sel(bound="lower") > 0) | (ends.sel(bound="upper") < 0)
    what = (
        f"{who}: means differ by {bias.mean():+.3f} on average, from {bias.min():+.3f} to "
        f"{bias.max():+.3f}"
    )
    order = bias.sort_values(ascending=False, kind="stable")
    places = [f"{system} {value:+.3f}" for system, value in order.items()]
    advice = "compare scores under one judge only" if above.any() else ""
    return _finding(what, listed(places), int(above.sum()), advice)


def _groups(cell: xr.Dataset, who: str) -> Iterator[Finding]:
    for name in cell["group"].to_numpy():
        group = cell.sel(group=name)
        p, bias = group["group_p"].item(), group["group_bias"].item()
        low, high = group["group_interval"].to_numpy()
        grave = p < cell.attrs["alpha"]
        does = "is favoured" if bias > 0 else "is slighted"
        what = (
            f"{who}: {name} {does if grave else 'is not seen to be favoured'}, {bias:+.3f} "
            f"[{low:+.3f}, {high:+.3f}] beside the others, p {p:.2g}"
        )
        advice = "see whether good systems are favoured in general" if grave else ""
        yield _finding(what, str(name), 1, advice, grave=grave)


def _finding(
    what: str, where: str, count: int, advice: str = "", *, grave: bool = False
) -> Finding:
    return Finding("warning" if grave else "note", what, where, count, advice, VOORHEES)

"""Innate orderings: what can be said of two systems without choosing a metric."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from irframe.agreements.innate import (
    LABELS,
    Transitions,
    compare_rankings,
    count_labels,
    label_depths,
    whole_gains,
)
from irframe.arrays import Array
from irframe.checks import places, whole
from irframe.cubes.verb import attended, loaded, read_depth, shared, verb
from irframe.cubes.view import CODES, experiment_of
from irframe.errors import MetricError, ParameterError
from irframe.gains import Gain, GainMap, parse_gain
from irframe.names import DEPTH, PAIR, SYSTEM, TOPIC, UNJUDGED
from irframe.paired import all_pairs, sign_p

GainLike = Gain | type[Gain] | str | Mapping[int, float]

GROUP = "group"


@verb(bounded=True)
def orderings(
    cube: xr.Dataset,
    a: Hashable | None = None,
    b: Hashable | None = None,
    *,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
    labels: bool | None = None,
    by: str | None = None,
) -> xr.Dataset:
    """Say on which topics every metric must agree which of two systems is ahead.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        The systems of a pair. Where one is left out, every other system takes its place; where
        both are, all pairs are compared, in the order of the cube.
    depth
        Compare down to this depth, at most that of the cube, which is the default.
    gain
        Gain map. Orderings do not depend on a metric, but they do depend on what a grade is
        worth.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    labels
        Whether to spell out ``label``; by default unless all pairs are compared, where the
        first depths say the same in a fraction of the memory.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.Dataset
        Over (topic, depth), and (pair, topic, depth) if there may be several pairs, with
        coordinates ``system_a`` and ``system_b``; what is said is said of a against b:

        - ``label`` (topic, depth), int8: 0 equal; 1 *ni*, a is not inferior to b; -1 *ns*, a is
          not superior; 2 and -2 non-separable, 2 after ni and -2 after ns;
        - ``sign`` (topic): who gets ahead first, 1 for a, -1 for b, 0 for neither;
          ``first_decided`` and ``first_nonseparable`` (topic): the depths from which a topic is
          no longer equal, and not separable, 0 if it stays so down to the last depth. These
          three say all that ``label`` says;
        - ``count`` (depth, group): topics in the groups ``**ns ns = ni **ni``;
        - ``p`` (depth): sign test of the ni against the ns topics.

    Raises
    ------
    ParameterError
        For an unknown system, or the same one twice.
    DepthError
        For a depth beyond the cube.
    MetricError
        For a gain map without numbers for every relevant grade, and cubes with shared ranks
        (``ties="mean"``).

    Notes
    -----
    a is not inferior to b at depth k if its gain summed down to i is at least b's for every
    i <= k. With binary gain this is the order that follows from two rules: raising a grade does
    not hurt, and neither does moving a better document up. With graded gain it orders more
    pairs than these rules do alone, since gains add up. Gains are compared in exact arithmetic,
    lists padded with gain 0, unjudged documents gain 0.

    The sign test is exact, binomial and two-sided; its null hypothesis is that ni and ns are as
    likely, on topics that are one or the other. It promises nothing about a particular metric:
    both labels allow equal scores, the non-separable topics may go either way, and they are no
    random sample of all topics.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> pair = orderings(ir.cube(runs, qrels), "monot5", "bm25", depth=10)
    >>> pair["count"].sel(depth=10).to_series().to_dict()
    {'**ns': 2, 'ns': 0, '=': 0, 'ni': 13, '**ni': 1}
    >>> pair["p"].sel(depth=10).round(5).item()
    0.00024
    """
    deepest, cube = read_depth(cube, depth), attended(cube)
    pairs = name_pairs(cube, a, b)
    spelled = not (a is None and b is None) if labels is None else labels
    data = order_pairs(cube, pairs, depth=deepest, gain=gain, rel=rel, labels=spelled)
    return data if a is None or b is None else data.isel({PAIR: 0})


def order_pairs(
    cube: xr.Dataset, pairs: Array, *, depth: int, gain: GainLike, rel: int, labels: bool
) -> xr.Dataset:
    """Compare pairs of systems, told by position, shape (pair, 2); the rest as for `orderings`."""
    rows, pairs = np.unique(pairs, return_inverse=True)
    some = cube if len(rows) == cube.sizes[SYSTEM] else cube.isel({SYSTEM: rows})
    pairs, cube = pairs.reshape(-1, 2), shared(some)
    gains = ranking_gains(cube, depth, gain=gain, rel=rel)
    data = _label(cube, pairs, compare_rankings(gains, pairs), depth, spelled=labels)
    return data.assign_attrs(gain=repr(parse_gain(gain)), rel=rel)


def name_pairs(cube: xr.Dataset, a: Hashable | None, b: Hashable | None) -> Array:
    """Return the pairs of two systems, of one and all others, or of all, by position."""
    systems = cube.indexes[SYSTEM]
    named = [system for system in (a, b) if system is not None]
    rows = places("systems of the cube", named, systems.tolist())
    if len(systems) < 2:
        raise ParameterError("at least two systems", f"{systems[0]!r} alone")
    if not named:
        return all_pairs(len(systems))
    if len(rows) == 2:
        if rows[0] == rows[1]:
            raise ParameterError("two different systems", f"{a!r} twice")
        return np.array([rows])
    others = np.delete(np.arange(len(systems)), rows[0])
    fixed = np.full_like(others, rows[0])
    return np.stack([others, fixed] if a is None else [fixed, others], axis=1)


def ranking_gains(cube: xr.Dataset, depth: int, *, gain: GainLike, rel: int) -> Array:
    """Return exact whole-number gains by rank, shape (system, topic, depth)."""
    rel = whole("rel", rel, low=1, high=127)
    chosen = parse_gain(gain)
    experiment = experiment_of(cube)
    levels = experiment.judgments.levels
    missing = chosen.missing(levels) if isinstance(chosen, GainMap) else []
    if missing:
        raise MetricError("a gain for every relevant grade", "none for", "", missing)
    tops, scale = np.unique(experiment.tops, return_inverse=True)
    worth = np.stack([chosen.map(levels, rel=rel, top=int(top)) for top in tops])
    numbers = whole_gains(worth.ravel().tolist())
    if max(numbers, default=0) > np.iinfo(np.int64).max:
        raise MetricError("gains that can be summed exactly", repr(gain), "use fewer decimals")
    table = np.zeros((len(tops), 256), np.min_scalar_type(-1 - max(numbers, default=0)))
    table[:, levels] = np.reshape(numbers, worth.shape)
    table[:, [UNJUDGED, UNJUDGED - 1]] = 0
    grade = loaded(cube["grade"].variable[..., :depth], "orderings of so many systems")
    code = np.ascontiguousarray(grade).view(np.uint8)
    gains: Array = table[0][code] if len(tops) == 1 else table[scale[:, np.newaxis], code]
    return gains


def _label(
    cube: xr.Dataset, pairs: Array, transitions: Transitions, depth: int, *, spelled: bool
) -> xr.Dataset:
    counts = count_labels(transitions, depth)
    behind, ahead = np.moveaxis(counts[..., [1, 3]].astype(np.int64), -1, 0)
    systems = cube[SYSTEM].to_numpy()
    by_topic = (PAIR, TOPIC)
    variables: dict[str, Any] = {
        "sign": (by_topic, transitions.sign),
        "first_decided": (by_topic, transitions.decided),
        "first_nonseparable": (by_topic, transitions.split),
        "count": ((PAIR, DEPTH, GROUP), counts),
        "p": ((PAIR, DEPTH), sign_p(ahead, behind)),
    }
    if spelled:
        codes = {"flag_values": list(LABELS), "flag_meanings": " ".join(LABELS.values())}
        variables["label"] = ((*by_topic, DEPTH), label_depths(transitions, depth), codes)
    coordinates = {
        "system_a": (PAIR, systems[pairs[:, 0]]),
        "system_b": (PAIR, systems[pairs[:, 1]]),
        DEPTH: np.arange(1, depth + 1),
        GROUP: list(LABELS.values()),
    }
    kept = [name for name in cube.coords if cube[name].dims == (TOPIC,)]
    topics = {name: cube[name] for name in kept if name not in CODES.values()}
    return xr.Dataset(variables, topics | coordinates)

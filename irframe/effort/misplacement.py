"""Misplacement of documents, Twist, and tables of effort and gain.

Verbs: misplacement, archetypes, effort_gain.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from irframe.arrays import Array
from irframe.checks import check_int, choice, listed, number
from irframe.cubes.parse_scores import to_scores
from irframe.cubes.verb import read_depth, verb
from irframe.cubes.view import CODES, LIST, experiment_of
from irframe.errors import InputError, ParameterError, warn
from irframe.experiments.coded_tables import row_slices
from irframe.experiments.topic_design import refuse_declared
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, facts, index_of
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, EMPTY, GRADE, HIGHEST_GRADE, METRIC, SYSTEM, TOPIC
from irframe.quantities import positions
from irframe.scores.averages import scores_at

ARCHETYPES = ("ideal", "worst", "full scale", "excellent", "typical B", "typical A")
"""Names of the archetypes of ``crp`` curves. A curve that meets several definitions has the first
of these archetypes."""
EXCELLENT = ("ups-and-downs", "excellent A", "excellent B")
"""Names of the kinds of ``excellent`` curves. A curve that meets several definitions has the first
of these kinds."""

MEASURED = (
    *("rp", "crp", "first_crossing", "balance_point", "rho", "s_plus", "s_minus"),
    *("sigma_plus", "sigma_minus", "sigma", "twist", "archetype", "excellent"),
)
"""Variables of each ranking, in the order in which `_measure` returns them."""


SHORT = 46_340
"""Maximum length of rankings whose cumulated relative positions fit into 32-bit integers."""

BLOCK = 1 << 22
"""Maximum number of documents, summed over rankings, that are processed at once to limit memory."""


@verb
def misplacement(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    crossing: positions.Crossing = "sign_change",
    rel: int = 1,
) -> xr.Dataset:
    """Return the misplacement of documents and the Twist of rankings.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Nominal length N of all rankings. The default and maximum is the depth of the cube. Longer
        lists are cut, and shorter lists are padded with non-relevant documents.
    crossing
        Definition of the rank at which the cumulated relative position crosses 0, as in `Twist`:
        ``"sign_change"``, ``"definition"`` or ``"matters"``.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    xarray.Dataset
        Integer variables over (system, topic, depth):

        - ``rp``, the relative position, and ``crp``, its running sum.

        Variables over (system, topic):

        - ``first_crossing``, the rank at which ``crp`` first crosses 0, and ``balance_point``, the
          larger of ``first_crossing`` and R. Both ranks are infinite if ``crp`` never crosses 0;
        - the ratios ``rho``, ``sigma_plus``, ``sigma_minus`` and ``sigma``, which the notes define,
          and ``twist``, the mean of ``rho`` and ``sigma``;
        - ``s_plus``, the sum of the positive relative positions, and ``s_minus``, the sum of the
          absolute values of the negative relative positions;
        - ``archetype``, the kind of the ``crp`` curve, and ``excellent``, the kind of a curve of
          the archetype ``excellent``.

        Variables over (topic): ``recall_base``, the number R of relevant documents, and
        ``length``, the nominal length.

        ``attrs["no_relevant"]`` is the number of topics without relevant documents. If the topic
        has no relevant documents, or the system did not participate, ``rp`` and ``crp`` are 0,
        other numbers of the ranking are NaN, and archetypes are empty strings.

    Raises
    ------
    DepthError
        If the depth is beyond the cube.
    ParameterError
        If the crossing is unknown, or `rel` is out of range.
    MetricError
        If the cube has shared ranks (``ties="mean"``).

    Warns
    -----
    IrframeWarning
        If topics have a nominal length above N. The nominal length of a topic is at least 2 R, so
        that all relevant documents can be in the second half of a ranking.

    Notes
    -----
    In the ideal ranking, the documents of each grade take the ranks from min to max. The relative
    position ``RP(j)`` of a document at rank j is ``j - min`` if j is less than the min of its
    grade, ``j - max`` if j is greater than the max of its grade, and 0 otherwise. Unjudged and
    missing documents, and documents with a lower grade than `rel`, are non-relevant.
    ``rho = R / max(R, first crossing)``.
    ``sigma+- = 1 - s+- / s+-_worst``, where ``s+-_worst`` is ``s+-`` of the reversed ideal ranking.
    ``sigma`` is the harmonic mean of ``sigma+`` and ``sigma-``, and ``twist = (rho + sigma) / 2``.

    The archetype is the first in this list whose definition the curve meets: ideal; worst (no
    relevant document); full scale (the reversed ideal ranking); excellent (first crossing up to
    rank R); typical B (no crossing); typical A (all other curves). An excellent curve has the kind
    ``ups-and-downs`` if it falls below 0 after its first crossing, at a rank up to R. Otherwise,
    the curve is excellent A if the first R documents are all relevant, and excellent B if not.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abcd"), "rank": range(4)})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": list("abcd"), "grade": [1, 0, 1, 0]})
    >>> moved = misplacement(ir.cube(run, qrels, ties="rank"))
    >>> moved["crp"].to_numpy().tolist(), moved["twist"].round(3).item()
    ([[[0, -1, 0, 0]]], 0.833)
    """
    deepest = read_depth(cube, depth)
    choice("crossing", crossing, positions.CROSSINGS)
    rel = check_int("rel", rel, low=1, high=HIGHEST_GRADE)
    experiment = experiment_of(cube)
    base = experiment.judgments
    participated = experiment.participated
    expected = positions.expected_ranks(base.levels, base.levels_of, rel)
    R = positions.recall_base(expected)[:, 0]
    length = np.maximum(deepest, 2 * R)
    missing = int(length.max(initial=deepest)) - deepest
    grade = cube[GRADE].to_numpy()[..., :deepest]
    grade = np.pad(grade, [(0, 0), (0, 0), (0, missing)], constant_values=EMPTY)
    blocks = [
        _measure(grade[rows], expected, length[:, np.newaxis], crossing)
        for rows in row_slices(len(grade), max(1, BLOCK // max(grade[0].size, 1)))
    ]
    variables: dict[str, Any] = {"recall_base": (TOPIC, R), "length": (TOPIC, length)}
    for name, arrays in zip(MEASURED, zip(*blocks, strict=True), strict=True):
        value = np.concatenate(arrays)
        # relative positions are integers, which have no NaN
        value[~participated] = {"f": np.nan, "i": 0, "U": ""}[value.dtype.kind]
        variables[name] = (*LIST, DEPTH)[: value.ndim], value
    coordinates: dict[Hashable, object] = {
        name: cube[name]
        for name in cube.coords
        if {*cube[name].dims} <= {*LIST} and name not in {*variables, *CODES.values()}
    }
    coordinates |= {DEPTH: np.arange(1, grade.shape[-1] + 1), "took_part": (LIST, participated)}
    data = xr.Dataset(variables, coordinates)
    no_relevant = int((R == 0).sum())
    lengthened = int((length > deepest).sum())
    data.attrs = {"depth": deepest, "crossing": crossing, "rel": rel, "no_relevant": no_relevant}
    if lengthened:
        warn(
            f"on {lengthened} of {len(R)} topics, twice the number of relevant documents exceeds "
            f"depth {deepest} and is used as the nominal length of lists"
        )
    return data


def _measure(
    grade: Array, expected: positions.ExpectedRanks, length: Array, crossing: positions.Crossing
) -> tuple[Array, ...]:
    R = positions.recall_base(expected)
    position = positions.relative_position(grade, expected)
    curve = np.cumsum(position, axis=-1, dtype=np.int32 if grade.shape[-1] <= SHORT else np.int64)
    rank = np.arange(1, 1 + grade.shape[-1])
    # a curve crosses 0 between two ranks, and both must be within the nominal length of the topic
    inside = rank[:-1] < length
    # an ideal curve never leaves 0, but has the recovery ratio 1 in Fig. 4 of Ferro et al.
    ideal = ~position.any(axis=-1, keepdims=True)
    first = np.where(
        ideal, 1.0, positions.first_crossing(positions.crosses(curve, crossing) & inside)
    )
    balance = np.maximum(R, first)
    rho = R / balance
    forward = np.maximum(position, 0).sum(axis=-1, dtype=np.int64, keepdims=True)
    backward = forward - position.sum(axis=-1, dtype=np.int64, keepdims=True)
    ratios = positions.space_ratios(forward, backward, positions.full_scale(expected, length))
    numbers = first, balance, rho, forward, backward, *ratios, (rho + ratios[-1]) / 2
    relevant = grade >= expected.level.min(initial=HIGHEST_GRADE)
    kinds = [
        ideal,
        ~relevant.any(axis=-1, keepdims=True),
        _reversed(grade, expected, length),
        first <= R,
        np.isinf(first),
    ]
    archetype = np.select(kinds, ARCHETYPES[:-1], ARCHETYPES[-1])
    falls = (np.less(curve, 0) & (rank > first) & (rank <= R)).any(axis=-1, keepdims=True)
    complete = (relevant & (rank <= R)).sum(axis=-1, keepdims=True) == R
    excellent = np.select(
        [archetype != "excellent", falls, complete], ["", *EXCELLENT[:2]], EXCELLENT[2]
    )
    values = [np.where(R > 0, value, np.nan)[..., 0] for value in numbers]
    names = [np.where(R > 0, name, "")[..., 0] for name in (archetype, excellent)]
    return position, curve, *values, *names


def _reversed(grade: Array, expected: positions.ExpectedRanks, length: Array) -> NDArray[np.bool_]:
    """Return whether rankings are reversed ideal rankings, shape (..., 1)."""
    rank = np.arange(1, grade.shape[-1] + 1)
    # documents of equal grades have no order, so only the interval of each grade is checked
    n_placed = np.zeros(grade.shape[:-1], np.int64)
    for pos, level in enumerate(expected.level):
        low = length + 1 - expected.last[..., pos]
        high = length + 1 - expected.first[..., pos]
        n_placed += ((grade == level) & (rank >= low) & (rank <= high)).sum(axis=-1)
    return np.asarray(n_placed[..., np.newaxis] == positions.recall_base(expected))


@verb
def archetypes(misplaced: xr.Dataset) -> pd.DataFrame:
    """Return the shares of rankings by archetype.

    Parameters
    ----------
    misplaced
        The result of `irframe.verbs.misplacement`.

    Returns
    -------
    pandas.DataFrame
        One row. After `groupby`, there is one row per group, and the first column contains the
        group. ``total`` is the number of rankings for topics with relevant documents. ``ideal``,
        ``worst``, ``full scale``, ``excellent``, ``typical B`` and ``typical A`` are the shares of
        these archetypes among the rankings. ``ups-and-downs``, ``excellent A`` and ``excellent B``
        are shares that add up to ``excellent``. ``no_relevant`` is the number of rankings for
        topics without relevant documents.

    Raises
    ------
    InputError
        If the dataset contains no archetypes.
    ParameterError
        If topics have a declared design, which the shares would ignore.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Table 2. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> misplaced = cube.ireval.misplacement()
    >>> misplaced.ireval.groupby("team").archetypes()[["team", "total", "typical B", "typical A"]]
            team  total  typical B  typical A
    0      terms     32      0.188      0.812
    1    vectors     32      0.094      0.906
    2  expansion     32      0.094      0.906
    3  rerankers     32      0.125      0.875
    """
    refuse_declared(getattr(misplaced, "attrs", {}), "archetypes")
    if not isinstance(misplaced, xr.Dataset) or "archetype" not in misplaced:
        raise InputError("a result of misplacement", type(misplaced).__name__)
    kind, excellent = (misplaced[n].transpose(SYSTEM, TOPIC) for n in ("archetype", "excellent"))
    participated = misplaced["took_part"].broadcast_like(kind).transpose(SYSTEM, TOPIC).to_numpy()
    sizes = pd.Series(
        [*kind.to_numpy()[participated], *excellent.to_numpy()[participated]]
    ).value_counts()
    no_relevant = int((kind.to_numpy()[participated] == "").sum())
    total = int(participated.sum()) - no_relevant
    names = (*ARCHETYPES, *EXCELLENT)
    shares = {name: sizes.get(name, 0) / total if total else np.nan for name in names}
    return pd.DataFrame([{"total": total, **shares, "no_relevant": no_relevant}])


BORDERS = (0.25, 0.5, 0.75)
"""Borders between the four classes of effort. By default, the borders between the classes of gain
are the quantiles of the scores at these probabilities."""
REGIONS = ("diagonal", "high-high", "grey", "other")
"""Regions of the table of gain by effort, which are defined in the notes of `effort_gain`."""

_REGION = np.array(
    [
        [0, 3, 3, 3],
        [2, 0, 3, 3],
        [1, 1, 0, 3],
        [1, 1, 2, 0],
    ]
)
"""Region that contains each cell of the table of gain by effort. The numbers are positions in
`REGIONS`. Rows are classes of gain, and columns are classes of effort."""


@verb
def effort_gain(
    scores: xr.DataArray | pd.DataFrame,
    *,
    effort: Metric | MetricType | str = "Twist",
    quartiles: Sequence[float] | None = None,
) -> xr.Dataset:
    """Cross-tabulate rankings by gain and effort.

    Parameters
    ----------
    scores
        A frame or array with scores by system and topic. The scores must contain one effort metric
        and at least one gain metric. If there are several depths, the greatest depth is used.
    effort
        The metric of effort, from 0 to 1, where 1 means no wasted effort.
    quartiles
        The three borders between low, medium, high and huge gain. The defaults are the quartiles
        of the scores of each metric. For a cost metric, the lowest scores have huge gain.

    Returns
    -------
    xarray.Dataset
        - ``row`` and ``column`` (metric, system, topic), the class of gain and the class of effort,
          from 1 to 4, or 0 if a score is missing;
        - ``quadrant`` (metric, system, topic), the name of the region that contains the ranking;
        - ``cell`` (metric, gain, effort), the share of rankings by class of gain and effort;
        - ``share`` (metric, region), the share of rankings by region;
        - ``points`` (metric), the number of rankings with scores of gain and effort;
        - ``border`` (metric, quartile), the borders between the classes of gain;
        - ``gain_score`` (metric, system, topic) and ``effort_score`` (system, topic), the scores.

    Raises
    ------
    InputError
        If there are no scores of `effort` or of another metric, or if no ranking has scores of
        both metrics.
    ParameterError
        If the quartiles are not three ascending numbers, or if `effort` is not a metric from 0 to 1
        whose higher values are better.

    Notes
    -----
    The classes of effort are [0, .25), [.25, .5), [.5, .75) and [.75, 1]. A value on a border,
    after rounding to 12 decimals, belongs to the class above. The region *diagonal* consists of
    the cells in which the classes of gain and effort are equal. *high-high* consists of gain
    classes 3 and 4 with effort classes 1 and 2, which means high gain for a user with high effort.
    *grey* consists of gain class 2 with effort class 1, and gain class 4 with effort class 3.
    *other* consists of all remaining cells.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Figs. 7-10. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.verbs.score(ir.cube(*ir.example_track()), "Twist", "AP")
    >>> effort_gain(scores)["share"].isel(metric=0).to_series().round(2).to_dict()
    {'diagonal': 0.39, 'high-high': 0.32, 'grey': 0.23, 'other': 0.06}
    """
    array = to_scores(scores)
    array = scores_at(array, None)
    labels = [str(label) for label in array[METRIC].to_numpy()]
    pos = index_of(parse_metric(effort), labels)
    if pos is None or len(labels) < 2:
        got = ", ".join(labels)
        advice = "compute scores of both metrics on the same runs"
        raise InputError(f"scores of {effort} and of a gain metric", got, advice)
    expected = labels[pos]
    effort_score = array.isel({METRIC: pos}, drop=True)
    _refuse_other_scales(effort_score, expected)
    gains = array.isel({METRIC: [i for i, label in enumerate(labels) if label != expected]})
    scored = (gains.notnull() & effort_score.notnull()).to_numpy()
    without = gains[METRIC].to_numpy()[~scored.any(axis=(1, 2))]
    if len(without):
        expected = f"rankings with scores of {expected} and of each other metric"
        raise InputError(expected, "no ranking with scores of both for", "", without)
    signs = np.array([[facts(label).sign] for label in gains[METRIC].to_numpy()])
    signed = gains * signs[..., np.newaxis]
    borders = _borders(signed, effort_score, signs, quartiles)
    row = np.stack([_classes(b, g) for b, g in zip(borders, signed.to_numpy(), strict=True)])
    column = _classes(BORDERS, effort_score.to_numpy())
    # `0 * row` repeats the classes of effort for every metric of gain
    cells = np.where(scored, [row, column + 0 * row], 0)
    return _tally(gains, effort_score, signs * borders, cells).assign_attrs(effort=expected)


def _refuse_other_scales(scores: xr.DataArray, label: str) -> None:
    """Raise unless efforts are from 0 (worst) to 1 (best)."""
    values = scores.to_numpy()[scores.notnull().to_numpy()]
    # without scores, both ends are the initial value, which is a valid effort
    low, high = (float(end(values, initial=0.5)) for end in (np.min, np.max))
    if facts(label).cost or low < 0 or high > 1 + 10**-TIE:
        got = f"{label} from {low:.3g} to {high:.3g}, {facts(label).better} is better"
        advice = "omit effort= to use Twist"
        raise ParameterError("effort scores from 0 to 1, where 1 is best", got, advice)


def _classes(borders: ArrayLike, values: Array) -> NDArray[np.int64]:
    """Return the class of every value, starting at 1.

    Borders and values are rounded, because the order of summation changes the last digits.
    """
    ends, rounded = (np.round(np.asarray(numbers, float), TIE) for numbers in (borders, values))
    return np.asarray(1 + np.searchsorted(ends, rounded, side="right"), np.int64)


def _borders(
    gains: xr.DataArray, effort: xr.DataArray, signs: Array, quartiles: Sequence[float] | None
) -> NDArray[np.float64]:
    """Return the borders between classes of gain, shape (metric, 3).

    `gains` has the opposite sign for cost metrics, so that higher values are better.
    """
    if quartiles is None:
        scored = gains.where(effort.notnull()).to_numpy().reshape(len(gains), -1)
        return np.stack([np.nanquantile(np.round(values, TIE), BORDERS) for values in scored])
    borders = np.array([number("quartiles", border) for border in listed(quartiles)])
    if borders.shape != (3,) or not (np.diff(borders) >= 0).all():
        raise ParameterError("three ascending numbers in quartiles=", repr(quartiles))
    return np.sort(signs * borders)


def _tally(
    gains: xr.DataArray,
    effort: xr.DataArray,
    borders: NDArray[np.float64],
    cells: NDArray[np.int64],
) -> xr.Dataset:
    row, column = cells
    # rankings without scores have class 0, and get the empty name after the last region
    region = np.where(row > 0, _REGION[row - 1, column - 1], len(REGIONS))
    points = (row > 0).reshape(len(row), -1).sum(axis=1)
    flat = (row - 1) * 4 + column - 1
    counts = np.stack([np.bincount(f[r > 0], minlength=16) for f, r in zip(flat, row, strict=True)])
    cell = (counts / np.maximum(points, 1)[:, np.newaxis]).reshape(-1, 4, 4)
    share = np.stack([cell[:, code == _REGION].sum(axis=-1) for code in range(4)], axis=-1)
    dims = (METRIC, SYSTEM, TOPIC)
    variables = {
        "row": (dims, row.astype(np.int8)),
        "column": (dims, column.astype(np.int8)),
        "quadrant": (dims, np.array([*REGIONS, ""])[region]),
        "cell": ((METRIC, "gain", "effort"), cell),
        "share": ((METRIC, "region"), share),
        "border": ((METRIC, "quartile"), borders),
        "points": (METRIC, points),
        "gain_score": gains,
        "effort_score": effort,
    }
    classes = [1, 2, 3, 4]
    coordinates = {"gain": classes, "effort": classes, "region": list(REGIONS)}
    return xr.Dataset(variables, coordinates)

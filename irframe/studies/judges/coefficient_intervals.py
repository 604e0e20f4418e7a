"""Between which values kappa and alpha may be on all topics like these."""

from collections.abc import Callable, Iterable

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.scores.averages import Resamples
from irframe.studies.judges.coefficients import at_thresholds
from irframe.warned import listing

Coefficients = Callable[[Array], dict[str, Array]]
"""Of counts of grades, (..., grade, grade): name -> values."""

LEAST_CLUSTERS = 1.5
"""What unequal topics count for at least."""
LEAST_TOPICS = 15
"""Topics from which on intervals hold as often as they say."""
MOST_UNEQUAL = 0.6
"""Up to which coefficient of variation of the documents per topic they do."""
ROUNDING = 1e-12
"""Standard errors that are none."""
LEAST_WITH_GRADE = 5
"""Topics that need documents on both sides of a threshold, for an interval there."""
FEW_WITH_GRADE = 10
"""Topics below which such an interval is wide."""
THRESHOLD = "_at"
PER_TOPIC = "_per_topic"
INTERVAL = "_interval"


def with_intervals(
    counts: Array, coefficients: Coefficients, drawn: Array, resamples: Resamples
) -> dict[str, Array]:
    """Return intervals of coefficients, and the means of their values per topic with theirs.

    Parameters
    ----------
    counts
        How often grades meet, shape (topic, ..., grade, grade).
    coefficients
        What is computed of them.
    drawn
        How often each resample has each topic, shape (sample, topic).
    resamples
        The draws, and one minus the level.

    Returns
    -------
    dict
        Name of a coefficient with `INTERVAL`, with `PER_TOPIC`, and with both; intervals with the
        two ends last.

    Notes
    -----
    Topics are clusters of m documents, as many as ``g = (sum m)^2 / sum m^2`` equal ones, at least
    1.5. With z = atanh(kappa) and s the jackknife's standard error of z over topics, one interval
    is ``z -+ t(g - 1) s``, transformed back; the other is the expanded percentile interval. Theirs
    runs from the lower of the lower ends to the higher of the upper ones. NaN where one of the two
    is not defined.

    Coefficients at thresholds rest on the documents on the rarer side, of which few topics may have
    most: g is the mean of two, the least of three, with m all documents, those from the grade on
    and those below; and that of the squares of what each topic adds to z. It stands for the number
    of topics in both intervals. NaN where fewer than five topics have documents on either side.
    """
    sizes = counts.sum(axis=(-2, -1))
    whole = counts.sum(axis=0)
    found, without = coefficients(whole), coefficients(whole - counts)
    resampled = coefficients(np.tensordot(drawn, counts, axes=1))
    result = {}
    for name, values in coefficients(counts).items():
        each = sizes.reshape(*sizes.shape, *(1,) * (values.ndim - sizes.ndim))
        topics, clusters = (each > 0).sum(axis=0), clusters_of(each)
        z, error, about = _jackknife(found[name], without[name], each > 0)
        if name.endswith(THRESHOLD):
            sides, fewest = sides_of(counts)
            least = np.minimum(clusters, clusters_of(sides).min(axis=-1))
            topics = clusters = (least + clusters_of(about**2)) / 2
            error = np.where(fewest < LEAST_WITH_GRADE, np.nan, error)
        ends = [
            _transformed(z, error, clusters, resamples.alpha),
            _percentiles(resampled[name], topics, resamples),
        ]
        result[name + INTERVAL] = _union(*ends)
        mean, interval = _student(values, resamples.alpha)
        result |= {name + PER_TOPIC: mean, name + PER_TOPIC + INTERVAL: interval}
    return result


def clusters_of(sizes: Array) -> Array:
    """Return as how many equal ones clusters count, shape (topic, ...), at least 1.5.

    Examples
    --------
    >>> clusters_of(np.array([[2, 9], [2, 1]])).round(2)
    array([2. , 1.5])
    """
    with np.errstate(all="ignore"):
        clusters = sizes.sum(axis=0) ** 2 / (sizes**2).sum(axis=0)
    return np.asarray(np.fmax(clusters, LEAST_CLUSTERS))


def sides_of(counts: Array) -> tuple[Array, Array]:
    """Return documents on the sides of thresholds, and how many topics have some on both.

    Returns
    -------
    documents, topics
        Documents below each threshold and from it on, by both judges together, shape (topic, ...,
        threshold, side); of the two sides and judges the fewest topics, shape (..., threshold).

    Examples
    --------
    >>> sides_of(np.array([np.diag([3, 1, 0]), np.diag([2, 0, 1])]))[1]
    array([2, 1])
    """
    relevant = at_thresholds(counts)
    by_judge = np.stack([relevant.sum(axis=-1), relevant.sum(axis=-2)])
    return by_judge.sum(axis=0), (by_judge > 0).sum(axis=1).min(axis=(0, -1))


def _union(one: Array, other: Array) -> Array:
    low, high = np.minimum(one, other)[..., 0], np.maximum(one, other)[..., 1]
    return np.stack([low, high], axis=-1)


def _jackknife(found: Array, without: Array, judged: Array) -> tuple[Array, Array, Array]:
    """Return coefficients on the scale of atanh, their errors, and what topics add to these."""
    topics = judged.sum(axis=0)
    with np.errstate(all="ignore"):
        each = np.where(judged, np.arctanh(without), 0)
        about = np.where(judged, each - each.sum(axis=0) / topics, 0)
        error = np.sqrt((topics - 1) / topics * (about**2).sum(axis=0))
        return np.arctanh(found), np.where((topics > 1) & (error > ROUNDING), error, np.nan), about


def _transformed(z: Array, error: Array, clusters: Array, alpha: float) -> Array:
    """Return the jackknife's interval, ends last."""
    with np.errstate(all="ignore"):
        reach = scipy.special.stdtrit(clusters - 1, 1 - alpha / 2) * error
        return np.asarray(np.tanh(np.stack([z - reach, z + reach], axis=-1)))


def _percentiles(resampled: Array, topics: Array, resamples: Resamples) -> Array:
    """Return the expanded percentile interval, ends last."""
    beyond = resamples.expanded(topics)
    return np.stack(resamples.ends(np.moveaxis(resampled, 0, -1), beyond), axis=-1)


def _student(values: Array, alpha: float) -> tuple[Array, Array]:
    """Return the mean over the topics that have a value, and Student's interval, ends last."""
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    with np.errstate(all="ignore"):
        mean = np.where(there, values, 0).sum(axis=0) / n
        squares = np.where(there, (values - mean) ** 2, 0).sum(axis=0)
        error = np.sqrt(squares / (n - 1) / n)
        error = np.where((n > 1) & (error > ROUNDING), error, np.nan)
        reach = scipy.special.stdtrit(n - 1, 1 - alpha / 2) * error
    return mean, np.stack([mean - reach, mean + reach], axis=-1)


def cautions(counts: Array, scale: Array, lost: Iterable[str]) -> list[str]:
    """Say what intervals are to be read with.

    Parameters
    ----------
    counts
        How often grades meet, shape (topic, pair, grade, grade).
    scale
        The grades.
    lost
        Coefficients that have none for some pair.

    Examples
    --------
    >>> for told in cautions(np.full((5, 1, 2, 2), 5), np.array([0, 1]), []):
    ...     print(told)
    intervals of kappa and alpha hold less often than they say below 15 topics: 5
    """
    found = []
    sizes = counts.sum(axis=(-2, -1))
    held = "intervals of kappa and alpha hold less often than they say"
    fewest = int((sizes > 0).sum(axis=0).min())
    if fewest < LEAST_TOPICS:
        found.append(f"{held} below {LEAST_TOPICS} topics: {fewest}")
    variation = max(_variation(column[column > 0]) for column in sizes.T)
    if variation > MOST_UNEQUAL:
        found.append(
            f"{held} where documents per topic vary by a coefficient above {MOST_UNEQUAL}: "
            f"{variation:.2f}"
        )
    both = sides_of(counts)[1].min(axis=0)
    few = np.flatnonzero((both >= LEAST_WITH_GRADE) & (both < FEW_WITH_GRADE))
    if few.size and fewest >= LEAST_TOPICS:
        rare = ", ".join(f"{scale[1:][place]} ({both[place]})" for place in few)
        found.append(
            f"few topics have documents both below and from grade {rare}: intervals at a threshold "
            f"are wide below {FEW_WITH_GRADE} topics"
        )
    names = listing(dict.fromkeys(lost))
    if names:
        found.append(
            f"no interval of {names} for some judges, whose grades leave it undefined, or do not "
            "let it vary, without some topic or in some resamples, or reach a threshold on fewer "
            f"than {LEAST_WITH_GRADE} topics"
        )
    return found


def _variation(sizes: Array) -> float:
    return float(sizes.std() / sizes.mean()) if len(sizes) else 0.0

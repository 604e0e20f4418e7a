"""Cohen's kappa and Krippendorff's alpha with confidence intervals."""

from collections.abc import Callable, Iterable

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.errors import listing
from irframe.scores.averages import Resamples

WEIGHTS = ("none", "linear", "quadratic")
"""Weights of disagreements in kappa. The weights are equal, the difference of the grades, or the
squared difference."""
DISTANCES = ("nominal", "ordinal", "interval")
"""Names of the distances between two grades in Krippendorff's alpha, which `compare_judges`
describes."""


def kappas(counts: Array, scale: Array) -> Array:
    """Return Cohen's kappa for each kind of disagreement weights.

    Parameters
    ----------
    counts
        Joint counts of the grades of two judges, shape (..., grade, grade).
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., kind of weights), in the order of `WEIGHTS`. Kappa is NaN if no disagreement is
        expected by chance.

    Examples
    --------
    >>> kappas(np.array([[20, 5], [10, 15]]), np.array([0, 1]))
    array([0.4, 0.4, 0.4])
    """
    differences = abs(np.subtract.outer(scale.astype(float), scale))
    weights = np.stack([differences > 0, differences, differences**2]).astype(float)
    observed = np.einsum("...ij,wij->...w", counts, weights, optimize=True)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = np.einsum("...i,wij,...j->...w", rows, weights, columns, optimize=True)
    # counts replace shares, so one factor of the total remains in the ratio
    return _unlike_chance(rows.sum(axis=-1)[..., np.newaxis], observed, expected)


def alphas(coincidences: Array, scale: Array) -> Array:
    """Return Krippendorff's alpha for each distance.

    Parameters
    ----------
    coincidences
        Symmetric matrices, shape (..., grade, grade). Each element is the number of times that a
        document has the grade of the row and the grade of the column. For two judges, the matrix is
        the joint counts plus their transpose.
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., distance), in the order of `DISTANCES`. Alpha is NaN if all grades are equal.

    Examples
    --------
    >>> alphas(np.array([[40, 15], [15, 30]]), np.array([0, 1])).round(3)
    array([0.4, 0.4, 0.4])
    """
    grades = coincidences.sum(axis=-1)
    # the ordinal distance between two grades is the difference of their mid-ranks
    middles = np.cumsum(grades, axis=-1) - grades / 2
    positions = np.broadcast_to(scale.astype(float), middles.shape)
    nominal = np.broadcast_to(1 - np.eye(len(scale)), coincidences.shape)
    differences = (
        values[..., :, np.newaxis] - values[..., np.newaxis, :] for values in (middles, positions)
    )
    squares = [nominal, *(distance**2 for distance in differences)]
    observed = np.stack([(coincidences * square).sum(axis=(-2, -1)) for square in squares], axis=-1)
    chance = grades[..., :, np.newaxis] * grades[..., np.newaxis, :]
    expected = np.stack([(chance * square).sum(axis=(-2, -1)) for square in squares], axis=-1)
    # chance agreement in alpha is that of two judgments drawn without replacement
    return _unlike_chance(grades.sum(axis=-1)[..., np.newaxis] - 1, observed, expected)


def alphas_of_two(counts: Array, scale: Array) -> Array:
    """Return Krippendorff's alpha of two judges.

    The shape of the joint counts of grades is (..., grade, grade).
    """
    return alphas(counts + np.swapaxes(counts, -1, -2), scale)


def at_thresholds(counts: Array) -> Array:
    """Return joint counts of binary relevance at every threshold.

    Every grade except the lowest is a threshold. Documents are relevant if their grade is at least
    the threshold.

    Examples
    --------
    >>> at_thresholds(np.diag([1, 2, 3])).tolist()
    [[[1, 0], [0, 5]], [[3, 0], [0, 3]]]
    """
    grades = counts.shape[-1]
    above = np.arange(grades) >= np.arange(1, grades)[:, np.newaxis]
    sides = np.stack([~above, above], axis=1).astype(counts.dtype)
    return np.asarray(np.einsum("tai,...ij,tbj->...tab", sides, counts, sides, optimize=True))


def _unlike_chance(total: Array, observed: Array, expected: Array) -> Array:
    """Return 1 minus the ratio of observed to expected disagreement."""
    with np.errstate(all="ignore"):
        return np.where(expected > 0, 1 - total * observed / expected, np.nan)


Coefficients = Callable[[Array], dict[str, Array]]
"""Type of a function that takes joint counts, shape (..., grade, grade), and returns a dictionary
of coefficients."""

LEAST_CLUSTERS = 1.5
"""Lower limit of the effective number of clusters that `clusters_of` returns."""
LEAST_TOPICS = 15
"""Minimum number of topics. With fewer topics, the coverage of intervals is below the confidence
level."""
MOST_UNEQUAL = 0.6
"""Maximum coefficient of variation of the number of documents per topic. If it is higher, the
coverage of intervals is below the confidence level."""
ROUNDING = 1e-12
"""Maximum standard error that is treated as 0, because it may be a rounding error."""
LEAST_WITH_GRADE = 5
"""Minimum number of topics with documents on both sides of a threshold. For fewer topics, there is
no interval at the threshold."""
FEW_WITH_GRADE = 10
"""Number of topics with documents on both sides of a threshold, below which a caution names the
threshold."""
THRESHOLD = "_at"
PER_TOPIC = "_per_topic"
INTERVAL = "_interval"


def with_intervals(
    counts: Array, coefficients: Coefficients, drawn: Array, resamples: Resamples
) -> dict[str, Array]:
    """Return intervals of coefficients, and means of coefficients over topics.

    Parameters
    ----------
    counts
        Joint counts of grades, shape (topic, ..., grade, grade).
    coefficients
        Function that computes the coefficients from counts.
    drawn
        Number of times that each bootstrap sample contains each topic, shape (sample, topic).
    resamples
        Options of the bootstrap. The confidence level is 1 - `alpha`, where `alpha` is a field of
        the options.

    Returns
    -------
    dict
        Mapping from name to values. A coefficient ``kappa`` has three entries: ``kappa_interval``
        (its interval), ``kappa_per_topic`` (its mean over topics) and ``kappa_per_topic_interval``
        (the interval of this mean). The last dimension of intervals contains the two ends.

    Notes
    -----
    The confidence interval of a coefficient is the union of two intervals, or NaN if one of the two
    is undefined. The first interval is ``z -+ t(g - 1) s``, transformed back, where z is
    atanh(kappa) and s is the jackknife standard error of z over topics. Topics are clusters of m
    documents. These clusters are equivalent to ``g = (sum m)^2 / sum m^2`` clusters of equal size,
    and g is at least 1.5. The second interval is the expanded percentile interval.

    Coefficients at a threshold depend on the documents on the rarer side of the threshold, which
    may be concentrated in few topics. For these coefficients, g is the mean of two values. The
    first value is the smallest g for three definitions of m. These are the numbers of all
    documents, of documents with a grade from the threshold upwards, and of all other documents. For
    the second value, m is the squared influence of each topic on z. At a threshold, g also replaces
    the number of topics in both intervals. The interval at a threshold is NaN if fewer than five
    topics have documents on both sides of the threshold.
    """
    sizes = counts.sum(axis=(-2, -1))
    total = counts.sum(axis=0)
    estimates = coefficients(total)
    without = coefficients(total - counts)
    resampled = coefficients(np.tensordot(drawn, counts, axes=1))
    result = {}
    for name, values in coefficients(counts).items():
        documents = sizes.reshape(*sizes.shape, *(1,) * (values.ndim - sizes.ndim))
        topics = (documents > 0).sum(axis=0)
        clusters = clusters_of(documents)
        # on the atanh scale, the ends of the first interval stay between -1 and 1
        z, error, influence = _jackknife(estimates[name], without[name], documents > 0)
        if name.endswith(THRESHOLD):
            sides, fewest = sides_of(counts)
            least = np.minimum(clusters, clusters_of(sides).min(axis=-1))
            topics = clusters = (least + clusters_of(influence**2)) / 2
            error = np.where(fewest < LEAST_WITH_GRADE, np.nan, error)
        with np.errstate(all="ignore"):
            reach = scipy.special.stdtrit(clusters - 1, 1 - resamples.alpha / 2) * error
        replicates = np.moveaxis(resampled[name], 0, -1)
        low, high = resamples.ends(replicates, resamples.expanded(topics))
        ends = np.minimum(np.tanh(z - reach), low), np.maximum(np.tanh(z + reach), high)
        result[name + INTERVAL] = np.stack(ends, axis=-1)
        mean, interval = _student(values, resamples.alpha)
        result |= {name + PER_TOPIC: mean, name + PER_TOPIC + INTERVAL: interval}
    return result


def clusters_of(sizes: Array) -> Array:
    """Return the effective number of clusters, at least 1.5.

    `sizes` contains the sizes of the clusters, shape (topic, ...).

    Examples
    --------
    >>> clusters_of(np.array([[2, 9], [2, 1]])).round(2)
    array([2. , 1.5])
    """
    with np.errstate(all="ignore"):
        clusters = sizes.sum(axis=0) ** 2 / (sizes**2).sum(axis=0)
    # unlike np.maximum, np.fmax also replaces NaN, which 0 / 0 gives without documents
    return np.asarray(np.fmax(clusters, LEAST_CLUSTERS))


def sides_of(counts: Array) -> tuple[Array, Array]:
    """Count documents and topics below and above every threshold.

    Returns
    -------
    documents
        Number of documents on each side of each threshold, summed over the two judges, shape
        (topic, ..., threshold, side).
    topics
        Number of topics with documents on a side of each threshold, shape (..., threshold). The
        number is the smallest over the two sides and the two judges.

    Examples
    --------
    >>> sides_of(np.array([np.diag([3, 1, 0]), np.diag([2, 0, 1])]))[1]
    array([2, 1])
    """
    relevant = at_thresholds(counts)
    by_judge = np.stack([relevant.sum(axis=-1), relevant.sum(axis=-2)])
    return by_judge.sum(axis=0), (by_judge > 0).sum(axis=1).min(axis=(0, -1))


def _jackknife(total: Array, without: Array, judged: Array) -> tuple[Array, Array, Array]:
    """Return atanh(coefficient), its standard error, and influences of topics."""
    topics = judged.sum(axis=0)
    # omitting a topic without documents changes nothing, so such a topic is not a cluster
    with np.errstate(all="ignore"):
        scaled = np.where(judged, np.arctanh(without), 0)
        influence = np.where(judged, scaled - scaled.sum(axis=0) / topics, 0)
        error = np.sqrt((topics - 1) / topics * (influence**2).sum(axis=0))
        return (
            np.arctanh(total),
            np.where((topics > 1) & (error > ROUNDING), error, np.nan),
            influence,
        )


def _student(values: Array, alpha: float) -> tuple[Array, Array]:
    """Return means over topics with Student's intervals, ignoring NaN."""
    valid = ~np.isnan(values)
    n = valid.sum(axis=0)
    # np.nanmean would warn of coefficients without any value, even inside of np.errstate
    with np.errstate(all="ignore"):
        mean = np.where(valid, values, 0).sum(axis=0) / n
        squares = np.where(valid, (values - mean) ** 2, 0).sum(axis=0)
        error = np.sqrt(squares / (n - 1) / n)
        error = np.where((n > 1) & (error > ROUNDING), error, np.nan)
        reach = scipy.special.stdtrit(n - 1, 1 - alpha / 2) * error
    return mean, np.stack([mean - reach, mean + reach], axis=-1)


def cautions(counts: Array, scale: Array, lost: Iterable[str]) -> list[str]:
    """Return cautions about the confidence intervals of coefficients.

    Parameters
    ----------
    counts
        Joint counts of grades, shape (topic, pair, grade, grade).
    scale
        The grades.
    lost
        Names of the coefficients whose interval is NaN for some pair of judges.

    Examples
    --------
    >>> for caution in cautions(np.full((5, 1, 2, 2), 5), np.array([0, 1]), []):
    ...     print(caution)
    the coverage of intervals of kappa and alpha is too low with fewer than 15 topics (here 5)
    """
    sentences = []
    sizes = counts.sum(axis=(-2, -1))
    prefix = "the coverage of intervals of kappa and alpha is too low"
    fewest = int((sizes > 0).sum(axis=0).min())
    if fewest < LEAST_TOPICS:
        sentences.append(f"{prefix} with fewer than {LEAST_TOPICS} topics (here {fewest})")
    columns = (column[column > 0] for column in sizes.T)
    variation = max(
        float(column.std() / column.mean()) if len(column) else 0.0 for column in columns
    )
    if variation > MOST_UNEQUAL:
        sentences.append(
            f"{prefix} if the coefficient of variation of the documents per topic exceeds "
            f"{MOST_UNEQUAL} (here {variation:.2f})"
        )
    both = sides_of(counts)[1].min(axis=0)
    few = np.flatnonzero((both >= LEAST_WITH_GRADE) & (both < FEW_WITH_GRADE))
    # with fewer than 15 topics, the first caution already concerns all intervals
    if few.size and fewest >= LEAST_TOPICS:
        rare = ", ".join(f"{both[row]} topics for grade {scale[1:][row]}" for row in few)
        sentences.append(
            f"intervals at a threshold are wide if fewer than {FEW_WITH_GRADE} topics have "
            f"documents on both sides of the threshold: {rare}"
        )
    names = listing(dict.fromkeys(lost))
    if names:
        sentences.append(
            f"no interval of {names} for some judges: the coefficient is undefined or constant "
            "without some topic or in some bootstrap samples, or fewer than "
            f"{LEAST_WITH_GRADE} topics have documents on both sides of a threshold"
        )
    return sentences

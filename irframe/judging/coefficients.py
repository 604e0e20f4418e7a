"""Kappa and alpha of pairs of judges, with intervals."""

from collections.abc import Callable, Iterable

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.errors import listing
from irframe.scores.averages import Resamples

WEIGHTS = ("none", "linear", "quadratic")
"""What a disagreement weighs in kappa: all alike, or by the difference of the grades."""
DISTANCES = ("nominal", "ordinal", "interval")
"""How far apart two grades are in alpha."""


def kappas(counts: Array, scale: Array) -> Array:
    """Return Cohen's kappa under every weighting.

    Parameters
    ----------
    counts
        How often one judge gave a grade and the other another, shape (..., grade, grade).
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., weighting), in the order of `WEIGHTS`; NaN if chance knows no disagreement.

    Examples
    --------
    >>> kappas(np.array([[20, 5], [10, 15]]), np.array([0, 1]))
    array([0.4, 0.4, 0.4])
    """
    apart = abs(np.subtract.outer(scale.astype(float), scale))
    weights = np.stack([apart > 0, apart, apart**2]).astype(float)
    observed = np.einsum("...ij,wij->...w", counts, weights, optimize=True)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = np.einsum("...i,wij,...j->...w", rows, weights, columns, optimize=True)
    return _unlike_chance(rows.sum(axis=-1)[..., np.newaxis], observed, expected)


def alphas(coincidences: Array, scale: Array) -> Array:
    """Return Krippendorff's alpha under every distance.

    Parameters
    ----------
    coincidences
        How often two grades of one document coincide, symmetric, shape (..., grade, grade); of
        two judges the counts and their transpose.
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., distance), in the order of `DISTANCES`; NaN if all grades are one.

    Examples
    --------
    >>> alphas(np.array([[40, 15], [15, 30]]), np.array([0, 1])).round(3)
    array([0.4, 0.4, 0.4])
    """
    grades = coincidences.sum(axis=-1)
    middles = np.cumsum(grades, axis=-1) - grades / 2
    places = np.broadcast_to(scale.astype(float), middles.shape)
    nominal = np.broadcast_to(1 - np.eye(len(scale)), coincidences.shape)
    apart = (
        values[..., :, np.newaxis] - values[..., np.newaxis, :] for values in (middles, places)
    )
    squares = [nominal, *(distance**2 for distance in apart)]
    observed = np.stack([(coincidences * square).sum(axis=(-2, -1)) for square in squares], axis=-1)
    chance = grades[..., :, np.newaxis] * grades[..., np.newaxis, :]
    expected = np.stack([(chance * square).sum(axis=(-2, -1)) for square in squares], axis=-1)
    return _unlike_chance(grades.sum(axis=-1)[..., np.newaxis] - 1, observed, expected)


def both_alphas(counts: Array, scale: Array) -> Array:
    """Return alpha of two judges from their counts, as `kappas` takes them."""
    return alphas(counts + np.swapaxes(counts, -1, -2), scale)


def at_thresholds(counts: Array) -> Array:
    """Return counts of not relevant and relevant at every grade from the second on.

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
    with np.errstate(all="ignore"):
        return np.where(expected > 0, 1 - total * observed / expected, np.nan)


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
    estimates, without = coefficients(whole), coefficients(whole - counts)
    resampled = coefficients(np.tensordot(drawn, counts, axes=1))
    result = {}
    for name, values in coefficients(counts).items():
        documents = sizes.reshape(*sizes.shape, *(1,) * (values.ndim - sizes.ndim))
        topics, clusters = (documents > 0).sum(axis=0), clusters_of(documents)
        z, error, about = _jackknife(estimates[name], without[name], documents > 0)
        if name.endswith(THRESHOLD):
            sides, fewest = sides_of(counts)
            least = np.minimum(clusters, clusters_of(sides).min(axis=-1))
            topics = clusters = (least + clusters_of(about**2)) / 2
            error = np.where(fewest < LEAST_WITH_GRADE, np.nan, error)
        with np.errstate(all="ignore"):
            reach = scipy.special.stdtrit(clusters - 1, 1 - resamples.alpha / 2) * error
        drawn_ = np.moveaxis(resampled[name], 0, -1)
        low, high = resamples.ends(drawn_, resamples.expanded(topics))
        ends = np.minimum(np.tanh(z - reach), low), np.maximum(np.tanh(z + reach), high)
        result[name + INTERVAL] = np.stack(ends, axis=-1)
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


def _jackknife(whole: Array, without: Array, judged: Array) -> tuple[Array, Array, Array]:
    """Return coefficients on the scale of atanh, their errors, and what topics add to these."""
    topics = judged.sum(axis=0)
    with np.errstate(all="ignore"):
        scaled = np.where(judged, np.arctanh(without), 0)
        about = np.where(judged, scaled - scaled.sum(axis=0) / topics, 0)
        error = np.sqrt((topics - 1) / topics * (about**2).sum(axis=0))
        return np.arctanh(whole), np.where((topics > 1) & (error > ROUNDING), error, np.nan), about


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
    sentences = []
    sizes = counts.sum(axis=(-2, -1))
    held = "intervals of kappa and alpha hold less often than they say"
    fewest = int((sizes > 0).sum(axis=0).min())
    if fewest < LEAST_TOPICS:
        sentences.append(f"{held} below {LEAST_TOPICS} topics: {fewest}")
    columns = (column[column > 0] for column in sizes.T)
    variation = max(
        float(column.std() / column.mean()) if len(column) else 0.0 for column in columns
    )
    if variation > MOST_UNEQUAL:
        sentences.append(
            f"{held} where documents per topic vary by a coefficient above {MOST_UNEQUAL}: "
            f"{variation:.2f}"
        )
    both = sides_of(counts)[1].min(axis=0)
    few = np.flatnonzero((both >= LEAST_WITH_GRADE) & (both < FEW_WITH_GRADE))
    if few.size and fewest >= LEAST_TOPICS:
        rare = ", ".join(f"{scale[1:][place]} ({both[place]})" for place in few)
        sentences.append(
            f"few topics have documents both below and from grade {rare}: intervals at a threshold "
            f"are wide below {FEW_WITH_GRADE} topics"
        )
    names = listing(dict.fromkeys(lost))
    if names:
        sentences.append(
            f"no interval of {names} for some judges, whose grades leave it undefined, or do not "
            "let it vary, without some topic or in some resamples, or reach a threshold on fewer "
            f"than {LEAST_WITH_GRADE} topics"
        )
    return sentences

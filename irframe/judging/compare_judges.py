"""Chance-corrected agreement between judges.

Verbs: compare_judges.
"""

from collections.abc import Hashable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, positions_of
from irframe.cubes.unjudged import SIDES
from irframe.errors import warn
from irframe.experiments.coded_tables import row_slices
from irframe.files.as_runs import Qrels
from irframe.judging import coefficients, grades_by_judge
from irframe.judging.coefficients import INTERVAL
from irframe.judging.grades_by_judge import (
    JUDGE,
    AlignedGrades,
    Grades,
    Passes,
    Variables,
    coincidences,
)
from irframe.names import BOUND, JUDGES, PAIR, RESULT, TOPIC
from irframe.paired import all_pairs, baseline_pairs
from irframe.record import recorded
from irframe.scores.averages import Resamples, Resampling

ALL = "all"
BLOCK = 1 << 22
"""Maximum number of elements of the resampled counts that are in memory at a time."""


@recorded
def compare_judges(
    judges: Mapping[Any, Qrels],
    *,
    reference: Hashable | None = None,
    pairs: Literal["same", "common", "pairwise"] = "same",
    grades: Grades = None,
    per: str | None = None,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.Dataset:
    """Return the chance-corrected agreement of judges.

    Parameters
    ----------
    judges
        Mapping from the name of each judge to a qrels frame, or to anything that `as_qrels`
        accepts. At least two judges are required. If a judge, such as a model, judged several
        times, map its name to a list of qrels, or to a frame with a column ``pass``. All passes of
        a judge are treated as one judge. If a document has grades for several subtopics, the
        highest grade is used.
    reference
        The judge with whom every other judge is compared. The reference is ``judge_b`` in every
        pair. By default all pairs of judges are compared.
    pairs
        The pairs of topic and document that are used. ``"same"``: all pairs, and all judges must
        have judged the same pairs. ``"common"``: the pairs that all judges have judged.
        ``"pairwise"``: for a coefficient of two judges, the pairs that the two have judged; for the
        alpha of all judges, the pairs that at least two judges have judged. The variable ``n`` of
        the result is the number of pairs of topic and document used.
    grades
        The scale of grades. The default is the set of grades that occur, if all judges use the same
        lowest and the same highest grade. If a judge never uses the ends of the scale, pass a list
        of all grades, such as ``range(4)``, or ``"union"`` for all grades that occur. Negative
        grades are valid, except -1, which marks unjudged documents and raises an error.
    per
        With ``"topic"``, the coefficients are computed for each topic, without intervals. By
        default the coefficients are computed over all topics.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    resamples
        Number of bootstrap samples of topics for the intervals, or an `irframe.Resampling`. All
        pairs of judges use the same samples.

    Returns
    -------
    xarray.Dataset
        Coefficients of each pair of judges. The coordinates ``judge_a`` and ``judge_b`` are the
        judges of a pair. The variables are

        - ``kappa`` (pair, weights), Cohen's kappa. Disagreements have equal weights (``none``), or
          are weighted by the difference of the grades (``linear``) or by its square
          (``quadratic``);
        - ``alpha`` (pair, distance), Krippendorff's alpha with the distance ``nominal``,
          ``ordinal`` or ``interval``;
        - ``kappa_at`` and ``alpha_at`` (pair, threshold), kappa and alpha of binary relevance,
          where documents with a grade from the threshold upwards are relevant;
        - ``confusion`` (pair, grade_a, grade_b), the confusion matrix, and ``n`` (pair), the number
          of documents in the confusion matrix;
        - ``joint_alpha`` (distance), the alpha of all judges at once;
        - if judges have several passes, ``within_kappa`` (judge, weights) and ``within_alpha``
          (judge, distance), the agreement between passes of the same judge, and ``n_passes``
          (judge), the number of passes. To compare two judges, every pass of one judge is compared
          with every pass of the other judge. Each document counts once, so ``confusion`` may
          contain fractions of documents;
        - for each coefficient, a variable whose name ends in ``_interval``, the confidence
          interval, with the dimension ``bound`` (``lower`` and ``upper``);
        - for each coefficient, a variable whose name ends in ``_per_topic``, the mean over topics
          of the coefficient of each topic. A variable whose name ends in ``_per_topic_interval``
          contains Student's confidence interval of the mean over topics. The mean differs from the
          coefficient over all topics, because chance agreement is computed per topic, and all
          topics have equal weight.

        With ``per="topic"`` the first dimension is topic. A coefficient is NaN if all grades are
        equal. An interval is NaN if the coefficient does not vary over bootstrap samples. An
        interval is also NaN if the coefficient is undefined or 1 when some topic is left out, or in
        too many bootstrap samples.

    Raises
    ------
    ParameterError
        If there are fewer than two judges, or if the reference or an option is unknown.
    IdError
        If ``pairs="same"`` and judges judged different documents, if no two judges judged the same
        document, or if a judge judged a document twice. If a judge has the name of a pass of
        another judge, such as ``m [pass 1]``.
    GradeError
        If judges use different scales of grades, or if the grade -1 occurs.

    Warns
    -----
    IrframeWarning
        If the coverage of intervals is below the confidence level. The coverage is too low for
        fewer than 15 topics, or if the coefficient of variation of the number of documents per
        topic exceeds 0.6. If fewer than 10 topics have documents on both sides of a threshold. If
        intervals are NaN. The attribute ``caution`` contains the text of the warnings.

    Notes
    -----
    Kappa is ``1 - sum(w o) / sum(w e)`` over pairs of grades. Here w are the weights of
    disagreements, o the observed shares of documents, and e the shares expected by chance from the
    two judges' distributions of grades. Alpha is ``1 - (N - 1) sum(d c) / sum(d n n')`` over pairs
    of grades. Here c is the number of times that the two grades coincide in a document. The numbers
    of judgments with the two grades are n and n', and N is the number of all judgments. The squared
    distance d of two different grades is 1 (nominal), the squared difference of the grades
    (interval) or the squared difference of their mid-ranks (ordinal).

    Documents of the same topic are not independent, so the bootstrap draws topics. Each of the n
    topics is a cluster of m documents. The clusters are equivalent to ``g = (sum m)^2 / sum m^2``
    clusters of equal size [3]_ [4]_, at least 1.5. The confidence interval is the union of two
    intervals. The first interval is ``z -+ t s``, transformed back, where z is atanh(kappa), and s
    is the jackknife standard error of z over topics. The quantile t is that of Student's
    distribution with g - 1 degrees of freedom. The second interval is the expanded percentile
    interval [5]_. The ends of the second interval are the quantiles of the bootstrap distribution
    at ``a = Phi(-t sqrt(n / (n - 1)))`` and ``1 - a``, where t has n - 1 degrees of freedom. In
    simulations with 5 to 50 topics of real judges, 95% intervals covered the kappa over all topics
    93 to 97 times in 100. Plain percentile intervals covered this kappa 83 times in 100 with 5
    topics, and 91 to 93 times with 30 topics.

    For coefficients at a threshold, g is the mean of two values, and is smaller if few documents
    are on one side of the threshold. The first value is the smallest g for three definitions of m.
    These are the numbers of all documents, of documents with a grade from the threshold upwards,
    and of all other documents. For the second value, m is the contribution of each topic to the
    jackknife variance [4]_. In the percentile interval at a threshold, g replaces the number of
    topics. An interval at a threshold requires five topics on which each judge has documents on
    both sides of the threshold. In the simulations, intervals with the top grade as threshold
    covered the coefficient 92 to 98 times in 100. For six judges who seldom use the top grade, the
    coverage was 91 to 94 in 100.

    Passes of a model agree more with each other than with human judges. Errors that the model
    repeats in every pass cannot be removed by further passes.

    References
    ----------
    .. [1] Cohen. Weighted kappa: nominal scale agreement with provision for scaled disagreement
       or partial credit. Psychological Bulletin 70, 1968. doi:10.1037/h0026256
    .. [2] Hayes, Krippendorff. Answering the call for a standard reliability measure for coding
       data. Communication Methods and Measures 1, 2007. doi:10.1080/19312450709336664
    .. [3] Cameron, Miller. A practitioner's guide to cluster-robust inference. Journal of Human
       Resources 50, 2015. doi:10.3368/jhr.50.2.317
    .. [4] Carter, Schnepel, Steigerwald. Asymptotic behavior of a t-test robust to cluster
       heterogeneity. Review of Economics and Statistics 99, 2017. doi:10.1162/REST_a_00639
    .. [5] Hesterberg. What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum. American Statistician 69, 2015.
       doi:10.1080/00031305.2015.1089789

    Examples
    --------
    >>> people = {"1": {"a": 0, "b": 0, "c": 1, "d": 2}, "2": {"a": 0, "b": 1, "c": 2}}
    >>> model = {"1": {"a": 0, "b": 1, "c": 1, "d": 2}, "2": {"a": 0, "b": 2, "c": 2}}
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # two topics are too few
    ...     agreement = compare_judges({"people": people, "model": model})
    >>> agreement["kappa"].squeeze("pair").round(2).to_series().to_dict()
    {'none': 0.58, 'linear': 0.7, 'quadratic': 0.81}
    >>> agreement["confusion"].squeeze("pair").to_numpy()
    array([[2, 1, 0],
           [0, 1, 1],
           [0, 0, 2]])
    """
    drawn = Resamples.of(alpha, resamples)
    choice("per", TOPIC if per is None else per, (TOPIC,))
    passes = grades_by_judge.passes_of(judges)
    judged = grades_by_judge.read_judges(
        passes.qrels, pairs, grades, ("same", "common", "pairwise")
    )
    if reference is None:
        chosen = all_pairs(len(passes.judges))
    else:
        (row,) = positions_of("reference to be one of the judges", [reference], passes.judges)
        chosen = baseline_pairs(len(passes.judges), row)
    counts = count_grades(judged, chosen, passes)
    attrs = {"pairs": pairs, "topics": len(judged.topics), "documents": judged.grade.shape[1]}
    attrs |= {RESULT: "compare_judges"}
    if per is not None:
        result = _labelled_coefficients(judged, counts, chosen, passes)
        return result.assign_coords({TOPIC: judged.topics}).assign_attrs(attrs)
    total = {kind: by_topic.sum(axis=0) for kind, by_topic in counts.items()}
    result = _labelled_coefficients(judged, total, chosen, passes)
    result = result.assign(_intervals(counts, judged.scale, drawn))
    result = result.assign_coords({BOUND: list(SIDES)})
    names_with_interval = [name for name in _DIMS if name in result]
    bounded = {name: result[name + INTERVAL].notnull().all(BOUND) for name in names_with_interval}
    lost = [name for name in names_with_interval if (result[name].notnull() & ~bounded[name]).any()]
    warn(*coefficients.cautions(counts[PAIR], judged.scale, lost))
    return result.assign_attrs(attrs | asdict(drawn))


Counts = dict[str, Array]
"""Type of joint counts of two grades, shape (..., grade, grade).

The key `PAIR` maps to the counts of each pair of judges, `ALL` to the counts over all judges, and
`JUDGE` to the counts over the passes of each judge.
"""


def count_grades(judged: AlignedGrades, pairs: Array, passes: Passes) -> Counts:
    """Return the joint counts of grades for every topic."""
    several = passes.several
    shape = len(judged.topics), len(judged.scale)
    sizes = {PAIR: [len(pairs)], ALL: []} | ({JUDGE: [len(several)]} if len(several) else {})
    counts = {kind: np.zeros((shape[0], *size, *shape[1:] * 2)) for kind, size in sizes.items()}
    for topic, has_grade in judged.by_topic():
        if len(several):
            shares = grades_by_judge.by_judge(has_grade, passes.owner)
            sides = (shares[side] for side in pairs.T)
            counts[PAIR][topic] = np.einsum("pad,pbd->pab", *sides)
            counts[ALL][topic] = grades_by_judge.between(shares)
            by_pass = [has_grade[passes.owner == judge].sum(axis=0) for judge in several]
            counts[JUDGE][topic] = [coincidences(number, once=True) for number in by_pass]
            continue
        # One matrix product counts all pairs. BLAS is fast, but multiplies no integers, and float32
        # is exact up to 2^24 documents.
        flat = has_grade.reshape(-1, has_grade.shape[-1]).astype(np.float32)
        every = (flat @ flat.T).reshape(2 * has_grade.shape[:2])
        counts[PAIR][topic] = every[pairs[:, 0], :, pairs[:, 1]]
        counts[ALL][topic] = coincidences(has_grade.sum(axis=0))
    return counts


def _labelled_coefficients(
    judged: AlignedGrades, counts: Counts, pairs: Array, passes: Passes
) -> xr.Dataset:
    """Return a dataset of the coefficients computed from joint counts."""
    sides = zip(JUDGES, pairs.T, strict=True)
    names = pd.Index(passes.judges)
    several = passes.several
    scale = judged.scale
    labels: dict[str, object] = {name: (PAIR, names[side]) for name, side in sides}
    labels |= {"weights": list(coefficients.WEIGHTS), "distance": list(coefficients.DISTANCES)}
    labels |= {"threshold": scale[1:], "grade_a": scale, "grade_b": scale}
    first = (TOPIC,) * (counts[PAIR].ndim - 3)
    variables: dict[str, object] = {
        name: ((*first, *_DIMS[name]), values)
        for kind, matrices in counts.items()
        for name, values in _coefficients(matrices, kind, scale).items()
    }
    # several passes of a judge divide a document among grades, so counts may be fractions
    documents = counts[PAIR] if len(several) else counts[PAIR].astype(np.int64)
    if len(several):
        labels[JUDGE] = names[several]
        variables["n_passes"] = JUDGE, passes.counts[several]
    variables["confusion"] = (*first, PAIR, "grade_a", "grade_b"), documents
    number = documents.sum(axis=(-2, -1)).round().astype(np.int64)
    variables["n"] = (*first, PAIR), number
    return xr.Dataset(variables, labels)


_DIMS = {
    "kappa": (PAIR, "weights"),
    "alpha": (PAIR, "distance"),
    "kappa_at": (PAIR, "threshold"),
    "alpha_at": (PAIR, "threshold"),
    "joint_alpha": ("distance",),
    "within_kappa": (JUDGE, "weights"),
    "within_alpha": (JUDGE, "distance"),
}
"""Mapping from the name of a coefficient to the dimensions of its variable."""


def _coefficients(counts: Array, kind: str, scale: Array) -> dict[str, Array]:
    """Return the coefficients computed from joint counts, by name."""
    if kind == ALL:
        return {"joint_alpha": coefficients.alphas(counts, scale)}
    kappa = coefficients.kappas(counts, scale)
    alpha = coefficients.alphas_of_two(counts, scale)
    if kind == JUDGE:
        return {"within_kappa": kappa, "within_alpha": alpha}
    relevant = coefficients.at_thresholds(counts)
    # all weights and distances are equal for two grades, so the first one suffices
    kappa_at = coefficients.kappas(relevant, np.array([0, 1]))[..., 0]
    alpha_at = coefficients.alphas_of_two(relevant, np.array([0, 1]))[..., 0]
    return {"kappa": kappa, "alpha": alpha, "kappa_at": kappa_at, "alpha_at": alpha_at}


def _intervals(counts: Counts, scale: Array, resamples: Resamples) -> Variables:
    """Return the variables for intervals and for means over topics."""
    drawn = resamples.counts(len(counts[PAIR]))
    # The resampled counts of all pairs may not fit into memory, so pairs are taken in blocks. The
    # bootstrap needs counts for every sample, and the jackknife for every topic.
    width = max(1, BLOCK // (max(drawn.shape) * counts[ALL][0].size))
    labelled: Variables = {}
    for kind, matrices in counts.items():
        compute = partial(_coefficients, kind=kind, scale=scale)
        blocks = row_slices(matrices.shape[1], width) if kind == PAIR else [slice(None)]
        results = [
            coefficients.with_intervals(matrices[:, block], compute, drawn, resamples)
            for block in blocks
        ]
        for name in results[0]:
            dims = _DIMS[name.removesuffix(INTERVAL).removesuffix(coefficients.PER_TOPIC)]
            ends = (BOUND,) if name.endswith(INTERVAL) else ()
            labelled[name] = (*dims, *ends), np.concatenate([result[name] for result in results])
    return labelled

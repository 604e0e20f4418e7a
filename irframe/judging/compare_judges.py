"""How alike judges judge.

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
from irframe.checks import choice, places
from irframe.cubes.unjudged import SIDES
from irframe.errors import warn
from irframe.experiments.coded_tables import row_slices
from irframe.files.as_runs import Qrels
from irframe.judging import coefficients, grades_by_judge
from irframe.judging.coefficients import INTERVAL
from irframe.judging.grades_by_judge import JUDGE, Grades, JudgedTwice, Passes, coincidences
from irframe.names import BOUND, JUDGES, PAIR, RESULT, TOPIC
from irframe.paired import all_pairs, baseline_pairs
from irframe.record import recorded
from irframe.scores.averages import Resamples
from irframe.scores.resampling import Resampling

ALL = "all"
BLOCK = 1 << 22
"""Resampled counts that are held at a time."""


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
    """Say how far judges agree, beyond what chance would give.

    Parameters
    ----------
    judges
        What each judge is called, and their qrels frame or what `as_qrels` takes; at least two.
        Of a judge who judged several times, as a model may, a list of these or a frame with a
        column ``pass``: passes are one judge, who counts once.
        Of a document with grades for several subtopics the highest counts.
    reference
        A judge: hold each other one against it, ``judge_b`` throughout. By default all pairs.
    pairs
        Which pairs of topic and document count: ``"same"``, all, and it is an error if some judge
        has not judged them; ``"common"``, those that all judges have judged; ``"pairwise"``, for
        each pair of judges what both have judged, and for the alpha of all judges whatever two
        have. ``n`` says how many are left.
    grades
        The scale. By default the grades that occur, and it is an error if one judge's lowest or
        highest grade is not the others'; a list of all grades there are, such as ``range(4)``,
        where some judge never uses the ends; or ``"union"``, whatever occurs. Grades below 0 are
        grades like others, but for -1, which marks what was not judged and is refused.
    per
        ``"topic"``: every coefficient per topic, without intervals.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    resamples
        Resamples of the topics, for the intervals: an `irframe.Resampling`, or their number. The
        same serve all pairs.

    Returns
    -------
    xarray.Dataset
        Over ``pair``, of which ``judge_a`` and ``judge_b`` name the judges:

        - ``kappa`` (pair, weights), Cohen's, disagreements weighing all the same (``none``), or as
          the difference of the grades (``linear``) or its square (``quadratic``);
        - ``alpha`` (pair, distance), Krippendorff's: ``nominal``, ``ordinal``, ``interval``;
        - ``kappa_at`` and ``alpha_at`` (pair, threshold): of relevant, at this grade and above,
          and not relevant;
        - ``confusion`` (pair, grade_a, grade_b) and ``n`` (pair), documents;
        - ``joint_alpha`` (distance), that of all judges at once;
        - where judges have several passes, ``within_kappa`` (judge, weights) and ``within_alpha``
          (judge, distance), how far two passes of theirs agree, and ``n_passes`` (judge). Between
          judges every pass is compared with every pass of the other, and documents count once, so
          that ``confusion`` may have parts of documents;
        - with ``_interval`` added to a coefficient's name, its interval, with the dimension
          ``bound``, ``lower`` and ``upper``;
        - with ``_per_topic`` added, the mean of its values per topic, which is another quantity:
          chance is that of each topic, and topics count alike. With ``_per_topic_interval``
          Student's interval of that mean.

        With ``per="topic"`` the topic comes first. A coefficient is NaN where all grades are one,
        and an interval where that is so, or judges agree on everything, without some topic or in
        too many resamples, and where the coefficient does not vary.

    Raises
    ------
    ParameterError
        For fewer than two judges, or an unknown reference or policy.
    IdError
        If judges judged different documents, or none in common, or one twice.
    GradeError
        For different scales, and for grade -1.

    Warns
    -----
    IrframeWarning
        For intervals of fewer than 15 topics, or of topics whose numbers of documents have a
        coefficient of variation above 0.6, as they hold less often than they say; for thresholds
        of which fewer than 10 topics have documents on both sides; and for intervals that are NaN.
        The attribute ``caution`` says the same.

    Notes
    -----
    Kappa is ``1 - sum(w o) / sum(w e)`` with w the weights of disagreements, o the observed shares
    and e those that the two judges' own shares of grades would give by chance. Alpha is the same
    with chance drawn from the grades of both, ``1 - (n - 1) sum(d o) / sum(d n n')``, d the squared
    distance: 1, or the difference of the grades' values, or that of the middles of their ranks.
    All is computed from counts by topic; a resample draws as many topics as there are.

    Documents of a topic are not independent, so that topics are what is drawn: n clusters of m
    documents, worth ``g = (sum m)^2 / sum m^2`` equal ones [3]_ [4]_, at least 1.5. An interval
    is what two hold together: with z = atanh(kappa), and s its jackknife's standard error over
    topics, ``z -+ t s`` transformed back, t that of Student with g - 1 degrees of freedom; and the
    expanded percentile interval [5]_, between the quantiles of the resamples at
    ``a = Phi(-t sqrt(n / (n - 1)))`` and ``1 - a``, t with n - 1. It runs from the lower of the
    lower ends to the higher of the upper. Topics drawn from those of real judges, 95% intervals
    held kappa over all of them 93 to 97 times in 100 with 5 to 50 topics; plain percentiles did
    83 times with 5, and 91 to 93 with 30.

    At a threshold that few documents reach, or few do not, g is less: the mean of two, the least
    with m all documents, those from the grade on and those below, and that with what each topic
    adds to the jackknife's variance [4]_. It stands for the number of topics in the percentile
    interval, too. There is none unless five topics have documents on both sides by either judge. At
    the top grade intervals so held kappa 92 to 98 times in 100, of six judges who seldom give it 91
    to 94 times.

    Passes of a model agree with each other more than with people: however many there are, what it
    gets wrong each time stays.

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
    >>> with warnings.catch_warnings(action="ignore"):  # two topics say little of others
    ...     found = compare_judges({"people": people, "model": model})
    >>> found["kappa"].squeeze("pair").round(2).to_series().to_dict()
    {'none': 0.58, 'linear': 0.7, 'quadratic': 0.81}
    >>> found["confusion"].squeeze("pair").to_numpy()
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
        (row,) = places("reference to be one of the judges", [reference], passes.judges)
        chosen = baseline_pairs(len(passes.judges), row)
    counts = count_grades(judged, chosen, passes)
    attrs = {"pairs": pairs, "topics": len(judged.topics), "documents": judged.grade.shape[1]}
    attrs |= {RESULT: "compare_judges"}
    if per is not None:
        result = _labelled_coefficients(judged, counts, chosen, passes)
        return result.assign_coords({TOPIC: judged.topics}).assign_attrs(attrs)
    whole = {kind: part.sum(axis=0) for kind, part in counts.items()}
    result = _labelled_coefficients(judged, whole, chosen, passes)
    result = result.assign(_intervals(counts, judged.scale, drawn))
    result = result.assign_coords({BOUND: list(SIDES)})
    known = [name for name in _DIMS if name in result]
    bounded = {name: result[name + INTERVAL].notnull().all(BOUND) for name in known}
    lost = [name for name in known if (result[name].notnull() & ~bounded[name]).any()]
    warn(*coefficients.cautions(counts[PAIR], judged.scale, lost))
    return result.assign_attrs(attrs | asdict(drawn))


Counts = dict[str, Array]
"""How often grades meet, (..., grade, grade): of every `PAIR`, of `ALL` judges, of a `JUDGE`'s own
passes."""


def count_grades(judged: JudgedTwice, pairs: Array, passes: Passes) -> Counts:
    """Count grades by topic, which comes first."""
    topics, grades, several = len(judged.topics), len(judged.scale), passes.several
    sizes = {PAIR: [len(pairs)], ALL: []} | ({JUDGE: [len(several)]} if len(several) else {})
    counts = {kind: np.zeros((topics, *size, grades, grades)) for kind, size in sizes.items()}
    for topic, given in judged.by_topic():
        if len(several):
            shares = grades_by_judge.by_judge(given, passes.owner)
            sides = (shares[side] for side in pairs.T)
            counts[PAIR][topic] = np.einsum("pad,pbd->pab", *sides)
            counts[ALL][topic] = grades_by_judge.between(shares)
            own = [given[passes.owner == judge].sum(axis=0) for judge in several]
            counts[JUDGE][topic] = [coincidences(number, once=True) for number in own]
            continue
        flat = given.reshape(-1, given.shape[-1]).astype(np.float32)
        every = (flat @ flat.T).reshape(2 * given.shape[:2])
        counts[PAIR][topic] = every[pairs[:, 0], :, pairs[:, 1]]
        counts[ALL][topic] = coincidences(given.sum(axis=0))
    return counts


def _labelled_coefficients(
    judged: JudgedTwice, counts: Counts, pairs: Array, passes: Passes
) -> xr.Dataset:
    """Return the coefficients of counts with labels, topics first if there are some."""
    sides = zip(JUDGES, pairs.T, strict=True)
    names, several, scale = pd.Index(passes.judges), passes.several, judged.scale
    labels: dict[str, Any] = {name: (PAIR, names[side]) for name, side in sides}
    labels |= {"weights": list(coefficients.WEIGHTS), "distance": list(coefficients.DISTANCES)}
    labels |= {"threshold": scale[1:], "grade_a": scale, "grade_b": scale}
    first = (TOPIC,) * (counts[PAIR].ndim - 3)
    variables: dict[str, Any] = {
        name: ((*first, *_DIMS[name]), values)
        for kind, part in counts.items()
        for name, values in _coefficients(part, kind, scale).items()
    }
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
"""Coefficient -> its dimensions."""


def _coefficients(counts: Array, kind: str, scale: Array) -> dict[str, Array]:
    """Return the coefficients of counts of a kind by name."""
    if kind == ALL:
        return {"joint_alpha": coefficients.alphas(counts, scale)}
    kappa, alpha = coefficients.kappas(counts, scale), coefficients.both_alphas(counts, scale)
    if kind == JUDGE:
        return {"within_kappa": kappa, "within_alpha": alpha}
    relevant, two = coefficients.at_thresholds(counts), np.array([0, 1])
    at = coefficients.kappas(relevant, two), coefficients.both_alphas(relevant, two)
    return {"kappa": kappa, "alpha": alpha, "kappa_at": at[0][..., 0], "alpha_at": at[1][..., 0]}


def _intervals(counts: Counts, scale: Array, resamples: Resamples) -> dict[str, Any]:
    """Return the intervals of every coefficient, and the means of its values per topic."""
    drawn = resamples.counts(len(counts[PAIR]))
    width = max(1, BLOCK // (max(drawn.shape) * counts[ALL][0].size))
    labelled: dict[str, Any] = {}
    for kind, matrices in counts.items():
        compute = partial(_coefficients, kind=kind, scale=scale)
        blocks = row_slices(matrices.shape[1], width) if kind == PAIR else [slice(None)]
        parts = [
            coefficients.with_intervals(matrices[:, block], compute, drawn, resamples)
            for block in blocks
        ]
        for name in parts[0]:
            own_dims = _DIMS[name.removesuffix(INTERVAL).removesuffix(coefficients.PER_TOPIC)]
            ends = (BOUND,) if name.endswith(INTERVAL) else ()
            labelled[name] = (*own_dims, *ends), np.concatenate([part[name] for part in parts])
    return labelled

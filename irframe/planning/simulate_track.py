"""Simulated tracks, and the example track of the documentation.

Verbs: simulate_track, example_track.
"""

from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import check_int
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC

TEAM = "team"
CONTRIBUTING = "contributing"
DECIMAL = "decimals"

MOST_GRADES = 128
FIRST_TOPIC = 101
SYSTEMS_PER_TEAM = 3
CANDIDATES_PER_RANK = 3
"""Number of candidate documents of a topic, divided by the length of lists."""
RELEVANT = 0.1
"""Mean share of relevant documents among the candidates of a topic, if `grades` is a number."""
RICHEST = 2.8
"""Largest share of relevant candidates of a topic, as a multiple of the mean share."""
CONTRIBUTORS = 0.6
"""Share of systems that contribute to the pool, that is, whose top documents are judged."""
DECIMALS = (1, 2, 3, 4, 6)
"""Numbers of decimals to which systems round scores. Fewer decimals cause more ties."""
COMMON = 0.5
"""Standard deviation of the noise that all systems share."""
TEAMWORK = 0.6
"""Standard deviation of the noise that the systems of a team share."""
OWN = 0.6
"""Standard deviation of the noise that is specific to each system."""


def simulate_track(
    *,
    systems: int = 12,
    topics: int = 25,
    docs: int = 10_000,
    depth: int = 100,
    pool_depth: int = 20,
    grades: int | Sequence[float] = 3,
    teams: int | None = None,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate runs and judgments from a seed.

    Systems differ in quality, topics differ in difficulty, and systems of a team are similar.
    Relevant documents are rarer at greater ranks, and some scores tie. Only the top documents of
    some systems are judged. A simulated track provides no evidence about real systems.

    Parameters
    ----------
    systems
        Number of systems, at least 1.
    topics
        Number of topics, at least 1.
    docs
        Number of documents in the collection, at least `depth`.
    depth
        Number of documents that every system returns for every topic, at least 1.
    pool_depth
        Number of top documents of each contributing run that are judged, from 1 to `depth`.
    grades
        Number of grades, from 2 to 128. On average, 90% of the candidate documents of a topic have
        grade 0, and each grade above 1 has half as many documents as the next lower grade.
        Alternatively, pass the mean shares of all grades from 0 upwards, which sum to 1. The shares
        vary between topics.
    teams
        Number of teams of systems, from 1 to `systems`. The default is one team for every three
        systems.
    seed
        Seed of the random numbers, at least 0. The same arguments give the same track.

    Returns
    -------
    runs : DataFrame
        `systems * topics * depth` rows in rank order within system and topic, with the columns
        system, team, topic, doc, rank (1 to `depth`), score, and contributing. ``contributing`` is
        whether the top documents of the system were judged. About 60% of the systems contribute.
    qrels : DataFrame
        One row per judged document, with the columns topic, doc and grade.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Notes
    -----
    The candidates of a topic are ``3 * depth`` random documents of the collection, or all documents
    if the collection is smaller. Each candidate has a grade g from 0 to G, but only judged
    candidates are in the judgments. System s sorts the candidates d of topic t by the value

        q(s) e(t) g(t, d) / G + 0.5 x(t, d) + 0.6 y(team(s), t, d) + 0.6 z(s, t, d),

    where x, y and z are standard normal. The quality q of a system is from 0.4 to 2.8, and two
    thirds of this range depend on the team. The ease e of a topic is from 0.4 to 1.6. The score is
    this value, rounded to 1, 2, 3, 4 or 6 decimals, depending on the system. Documents are ranked
    before the values are rounded, so some scores tie. The share of relevant candidates varies
    between topics, and is at most 2.8 times the mean share.

    Examples
    --------
    Two runs; one contributes its first two documents to the pool:

    >>> runs, qrels = simulate_track(systems=2, topics=1, docs=9, depth=3, pool_depth=2, teams=2)
    >>> runs
        system   team topic doc  rank   score  contributing
    0  team1-a  team1   101  d4     1  0.8384          True
    1  team1-a  team1   101  d7     2  0.8089          True
    2  team1-a  team1   101  d1     3  0.4317          True
    3  team2-a  team2   101  d7     1  1.5263         False
    4  team2-a  team2   101  d5     2  1.4767         False
    5  team2-a  team2   101  d4     3  1.1311         False
    >>> qrels
      topic doc  grade
    0   101  d4      0
    1   101  d7      0
    """
    check_int("systems", systems, low=1)
    check_int("topics", topics, low=1)
    check_int("depth", depth, low=1)
    check_int("docs", docs, low=depth)
    check_int("pool_depth", pool_depth, low=1, high=depth)
    check_int("seed", seed, low=0)
    if teams is not None:
        check_int("teams", teams, low=1, high=systems)
    if not _are_shares(grades):
        check_int("grades as shares that sum to 1, or how many", grades, low=2, high=MOST_GRADES)
    rng = np.random.default_rng(seed)
    # negation before and after a floor division makes it round up
    field = _enter(rng, systems, -(-systems // SYSTEMS_PER_TEAM) if teams is None else teams)
    names = pd.Index([str(FIRST_TOPIC + topic) for topic in range(topics)])
    documents = pd.Index([f"d{doc:0{len(str(docs - 1))}}" for doc in range(docs)])
    return _run(rng, field, _shares(grades), names, documents, depth, pool_depth)


def _are_shares(grades: object) -> bool:
    return (
        isinstance(grades, Sequence | np.ndarray)
        and 2 <= len(grades) <= MOST_GRADES
        and all(isinstance(share, float | int | np.number) and 0 <= share <= 1 for share in grades)
        and bool(np.isclose(sum(grades), 1))
    )


def _shares(grades: int | Sequence[float]) -> NDArray[np.float64]:
    """Return the mean share of each grade among the candidates."""
    if not isinstance(grades, int | np.integer):
        return np.asarray(grades, dtype=np.float64)
    halving = 0.5 ** np.arange(1, grades)
    return np.concatenate([[1 - RELEVANT], RELEVANT * halving / halving.sum()])


def _enter(rng: np.random.Generator, systems: int, teams: int) -> pd.DataFrame:
    """Draw the team, quality, decimals and contribution of each system."""
    team = np.arange(systems) * teams // systems
    # `team` is sorted, so `searchsorted` returns the first system of each team
    member = np.arange(systems) - np.searchsorted(team, team)
    letters = [ascii_lowercase[index % 26] * (index // 26 + 1) for index in member]
    contributing = np.zeros(systems, dtype=bool)
    contributing[rng.permutation(systems)[: max(1, round(CONTRIBUTORS * systems))]] = True
    return pd.DataFrame(
        {
            SYSTEM: [f"team{n + 1}-{letter}" for n, letter in zip(team, letters, strict=True)],
            TEAM: team,
            "quality": 0.4 + 1.6 * rng.random(teams)[team] + 0.8 * rng.random(systems),
            DECIMAL: np.asarray(DECIMALS)[rng.integers(len(DECIMALS), size=systems)],
            CONTRIBUTING: contributing,
        }
    )


def _run(
    rng: np.random.Generator,
    field: pd.DataFrame,
    shares: NDArray[np.float64],
    names: "pd.Index[str]",
    documents: "pd.Index[str]",
    depth: int,
    pool_depth: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the simulated runs and judgments."""
    shape = len(field), len(names), depth
    retrieved = np.empty(shape, np.int32)
    scores = np.empty(shape)
    judged = []
    for topic, name in enumerate(names):
        candidates = rng.permutation(len(documents))[: CANDIDATES_PER_RANK * depth]
        grades = _hidden_grades(rng, shares, len(candidates))
        values = _values(rng, field, grades / (len(shares) - 1))
        order = np.argsort(-values, axis=1)[:, :depth]
        retrieved[:, topic] = candidates[order]
        scores[:, topic] = np.take_along_axis(values, order, axis=1)
        pool = np.unique(order[field[CONTRIBUTING], :pool_depth])
        pool = pool[np.argsort(candidates[pool])]
        columns = {TOPIC: name, DOC: documents.take(candidates[pool]), GRADE: grades[pool]}
        judged.append(pd.DataFrame(columns))
    for decimals in DECIMALS:
        rows = field[DECIMAL] == decimals
        scores[rows] = np.round(scores[rows], decimals) + 0.0  # -0.0 would be printed with a sign
    runs = _runs_frame(field, names, documents.take(retrieved.ravel()), scores)
    return runs, pd.concat(judged, ignore_index=True)


def _hidden_grades(
    rng: np.random.Generator, shares: NDArray[np.float64], candidates: int
) -> NDArray[np.intp]:
    richest = 1 / max(shares[1:].sum(), 1 / RICHEST)
    # the square of a random number has the mean 1/3, so the mean of `richness` is 1
    poorest = (3 - richest) / 2
    richness = poorest + (richest - poorest) * rng.random() ** 2
    beyond = np.cumsum(shares[:0:-1]) * richness  # shares of grades >= G, >= G - 1, ..., >= 1
    return len(beyond) - np.searchsorted(beyond, rng.random(candidates), side="right")


def _values(
    rng: np.random.Generator, field: pd.DataFrame, relevance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return values that rank candidates, shape (system, candidate)."""
    # the order of the draws must not change, because it decides the track of each seed
    ease = 0.4 + 1.2 * rng.random()
    common = COMMON * rng.standard_normal(len(relevance))
    teamwork = TEAMWORK * rng.standard_normal((1 + field[TEAM].max(), len(relevance)))
    values: NDArray[np.float64] = rng.standard_normal((len(field), len(relevance)))
    values *= OWN
    values += teamwork[field[TEAM]]
    values += common
    values += field[["quality"]].to_numpy() * ease * relevance
    return values


def _runs_frame(
    field: pd.DataFrame, names: "pd.Index[str]", doc: "pd.Index[str]", scores: NDArray[np.float64]
) -> pd.DataFrame:
    systems, topics, depth = scores.shape
    numbers = np.repeat(np.arange(systems, dtype=np.int32), topics * depth)
    columns = {
        SYSTEM: pd.Index(field[SYSTEM]).take(numbers),
        TEAM: pd.Index(field[SYSTEM].str.partition("-")[0]).take(numbers),
        TOPIC: names.take(np.tile(np.arange(topics, dtype=np.int32).repeat(depth), systems)),
        DOC: doc,
        RANK: np.tile(np.arange(1, depth + 1), systems * topics),
        SCORE: scores.ravel(),
        CONTRIBUTING: field[CONTRIBUTING].to_numpy()[numbers],
    }
    return pd.DataFrame(columns, copy=False)


TEAMS = {
    "terms": ("bm25", "bm25+rm3"),
    "vectors": ("ance", "colbert"),
    "expansion": ("splade", "doct5query"),
    "rerankers": ("monot5", "duot5"),
}
"""Mapping from each team to its systems, in the order of the simulated systems."""


def example_track() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a small simulated track with a fixed seed.

    Eight systems of four teams return 50 documents for each of 16 topics. Grades range from 0 to 3,
    and the first 10 documents of five systems are judged. Two systems are far better than the
    baseline, and some pairs do not differ significantly. Some scores tie, and some documents near
    the top are unjudged.

    **The runs are simulated.** The names of well-known systems are used as labels, but the runs
    provide no evidence about these systems.

    Returns
    -------
    runs : DataFrame
        6,400 rows in rank order, with the columns system, team, topic, doc, rank, score and
        contributing; see `simulate_track`.
    qrels : DataFrame
        The judged documents, with the columns topic, doc and grade.

    Examples
    --------
    >>> runs, qrels = example_track()
    >>> runs.head(3)
      system   team topic   doc  rank  score  contributing
    0   bm25  terms   101  d158     1   2.66          True
    1   bm25  terms   101  d659     2   2.34          True
    2   bm25  terms   101  d516     3   2.33          True
    >>> qrels["grade"].value_counts().sort_index().to_dict()
    {0: 365, 1: 63, 2: 51, 3: 44}
    """
    runs, qrels = _example_track()
    return runs.copy(), qrels.copy()


@cache
def _example_track() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frames of `example_track`, which are simulated once."""
    runs, qrels = simulate_track(
        systems=8, topics=16, docs=1000, depth=50, pool_depth=10, grades=4, teams=4, seed=9537
    )
    teams = dict(zip(runs[TEAM].unique(), TEAMS, strict=True))
    labels = [label for members in TEAMS.values() for label in members]
    systems = dict(zip(runs[SYSTEM].unique(), labels, strict=True))
    columns = {SYSTEM: runs[SYSTEM].map(systems), TEAM: runs[TEAM].map(teams)}
    return runs.assign(**columns), qrels

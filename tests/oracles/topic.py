"""A topic of the reference implementations: ranking and recall base."""

from dataclasses import dataclass
from functools import reduce
from operator import add


def add_up(numbers):
    """Return the sum of numbers, added left to right.

    From Python 3.12 on, the builtin `sum` corrects the rounding errors of floats.
    """
    return reduce(add, numbers, 0)


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A ranking and the judgments of its topic.

    Parameters
    ----------
    serp
        Grades of the retrieved documents by rank, None for unjudged documents.
    judged
        Grades of all judged documents, including those in `serp`.
    gmax
        Highest grade of the whole collection.
    judged_at
        Mapping from each depth k below `pool_depth` to the grades of the judged documents in a pool
        of depth k.
    pool_depth
        Depth of the pool, None if the judgments do not come from a pool.
    """

    serp: tuple[int | None, ...]
    judged: tuple[int, ...]
    gmax: int
    judged_at: dict[int, tuple[int, ...]] | None = None
    pool_depth: int | None = None

    def pool(self, k):
        """Return the judged grades in a pool of depth k."""
        if self.judged_at is None or self.pool_depth is None or k >= self.pool_depth:
            return self.judged
        return self.judged_at[k]


def is_relevant(grade, rel):
    """Return whether a grade reaches the relevance threshold."""
    return grade is not None and grade >= rel


def count_relevant(grades, rel):
    """Count the grades that reach the relevance threshold."""
    return add_up(is_relevant(grade, rel) for grade in grades)


def gain_of(grade, gain, gmax, rel=1):
    """Return the gain of a grade.

    The gain is 0 if the grade is None, negative, or missing from a mapping.
    """
    if grade is None or grade < 0:
        return 0.0
    if gain == "binary":
        return 1.0 if grade >= rel else 0.0
    if gain == "linear":
        return grade / gmax if gmax > 0 else 0.0
    if gain == "Linear(top=1)":
        return float(grade)
    if gain == "exp":
        return (2**grade - 1) / 2**gmax
    return gain.get(grade, 0.0)


def normaliser(topic, k, norm, rel):
    """Return the divisor N of AP and Q."""
    if norm == "pool":
        return count_relevant(topic.pool(k), rel)
    R = count_relevant(topic.judged, rel)
    return {"R": R, "min": min(R, k)}[norm]

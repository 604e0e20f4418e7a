"""Reference implementations of comparisons over repeats."""

from itertools import combinations

import numpy as np
import scipy


def crossed_by_loops(a, b, *, shared=False, over="both"):
    """Return difference, standard error, degrees of freedom and p-value.

    `a` and `b` contain the scores of two systems, indexed (repeat, topic).
    """
    topics = len(a[0])
    d = np.mean(a) - np.mean(b)
    by_topic = [
        np.mean([row[t] for row in a]) - np.mean([row[t] for row in b]) for t in range(topics)
    ]
    v_t = np.var(by_topic, ddof=1) / topics
    tables = [np.asarray(a) - np.asarray(b)] if shared else [np.asarray(a), np.asarray(b)]
    v_r = v_e = 0.0
    below = v_t**2 / (topics - 1) if over != "repeat" else 0.0
    for table in tables:
        repeats = len(table)
        if repeats == 1:
            continue
        v = np.var([np.mean(row) for row in table], ddof=1) / repeats
        squares = 0.0
        for r in range(repeats):
            for t in range(topics):
                squares += (table[r, t] - table[r].mean() - table[:, t].mean() + table.mean()) ** 2
        e = squares / ((topics - 1) * (repeats - 1)) / (topics * repeats)
        v_r, v_e = v_r + v, v_e + e
        if over != "topic":
            below += v**2 / (repeats - 1)
        if over == "both":
            below += e**2 / ((topics - 1) * (repeats - 1))
    v = {"both": max(v_t + v_r - v_e, v_t, v_r), "topic": v_t, "repeat": v_r}[over]
    df = max(v**2 / below, 1.0)
    return d, np.sqrt(v), df, 2 * scipy.stats.t.sf(abs(d) / np.sqrt(v), df)


def best_of_by_draws(values, k, pick):
    """Return the mean of `pick` over choices of k repeats."""
    return np.mean([pick(each) for each in combinations(values, k)])


def worked():
    """Return scores of 3 systems, 20 topics and 3 repeats."""
    g = np.random.default_rng(0)
    topics, repeats = 20, 3
    topic = 0.2 * g.standard_normal((1, topics, 1))
    st = 0.08 * g.standard_normal((3, topics, 1))
    seed = 0.03 * g.standard_normal((3, 1, repeats))
    e = 0.05 * g.standard_normal((3, topics, repeats))
    return 0.5 + np.array([0, 0.03, 0.08])[:, None, None] + topic + st + seed + e

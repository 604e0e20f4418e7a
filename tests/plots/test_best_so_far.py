"""What `best_so_far` draws."""

import numpy as np
import pandas as pd
import pytest

from irframe.errors import ParameterError


def frame(means, measure="AP"):
    return pd.DataFrame(
        [(system, topic, measure, mean) for system, mean in means.items() for topic in "12"],
        columns=["system", "topic", "measure", "value"],
    )


DAYS = {"a": "2020-01-03", "b": "2020-01-01", "c": "2020-01-02", "d": "2020-01-04"}


def test_leaders_are_better_than_all_before_them():
    scores = frame({"a": 0.3, "b": 0.1, "c": 0.4, "d": 0.4})
    ax = scores.ireval.plot.best_so_far(DAYS)
    assert [text.get_text() for text in ax.texts] == ["b", "c"]
    points, steps, leaders = ax.lines
    np.testing.assert_allclose(points.get_ydata(), [0.3, 0.1, 0.4, 0.4])
    np.testing.assert_allclose(steps.get_ydata(), [0.1, 0.4, 0.4])
    np.testing.assert_allclose(leaders.get_ydata(), [0.1, 0.4])
    assert ax.get_title(loc="left") == "4 systems, 2 topics"


def test_costs_are_led_by_the_lowest_and_days_may_be_a_series():
    scores = frame({"a": 3, "b": 5, "c": 4, "d": 6}, "ASL")
    ax = scores.ireval.plot.best_so_far(pd.Series(DAYS), named=False)
    np.testing.assert_allclose(ax.lines[2].get_ydata(), [5, 4, 3])
    assert not ax.texts


def test_of_one_day_only_the_best_leads():
    scores = frame({"a": 0.3, "b": 0.1})
    ax = scores.ireval.plot.best_so_far(dict.fromkeys("ab", "2020-01-01"))
    assert [text.get_text() for text in ax.texts] == ["a"]


def test_every_system_has_a_day():
    with pytest.raises(ParameterError, match="a day of every system; found none: b"):
        frame({"a": 0.3, "b": 0.1}).ireval.plot.best_so_far({"a": "2020-01-01"})

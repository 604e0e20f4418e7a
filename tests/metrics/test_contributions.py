"""One ranking scored by hand."""

from irframe.metrics import P
from irframe.metrics.contributions import score_ranking


def test_the_top_grade_is_that_of_the_judged_documents_unless_it_is_given():
    linear = P(gain="linear")
    assert score_ranking(linear, [2, 4], judged=[1, 2, 4]).tolist() == [0.5, 0.75]
    assert score_ranking(linear, [2, 4], top=8).tolist() == [0.25, 0.375]
    assert score_ranking(linear, [0, 0]).tolist() == [0, 0]

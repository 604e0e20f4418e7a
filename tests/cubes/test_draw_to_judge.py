"""Draws of documents to be judged, and how likely each was."""

import numpy as np
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError


def test_draws_of_strata_say_how_likely_each_document_was():
    _, qrels = ir.example_track()
    qrels = qrels.assign(part=np.where(qrels["doc"] < "d5", "early", "late"))
    drawn = qrels.ireval.draw_to_judge({"early": 1, "late": 0.29}, strata="part", seed=1)
    sizes = drawn.groupby(["topic", "part"])
    judged = sizes["grade"].agg(lambda grade: (grade >= 0).sum())
    size = sizes.size()
    wanted = np.floor(np.round(0.29 * size, 9) + 0.5).clip(lower=2).clip(upper=size)
    wanted = wanted.where(size.index.get_level_values("part") == "late", size)
    np.testing.assert_array_equal(judged, wanted)
    np.testing.assert_allclose(sizes["probability"].first(), judged / size)
    kept = drawn["grade"] >= 0
    assert drawn.loc[kept, "grade"].equals(qrels.loc[kept, "grade"])
    other = qrels.ireval.draw_to_judge({"early": 1, "late": 0.29}, strata="part", seed=2)
    assert not other["grade"].equals(drawn["grade"])
    for share, strata, told in [
        (0.1, "team", "strata to be a column of the judgments.*'team'"),
        ({"early": 0.5}, "part", "a share for every stratum; found none for: late"),
        (1.5, "part", "share, a number of at most 1"),
    ]:
        refused(ParameterError, told, qrels.ireval.draw_to_judge, share, strata=strata)

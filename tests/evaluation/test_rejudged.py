"""Lists are rejudged with and without the names of documents."""

from dataclasses import replace

import numpy as np
from refusals import refused

import irframe as ir
from irframe.errors import InputError
from irframe.evaluation.rejudged import judged_anew
from irframe.experiments.judgments import Judgments

RUNS, QRELS = ir.example_track()


def test_new_judgments_of_unnamed_documents_are_refused():
    named = ir.cube(RUNS, QRELS).experiment
    unnamed = replace(named, listing=None)
    selected = QRELS.groupby("topic").sample(frac=0.7, random_state=1)
    fewer = Judgments.of(selected.assign(grade=1), ())
    assert fewer.topics.tolist() == named.judgments.topics.tolist()
    result, expected = (
        judged_anew(e, fewer, pool_stated=False, all_judged=True) for e in (unnamed, named)
    )
    assert result.listing is None
    for name in ("length", "of", "rank", "row"):
        np.testing.assert_array_equal(getattr(result.hits, name), getattr(expected.hits, name))
    assert result.options == expected.options
    more = Judgments.of(QRELS, ())
    message = "newly judged documents, but found .* lists without ids of unjudged .* below rank 0"
    refused(InputError, message, judged_anew, result, more, pool_stated=False, all_judged=True)

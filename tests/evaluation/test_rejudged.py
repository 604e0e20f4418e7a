"""Judgments of documents that may be unnamed in lists."""

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
    kept = QRELS.groupby("topic").sample(frac=0.7, random_state=1)
    fewer = Judgments.of(kept.assign(grade=1), ())
    assert fewer.topics.tolist() == named.judgments.topics.tolist()
    found, expected = (
        judged_anew(e, fewer, given=False, all_judged=True) for e in (unnamed, named)
    )
    assert found.listing is None
    for name in ("length", "of", "rank", "row"):
        np.testing.assert_array_equal(getattr(found.hits, name), getattr(expected.hits, name))
    assert found.made == expected.made
    more = Judgments.of(QRELS, ())
    message = "newly judged documents, but found .* lists with names only to rank 0"
    refused(InputError, message, judged_anew, found, more, given=False, all_judged=True)

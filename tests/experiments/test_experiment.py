"""Other judgments of lists whose unjudged documents are not known by name."""

from dataclasses import replace

import numpy as np
from refusals import refused

import irframe as ir
from irframe.errors import InputError
from irframe.experiments.experiment import judged_anew
from irframe.experiments.judgments import Judgments

RUNS, QRELS = ir.example_track()


def test_only_documents_that_were_judged_before_can_be_judged_anew():
    whole = ir.cube(RUNS, QRELS).experiment
    unnamed = replace(whole, listing=None)
    kept = QRELS.groupby("topic").sample(frac=0.7, random_state=1)
    fewer = Judgments.of(kept.assign(grade=1), ())
    assert fewer.topics.tolist() == whole.judgments.topics.tolist()
    found, expected = (
        judged_anew(e, fewer, given=False, all_judged=True) for e in (unnamed, whole)
    )
    assert found.listing is None
    for name in ("length", "of", "rank", "row"):
        np.testing.assert_array_equal(getattr(found.hits, name), getattr(expected.hits, name))
    assert found.made == expected.made
    more = Judgments.of(QRELS, ())
    told = "documents that were not judged before, but found .* lists known to rank 0 alone"
    refused(InputError, told, judged_anew, found, more, given=False, all_judged=True)

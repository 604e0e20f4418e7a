"""User models agree with reference implementations, cwl_eval and infinite sums."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from oracles.reading import QUANTITIES as ORACLES
from refusals import refused
from strategies import batches, block
from turns import few_of
from variants import VARIANTS

from irframe.errors import MetricError
from irframe.gains import Binary
from irframe.metrics import Block, Evidence
from irframe.metrics.facts import class_of
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.reading import QUANTITIES
from irframe.metrics.spellings import CWL_NAMES
from irframe.names import EMPTY, UNJUDGED

PEER = json.loads(Path(__file__).with_name("_cwl_eval").joinpath("values.json").read_text())
READERS = [
    v for v in VARIANTS if v.metric.reading and "GMAP" not in v.text and "pool" not in v.text
]


@pytest.mark.parametrize("variant", few_of(READERS, 2), ids=str)
@given(batch=batches(max_len=8, max_topics=2))
def test_quantities_agree_with_the_reference_implementation(variant, batch):
    topics, depth = batch
    result = np.stack(variant.metric.read(Evidence(block(topics, depth))))
    for row, topic in enumerate(topics):
        for k in {1, depth}:
            expected = ORACLES[variant.name](topic, k, **variant.fields)
            here = dict(zip(QUANTITIES, result[:, row, k - 1], strict=True))
            assert here == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("variant", few_of(READERS, 3), ids=str)
@given(batch=batches())
def test_expected_utility_equals_the_score(variant, batch):
    evidence = Evidence(block(*batch))
    utility, *_ = variant.metric.read(evidence)
    np.testing.assert_allclose(utility, variant.metric.score(evidence), atol=1e-12)


def listed(grades):
    """Return a block of one list of judged grades."""
    row = np.full(1000, EMPTY, np.int16)
    row[: len(grades)] = [UNJUDGED if grade < 0 else grade for grade in grades]
    levels = np.arange(3)
    count = np.array([grades.count(level) for level in levels])
    return Block(
        grade=row, retrieved=np.array(len(grades)), levels=levels, count=count, top=PEER["top"]
    )


@pytest.mark.parametrize("text", few_of(PEER["values"], 3))
def test_quantities_agree_with_cwl_eval(text):
    metric = parse_metric(text)
    for grades, expected in zip(PEER["lists"], PEER["values"][text], strict=True):
        result = [values[-1] for values in metric.read(Evidence(listed(grades)))]
        if text == "AP" and not any(grade > 0 for grade in grades):
            # in cwl_eval, users stop at rank 1 if no document is relevant
            assert expected == [0, 0, 1, 1, 1]
            assert result[:3] == [0, 0, 1]
            assert np.isnan(result[3:]).all()
        else:
            assert result == pytest.approx(expected, abs=1e-6), grades


def test_every_metric_of_cwl_eval_is_compared():
    compared = {type(parse_metric(text)).__name__ for text in PEER["values"]}
    assert compared == set(ORACLES)
    assert {class_of(name).__name__ for name in CWL_NAMES} <= compared


@pytest.mark.parametrize(
    "text",
    few_of(
        [str(v) for v in READERS if "horizon=None" in str(v)] + ["INST(T=0.5, horizon=None)"], 3
    ),
)
def test_infinite_sums_are_limits_of_long_lists(text):
    endless = parse_metric(text)
    evidence = Evidence(listed([0, 2, 1, -1, 0, 1, 0, 0, 2]))
    limits = [values[[0, 3, 20]] for values in endless.read(evidence)]
    far = replace(endless, horizon=20_000).read(evidence)
    for limit, near in zip(limits, far, strict=True):
        np.testing.assert_allclose(near[[0, 3, 20]], limit, rtol=3e-3)


def test_quantities_are_constant_past_the_horizon():
    short = parse_metric("INST(T=1.0, horizon=3)")
    evidence = Evidence(listed([0, 1, 0, 2, 2, 2]))
    for values in short.read(evidence):
        assert (values[3:] == values[2]).all()


def test_rounding_errors_do_not_delay_stopping():
    grades = [1] * 12
    metric = parse_metric("BPM(T=1.0, gain={0: 0, 1: 0.1, 2: 0.2})")
    depth = metric.read(Evidence(listed(grades)))[QUANTITIES.index("expected_depth")]
    assert depth[-1] == 10


def test_inst_requires_a_target_of_at_least_half():
    refused(MetricError, "at least 0.5", lambda: parse_metric("INST(T=0.4)"))
    assert parse_metric("INSQ(T=0.1)").T == 0.1


@pytest.mark.parametrize("text", ["IFT", "IFT(T=1)", "IFTRate(T=1, b1=1, R1=1)"])
def test_incomplete_ift_parameters_are_refused(text):
    refused(MetricError, "IFT to have T, b1 and R1|of IFT", lambda: parse_metric(text))


@pytest.mark.parametrize("text", ["IFTRate(A=0, b2=1, R2=1, horizon=None)", "INST(horizon=0)"])
def test_horizons_are_checked(text):
    refused(MetricError, "horizon", lambda: parse_metric(text))


@pytest.mark.parametrize("name", ["INST", "NERR8", "SDCG", "RBP", "ERR"])
def test_gains_above_1_are_refused(name):
    refused(MetricError, "at most 1", lambda: parse_metric(f"{name}(gain={{1: 2}})"))
    assert parse_metric(f"{name}(gain='binary')").gain == Binary()

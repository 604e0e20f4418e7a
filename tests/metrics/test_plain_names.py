"""Plain names are names that trackers take, and are read back as the metrics they stand for."""

import re

import pytest
from variants import VARIANTS

import irframe as ir
from irframe.metrics.spellings import plain_name

MLFLOW = re.compile(r"^[/\w.\- :]*$")
"""What mlflow takes for the name of a metric, mlflow/utils/validation.py."""
TENSORBOARD = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/-]*$")
OTHERS = [
    *(
        "ndcg_cut_10",
        "P_5",
        "map",
        "R@100",
        "RBP@0.8",
        "Accuracy@10",
        "utility.2,-1,0,0",
        "set_F.0.5",
    ),
    *("hit_rate@5", "precision@5-l2", "HR@5", "ndcg_at_10", "iprec_at_recall_0.10", "P_5-l2"),
    *("nDCG(gain={1: 1, 2: 5})@10", "IA(metric='nDCG@10')", "INST(T=2.5)@20", "AP(norm='min')"),
]


def test_every_metric_has_a_plain_name_that_is_read_back():
    texts = list(dict.fromkeys([*(each.text for each in VARIANTS), *OTHERS]))
    seen = {}
    for text in texts:
        metric = ir.parse_metric(text)
        plain = plain_name(text, ir.parse_metric)
        assert MLFLOW.fullmatch(plain), text
        assert TENSORBOARD.fullmatch(plain), text
        assert ir.parse_metric(plain) == metric, text
        assert seen.setdefault(plain, metric) == metric, text


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("RBP(p=0.8)", "RBP.p-0.8"),
        ("RBP(p=0.5, gain='linear')@20", "RBP.p-0.5.gain-linear_at_20"),
        ("AP(rel=2)", "AP.rel-2"),
        ("AP(judged_only=True)@5", "AP.judged_only-True_at_5"),
        ("Accuracy@10", "Accuracy_x40_10"),
        ("map_cut_10", "map_cut_10"),
    ],
)
@pytest.mark.filterwarnings("ignore:Accuracy@10 is the share")
def test_names_stay_readable(name, plain):
    assert plain_name(name, ir.parse_metric) == plain
    scorer = ir.scorer({"q": {"a": 1, "b": 0, "c": 2}}, name)
    assert [*scorer.mean({"q": {"b": 1.0, "a": 2.0, "c": 0.5}}, names="plain")] == [plain]


@pytest.mark.parametrize("text", ["nDCG_at_x", "nothing_at_10", "RBP.q-3", "_x28_", "AP.rel-_at_3"])
def test_what_is_no_plain_name_is_refused_as_before(text):
    with pytest.raises(ir.errors.MetricError):
        ir.parse_metric(text)

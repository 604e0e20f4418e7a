"""The names of cwl_eval."""

import pytest

import irframe as ir


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("INST-T=1", ir.metrics.INST(T=1)),
        ("INSQ-T=2.5", ir.metrics.INSQ(T=2.5)),
        ("NDCG-k@10", ir.metrics.SDCG(depth=10)),
        ("RBP@0.9", ir.metrics.RBP(p=0.9)),
        ("RBP@9", ir.metrics.RBP(depth=9)),
        ("P@5", ir.metrics.P(depth=5)),
        ("BPM-Static-T=1.0-K=10", ir.metrics.BPM(T=1, depth=10)),
        ("BPM-Dynamic-T=1-K=10-hb=1.0-hc=-1.0", ir.metrics.DynamicBPM(T=1, K=10, hb=1, hc=-1)),
        ("NERR-EQ8@k=10", ir.metrics.NERR8(depth=10)),
        ("NERR-EQ9@k=20", ir.metrics.NERR9(depth=20)),
        ("NERR-EQ10@phi=0.9", ir.metrics.NERR10(p=0.9)),
        ("NERR-EQ11@T=1.0", ir.metrics.NERR11(T=1)),
        ("IFT-C1-T=2.0-b1=0.9-R1=10", ir.metrics.IFTGoal(T=2, b1=0.9, R1=10)),
        ("IFT-C2-A=0.2-b2=0.9-R2=10", ir.metrics.IFTRate(A=0.2, b2=0.9, R2=10)),
        (
            "IFT-C1-C2-T=2.0-b1=0.9-R1=10-A=0.2-b2=0.9-R2=1",
            ir.metrics.IFTGoalRate(T=2, b1=0.9, R1=10, A=0.2, b2=0.9, R2=1),
        ),
        ("INST(T=1.0,max_rel=2)", ir.metrics.INST(T=1, gain=ir.gains.Linear(top=2))),
        ("NERR8(max_rel=2)@10", ir.metrics.NERR8(gain=ir.gains.Linear(top=2), depth=10)),
        (
            "BPM(T=2.0,min_rel=0,max_rel=2)@10",
            ir.metrics.BPM(T=2, gain=ir.gains.Linear(top=2), depth=10),
        ),
    ],
)
def test_names_of_cwl_eval_and_ir_measures(text, metric):
    assert ir.parse_metric(text) == metric


@pytest.mark.parametrize("text", ["INST-T=", "INST(min_rel=1, max_rel=2)", "NERR-EQ8@k=1.5"])
def test_refusals(text):
    with pytest.raises(ir.errors.IrframeError):
        ir.parse_metric(text)

"""What is said of another judge is what the numbers say."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def effect():
    runs, qrels = ir.simulate_track(systems=6, topics=10, docs=60, depth=20, pool_depth=20, seed=3)
    random = np.random.default_rng(1)
    guess = qrels.assign(grade=random.permutation(qrels["grade"].to_numpy()))
    groups = {"some": sorted(runs["system"].unique())[:3]}
    judges = {"people": qrels, "guess": guess}
    return runs.ireval.judge_effect(judges, ["AP", "nDCG"], at=[5, 20], groups=groups)


def told(findings, word):
    (found,) = findings[findings["what"].str.contains(word)].itertuples()
    return found


def test_findings_repeat_the_numbers(effect):
    one = effect.sel(metric="AP", depth=5, judge="guess")
    findings = effect.sel(metric="AP").ireval.judge_findings(depth=5)
    assert findings["what"].str.startswith("AP@5 by guess against people: ").all()
    tau = one["agreement"].sel(coefficient="kendall").item()
    assert told(findings, "tau").what.endswith(f"otherwise, tau {tau:.3f}")
    assert told(findings, "tau").severity == "warning"
    counts = one["conclusions"].to_series()
    assert f"{counts['kept']} are kept" in told(findings, "significant").what
    moved = abs(one["rank"] - one["reference_rank"])
    assert told(findings, "ranks").what.endswith(f"up to {moved.max().item()}")
    assert told(findings, "ranks").how_many == (moved > 0).sum()
    assert f"{one['bias'].mean().item():+.3f} on average" in told(findings, "means").what
    assert f"p {one['group_p'].item():.2g}" in told(findings, "favoured|slighted").what


def test_the_deepest_is_told_of_by_default(effect):
    findings = effect.ireval.judge_findings()
    assert findings["what"].str.contains("@20 by").all()
    assert len(findings) == 2 * 5


def test_other_orders_are_not_told_of(effect):
    findings = effect.sel(coefficient=["rbo"]).ireval.judge_findings()
    assert not findings["what"].str.contains("tau").any()


def test_what_has_no_findings_is_refused(effect):
    with pytest.raises(InputError, match="what judge_effect gives; found bias"):
        ir.verbs.judge_findings(effect[["bias"]])
    with pytest.raises(ParameterError, match="depths of the effect"):
        effect.ireval.judge_findings(depth=7)

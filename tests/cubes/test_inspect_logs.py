import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import InputError


def samples(models=("a", "b"), epochs=3, topics=6):
    """Return rows as samples_df gives them, of Arrow's types."""
    rows = [
        (f"{model}-{epoch}-{topic}", f"eval-{model}", f"mockllm/{model}", f"q{topic}", epoch)
        for model in models
        for epoch in range(1, epochs + 1)
        for topic in range(topics)
    ]
    frame = pd.DataFrame(rows, columns=["sample_id", "eval_id", "model", "id", "epoch"])
    rng = np.random.default_rng(0)
    frame["score_match"] = rng.choice(["C", "I", "P"], len(frame))
    frame["score_f1"] = rng.random(len(frame))
    frame["error"] = None
    return frame.convert_dtypes(dtype_backend="pyarrow")


def test_epochs_are_repeats_inside_topics():
    scores = ir.as_scores(samples())
    assert scores.index.names == ["model", "epoch", "topic"]
    assert list(scores.columns) == ["match", "f1"]
    assert {*scores["match"]} <= {0.0, 0.5, 1.0}
    found = samples().ireval.compare()
    means = scores.groupby(level=["model", "topic"]).mean()
    np.testing.assert_allclose(found["p"], means.ireval.compare()["p"])
    assert (found["n_topics"] == 6).all()
    assert (found["n_repeats_a"] == 3).all()


def test_a_sample_without_a_score_has_none():
    rows = samples()
    rows.loc[0, ["score_match", "score_f1"]] = pd.NA
    scores = ir.as_scores(rows)
    assert np.isnan(scores.loc[("mockllm/a", 1, "q0"), "match"])
    found = rows.ireval.summary(best_of=2)
    assert found["n"].eq(6).all()


def test_one_epoch_is_no_repeat():
    found = samples(epochs=1).ireval.compare()
    assert "n_repeats_a" not in found


BAD = {
    "models": (samples().drop(columns="model"), "column model"),
    "scores": (samples().assign(score_match="yes"), "score_match"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_score_is_refused(name):
    rows, told = BAD[name]
    with pytest.raises(InputError, match=told):
        ir.as_scores(rows)


@pytest.mark.filterwarnings("ignore")
def test_logs_of_inspect_s_own_mock_model(tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.analysis import EvalModel, SampleSummary, samples_df
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import includes, match
    from inspect_ai.solver import solver

    @solver
    def answering():
        async def solve(state, generate):  # noqa: ARG001
            right = (int(state.sample_id[1:]) + state.epoch) % 3
            said = "yes" if right else "no"
            state.output = ModelOutput.from_content("mockllm/model", said)
            return state

        return solve

    task = inspect_ai.Task(
        dataset=[Sample(id=f"q{n}", input="?", target="yes") for n in range(4)],
        solver=answering(),
        scorer=[match(), includes()],
        epochs=3,
    )
    models = ["mockllm/a", "mockllm/b"]
    inspect_ai.eval(task, model=models, log_dir=str(tmp_path), display="none")
    scores = ir.as_scores(samples_df(str(tmp_path), columns=SampleSummary + EvalModel))
    assert scores.index.names == ["model", "epoch", "topic"]
    assert {*scores.columns} == {"match", "includes"}
    for (_, epoch, topic), value in scores["match"].items():
        assert value == bool((int(topic[1:]) + epoch) % 3)

"""Tests of the classes on the page about training.

If a package is not installed, a stand-in with the same methods replaces its classes.
"""

import importlib
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import irframe as ir

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "training-loop.md"
pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="needs a checkout, with the documentation"
)
TOPICS, NAMES = [f"q{number}" for number in range(6)], np.array([f"d{n}" for n in range(40)])
RNG = np.random.default_rng(0)
QRELS = {topic: dict.fromkeys(RNG.choice(NAMES, 4, replace=False), 1) for topic in TOPICS}


class Module:
    """Stand-in for `LightningModule` of Lightning."""


class Metric:
    """Stand-in for `Metric` of the package evaluate."""

    def __init__(self):
        self.info, self.parts = self._info(), []

    def add_batch(self, *, predictions, references):
        self.parts.append((predictions, references))

    def compute(self):
        sides = zip(*self.parts, strict=True)
        return self._compute(*([one for part in side for one in part] for side in sides))


def unchanged(text):
    return text


FAKES = {
    "lightning": {"LightningModule": Module},
    "evaluate": {"Metric": Metric, "MetricInfo": lambda *_, features: features},
    "datasets": {"Value": unchanged, "Sequence": unchanged, "Features": unchanged},
}


@pytest.fixture
def defined(monkeypatch):
    """Run the page's code and return the names it defines."""
    names = {"scorer": ir.scorer(QRELS, ["nDCG@10", "RR"])}
    for name, members in FAKES.items():
        try:
            names[name] = importlib.import_module(name)
        except ImportError:
            names[name] = types.ModuleType(name)
            vars(names[name]).update(members)
            monkeypatch.setitem(sys.modules, name, names[name])
    [block] = re.findall(r"```python\n(class .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(block, names)  # noqa: S102 - the code of the page
    return names


def test_a_lightning_module_logs_the_means_of_the_scorer(defined):
    logged = []

    class Ranker(defined["Ranker"]):
        names, batches = NAMES, defined["scorer"].batches()
        documents = Array(RNG.normal(size=(len(NAMES), 3)))
        log_dict = staticmethod(logged.append)

        def __call__(self, vectors):
            return vectors

    ranker = Ranker()
    vectors = Array(RNG.normal(size=(len(TOPICS), 3)))
    for some in (slice(4), slice(4, None)):
        ranker.validation_step((TOPICS[some], vectors[some]), 0)
    ranker.on_validation_epoch_end()
    scores = np.asarray(vectors @ ranker.documents.T)
    run = {
        topic: dict(zip(NAMES.tolist(), row.tolist(), strict=True))
        for topic, row in zip(TOPICS, scores, strict=True)
    }
    assert logged == [defined["scorer"].mean(run, names="plain")]


class Array(np.ndarray):
    """Array that has the method `topk` of tensors."""

    def __new__(cls, values):
        return np.asarray(values).view(cls)

    def topk(self, k):
        order = np.argsort(-np.asarray(self), axis=1)[:, :k]
        best = types.SimpleNamespace(cpu=lambda: order)
        return types.SimpleNamespace(
            indices=best, values=np.take_along_axis(np.asarray(self), order, axis=1)
        )


def test_a_metric_of_evaluate_returns_the_means_of_the_scorer(defined):
    metric = defined["Retrieval"]()
    run = {
        topic: dict(zip(RNG.choice(NAMES, 9, replace=False), RNG.normal(size=9), strict=True))
        for topic in TOPICS
    }
    run = {topic: {str(d): float(s) for d, s in docs.items()} for topic, docs in run.items()}
    lists = [{"doc": [*run[topic]], "score": [*run[topic].values()]} for topic in TOPICS]
    metric.add_batch(predictions=lists[:4], references=TOPICS[:4])
    metric.add_batch(predictions=lists[4:], references=TOPICS[4:])
    assert metric.compute() == defined["scorer"].mean(run, names="plain")


def test_plain_names_are_valid_in_mlflow():
    validation = pytest.importorskip("mlflow.utils.validation")
    for name in ("nDCG@10", "nDCG(gain='exp')@10", "RBP(p=0.8)", "Success@10"):
        plain = ir.scorer(QRELS, name).plain_names[0]
        validation._validate_metric_name(plain)
        assert ir.parse_metric(plain) == ir.parse_metric(name)


def test_scores_equal_those_of_sentence_transformers(monkeypatch):
    st = pytest.importorskip("sentence_transformers")
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    class Letters(torch.nn.Module):
        """Stand-in for a model: it counts letters."""

        def tokenize(self, texts, **_):
            counts = [[text.count(letter) for letter in "aeiou"] for text in texts]
            return {"counts": torch.tensor(counts, dtype=torch.float32)}

        preprocess = tokenize

        def forward(self, features, **_):
            return features | {"sentence_embedding": features["counts"] + 0.01}

        def get_sentence_embedding_dimension(self):
            return 5

        get_embedding_dimension = get_sentence_embedding_dimension

    model = st.SentenceTransformer(modules=[Letters()], device="cpu")
    corpus = {name: "".join(RNG.choice(list("aeiou"), 500)) for name in NAMES.tolist()}
    queries = {topic: "".join(RNG.choice(list("aeiou"), 100)) for topic in TOPICS}
    relevant = {topic: {*map(str, docs)} for topic, docs in QRELS.items()}
    theirs = evaluation.InformationRetrievalEvaluator(
        queries, corpus, relevant, ndcg_at_k=[10], mrr_at_k=[10], map_at_k=[100]
    )(model)
    ours = ir.scorer(QRELS, ["nDCG@10", "RR@10", "AP@100"]).evaluator(queries, corpus)(model)
    named = ("cosine_ndcg@10", "cosine_mrr@10", "cosine_map@100")
    assert [*ours.values()] == pytest.approx([theirs[name] for name in named], abs=1e-6)

"""Worked examples and example numbers that five papers print, and what irframe gives for them."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir

NAMES = {0: "=", 1: "ni", -1: "ns", 2: "**", -2: "**"}


class Example(NamedTuple):
    """Values that a paper prints in one place, and those of irframe."""

    paper: str
    place: str
    printed: list
    found: list
    within: float = 0.0
    why: str = ""

    @property
    def missed(self):
        """Return the printed values that irframe does not give, and what it gives instead."""
        pairs = zip(self.printed, self.found, strict=True)
        return [(a, b) for a, b in pairs if not self._met(a, b)]

    def _met(self, printed, found):
        if isinstance(printed, str):
            return printed == found
        return abs(printed - found) <= self.within + 1e-9


def cube_of(systems, judged, depth=None):
    """Return the cube of rankings of grades of one topic, of which `judged` are all judged."""
    unused = {system: {g: judged.count(g) for g in set(judged)} for system in systems}
    rows = []
    for system, serp in systems.items():
        for rank, grade in enumerate(serp, start=1):
            doc_number = unused[system].get(grade, 0)
            unused[system][grade] = doc_number - 1
            doc = f"{grade}-{doc_number}" if doc_number > 0 else f"other-{rank}"
            rows.append((system, "1", doc, rank))
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "rank"])
    docs = [(g, n) for g in sorted(set(judged)) for n in range(1, judged.count(g) + 1)]
    qrels = pd.DataFrame([("1", f"{g}-{n}", g) for g, n in docs], columns=["topic", "doc", "grade"])
    return runs.ireval.cube(qrels, ties="rank", depth=depth)


def search_length():
    """Yield the examples of Alex et al."""
    paper = "Atomized search length"
    rows = {
        "P": [(0.456, 0.594), (0.517, 0.706)],
        "AP": [(0.401, 0.543), (0.4, 0.572)],
        "ASL(first=10)": [(14, 5), (51, 6)],
        "ASL": [(39, 27), (264, 215)],
    }
    index = pd.MultiIndex.from_product([["old", "new"], ["1"]], names=["system", "topic"])
    computed = []
    for metric, changes in rows.items():
        for pair in changes:
            frame = pd.DataFrame({metric: [*map(float, pair)]}, index=index)
            computed.append(100 * frame.ireval.rrie(baseline="old").loc[0, "rrie"])
    yield Example(
        paper, "Table 1, RRIE in percent", [25, 39, 24, 29, 69, 90, 32, 19], computed, 0.5
    )
    apart = cube_of({"s": [1] + [0] * 999 + [1]}, [1, 1])
    scores = apart.ireval.score("AtomizedP", "ASL", at=1001).to_numpy().ravel()
    yield Example(paper, "Equation 9", [0.5], [scores[0]], 0.05)
    yield Example(paper, "Equation 10", [500], [scores[1]], 0.5)
    weight = 1 / np.array([1, 1, 1, 2, 4, 5, 10, 10000, 10000])
    values = (1 + (1 - weight) * len(weight) / weight.sum()).tolist()
    printed = [1, 1, 1, 2.1, 2.7, 2.9, 3, 3.2, 3.2]
    source = "Appendix A.1, lengths"
    yield Example(paper, source, printed, values, 0.05, "the formula gives the other number")


def orderings():
    """Yield the examples of Moffat and Mackenzie."""
    paper = "Innate orderings"
    label = abs(ir.verbs.enumerate_rankings(3)["label"].to_numpy())
    counts = [int((label == 0).sum()), int((label == 2).sum())]
    yield Example(paper, "Figure 2, cells that are equal and non-separable", [8, 2], counts)
    golden = (np.sqrt(5) - 1) / 2
    metrics = ["P@3", "RBP(p=0.8)@3", "AP@3", "nDCG@3", "Success@3", f"RBP(p={golden!s})@3"]
    two = cube_of({"a": [1, 0, 0], "b": [0, 1, 1]}, [1, 1, 1])
    scores = two.ireval.score(*metrics, "RR@3", "RBP(p=0.5)@3", at=3).squeeze()
    change = (scores.sel(system="a") - scores.sel(system="b")).to_numpy().round(12)
    signs = [{-1: "<", 0: "=", 1: ">"}[int(np.sign(value))] for value in change]
    yield Example(paper, "Table 1, order of the scores", [*"<<<<==>>"], signs)
    taus = [
        ir.verbs.enumerate_rankings(6, *pair, n_relevant=6)["tau"].item()
        for pair in (
            ("RBP(p=0.5)", "RBP(p=0.5)"),
            ("RBP(p=0.5)", "nDCG"),
            ("AP", "RBP(p=0.5)"),
            ("AP", "nDCG"),
        )
    ]
    yield Example(paper, "Figure 3, tau", [1, 0.796, 0.786, 0.976], taus, 0.0005)
    serps = {"S1": [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], "S2": [1, 0, 1, 0, 0, 1, 1, 0, 1, 1]}
    values = cube_of(serps, [1] * 6).ireval.orderings("S1", "S2")["label"].to_numpy().ravel()
    printed = ["="] * 3 + ["ni"] * 5 + ["**"] * 2
    yield Example(paper, "Figure 4, label by depth", printed, [NAMES[code] for code in values])
    graded = {"S1": [3, 2, 0, 1, 3], "S2": [2, 2, 0, 1, 2], "S3": [3, 1, 0, 2, 3]}
    cube = cube_of(graded, [3, 3, 2, 2, 2, 1])
    gain = {1: 0.2, 2: 0.8, 3: 1.0}
    pairs = [("S1", "S2"), ("S1", "S3"), ("S2", "S3")]
    labels = [cube.ireval.orderings(*pair, gain=gain)["label"].to_numpy() for pair in pairs]
    values = [NAMES[int(codes.ravel()[-1])] for codes in labels]
    yield Example(paper, "Section 3, graded relevance", ["ni", "ni", "**"], values)
    table = {
        5: [3.12, 83.98, 12.89],
        10: [0.10, 67.08, 32.81],
        15: [0.00, 55.97, 44.02],
        20: [0.00, 48.91, 51.09],
        50: [0.00, 31.43, 68.57],
        100: [0.00, 22.34, 77.66],
    }
    for k, printed in table.items():
        values = [100 * share for share in ir.agreements.random_separability(k).shares]
        why = "last digit cut off" if k <= 15 else "sampled; counting is exact"
        yield Example(paper, f"Table 2, k = {k}, percent", printed, values, 0.005, why)
    p = [sign_test(*counts) for counts in ((81, 109), (81, 145), (117, 109))]
    yield Example(paper, "Section 2, sign test of 81 and 109", [0.0499], p[:1], 0.00005)
    p_text = "p < 0.01" if p[1] < 0.01 else f"p = {p[1]:.2f}"
    yield Example(paper, "Section 2, sign test of 81 and 145", ["p < 0.01"], [p_text])
    why = "neither the exact test nor a normal form gives it"
    yield Example(paper, "Section 2, sign test of 117 and 109", [0.25], p[2:], 0.005, why)


def sign_test(behind, ahead):
    """Return the p-value of so many topics on which one system is ahead and behind."""
    index = pd.Index([str(topic) for topic in range(behind + ahead)], name="topic")
    scores = pd.DataFrame({"a": [1.0] * behind + [0.0] * ahead}, index=index)
    scores["b"] = 1 - scores["a"]
    long = scores.melt(ignore_index=False, var_name="system", value_name="P").reset_index()
    return long.set_index(["system", "topic"]).ireval.compare("sign")["p"].item()


def pooling():
    """Yield the examples of Lu, Moffat and Culpepper."""
    paper = "Pooling and depth"
    old = [5, 4, 3, 2, 1, 0, 0, 0, 0, 0]
    new = [8, 2, 4, -1, 0, -3, -3, -3, 2, 1]
    arrays = []
    for values in (old, new):
        rows = np.repeat(np.array(values, float)[:, None], 3, axis=1)
        labels = {"system": [f"s{i}" for i in range(10)], "topic": ["1", "2", "3"]}
        arrays.append(xr.DataArray(rows, labels, ("system", "topic"), name="P"))
    reference, changed = arrays
    computed = [
        reference.ireval.discrimination(ir.Significance(adjust=None)).item(),
        changed.ireval.coverage(reference, ir.Significance(adjust=None)).item(),
        changed.ireval.inversions(reference, ir.Significance(adjust=None)).item(),
    ]
    yield Example(
        paper, "Section 3, discrimination, coverage, inversion", [0.78, 0.8, 0.17], computed, 0.005
    )
    cube = cube_of({"s": [0] * 100}, [0] * 100)
    within = cube.ireval.bounds("RBP(p=0.95)", "RBP(p=0.8)", at=[1, 4, 10, 40, 100])
    tails = within.diff("bound").squeeze(["bound", "system", "topic"])
    for metric, printed in (
        ("RBP(p=0.95)", [0.95, 0.815, 0.599, 0.129, 0.006]),
        ("RBP(p=0.8)", [0.8, 0.41, 0.107, 0, 0]),
    ):
        computed = tails.sel(metric=metric).to_numpy().tolist()
        yield Example(
            paper, f"Table 9, residual of {metric}, all judged", printed, computed, 0.0005
        )
    first = cube_of({"s": [1] + [0] * 19}, [1] * 20)
    computed = first.ireval.score("nDCG", at=[5, 10, 20]).to_numpy().ravel().tolist()
    yield Example(paper, "Section 4, weight of rank 1 in nDCG", [0.34, 0.22, 0.14], computed, 0.005)


def leaderboard():
    """Yield the examples of Lin et al."""
    paper = "Leaderboard"
    for source, ranks, columns, printed, within in (
        ("Section 4, mean length of two queries", ([1, 5], [4, 2]), "esl", [3, 3], 0),
        ("Section 5, RR of ranks 1, 9 and 4, 6", ([1, 9], [4, 6]), "mrr", [0.556, 0.208], 0.0005),
    ):
        rows = []
        for system, positions in zip("AB", ranks, strict=True):
            for topic, place_of in enumerate(positions):
                for rank in range(1, 11):
                    doc = "right" if rank == place_of else f"x{rank}"
                    rows.append((system, str(topic), doc, -float(rank)))
        runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
        qrels = pd.DataFrame(
            [("0", "right", 1), ("1", "right", 1)], columns=["topic", "doc", "grade"]
        )
        row = runs.ireval.outcomes(qrels, baseline="A", systems="B").summary.iloc[0]
        yield Example(paper, source, printed, [row[f"{columns}_a"], row[f"{columns}_b"]], within)


TWIST = {
    "ideal": [3, 3, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    "worst": [0] * 15,
    "full scale": [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3],
    "A": [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    "B": [3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0],
}
TWIST_RP = {
    "ideal": [0] * 15,
    "worst": [-7, -6, -5, -4, -3, -2, -1, 0, 0, 0, 0, 0, 0, 0, 0],
    "full scale": [-7, -6, -5, -4, -3, -2, -1, 0, 2, 3, 4, 8, 9, 12, 13],
    "A": [0, 0, 0, -4, 0, 2, -1, 0, 0, 3, 0, 0, 0, 0, 0],
    "B": [0, -6, -2, -4, 1, -2, -1, 0, 5, 3, 0, 0, 11, 7, 0],
}
TWIST_CRP = {
    "ideal": [0] * 15,
    "worst": [-7, -13, -18, -22, -25, -27, -28, -28, -28, -28, -28, -28, -28, -28, -28],
    "full scale": [-7, -13, -18, -22, -25, -27, -28, -28, -26, -23, -19, -11, -2, 10, 23],
    "A": [0, 0, 0, -4, -4, -2, -3, -3, -3, 0, 0, 0, 0, 0, 0],
    "B": [0, -6, -8, -12, -11, -13, -14, -14, -9, -6, -6, -6, 5, 12, 12],
}


def twist():
    """Yield the examples of Ferro et al."""
    paper = "Twist"
    moved = cube_of(TWIST, TWIST["ideal"][:7]).ireval.misplacement(depth=15)
    for name, printed in (("rp", TWIST_RP), ("crp", TWIST_CRP)):
        for system, values in printed.items():
            computed = moved[name].sel(system=system).to_numpy().ravel().tolist()
            yield Example(paper, f"Example, {name.upper()} of the run {system}", values, computed)
    full = moved.sel(system="full scale")
    ends = [[full[name].min().item(), full[name].max().item()] for name in ("rp", "crp")]
    computed = [*ends[0], *ends[1]]
    yield Example(paper, "Propositions 1 and 2, bounds in the example", [-7, 13, -28, 23], computed)
    short = cube_of({"full scale": [0, 0, 1]}, [1]).ireval.misplacement()["rho"].item()
    bound = "below 1/2" if short < 0.5 else f"{short:g}"
    why = "a crossing is the rank before the change of sign"
    yield Example(paper, "Proposition 3, R = 1, N = 3", ["below 1/2"], [bound], why=why)


def all_examples():
    """Return all examples of all papers."""
    papers = (search_length, orderings, pooling, leaderboard, twist)
    return [example for paper in papers for example in paper()]


if __name__ == "__main__":
    for example in all_examples():
        print(example.paper, "|", example.place, "|", len(example.printed), example.missed)  # noqa: T201

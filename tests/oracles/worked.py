"""Worked cases of pooling and evaluation depth."""

from dataclasses import replace

from oracles import Topic

TABLE_2 = (
    "002-hand",
    "002-contributing-1",
    "002-contributing-2",
    "002-norel",
    "002-allrel",
    "002-empty",
)
NORM = {"a": "R", "b": "min", "c": "pool"}
IDEAL = {"a": "judged", "b": "pool", "i": "judged", "ii": "pool"}
VARIANTS = {
    "Prec": ("P", {}),
    "RR": ("RR", {}),
    "Succ": ("Success", {}),
    "ERR_exp": ("ERR", {}),
    "ERR_linear": ("ERR", {"gain": "linear"}),
    **{f"AP_{n}": ("AP", {"norm": NORM[n]}) for n in "abc"},
    **{f"RBP({p})": ("RBP", {"p": p}) for p in (0.5, 0.8, 0.95)},
    **{f"RBP({p})_linear": ("RBP", {"p": p, "gain": "linear"}) for p in (0.5, 0.8, 0.95)},
    **{
        f"NDCG_{i}_{gain}_{d}": ("nDCG", {"ideal": IDEAL[i], "gain": gain, "discount": d})
        for i in "ab"
        for gain in ("linear", "exp", "binary")
        for d in ("log2", "zipf")
    },
    **{
        f"QM_{n},{i}(beta={b})_linear": ("Q", {"norm": NORM[n], "ideal": IDEAL[i], "beta": b})
        for n in "abc"
        for i in ("i", "ii")
        for b in (1, 10)
    },
}


def table_2_topic(case):
    data = case["input"]
    return Topic(
        serp=tuple(data["serp"]),
        judged=tuple(data["judged_d"]),
        gmax=data["gmax"],
        judged_at={int(k): tuple(grades) for k, grades in data["judged_k"].items()},
        pool_depth=data["d"],
    )


def condensed(topic):
    """Return the topic without unjudged retrieved documents."""
    selected = tuple(grade for grade in topic.serp if grade is not None and grade >= 0)
    return replace(topic, serp=selected)

"""Write `values.json`, the quantities computed by cwl_eval for graded lists.

cwl_eval is not a dependency, because it needs NumPy below 2. Run this script in a separate
environment:

    python -m venv cwl && cwl/bin/pip install cwl-eval==1.0.12 "numpy<2"
    cwl/bin/python tests/metrics/_cwl_eval/make_values.py
"""

import json
import random
from pathlib import Path

import numpy as np
from cwl.ruler import cwl_ruler as theirs
from cwl.ruler.ranking import Ranking

TOP = 2
GRADED = {
    "BPM(T=1.0)@10": theirs.BPMCWLMetric(1.0, 10),
    "BPM(T=2.5)@20": theirs.BPMCWLMetric(2.5, 20),
    "DynamicBPM(T=1.0, K=10, hb=1.0, hc=0.0)": theirs.BPMDCWLMetric(1.0, 10, 1.0, 0.0, 0.5),
    "DynamicBPM(T=2.0, K=30, hb=0.5, hc=0.0, median=0.33)": theirs.BPMDCWLMetric(
        2.0, 30, 0.5, 0.0, 0.33
    ),
    "IFTGoal(T=2.0, b1=0.9, R1=10)": theirs.IFTGoalCWLMetric(2.0, 0.9, 10),
    "IFTGoalRate(T=2.0, b1=0.9, R1=1, A=0.2, b2=0.9, R2=10)": theirs.IFTGoalRateCWLMetric(
        2.0, 0.9, 1, 0.2, 0.9, 10
    ),
    "IFTRate(A=0.2, b2=0.9, R2=10)": theirs.IFTRateCWLMetric(0.2, 0.9, 10),
    "INSQ(T=1.0)": theirs.INSQCWLMetric(1.0),
    "INSQ(T=3.0)": theirs.INSQCWLMetric(3.0),
    "INST(T=1.0)": theirs.INSTCWLMetric(1.0),
    "INST(T=2.5)": theirs.INSTCWLMetric(2.5),
    "NERR8@10": theirs.NERReq8CWLMetric(10),
    "NERR9@20": theirs.NERReq9CWLMetric(20),
    "NERR10(p=0.9)": theirs.NERReq10CWLMetric(0.9),
    "NERR11(T=1.0)": theirs.NERReq11CWLMetric(1.0),
    "P(gain='linear')@5": theirs.PrecisionCWLMetric(5),
    "RBP(p=0.8, gain='linear')": theirs.RBPCWLMetric(0.8),
    "SDCG@10": theirs.NDCGCWLMetric(10),
}
"""Mapping from metric of irframe with linear gain to metric of cwl_eval."""
BINARY = {
    "AP": theirs.APCWLMetric(),
    "P@10": theirs.PrecisionCWLMetric(10),
    "RBP(p=0.95)": theirs.RBPCWLMetric(0.95),
    "RR": theirs.RRCWLMetric(),
}


def draw_lists():
    """Return varied lists of grades, -1 where unjudged."""
    rng = random.Random(1)  # noqa: S311 - no secret
    lists = [[], [0, 0, 0], [2] * 25, [1] * 40, [0, -1, 0, 2]]
    for length in (3, 10, 30, 60, 100):
        weights = [rng.random() for _ in range(3)] + [0.3]
        lists.append(rng.choices([0, 1, 2, -1], weights, k=length))
    return lists


def measure(metric, grades, scale):
    """Return the five quantities EU, ETU, EC, ETC and ED."""
    gains = np.array([scale(grade) if grade >= 0 else np.nan for grade in grades])
    metric.measure(Ranking("1", gains, np.full(len(gains), np.nan)))
    return [float(value) for value in metric.get_scores()]


def main():
    """Write `values.json`."""
    lists = draw_lists()
    scales = [(GRADED, lambda grade: grade / TOP), (BINARY, lambda grade: float(grade > 0))]
    values = {
        name: [measure(metric, grades, scale) for grades in lists]
        for metrics, scale in scales
        for name, metric in metrics.items()
    }
    path = Path(__file__).with_name("values.json")
    path.write_text(json.dumps({"top": TOP, "lists": lists, "values": values}) + "\n")


if __name__ == "__main__":
    main()

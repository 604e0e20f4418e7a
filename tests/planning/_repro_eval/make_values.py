"""Write the results computed by repro_eval to `values.json`.

repro_eval is not a dependency. Run the script in another environment:

    python -m venv repro && repro/bin/pip install repro_eval==0.5.0 pandas
    repro/bin/python tests/planning/_repro_eval/make_values.py
"""

import json
import random
from pathlib import Path

from repro_eval.measure.effectiveness import RMSE
from repro_eval.measure.overall_effects import DRI, ER
from repro_eval.measure.statistics import ttest

NAMES = {"AP": "map", "RR": "recip_rank"}


def draw(rng, shift, topics):
    """Return scores by topic and metric."""
    return {
        topic: {name: round(min(1, rng.random() * 0.8 + shift), 3) for name in NAMES.values()}
        for topic in topics
    }


def reference_values(originals, repeated, *, same):
    """Return the results of repro_eval for systems a and b."""
    pairs = {"a": (originals[0], repeated[0]), "b": (originals[1], repeated[1])}
    result = {f"p_{name}": ttest(*pair, rpd=same) for name, pair in pairs.items()}
    if same:
        result |= {f"rmse_{name}": RMSE(*pair) for name, pair in pairs.items()}
    return result | {"er": ER(*originals, *repeated), "dri": DRI(*originals, *repeated)}


def main():
    """Write the file."""
    rng = random.Random(5)  # noqa: S311 - no secret
    topics = [f"t{number}" for number in range(12)]
    new_topics = [f"u{number}" for number in range(9)]
    originals = [draw(rng, shift, topics) for shift in (0.2, 0.0)]
    reproduced = [draw(rng, shift, topics) for shift in (0.15, 0.05)]
    replicated = [draw(rng, shift, new_topics) for shift in (0.25, 0.0)]
    values = {
        "original": originals,
        "reproduced": {
            "scores": reproduced,
            "values": reference_values(originals, reproduced, same=True),
        },
        "replicated": {
            "scores": replicated,
            "values": reference_values(originals, replicated, same=False),
        },
    }
    path = Path(__file__).with_name("values.json")
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

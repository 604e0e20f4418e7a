"""What the scripts of this folder write for a page: tables, figures, and numbers told in prose."""

import argparse
import json
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

HERE = Path(__file__).parent


class Page:
    """A page of the documentation that shows results on real data.

    Tables are included from ``real/<page>-<name>.md``, figures from ``real/<page>-<name>.png``. A
    fact is a number in running text: ``{{ how_deep.lost }}`` on the page ``how-deep`` is what its
    script gave as ``page.facts(lost="31%")``.
    """

    def __init__(self, name):
        self.name = name
        self._facts = {}

    def table(self, rows, name):
        """Write a frame, or columns by name, as a Markdown table."""
        frame = pd.DataFrame(rows)
        lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
        lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
        text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
        (HERE / f"{self.name}-{name}.md").write_text(text, encoding="utf-8")

    def figure(self, figure, name, dpi=80):
        """Write a figure, or the one that axes belong to."""
        figure = getattr(figure, "figure", figure)
        figure.savefig(HERE / f"{self.name}-{name}.png", dpi=dpi)
        plt.close(figure)

    def facts(self, **texts):
        """Write numbers that stand in running text, as the text that they are shown as."""
        self._facts |= {name: str(text) for name, text in texts.items()}
        text = json.dumps(self._facts, indent=2, sort_keys=True, ensure_ascii=False)
        (HERE / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")


def all_facts():
    """Return page -> name -> text of every number that stands in running text."""
    files = sorted(HERE.glob("*.json"))
    return {file.stem.replace("-", "_"): json.loads(file.read_text()) for file in files}


def data_folder(document):
    """Return the folder of the data that a script is called with; figures go to files only."""
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with the collections")
    mpl.use("agg")
    return parser.parse_args().data

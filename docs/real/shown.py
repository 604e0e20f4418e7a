"""What the scripts of this folder write for a page: tables, figures, and numbers told in prose."""

import argparse
import json
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

HERE = Path(__file__).parent
PAGES = [
    page
    for folder in ("", "guide", "papers", "questions", "reference", "tools")
    for page in sorted((HERE.parent / folder).glob("*.md"))
]
TABLE = re.compile(r"(<!-- table ([\w-]+) -->)\n\n(.*?)(<!-- /table -->)", re.DOTALL)
FACT = re.compile(r"(<!--(\w+\.\w+)-->\s*)(.*?)(<!--/-->)", re.DOTALL)


class Page:
    """A page of the documentation that shows results on real data.

    A table is kept in ``real/<page>-<name>.md``, and stands on pages between the comments
    ``table <page>-<name>`` and ``/table``. A fact is a number in running text: between the comments
    ``how_deep.lost`` and ``/`` stands what the script of the page ``how-deep`` gave as
    ``page.facts(lost="31%")``. Figures are kept in ``real/<page>-<name>.png``. Pages are as code
    hosts show them, too: what scripts gave is written into them, by `inscribe`.
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
        inscribe()

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
        inscribe()


def all_facts():
    """Return ``page.name`` -> text of every number that stands in running text."""
    return {
        f"{file.stem.replace('-', '_')}.{name}": text
        for file in sorted(HERE.glob("*.json"))
        for name, text in json.loads(file.read_text(encoding="utf-8")).items()
    }


def inscribe():
    """Write tables and facts into the pages, in place of those that stand there."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = inscribed(text)
        if new != text:
            page.write_text(new, encoding="utf-8")


def inscribed(text):
    """Return a page with its tables and facts as scripts last wrote them.

    A fact that is still to be given by a script that runs stands as it is.
    """
    facts = all_facts()
    text = TABLE.sub(lambda match: f"{match[1]}\n\n{_table(match[2])}\n{match[4]}", text)
    return FACT.sub(lambda match: f"{match[1]}{facts.get(match[2], match[3])}{match[4]}", text)


def _table(name):
    return (HERE / f"{name}.md").read_text(encoding="utf-8")


def data_folder(document):
    """Return the folder of the data that a script is called with; figures go to files only."""
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with the collections")
    mpl.use("agg")
    return parser.parse_args().data


if __name__ == "__main__":
    inscribe()

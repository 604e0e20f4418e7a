"""Tables, figure and facts of the page "Which model is best over tasks?".

Usage: python docs/real/over_tasks.py DATA, where DATA holds the folder ``chunking``: corpora,
questions and evidence of chunking_evaluation. A task is a corpus, and a system BM25 over chunks of
one size.
"""

import sys
import warnings
from pathlib import Path

import pandas as pd
from chunks import BUDGET, corpora
from shown import Page, data_folder

import irframe as ir
from irframe.printed import p_text

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from test_chunking import bm25, cut, read

PAGE = Page("over-tasks")
SIZES = (200, 400, 600, 800, 1200, 1600)
SHORT = {"chatlogs": "chat logs", "state_of_the_union": "speech", "wikitexts": "Wikipedia"}


def main():
    """Write the board, what goes wrong otherwise, and a dot per task."""
    warnings.filterwarnings("ignore", category=ir.errors.IrframeWarning)
    questions, texts, spans = read(data_folder(__doc__) / "chunking")
    lists = {f"{n} characters": bm25(questions, texts, cut(texts, n), depth=100) for n in SIZES}
    runs = pd.concat([run.assign(system=name) for name, run in lists.items()])
    runs = runs.assign(characters=runs["end"] - runs["start"])
    task = corpora(spans).replace(SHORT)
    cube = runs.ireval.cube(spans, units=ir.Units(length="characters"), ties="rank")
    cube = cube.ireval.design(task=task)
    scores = cube.ireval.score("SpanR", stop=ir.Budget(BUDGET))
    board = pd.DataFrame(scores.ireval.leaderboard())
    mean = board.columns[board.columns.get_loc("ci_low") - 1]
    tasks = list(task.value_counts().index)
    shown = board[["rank", "letters", mean, "ci_low", "ci_high", "win_rate", "borda", *tasks]]
    PAGE.table(spelled(shown.rename(columns={mean: "SpanR"})), "board")
    plain = runs.ireval.cube(spans, units=ir.Units(length="characters"), ties="rank")
    plain = plain.ireval.score("SpanR", stop=ir.Budget(BUDGET))
    rows = []
    drawn = plain.ireval.design(task=task)
    for name, (counted, options) in {
        "questions alike": (plain, {}),
        "tasks alike, new questions of these tasks": (drawn, {}),
        "tasks alike, new tasks": (drawn, {"over": "task"}),
    }.items():
        comparison = counted.ireval.compare(
            ir.Significance(adjust=None, **options), baseline="800 characters"
        )
        row = comparison.set_index("system_a").loc["1600 characters"]
        interval = f"[{row['ci_low']:.3f}, {row['ci_high']:.3f}]"
        rows.append(
            {"counted": name, "difference": f"{row['difference']:.3f}", "95% interval": interval}
        )
        rows[-1] |= {
            "p": p_text(row["p"]),
            "degrees of freedom": f"{row.get('df', row['n_topics'] - 1):.1f}",
        }
    PAGE.table(rows, "ways")
    counts = task.value_counts()
    PAGE.facts(questions=len(task), most=counts.iloc[0], least=counts.iloc[-1], tasks=len(counts))
    PAGE.figure(scores.ireval.plot.system_ranking(), "dots", dpi=110)
    ranked = scores.ireval.leaderboard(order_by="borda")
    PAGE.figure(ranked.ireval.plot.critical_difference(), "groups", dpi=110)


def spelled(frame):
    """Return numbers as a table spells them."""
    text = frame.reset_index()
    for name in frame.columns:
        if name not in {"rank", "letters"}:
            text[name] = [f"{value:.3f}" for value in text[name]]
    return text


if __name__ == "__main__":
    main()

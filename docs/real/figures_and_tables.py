"""A page of a paper, and what becomes of a table under every method of a Styler.

Usage: python docs/real/figures_and_tables.py DATA, where DATA holds trec-covid-round1 with
qrels.txt and runs/*.gz. Needs pdflatex, pdffonts and pdftoppm.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import pandas as pd
from shown import HERE, Page, data_folder

import irframe as ir

PAGE = Page("figures-and-tables")
COLUMN = 3.3
"""Width of a column of the paper, in inches, as LaTeX tells."""
PAPER = {
    "font.family": "serif",
    "mathtext.fontset": "cm",
    "font.size": 8,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1,
    "pdf.fonttype": 42,
}
NAMES = {
    "run1": "GUIR_S2",
    "xj4wang_run1": "xj4wang",
    "sab20.1.meta.docs": "sabir",
    "UIowaS_Run3": "UIowaS",
    "smith.rm3": "smith",
    "bm25_baseline": "abccaba",
}
"""Run -> its team."""
SHOWN = ["nDCG@10", "AP", "RBP(p=0.8)"]
TEXT = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[paperwidth=7.3in,paperheight=%(height)s,textwidth=6.9in,columnsep=0.3in,
            top=0.2in,bottom=0.1in]{geometry}
\usepackage{booktabs,caption,etoolbox,graphicx}
\captionsetup{font=small,labelfont=bf}
\pagestyle{empty}
\AtBeginEnvironment{table}{\small\setlength{\tabcolsep}{4pt}}
\begin{document}
\section*{Results}
Table~\ref{tab:means} lists the means of %(runs)s runs of TREC-COVID, round~1, over the same
%(topics)s topics. Which of them differ significantly depends on the metric. Their order depends on
the depth, too, as Figure~\ref{fig:depth} shows, and Figure~\ref{fig:ladder} how far each might have
moved on other topics.

\input{table}
\newpage

\noindent\begin{minipage}{\columnwidth}\centering
\includegraphics{depth}
\captionof{figure}{Mean nDCG by evaluation depth. Dotted: the depth of the pool.}\label{fig:depth}
\end{minipage}\medskip

\noindent\begin{minipage}{\columnwidth}\centering
\includegraphics{ladder}
\captionof{figure}{Places by nDCG@10 with 95\,\%% intervals, from paired $t$-tests corrected as by
Holm; tiers are shaded in turn.}\label{fig:ladder}
\end{minipage}\medskip
\typeout{COLUMN \the\columnwidth}
\end{document}
"""
ALONE = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage[table]{xcolor}
\begin{document}
%s
\end{document}
"""


def set_table(scores, path):
    """Set means with letters, and a caption that says how they were found."""
    pairs = scores.ireval.compare(adjust="holm")
    attrs = pairs.attrs
    topics, of_each = pairs["n_topics"].iloc[0], len(pairs) // len(SHOWN)
    caption = (
        f"Means over {topics} topics. Raised letters: the runs "
        "that this one significantly beats (paired $t$-test, "
        f"$p < {attrs['alpha']}$ after {attrs['adjust'].title()}'s "
        f"correction for the {of_each} pairs)."
    )
    table = pairs.ireval.styled(sort=True).set_caption(caption)
    for axis in ("index", "columns"):
        table.hide(axis=axis, names=True)
    position = {"position": "h", "position_float": "centering"}
    table.to_latex(path, label="tab:means", **position)


def draw_depths(scores, path):
    """Draw curves one column wide, the legend inside."""
    shown = {"metric": "nDCG", "systems": [*NAMES.values()]}
    ax = scores.ireval.plot.depth_curves(**shown, figsize=(COLUMN, 2.2))
    ax.set_title("", loc="left")
    ax.set_ylim(top=1)
    for line in ax.lines:
        line.set_linewidth(1)
    ax.legend(ncols=2, fontsize=7, frameon=False, loc="upper right")
    ax.figure.savefig(path)


def draw_places(scores, path):
    """Draw the places of the runs one column wide."""
    ranks = scores.sel(metric=["nDCG"], depth=10).ireval.rank_intervals()
    ax = ranks.ireval.plot.ladder(figsize=(COLUMN, 1.7))
    ax.set_title("", loc="left")
    ax.figure.savefig(path)


def compiled(folder, name="paper"):
    """Compile a text, and return what LaTeX says, or None if it does not compile."""
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    process = subprocess.run(call, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603 - of our own making
    return None if process.returncode else process.stdout


def fonts_in(path):
    """Return the kinds of fonts in a file of PDF."""
    call = ["pdffonts", str(path)]
    lines = subprocess.run(call, check=True, capture_output=True, text=True).stdout.splitlines()  # noqa: S603 - as above
    return ", ".join(sorted({line[37:54].strip() for line in lines[2:]}))


def paper(scores, cube_scores):
    """Make the page of the paper, draw it, and note widths and fonts."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with plt.rc_context(PAPER):
            set_table(scores, folder / "table.tex")
            draw_depths(cube_scores, folder / "depth.pdf")
            draw_places(cube_scores, folder / "ladder.pdf")
        with plt.rc_context({"pdf.fonttype": 3}):
            draw_places(cube_scores, folder / "plain.pdf")
        topics = scores.index.get_level_values("topic").nunique()
        values = {"height": "5.4in", "runs": len(NAMES), "topics": topics}
        (folder / "paper.tex").write_text(TEXT % values, encoding="utf-8")
        compiled(folder)
        log = compiled(folder)  # once more, for the references
        width = next(line for line in log.splitlines() if line.startswith("COLUMN")).split()[1]
        picture = HERE / "figures-and-tables-paper"
        call = ["pdftoppm", "-r", "160", "-png", "-singlefile", "paper.pdf", str(picture)]
        subprocess.run(call, cwd=folder, check=True)  # noqa: S603 - as above
        PAGE.facts(
            points=width.removesuffix("pt"),
            inches=f"{float(width.removesuffix('pt')) / 72.27:.2f}",
            fonts=fonts_in(folder / "ladder.pdf"),
            plain_fonts=fonts_in(folder / "plain.pdf"),
        )


METHODS = {
    "format": lambda t: t.format("{:.1f}"),
    "format_index": lambda t: t.format_index(str.upper),
    "format_index_names": lambda t: t.format_index_names(str.upper),
    "relabel_index": lambda t: t.relabel_index(["x", "y", "z"], axis="columns"),
    "hide": lambda t: t.hide(["RR"], axis="columns").hide(axis="index", level=0),
    "highlight_best": lambda t: t.highlight_best("color: red"),
    "highlight_max": lambda t: t.highlight_max(props="color: red"),
    "highlight_min": lambda t: t.highlight_min(props="color: red"),
    "highlight_between": lambda t: t.highlight_between(left=0.5, props="color: red"),
    "highlight_quantile": lambda t: t.highlight_quantile(q_left=0.5, props="color: red"),
    "background_gradient": lambda t: t.background_gradient(),
    "text_gradient": lambda t: t.text_gradient(),
    "apply": lambda t: t.apply(lambda column: ["color: red"] * len(column)),
    "map": lambda t: t.map(lambda value: "color: red" if value > 0.5 else ""),
    "apply_index": lambda t: t.apply_index(lambda labels: ["color: red"] * len(labels)),
    "map_index": lambda t: t.map_index(lambda _: "color: red"),
    "set_properties": lambda t: t.set_properties(**{"font-style": "italic"}),
    "set_caption": lambda t: t.set_caption("Means."),
    "pipe": lambda t: t.pipe(lambda styler: styler.format("{:.1f}")),
    "use": lambda t: t.use(t.format("{:.1f}").export()),
    "concat": lambda t: t.concat(_means_below(t)),
    "bar": lambda t: t.bar(),
    "set_table_attributes": lambda t: t.set_table_attributes('class="wide"'),
    "set_uuid": lambda t: t.set_uuid("x"),
    "set_td_classes": lambda t: t.set_td_classes(_words(t)),
    "set_table_styles": lambda t: t.set_table_styles([{"selector": "th", "props": "color: red"}]),
    "set_tooltips": lambda t: t.set_tooltips(_words(t)),
    "set_sticky": lambda t: t.set_sticky(),
    "clear": lambda t: t.clear() or t,
}
"""Method -> a table with it."""


def _words(table):
    return pd.DataFrame("word", table.index, table.columns)


def _means_below(table):
    labels = pd.MultiIndex.from_tuples([("", "mean")], names=table.index.names)
    return pd.DataFrame([table.data.mean()], index=labels).style.format(precision=3)


def methods(scores):
    """Write what becomes of the marks, and of the table in LaTeX, under every method."""
    pairs = scores.ireval.compare(adjust="holm")
    plain = pairs.ireval.styled().to_latex()
    rows = []
    for name, change in METHODS.items():
        table = change(pairs.ireval.styled())
        latex, html = table.to_latex(), table.to_html()
        stay = "<sup>" in html and "$^{" in latex
        outcome = "no effect" if latex == plain else "works"
        with TemporaryDirectory() as folder:
            Path(folder, "alone.tex").write_text(ALONE % latex, encoding="utf-8")
            if compiled(folder, "alone") is None:
                outcome = "does not compile"
        rows.append((name, "yes" if stay else "no", outcome))
    results = pd.DataFrame(rows, columns=["method", "marks stay", "in LaTeX"])
    groups = results.groupby(["marks stay", "in LaTeX"], sort=False)["method"]
    listed = groups.agg(lambda names: ", ".join(f"`{name}`" for name in names)).reset_index()
    PAGE.table(listed[["method", "marks stay", "in LaTeX"]], "styler")


def main():
    """Write everything."""
    data = data_folder(__doc__)
    runs, qrels = ir.example_track()
    few = runs[runs["system"].isin(["bm25", "ance", "splade", "monot5"])]
    methods(few.ireval.evaluate(qrels, ["AP", "nDCG@10", "RR"]))
    covid = data / "trec-covid-round1"
    runs = ir.read_runs([covid / "runs" / f"{run}.gz" for run in NAMES], system="file")
    runs["system"] = runs["system"].map(NAMES)
    qrels = ir.read_qrels(covid / "qrels.txt")
    scores = runs.ireval.cube(
        qrels, depth=1000, pool=ir.Pool(depth=7, contributing=[*NAMES.values()])
    )
    paper(runs.ireval.evaluate(qrels, SHOWN), scores.ireval.score("nDCG"))


if __name__ == "__main__":
    main()

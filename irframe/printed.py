"""How results print: rounded, and a comparison by the columns that answer."""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from irframe.errors import cautions_of, listing
from irframe.escaping import html, visible
from irframe.names import P_VALUES, RESULT, SIDES

DECIMALS, WIDTH = 3, 80
PRECISION = 6
"""Decimals that pandas prints unless it is told otherwise."""
ANSWER = ["difference", "ci_low", "ci_high", "p_adjusted", "significant"]
"""Columns of a comparison that say by how much systems differ, and how surely."""
BESIDE = {
    *("mean_a", "mean_b", "effect_size", "statistic", "p", "wins", "ties", "losses", "n_topics"),
    *(
        f"{kind}{claim}{how}"
        for claim in ("not_worse", "equivalent")
        for kind, how in (("p_", ""), ("p_", "_adjusted"), ("", ""))
    ),
}
"""Those that it has in any case, or that its verdict sums up; others were asked for or added."""
FIRST = {
    "check": ("severity", "found", "first_unjudged", "unjudged_at_10", "longest"),
    "leave_out": ("metric", "depth", "team", "system", "lost", "rank", "rank_without", "tau"),
    "explain": ("topic", "doc", "rank_a", "rank_b", "grade", "difference"),
    "search_lengths": ("system", "topic", "doc", "grade", "rank", "search_length"),
    "compare_orderings": (
        *("metric", "system_a", "system_b", "difference", "p", "p_orderings", "favours"),
        *("dagger", "double_dagger", "mark"),
    ),
    "rank_intervals": ("rank", "rank_low", "rank_high", "first", "mean", "ci_low", "ci_high"),
    "decide": ("decided", "better", "low", "high"),
    "rrie": ("rrie", "old", "new"),
    "reordering": ("delta_sort", "kendall"),
    "ablation": ("step", "delta_sort", "kendall", "system"),
    "describe": ("systems", "topics", "longest", "grades", "judged", "pool_depth", "unjudged"),
    "archetypes": ("total", "typical A", "typical B", "excellent A", "excellent B"),
    "risk": ("metric", "system_a", "system_b", "difference", "urisk", "trisk", "georisk"),
}
"""What one came for: of what a verb gives, the columns that are shown before others."""
LONGEST, SHORTEST = 36, 10
"""Characters of a text that are shown where not everything has room, at most and at least."""
UNCUT = {"interval", "g interval", "verdict", "ranks"}
"""Texts of the command line that lose their meaning if they are cut."""
LABELS = {
    *("metric", "group", "track", "system", "system_a", "system_b", "baseline", "topic", "doc"),
    *("team", "step", "old", "new"),
}
"""Columns that say what a row is about, which are shown before others."""
OUTCOMES = [
    *("delta", "share_neither", "share_a_only", "share_b_only", "share_both"),
    *("esl_a", "esl_b", "p_esl_wilcoxon", "p_esl_t", "rr_a", "rr_b", "p_rr_wilcoxon", "p_rr_t"),
]
"""Columns of the summary of outcomes, as the paper's table has them."""
MOST_LETTERS = 6
"""Letters of a system up to which they are read; beyond, tiers are shown."""
MEANS = "mean_a"
"""The first column of a comparison that is none of its labels."""


def p_text(p: float, decimals: int = DECIMALS) -> str:
    """Return a p-value as it is printed.

    Examples
    --------
    >>> p_text(0.03456), p_text(1e-9), p_text(float("nan")), p_text(1e-9, 4)
    ('0.035', '<.001', '-', '<.0001')
    """
    if p != p:  # noqa: PLR0124 - as NaN is not
        return "-"
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}".replace("0.", ".") if p < least else f"{p:.{decimals}f}"


def fixed_text(number: Any, decimals: int = 4, sign: str = "") -> Any:
    """Return a float as text, of which nothing has no sign; what is none as it is.

    Examples
    --------
    >>> fixed_text(-0.00001), fixed_text(0.25, 3, "+"), fixed_text("bm25")
    ('0.0000', '+0.250', 'bm25')
    """
    if not isinstance(number, float):
        return number
    text = f"{number:{sign}.{decimals}f}"
    return text if text.strip("+-0.") else text.lstrip("+-")


def interval_text(low: float, high: float, sign: str = "") -> str:
    """Return an interval as text, a dash for none.

    Examples
    --------
    >>> interval_text(-0.00001, 0.25), interval_text(float("nan"), 1.0)
    ('[0.0000, 0.2500]', '-')
    """
    ends = (fixed_text(end, sign=sign) for end in (low, high))
    return "-" if pd.isna(low) else f"[{', '.join(ends)}]"


def is_p(name: object) -> bool:
    """Tell whether a column of this name holds p-values.

    Examples
    --------
    >>> is_p("p_adjusted"), is_p("power")
    (True, False)
    """
    return name == "p" or str(name).startswith("p_")


class _Frames(type):
    """What makes any frame a result to ``isinstance``, so that tests may expect a plain one."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


class Kept(pd.DataFrame):
    """A frame whose parts are of its own kind."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return type(self)

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> pd.DataFrame:
        # pandas 2.2.0 would give the manager to the constructor, which warns of that
        made: pd.DataFrame = self._from_mgr(mgr, axes)  # type: ignore[operator]
        return made


class Result(Kept, metaclass=_Frames):
    """A frame that prints rounded to three decimals, and a comparison by what answers.

    Its values are as precise, and its columns as many, as those of any frame. Whoever sets
    ``display.precision`` or ``display.float_format`` of pandas, or makes a plain
    ``pd.DataFrame`` of it, sees all of them.

    Examples
    --------
    >>> Result({"difference": [1 / 3, 0.02], "p": [1e-9, 0.5]})
       difference      p
    0       0.333  <.001
    1       0.020  0.500
    """

    def __repr__(self) -> str:
        shown, note = _printed(self)
        if note and not _is_own():
            shown = _narrowed(shown, list(shown.columns))
        elif not _is_own():
            shown, note = fitted(shown, FIRST.get(self.attrs.get(RESULT, ""), ()))
        notes = [textwrap.fill(text, WIDTH) for text in (note, *self._beware()) if text]
        with pd.option_context(*_options(note)):
            return visible("\n\n".join([repr(shown), *notes]))

    def _repr_html_(self) -> str | None:
        shown, note = _printed(self)
        with pd.option_context(*_options(note)):
            page: str | None = shown._repr_html_()  # type: ignore[operator]
        page = visible(page) if page else page
        notes = [f"<p>{html(text)}</p>" for text in (note, *self._beware()) if text]
        return "\n".join([page, *notes]) if page else page

    def _beware(self) -> list[str]:
        """Return what it is to be read with, as it is printed."""
        return [f"Beware: {text}" for text in cautions_of(self.attrs)]


def _options(note: str) -> tuple[Any, ...]:
    """Return options of pandas for a frame whose columns were chosen: print all of these."""
    shape, columns = "display.show_dimensions", "display.max_columns"
    return (shape, False, columns, None) if note else (shape, pd.get_option(shape))


def _printed(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return a frame as it is printed, and a note of the columns that are not, or of p-values."""
    said, frame = frame.attrs.get(P_VALUES), pd.DataFrame(frame)
    if _is_own():
        return frame, ""
    chosen, note = _answering(frame)
    shown = chosen.round(DECIMALS)
    for place, (name, column) in enumerate(chosen.items()):
        if is_p(name) and column.dtype.kind == "f":
            spelled = partial(p_text, decimals=DECIMALS)
            shown.isetitem(place, column.map(spelled, na_action="ignore").to_numpy())
        elif column.dtype.kind == "f" and not shown.iloc[:, place].any():
            shown.isetitem(place, column.to_numpy())  # small, but not nothing
        elif column.dtype.kind == "f":
            shown.isetitem(place, shown.iloc[:, place].to_numpy() + 0.0)  # nothing has no sign
    return shown, note or f"[p-values {said}]" * bool(said)


def _is_own() -> bool:
    """Tell whether users have said how numbers are printed."""
    own = pd.get_option("display.precision") != PRECISION
    return own or pd.get_option("display.float_format") is not None


def fitted(
    frame: pd.DataFrame, first: Sequence[str], width: int = WIDTH - 2
) -> tuple[pd.DataFrame, str]:
    """Return as much of a frame as fits on a line, some columns before others, and what does not.

    pandas wraps lines that are two characters shorter than its width.

    Examples
    --------
    >>> frame = pd.DataFrame({name: ["x" * 30] for name in ("a", "b", "c")})
    >>> fitted(frame, ["c"])[1]
    '[1 rows x 3 columns; not shown: b]'
    """
    seen, names = _head_and_tail(frame), list(frame.columns)
    if not frame.columns.is_unique or _width_of(seen) <= width:
        return frame, ""
    labels = [name for name in names if name in LABELS and not _is_constant(seen[name])]
    first = [name for name in dict.fromkeys([*labels, *first]) if name in names]
    cut = _narrowed(seen, first, width)
    kept: list[Any] = []
    for name in dict.fromkeys([*first, *names]):
        wider = [one for one in names if one in {*kept, name}]
        kept = wider if name in labels or _width_of(cut[wider]) <= width else kept
    left = [name for name in names if name not in kept]
    same = [name for name in left if name in LABELS and _is_constant(seen[name])]
    notes = [f"{len(frame)} rows x {len(names)} columns"]
    notes += [f"{name} {seen[name].iloc[0]}" for name in same]
    hidden = ", ".join(str(name) for name in left if name not in same)
    notes += [f"not shown: {hidden}"] if hidden else []
    return _narrowed(seen[kept], kept, width), f"[{'; '.join(notes)}]"


def _narrowed(frame: pd.DataFrame, columns: Sequence[Any], width: int = WIDTH - 2) -> pd.DataFrame:
    """Return a frame with texts cut until some columns fit on a line beside its labels."""
    for most in range(LONGEST, SHORTEST, -2):
        cut = _cut_texts(frame, most)
        if _width_of(cut[[*columns]]) <= width:
            break
    return cut


def _cut_texts(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return a frame with long texts cut to so many characters, where they stay distinct."""

    def short(value: Any, head: int) -> Any:
        if not isinstance(value, str) or len(value) <= most:
            return value
        return f"{value[:head]}\N{HORIZONTAL ELLIPSIS}{value[1 + head - most :]}"

    def distinct(values: Any) -> Any:
        cuts = (values.map(partial(short, head=head)) for head in (most // 3, most - 2))
        return next((cut for cut in cuts if cut.nunique() == values.nunique()), values)

    shown = frame.copy()
    for place, (name, kind) in enumerate(frame.dtypes.items()):
        if not pd.api.types.is_numeric_dtype(kind) and name not in UNCUT:
            shown.isetitem(place, distinct(frame.iloc[:, place].astype(object)))
    if isinstance(frame.index, pd.MultiIndex):
        shown.index = frame.index.set_levels([distinct(level) for level in frame.index.levels])
    else:
        shown.index = distinct(frame.index)
    return shown


def _width_of(frame: pd.DataFrame) -> int:
    is_labelled = not (frame.index == "").all()
    return max(map(len, frame.to_string(index=is_labelled).split("\n")))


def letters_a_row(board: pd.DataFrame) -> int:
    """Return the most letters that a system of a leaderboard has, 0 of other frames."""
    known = board["letters"].dropna() if "letters" in board else ()
    return max(map(len, known), default=0)


def beside_the_point(board: pd.DataFrame) -> list[str]:
    """Return columns of a leaderboard that say what others say too, or the same of all systems.

    Examples
    --------
    >>> board = pd.DataFrame({"rank": [1, 2], "tier": 1, "letters": "a", "n_topics": 16})
    >>> beside_the_point(board)
    ['tier', 'n_topics']
    """
    left = [
        "letters" if letters_a_row(board) > MOST_LETTERS else "tier",
        "difference",
        "significant",
    ]
    left += [f"{name}_{end}" for name in ("win_rate", "borda") for end in ("low", "high")]
    if _is_constant(board["n_topics"]):
        left.append("n_topics")
    return [name for name in left if name in board.columns]


def _answering(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the columns of a comparison or leaderboard that answer; others whole."""
    shape = f"{len(frame)} rows x {len(frame.columns)} columns"
    if not frame.columns.is_unique or "n_topics" not in frame.columns:
        return frame, ""
    if len(shown := of_outcomes(frame)) < len(frame.columns):
        more = f"{len(frame.columns) - len(shown)} more in columns"
        return _head_and_tail(frame[shown]), f"[{shape}: {more}]"
    if not {"rank", "letters", "rank_low"} <= {*frame.columns}:
        return _answers(frame, shape)
    left = beside_the_point(frame)
    if "p_adjusted" in frame.columns:  # beyond 80 columns
        left += ["rank_low", "rank_high"]
    topics = f"; n_topics {frame['n_topics'].iloc[0]}" if "n_topics" in left else ""
    if "could_be_first" in frame.columns:  # beyond 80 columns
        left.append("could_be_first")
        first = frame.index[frame["could_be_first"].fillna(value=False).astype(bool)]
        topics += f"; could be first: {listing(first)}" if frame.index.nlevels == 1 else ""
    note = f"[{shape}{topics}; not shown: {', '.join(name for name in left if name != 'n_topics')}]"
    return _head_and_tail(frame.drop(columns=left)), note


def of_outcomes(frame: pd.DataFrame) -> list[Any]:
    """Return the columns of a summary of outcomes that the paper's table has; else all.

    Its p-values are shown as they were corrected.
    """
    names: list[Any] = [*frame.columns]
    if not {*OUTCOMES, "n_topics"} <= {*names}:
        return names
    told = (f"{name}_adjusted" if f"{name}_adjusted" in names else name for name in OUTCOMES)
    return [*names[: names.index("n_topics")], *told]


def _answers(frame: pd.DataFrame, shape: str) -> tuple[pd.DataFrame, str]:
    """Return the columns of a comparison that answer, labels that differ first; others whole."""
    if not {MEANS, *ANSWER} <= {*frame.columns}:
        return frame, ""
    labels = list(frame.columns[: frame.columns.get_loc(MEANS)])
    if not {*labels}.isdisjoint(ANSWER):
        return frame, ""  # in an order of the user's own
    same = [name for name in labels if _is_constant(frame[name])]
    if len(frame) == 1:
        same = [name for name in same if name not in SIDES]
    dropped = {*same}
    if {"metric", "depth"} <= {*labels}:
        pairs = frame[["metric", "depth"]].drop_duplicates()
        dropped |= set() if pairs["metric"].duplicated().any() else {"depth"}  # the metric says it
    labels = [name for name in labels if name not in dropped]
    beside = BESIDE | {*labels, *ANSWER, *same, *dropped}
    beside |= {"detectable"} if "not_worse" in frame.columns else set()
    kept = [*labels, *ANSWER, *(name for name in frame.columns if name not in beside)]
    said = [f"{name} {frame[name].iloc[0]}" for name in same]
    left = [str(name) for name in frame.columns if name not in {*kept, *same}]
    note = "; ".join([shape, *said, f"not shown: {', '.join(left)}"])
    return _head_and_tail(frame[kept]), f"[{note}]"


DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Depths, and other whole numbers, that an excerpt of an array shows."""
MOST_LABELS, MOST_ROWS = 8, 20
"""Labels of a dimension, and rows, that an excerpt of an array shows."""


def excerpt(data: Any) -> str:
    """Return some of the values of a result that is an array, as a table; else nothing.

    Of a dataset the first variable with two or more dimensions is shown. Values that are not yet
    computed are not shown.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    >>> print(excerpt(scores.ireval.discrimination()))
    depth      1      2      5      10     20     50
    metric
    AP      0.000  0.000  0.214  0.393  0.393  0.429
    nDCG    0.036  0.071  0.250  0.393  0.429  0.393
    """
    variables = getattr(data, "data_vars", {"": data})
    name = next((n for n, v in variables.items() if getattr(v, "ndim", 0) > bool(n)), None)
    if name is None or isinstance(data, pd.Series | pd.DataFrame) or variables[name].chunks:
        return ""
    data = variables[name]
    for dim in data.dims:
        labels = data[dim].to_numpy()
        known = [label for label in DEPTHS if label in labels] if labels.dtype.kind in "iu" else []
        if len(labels) > MOST_LABELS:
            chosen = {dim: known} if len(known) > 1 else None
            data = data.sel(chosen) if chosen else data.isel({dim: slice(MOST_LABELS)})
    is_wide = sum(len(str(label)) + 2 for label in data[data.dims[-1]].to_numpy()) > WIDTH
    across = data.dims[0 if is_wide else -1]
    values = data.drop_vars([c for c in data.coords if c not in data.dims]).to_series()
    frame = values.unstack(across, sort=False) if data.ndim > 1 else values.to_frame().T  # noqa: PD010
    holds_p = is_p(name) or str(data.name).endswith("p-value")
    shown, _ = fitted(frame.map(p_text) if holds_p else frame.round(DECIMALS), [])
    with pd.option_context("display.max_rows", MOST_ROWS):
        lines = [f"{name}:" if name else "", *repr(shown).split("\n")]
    return visible("\n".join(line.rstrip() for line in lines if line))


def _is_constant(column: pd.Series) -> bool:
    return len(column) > 0 and not column.factorize()[0].any()  # missing ones are -1


def _head_and_tail(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without rows of its middle that pandas does not print."""
    most = pd.get_option("display.max_rows") or len(frame)
    return frame if len(frame) <= 2 * most else pd.concat([frame.head(most), frame.tail(most)])

"""Printing of results: rounded numbers, and the most important columns."""

import textwrap
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from irframe.errors import cautions_of, listing
from irframe.escaping import html, visible
from irframe.names import P_VALUES, RESULT, SIDES

DECIMALS = 3
WIDTH = 80
PRECISION = 6
"""Number of decimals that pandas prints by default."""
ANSWER = ["difference", "ci_low", "ci_high", "p_adjusted", "significant"]
"""Columns of a comparison with the difference of two systems and its significance."""
SECONDARY = {
    *("mean_a", "mean_b", "effect_size", "statistic", "p", "wins", "ties", "losses", "n_topics"),
    *(
        f"{kind}{claim}{suffix}"
        for claim in ("not_worse", "equivalent")
        for kind, suffix in (("p_", ""), ("p_", "_adjusted"), ("", ""))
    ),
}
"""Columns of a comparison that are not printed, because they are less important."""
FIRST = {
    "check": ("severity", "found", "first_unjudged", "unjudged_at_10", "longest"),
    "leave_out": ("metric", "depth", "team", "system", "lost", "rank", "rank_without", "tau"),
    "explain": ("topic", "doc", "rank_a", "rank_b", "grade", "difference"),
    "search_lengths": ("system", "topic", "doc", "grade", "rank", "search_length"),
    "compare_orderings": (
        *("system_a", "system_b", "difference", "p", "p_orderings", "mark", "favours"),
    ),
    "rank_intervals": ("rank", "rank_low", "rank_high", "first", "mean", "ci_low", "ci_high"),
    "decide": ("decided", "better", "low", "high"),
    "rrie": ("rrie", "old", "new"),
    "reordering": ("delta_sort", "kendall"),
    "ablation": ("step", "delta_sort", "kendall", "system"),
    "describe": ("systems", "topics", "longest", "grades", "judged", "pool_depth", "unjudged"),
    "archetypes": ("total", "typical A", "typical B", "excellent A", "excellent B"),
    "risk_coverage": ("system", "threshold", "coverage", "risk", "left_alone"),
    "risk": ("metric", "system_a", "system_b", "difference", "urisk", "trisk", "georisk"),
}
"""Mapping from verbs to the columns that take precedence if a result is too wide to print."""
LONGEST = 36
SHORTEST = 10
"""Minimum number of characters to which strings are shortened in a table that is too wide."""
LEAST = 5
"""Minimum number of characters of a shortened label."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""Character that stands for the omitted characters of a label."""
UNCUT = {"interval", "g interval", "verdict", "ranks"}
"""Columns in the output of the command line whose values are never shortened."""
LABELS = {
    *("metric", "group", "track", "system", "system_a", "system_b", "baseline", "topic", "doc"),
    *("team", "step", "old", "new"),
}
"""Columns of labels, which are always printed, before all other columns."""
OUTCOMES = [
    *("delta", "share_neither", "share_a_only", "share_b_only", "share_both"),
    *("esl_a", "esl_b", "p_esl_wilcoxon", "p_esl_t", "rr_a", "rr_b", "p_rr_wilcoxon", "p_rr_t"),
]
"""Columns that are printed for the summary of a result of `irframe.verbs.outcomes`."""
MOST_LETTERS = 6
"""Maximum number of significance letters per system. With more letters, tiers are printed."""
VERDICT = ["difference", "significant", "ci_low", "ci_high", "p_adjusted"]
"""The columns in `ANSWER` in order of importance, for comparisons that are too wide to print."""
ENDS = (["ci_low", "ci_high"], ["rank_low", "rank_high"])
"""Pairs of columns with limits of intervals. Both columns of a pair are printed, or neither."""
NOT_SHOWN = "not shown: "
MEANS = "mean_a"
"""The first column of a comparison that is not a label. All columns before it are labels."""


def p_text(p: float, decimals: int = DECIMALS) -> str:
    """Return a p-value as text.

    Examples
    --------
    >>> p_text(0.03456), p_text(1e-9), p_text(float("nan")), p_text(1e-9, 4)
    ('0.035', '<.001', '-', '<.0001')
    """
    if p != p:  # noqa: PLR0124 - true for NaN only
        return "-"
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}".replace("0.", ".") if p < least else f"{p:.{decimals}f}"


def fixed_text(number: object, decimals: int = 4, sign: str = "") -> Any:
    """Return a float as text, and other values unchanged.

    A number that rounds to zero is written without a sign.

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
    """Return an interval as text, or a dash for NaN.

    Examples
    --------
    >>> interval_text(-0.00001, 0.25), interval_text(float("nan"), 1.0)
    ('[0.0000, 0.2500]', '-')
    """
    ends = (fixed_text(end, sign=sign) for end in (low, high))
    return "-" if pd.isna(low) else f"[{', '.join(ends)}]"


def is_p(name: object) -> bool:
    """Return whether a column contains p-values, judging by its name.

    Examples
    --------
    >>> is_p("p_adjusted"), is_p("power")
    (True, False)
    """
    return name == "p" or str(name).startswith("p_")


class _Frames(type):
    """Metaclass that makes every frame an instance of `Result`.

    The function `pandas.testing.assert_frame_equal` then accepts a result and a plain frame.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


class Kept(pd.DataFrame):
    """Frame whose selections of rows or columns keep the class."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return type(self)

    def _constructor_from_mgr(self, mgr: object, axes: object) -> pd.DataFrame:
        # pandas 2.2.0 would pass the manager to the constructor, which warns
        frame: pd.DataFrame = self._from_mgr(mgr, axes)  # type: ignore[operator]
        return frame


class Result(Kept, metaclass=_Frames):
    """Frame that prints rounded numbers and the most important columns.

    The frame itself contains all digits and columns. To print them, set ``display.precision`` or
    ``display.float_format`` of pandas, or convert the result to a plain ``pd.DataFrame``.

    Examples
    --------
    >>> Result({"difference": [1 / 3, 0.02], "p": [1e-9, 0.5]})
       difference      p
    0       0.333  <.001
    1       0.020  0.500
    """

    def __repr__(self) -> str:
        shown, note = _printed(self)
        further = ""
        if not _has_user_format() and "esl_a" not in shown.columns:  # outcomes print all columns
            columns = shown.columns
            shown, further = fitted(shown, FIRST.get(self.attrs.get(RESULT, ""), VERDICT))
            if further and NOT_SHOWN in note:
                hidden = [str(name) for name in columns if name not in shown.columns]
                note, further = f"{note[:-1]}, {', '.join(hidden)}]", ""
        elif not _has_user_format():
            shown = narrowed(shown, list(shown.columns))
        notes = [text for text in (note, further, *self._beware()) if text]
        with pd.option_context(*_options(note or further)):
            wrapped = [textwrap.fill(text, WIDTH) for text in notes]
            return visible("\n\n".join([repr(shown), *wrapped]))

    def _repr_html_(self) -> str | None:
        shown, note = _printed(self)
        with pd.option_context(*_options(note)):
            page: str | None = shown._repr_html_()  # type: ignore[operator]
        page = visible(page) if page else page
        notes = [f"<p>{html(text)}</p>" for text in (note, *self._beware()) if text]
        return "\n".join([page, *notes]) if page else page

    def _beware(self) -> list[str]:
        """Return one line of text for each caution."""
        return [f"Beware: {text}" for text in cautions_of(self.attrs)]


def _options(note: str) -> tuple[Any, ...]:
    """Return pandas options for printing a result.

    If a note contains the size of the result, pandas prints no size and does not omit columns.
    """
    shape = "display.show_dimensions"
    if note:
        return shape, False, "display.max_columns", None
    return shape, pd.get_option(shape)


def _printed(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the frame to print and the note below.

    The note names the columns that are not printed, or states whether p-values are corrected.
    """
    p_values = frame.attrs.get(P_VALUES)
    frame = pd.DataFrame(frame)
    if _has_user_format():
        return frame, ""
    chosen, note = _chosen_columns(frame)
    shown = chosen.round(DECIMALS)
    for pos, (name, column) in enumerate(chosen.items()):
        if is_p(name) and column.dtype.kind == "f":
            texts = column.map(partial(p_text, decimals=DECIMALS), na_action="ignore")
            shown.isetitem(pos, texts.to_numpy())
        elif column.dtype.kind == "f" and not shown.iloc[:, pos].any():
            shown.isetitem(pos, column.to_numpy())  # all numbers would round to 0
        elif column.dtype.kind == "f":
            shown.isetitem(pos, shown.iloc[:, pos].to_numpy() + 0.0)  # -0.0 becomes 0.0
    return shown, note or (f"[p-values {p_values}]" if p_values else "")


def _has_user_format() -> bool:
    """Return whether users changed how pandas prints numbers."""
    changed = pd.get_option("display.precision") != PRECISION
    return changed or pd.get_option("display.float_format") is not None


def fitted(
    frame: pd.DataFrame, first: Sequence[str], width: int = WIDTH - 2
) -> tuple[pd.DataFrame, str]:
    """Return the columns that fit, and name the omitted columns.

    The columns in `first` take precedence. The default width is two characters
    less than the pandas default, because pandas wraps lines of full width.

    Examples
    --------
    >>> frame = pd.DataFrame({name: ["x" * 30] for name in ("a", "b", "c")})
    >>> fitted(frame, ["c"])[1]
    '[1 rows x 3 columns; not shown: b]'
    """
    rows = _head_and_tail(frame)
    names = list(frame.columns)
    if not frame.columns.is_unique or _width_of(rows) <= width:
        return frame, ""
    same = [n for n in names if n in LABELS and len(rows) > 1 and _is_constant(rows[n])]
    chosen = [name for name in names if name in LABELS and name not in same]
    first = [name for name in dict.fromkeys([*chosen, *first]) if name in names]
    cut = narrowed(rows, first, width)
    for name in dict.fromkeys([*first, *names]):
        added = next((ends for ends in ENDS if name in ends), [name])
        wider = [column for column in names if column in {*chosen, *added}]
        chosen = wider if _width_of(cut[wider]) <= width else chosen
    omitted = [name for name in names if name not in chosen]
    notes = [f"{len(frame)} rows x {len(names)} columns"]
    notes += [f"{name} {rows[name].iloc[0]}" for name in same if name in omitted]
    hidden = ", ".join(str(name) for name in omitted if name not in same)
    notes += [f"{NOT_SHOWN}{hidden}"] if hidden else []
    return narrowed(rows[chosen], chosen, width), f"[{'; '.join(notes)}]"


def narrowed(
    frame: pd.DataFrame, columns: Sequence[Hashable], width: int = WIDTH - 2
) -> pd.DataFrame:
    """Shorten the strings in a frame until `columns` fit.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["a" * 40, "b" * 40]})
    >>> narrowed(frame, ["system"], 20).to_dict("list")
    {'system': ['aaaaaaaa\u2026aaaaaaa', 'bbbbbbbb\u2026bbbbbbb']}
    """
    for most in range(LONGEST, SHORTEST - 1, -2):
        cut = _cut_texts(frame, most)
        if _width_of(cut[[*columns]]) <= width:
            break
    return cut


def _cut_texts(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Shorten the strings in a frame, but keep them distinct."""

    def cut(values: Any) -> Any:
        texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
        short = dict(zip(texts, short_labels(texts, most), strict=True))
        return values.map(lambda value: short[value] if isinstance(value, str) else value)

    shown = frame.copy()
    for pos, (name, kind) in enumerate(frame.dtypes.items()):
        if not pd.api.types.is_numeric_dtype(kind) and name not in UNCUT:
            shown.isetitem(pos, cut(frame.iloc[:, pos].astype(object)))
    if isinstance(frame.index, pd.MultiIndex):
        shown.index = frame.index.set_levels([cut(level) for level in frame.index.levels])
    elif not pd.api.types.is_numeric_dtype(frame.index.dtype):
        shown.index = cut(frame.index)
    return shown


def short_labels(labels: Sequence[str], most: int) -> list[str]:
    """Return labels shortened to a number of characters.

    An ellipsis replaces the middle of a longer label. Labels stay distinct, and have more than
    `most` characters if that is necessary.

    Parameters
    ----------
    labels
        Labels, such as names of systems.
    most
        Maximum number of characters of a label, at least 5.

    Examples
    --------
    >>> short_labels(["bm25", "dense-retrieval-run-1", "dense-retrieval-run-2"], 12)
    ['bm25', 'dense-\u2026run-1', 'dense-\u2026run-2']
    >>> short_labels(["our-lab-run-1-of-2026-05", "our-lab-run-2-of-2026-05"], 9)
    ['\u2026run-1-o\u2026', '\u2026run-2-o\u2026']
    """
    for length in range(max(most, LEAST), max(map(len, labels), default=0)):
        for tried in _shortened(labels, length):
            if len(set(tried)) == len(set(labels)):
                return tried
    return list(labels)


def _shortened(texts: Sequence[str], length: int) -> Iterator[list[str]]:
    """Yield lists of shortened strings that omit different characters."""
    n_kept = length - 1
    for head in sorted(range(2, n_kept - 1), key=lambda head: abs(head - (n_kept + 1) // 2)):
        ends = [text[:head] + ELLIPSIS + text[len(text) - n_kept + head :] for text in texts]
        yield [t if len(t) <= length else cut for t, cut in zip(texts, ends, strict=True)]
    columns = enumerate(zip(*(text for text in texts if len(text) > length), strict=False))
    differs = next((pos for pos, letters in columns if len(set(letters)) > 1), 0)
    start = max(0, differs - n_kept // 2)
    middles = [f"{ELLIPSIS}{text[start : start + n_kept - 1]}{ELLIPSIS}" for text in texts]
    yield [t if len(t) <= length else middle for t, middle in zip(texts, middles, strict=True)]


def _width_of(frame: pd.DataFrame) -> int:
    is_labelled = not (frame.index == "").all()
    return max(map(len, frame.to_string(index=is_labelled).split("\n")))


def most_letters(board: pd.DataFrame) -> int:
    """Return the largest number of significance letters of a system.

    The result is 0 for a leaderboard without letters.
    """
    letters = board["letters"].dropna() if "letters" in board else ()
    return max(map(len, letters), default=0)


def redundant_columns(board: pd.DataFrame) -> list[str]:
    """Return the redundant columns of a leaderboard.

    A column is redundant if other columns determine its values, or if all its values are equal.

    Examples
    --------
    >>> board = pd.DataFrame({"rank": [1, 2], "tier": 1, "letters": "a", "n_topics": 16})
    >>> redundant_columns(board)
    ['tier', 'n_topics']
    """
    redundant = [
        "letters" if most_letters(board) > MOST_LETTERS else "tier",
        "difference",
        "significant",
    ]
    redundant += [f"{name}_{end}" for name in ("win_rate", "borda") for end in ("low", "high")]
    if _is_constant(board["n_topics"]):
        redundant.append("n_topics")
    return [name for name in redundant if name in board.columns]


def _chosen_columns(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the printed columns of a result, and a note.

    Columns are omitted from comparisons, leaderboards and summaries of outcomes only.
    """
    shape = f"{len(frame)} rows x {len(frame.columns)} columns"
    if not frame.columns.is_unique or "n_topics" not in frame.columns:
        return frame, ""
    if len(shown := of_outcomes(frame)) < len(frame.columns):
        more = f"{len(frame.columns) - len(shown)} more in columns"
        return _head_and_tail(frame[shown]), f"[{shape}: {more}]"
    if not {"rank", "letters", "rank_low"} <= {*frame.columns}:
        return _columns_of_comparison(frame, shape)
    omitted = redundant_columns(frame)
    if "p_adjusted" in frame.columns:  # with rank intervals, the lines exceed 80 characters
        omitted += ["rank_low", "rank_high"]
    topics = f"; n_topics {frame['n_topics'].iloc[0]}" if "n_topics" in omitted else ""
    if "could_be_first" in frame.columns:  # a note needs less space than a column of flags
        omitted.append("could_be_first")
        first = frame.index[frame["could_be_first"].fillna(value=False).astype(bool)]
        topics += f"; could be first: {listing(first)}" if frame.index.nlevels == 1 else ""
    hidden = ", ".join(name for name in omitted if name != "n_topics")
    return _head_and_tail(frame.drop(columns=omitted)), f"[{shape}{topics}; {NOT_SHOWN}{hidden}]"


def of_outcomes(frame: pd.DataFrame) -> list[Hashable]:
    """Return the names of the printed columns of outcomes.

    Adjusted p-values replace unadjusted p-values. For other frames, all names are returned.
    """
    names: list[Hashable] = [*frame.columns]
    if not {*OUTCOMES, "n_topics"} <= {*names}:
        return names
    adjusted = (f"{name}_adjusted" if f"{name}_adjusted" in names else name for name in OUTCOMES)
    return [*names[: names.index("n_topics")], *adjusted]


def _columns_of_comparison(frame: pd.DataFrame, shape: str) -> tuple[pd.DataFrame, str]:
    """Return the printed columns of a comparison, and a note.

    Columns of labels come first. A label that is the same in all rows is in the note instead.
    """
    if not {MEANS, *ANSWER} <= {*frame.columns}:
        return frame, ""
    labels = list(frame.columns[: frame.columns.get_loc(MEANS)])
    if not {*labels}.isdisjoint(ANSWER):
        return frame, ""  # the user may have reordered the columns, and their order is kept
    same = [name for name in labels if _is_constant(frame[name])]
    if len(frame) == 1:
        same = [name for name in same if name not in SIDES]
    dropped = {*same}
    if {"metric", "depth"} <= {*labels}:
        pairs = frame[["metric", "depth"]].drop_duplicates()
        # if metrics have one depth each, their labels contain the depth, as in nDCG@10
        dropped |= set() if pairs["metric"].duplicated().any() else {"depth"}
    labels = [name for name in labels if name not in dropped]
    excluded = SECONDARY | {*labels, *ANSWER, *same, *dropped}
    excluded |= {"detectable"} if "not_worse" in frame.columns else set()
    chosen = [*labels, *ANSWER, *(name for name in frame.columns if name not in excluded)]
    constants = [f"{name} {frame[name].iloc[0]}" for name in same]
    hidden = [str(name) for name in frame.columns if name not in {*chosen, *same}]
    note = "; ".join([shape, *constants, f"{NOT_SHOWN}{', '.join(hidden)}"])
    return _head_and_tail(frame[chosen]), f"[{note}]"


DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Depths (or other integer labels) in an excerpt of an array with too many depths to print."""
MOST_LABELS = 8
MOST_ROWS = 20
"""Maximum number of rows in an excerpt of an array."""


def excerpt(data: Any) -> str:
    """Return an excerpt of an array as a printed table.

    The excerpt of a dataset shows the first variable with two or more dimensions. The excerpt is
    empty for frames, and for dask arrays, whose values are not computed yet.

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
        depths = [label for label in DEPTHS if label in labels] if labels.dtype.kind in "iu" else []
        if len(labels) > MOST_LABELS:
            chosen = {dim: depths} if len(depths) > 1 else None
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
    return len(column) > 0 and not column.factorize()[0].any()  # a missing value has the code -1


def _head_and_tail(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first and the last rows as one frame."""
    most = pd.get_option("display.max_rows") or len(frame)
    return frame if len(frame) <= 2 * most else pd.concat([frame.head(most), frame.tail(most)])

"""Names in other tools, and suggestions in error messages."""

import difflib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path

from irframe.moved import Moved, line_for
from irframe.option_values import Slot, slot_of

NEAR = 0.85
"""Minimum similarity, from 0 to 1, of an unknown name and a suggested name, as measured by
difflib."""

LONGEST = 60
"""Maximum number of characters of an unknown name for which similar names are suggested."""

_SELECTED = {
    ("metric", "metrics", "measure", "measures"): 'scores[["AP"]] or array.sel(metric=["AP"])',
    ("system", "systems", "run", "runs"): 'array.sel(system=["bm25"]) or frame.loc[["bm25"]]',
    ("topic", "topics", "query", "queries"): 'array.sel(topic=["101"])',
    ("depth", "depths", "at", "k", "ks", "cutoff"): "array.sel(depth=[5, 10])",
}
_ALTERNATIVES = {
    f"{verb}{name}": f" (select first: {call})"
    for names, call in _SELECTED.items()
    for name in names
    for verb in ("", "select_", "filter_", "sel_")
} | {
    "relevance_level": ' (pass it to a metric: "AP(rel=2)")',
    "alternative": " (all tests are two-sided; margin= tests non-inferiority)",
    **{
        name: f" (pass it to cube: cube(..., {value}))"
        for names, value in {
            ("score_dtype", "ties"): 'ties=ir.Ties("doc", dtype="float32")',
            ("pool_depth", "contributing"): "pool=ir.Pool(depth=100, contributing=...)",
            ("of", "length", "copies"): 'units=ir.Units(of="doc_id", length="tokens")',
            ("search", "each"): 'search=ir.Searches("turn", each=5)',
        }.items()
        for name in names
    },
    **dict.fromkeys(
        ("pr_curve", "precision_recall_curve", "recall_precision"),
        ' (evaluate(qrels, "iprec_at_recall") returns precision at eleven levels of recall)',
    ),
    "budget": " (pass it to score of a cube: score(..., stop=ir.Budget(500)))",
    "threshold": " (pass it to score of a cube: score(..., stop=ir.Threshold(0.5)))",
    "searches": " (pass it to score of a cube: score(..., stop=ir.AfterSearches(2)))",
    **dict.fromkeys(("shown", "again"), " (evaluate(..., search=) adds this column to the scores)"),
}
"""Mapping from unknown names to texts in error messages that describe what to use instead."""

_TABLE = Path(__file__).with_name("elsewhere.txt")
"""File that maps names in irframe to names in other tools. Each line contains a name in irframe and
its synonyms."""


def _plain(name: object) -> str:
    """Return the lower-case letters and digits of a name."""
    return re.sub(r"[\W_]", "", str(name)).lower()


@cache
def _meant() -> dict[str, list[str]]:
    """Map names in other tools to names in irframe."""
    meanings: dict[str, list[str]] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        ours, _, theirs = line.partition(": ")
        for name in theirs.split():
            meant = meanings.setdefault(_plain(name), [])
            meant += [ours] if ours not in meant else []
    return meanings


def suggested(name: object, existing: Iterable[str]) -> list[str]:
    """Return up to three suggestions for an unknown name.

    If `name` is a name in other tools, the result contains the names in irframe with the same
    meaning. Otherwise, the result contains names with a similar spelling.

    Examples
    --------
    >>> suggested("cutoff", ["at", "alpha"]), suggested("evalute", ["evaluate"])
    (['at'], ['evaluate'])
    >>> suggested("xyzzy", ["at", "alpha"])
    []
    """
    if meant := meant_by(name, existing):
        return meant
    if not isinstance(name, str) or len(name) > LONGEST:
        return []
    # reversed, so that the first of several names with the same letters is in the dictionary
    labels = list(
        {_plain(label): label for label in reversed([*existing]) if label != name}.values()
    )
    alike = [label for label in labels if _plain(label) == _plain(name)]
    # names of up to three letters are anagrams too often to suggest them
    letters = sorted(_plain(name)) if len(_plain(name)) > 3 else []
    turned = [label for label in labels if sorted(_plain(label)) == letters]
    near = difflib.get_close_matches(name, labels, 3, NEAR)
    return (alike or turned or [label for label in near if abs(len(label) - len(name)) < 3])[:3]


def meant_by(name: object, existing: Iterable[str]) -> list[str]:
    """Return names in irframe for a name in other tools."""
    if not isinstance(name, str):
        return []
    meant = _meant().get(_plain(name), [])
    names = [ours for ours in meant if ours in existing and ours != name]
    # resamples, samples and seed are more specific suggestions than test=, which contains them
    resampled = not {"resamples", "samples", "seed"}.isdisjoint(names)
    return [ours for ours in names if not (resampled and ours == "test")][:3]


def suggest(
    name: object, existing: Iterable[str] | Mapping[str, str], meant: Iterable[str] = ()
) -> str:
    """Return a suggestion for an unknown name in error messages.

    The result is an empty string if there is no suggestion.

    Parameters
    ----------
    name
        An unknown name.
    existing
        The existing names, or a mapping from existing names to templates of suggestions.
    meant
        The names to suggest, if they are already known.

    Examples
    --------
    >>> suggest("k", ["at", "alpha"]), suggest("alhpa", ["at", "alpha"]), suggest("zz", ["at"])
    (' (in irframe: at)', ' (did you mean alpha?)', '')
    """
    return similar(name, existing, meant) or _ALTERNATIVES.get(str(name), "")


def similar(
    name: object, existing: Iterable[str] | Mapping[str, str], meant: Iterable[str] = ()
) -> str:
    """Return a suggestion of similar names for an error message.

    Examples
    --------
    >>> similar("k", ["at", "alpha"]), similar("zz", ["at"])
    (' (in irframe: at)', '')
    """
    forms = existing if isinstance(existing, Mapping) else dict.fromkeys(existing, "{}")
    sure = [*meant] or meant_by(name, forms)
    text = " or ".join(forms[label].format(label) for label in sure or suggested(name, forms))
    if sure:
        return f" (in irframe: {text})"
    return f" (did you mean {text}?)" if text else ""


def nearest(name: str, existing: Iterable[str]) -> str:
    """Return up to three similar names for an error message.

    Examples
    --------
    >>> nearest("mrrr", ["nDCG", "RR", "ERR"]), nearest("xyzzy", ["RR"])
    (' (nearest: RR, ERR)', '')
    """
    written = {label.lower(): label for label in existing}
    alike = difflib.get_close_matches(name[:LONGEST].lower(), written, 3, 0.5)
    return f" (nearest: {', '.join(written[label] for label in alike)})" if alike else ""


def unexpected(
    verb: str,
    parameters: Mapping[str, inspect.Parameter],
    arguments: Sequence[object],
    options: Mapping[str, object],
    by: object = None,
) -> str | None:
    """Return the error message for the first unknown keyword argument.

    The result is None if all keyword arguments are known.

    Parameters
    ----------
    verb, parameters
        The name and the parameters of the function.
    arguments, options
        The positional and the keyword arguments of the call.
    by
        The argument of ``groupby`` if the verb was called on groups, else None.

    Examples
    --------
    >>> parameters = inspect.signature(lambda scores, at=None: None).parameters
    >>> unexpected("summary", parameters, [None], {"k": 5})
    "got an unexpected keyword argument 'k' (in irframe: at)"
    """
    name = next((name for name in options if name not in parameters), None)
    if name is None:
        return None
    slots = _values_with(name, parameters)
    if line := line_for(verb, parameters, arguments, options, slots, by):
        return f"got an unexpected keyword argument {name!r}: write {line}"
    return f"got an unexpected keyword argument {name!r}{suggest(name, [*parameters])}"


def _values_with(name: str, parameters: Mapping[str, inspect.Parameter]) -> Iterator[Moved]:
    """Yield example calls with an option in an option value."""
    for parameter, param in parameters.items():
        slot = slot_of(param.annotation) or Slot(())
        for kind in slot.kinds:
            options = slot.options_of(kind)
            if name in options.values():
                fields = {flat: field for field, flat in options.items() if flat != parameter}
                line = f"{{begin}}{{more}}{parameter}=ir.{kind.__name__}({{fields}}))"
                yield Moved(line, fields, along={parameter: ""})


def _unnamed(values: tuple[object, ...], parameters: Mapping[str, inspect.Parameter]) -> str | None:
    """Return an error message if keyword-only arguments are positional."""
    named = [param.name for param in parameters.values() if param.kind is param.KEYWORD_ONLY]
    if len(values) <= len(parameters) - len(named) or "args" in parameters or not named:
        return None
    return f"takes its parameters by name: {', '.join(f'{name}=' for name in named)}"


def suggesting(home: object, name: str, called: str) -> object:
    """Wrap a function so that its errors suggest keyword arguments.

    The wrapper replaces the function in its module or class, so that pickle finds the wrapper.

    Parameters
    ----------
    home, name
        A module or class, and the name of one of its functions.
    called
        The name of the function in error messages.

    Returns
    -------
    object
        The wrapper. An object that is not a function, or a function that is already wrapped, is
        returned unchanged.
    """
    function = getattr(home, name)
    # the decorators of verbs already raise errors about unknown arguments
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return function

    @wraps(function)
    def call(*arguments: object, **options: object) -> object:
        try:
            return function(*arguments, **options)
        except TypeError:
            parameters = inspect.signature(function).parameters
            problem = unexpected(name, parameters, arguments, options)
            problem = problem or _unnamed(arguments, parameters)
            if problem is None:
                raise
            message = f"{called}(): {problem}"
        # outside of the except block, a traceback does not show the original error
        raise TypeError(message)

    setattr(home, name, call)
    return call

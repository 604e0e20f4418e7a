"""The accessor with types, for type checkers.

The stub ``typed.pyi`` lists the methods of frames, cubes and scores with their signatures. The
build of irframe generates it from the functions.
"""

from typing import Any

__all__ = ["ireval"]


def ireval(subject: object) -> Any:
    """Return ``subject.ireval`` with types of verbs.

    Parameters
    ----------
    subject
        A run frame, a frame or column of scores, a cube, or an array of scores.

    Returns
    -------
    object
        The accessor ``subject.ireval``. For type checkers, the type of the result is
        ``FrameVerbs``, ``CubeVerbs`` or ``ScoresVerbs``. These classes exist only in the stub.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> ireval(runs).evaluate(qrels, "P@5").shape
    (128, 1)
    """
    return subject.ireval

"""The accessor with types, for type checkers.

The stub beside this module lists the verbs of frames, cubes and scores with their signatures;
building irframe writes it from the functions themselves.
"""

from typing import Any

__all__ = ["ireval"]


def ireval(subject: object) -> Any:
    """Return ``subject.ireval`` with the types of its verbs.

    Parameters
    ----------
    subject
        A run frame, a frame or column of scores, a cube, or an array of scores.

    Returns
    -------
    object
        Its verbs. Checkers know them as ``FrameVerbs``, ``CubeVerbs`` or ``ScoresVerbs``, which
        exist in the stub alone.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> ireval(runs).evaluate(qrels, "P@5").shape
    (128, 1)
    """
    return subject.ireval

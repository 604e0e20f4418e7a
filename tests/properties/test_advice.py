"""Tests of the code that error messages suggest.

The code must run and return the right result. The tests use wrong inputs, such as unusual names,
unusual shapes and repeated rows. Each piece of code in a message is run without changes. If this
code raises an error that contains code, the new code is run, too. This is repeated up to three
times.
"""

import ast
import io
import re

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IrframeError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
ROWS = [("q1", "a", 3.5), ("q1", "b", 2.5), ("q1", "c", 1.5)]
ROWS += [("q2", "b", 2.25), ("q2", "a", 1.25), ("q2", "d", 0.5)]
JUDGED = [("q1", "a", 0), ("q1", "b", 1), ("q1", "c", 2), ("q2", "a", 1), ("q2", "d", 0)]
RUN = pd.DataFrame(ROWS, columns=["topic", "doc", "score"])
QRELS = pd.DataFrame(JUDGED, columns=["topic", "doc", "grade"])
OTHER = RUN.assign(score=[1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
BOTH = pd.concat([RUN.assign(system="A"), OTHER.assign(system="B")], ignore_index=True)
SCORES, CUBE = ir.evaluate(BOTH, QRELS, ["AP"]), ir.cube(BOTH, QRELS)

CODE = re.compile(r"\b(?:frame|pd|ir|cube|runs|scores)\b(?=[.\[])")
KEYWORD = re.compile(r"(?<=[ (])(?:units|at|ties|topics)=(?:'[^']*'|\[[^\]]*\])")
MEANT = re.compile(r"\(did you mean '?([^?']+)'?\?\)")


def evaluated(runs=RUN, qrels=QRELS, metrics="AP", **more):
    result = ir.evaluate(runs, qrels, [metrics], **more)
    several = len(result.index.levels[0]) > 1
    return sorted((s * several, t, value) for (s, t), value in result.iloc[:, 0].round(9).items())


def compared(scores):
    result = scores if "system_a" in scores else scores.ireval.compare()
    return result[["system_a", "system_b", "difference", "p"]].round(9).to_numpy().tolist()


def pieces(message):
    """Yield calls, keywords and suggested names from a message."""
    for begins in CODE.finditer(message):
        for end in range(len(message), begins.end(), -1):
            text = message[begins.start() : end]
            if text[-1] in ")]" and parses(text):
                yield text
                break
    yield from (f"dict({match[0]})" for match in KEYWORD.finditer(message))
    yield from (repr(match[1]) for match in MEANT.finditer(message))


def parses(text):
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Call | ast.Subscript)
    except SyntaxError:
        return False


def outcomes(call, word, given, more, earlier=()):
    """Yield the results of a call or its advised code.

    If the code raises an error that contains code, the new code is run. A message without code is
    yielded unchanged.
    """
    try:
        yield call(**{word: given}, **more)
    except (IrframeError, AttributeError) as error:
        yield from followed(error, call, word, given, more, earlier)


def followed(error, call, word, given, more, earlier):
    """Yield the results of the code in an error message."""
    message = " ".join(str(error).split())
    codes = [*pieces(message)] if len(earlier) < 3 and message not in earlier else []
    if not codes:
        yield message
    names = {"frame": given, "rows": given, "scores": given, "ir": ir, "pd": pd, "io": io}
    for text in codes:
        try:
            after = eval(text, names | {"cube": CUBE, "runs": BOTH, "qrels": QRELS})  # noqa: S307
        except IrframeError as further:
            yield from followed(further, call, word, given, more, (*earlier, message))
        else:
            options = after if isinstance(after, dict) else {}
            yield from outcomes(
                call, word, given if options else after, more | options, (*earlier, message)
            )


def renamed(frame, *names):
    """Yield variants of a frame with other columns."""
    called = frame.set_axis(names, axis=1)
    yield called
    yield called[[names[2], *names[:2]]]
    yield called.reset_index().rename(columns={"index": "Unnamed: 0"})
    yield called.assign(index="wiki")[["index", *names]]
    yield called.assign(body=[f"text {number % 2}" for number in range(len(called))])


NAMES = {
    "runs": ["question_id passage_id sim", "qid item pred", "q d s", "search _id _score"],
    "qrels": ["question_id passage_id judgment", "qid url rel_grade", "q d r", "user_id item gold"],
}
BASE = {"runs": RUN, "qrels": QRELS}
SIX = [(t, "Q0", d, n, s, "A") for n, (t, d, s) in enumerate(ROWS)]
RANKED = [(t, d, n) for n, (t, d, _) in enumerate(ROWS, 1)]
WIDE = RUN.rename(columns={"topic": "qid", "score": "A"}).assign(B=OTHER["score"])
FAR = RUN[["topic", "doc"]].assign(l2_distance=9 - RUN["score"])
CHUNKED = RUN.assign(chunk_id=RUN.doc + "#1").rename(columns={"doc": "doc_id"})
CALLED = SCORES.rename_axis(index={"system": "model_name", "topic": "question_id"})
CASES = [
    (evaluated, side, made, evaluated())
    for side, sets in NAMES.items()
    for names in sets
    for made in renamed(BASE[side], *names.split())
]
CASES += [(evaluated, "runs", rows, evaluated()) for rows in (ROWS, np.array(ROWS), SIX, RANKED)]
CASES += [(evaluated, "runs", [(s, t, d) for t, d, s in ROWS], evaluated())]
CASES += [(evaluated, "runs", [(d, t, s) for t, d, s in ROWS], evaluated())]
CASES += [(evaluated, "qrels", [(t, 0, d, g) for t, d, g in JUDGED], evaluated())]
CASES += [(evaluated, "runs", [" ".join(map(str, row)) for row in SIX], evaluated())]
CASES += [
    (evaluated, "runs", frame, evaluated(BOTH))
    for frame in (WIDE, WIDE.assign(title="t"), WIDE.assign(words=9))
]
CASES += [
    (evaluated, "runs", BOTH.rename(columns={"system": name}), evaluated(BOTH))
    for name in ("model_name", "exp", "setup")
]
CASES += [
    (evaluated, "runs", pd.concat([RUN, RUN[1:2]]), evaluated()),
    (evaluated, "runs", pd.concat([RUN, RUN[1:2].assign(score=0.1)]), evaluated()),
    (evaluated, "qrels", pd.concat([QRELS, QRELS[1:2].assign(grade=0)]), evaluated()),
    (evaluated, "runs", CHUNKED, evaluated()),
    (evaluated, "metrics", "ndgc", evaluated(metrics="nDCG")),
    (compared, "scores", CALLED, compared(SCORES)),
    (compared, "scores", CALLED.reset_index(), compared(SCORES)),
    (compared, "scores", SCORES.rename_axis(index={"system": "exp"}), compared(SCORES)),
    (compared, "scores", SCORES.reset_index().rename(columns={"system": "exp"}), compared(SCORES)),
    (evaluated, "runs", BOTH.rename(columns={"system": "exp"}).set_index("exp"), evaluated(BOTH)),
    (evaluated, "runs", FAR, evaluated()),
    (evaluated, "runs", FAR.assign(l2_distance=RUN["score"]), evaluated()),
    (evaluated, "runs", FAR.rename(columns={"topic": "question", "doc": "url"}), evaluated()),
    (compared, "scores", CUBE, compared(CUBE.ireval.score("AP"))),
]


@pytest.mark.parametrize("place", range(len(CASES)))
def test_code_in_an_error_message_runs(place):
    call, word, given, right = CASES[place]
    results = [*outcomes(call, word, given, {})]
    assert results == [right] * len(results)


PLAIN = RUN.pivot(index="topic", columns="doc", values="score")
QUIET = {
    "no name is like a role": RUN.set_axis(["inquest", "paper", "rsv"], axis=1),
    "distances": [(t, d, -s) for t, d, s in ROWS],
    "a matrix": PLAIN.reset_index(),
    "rows read once": iter(ROWS),
    "systems before": [("A", *row) for row in ROWS],
    "columns in a list": [[*column] for column in zip(*ROWS, strict=True)],
    "ids with fractions": RUN.assign(doc=[0.5, 1.5, 2.5, 1.5, 0.5, 3.5]),
    "two that fit": RUN.rename(columns={"score": "sim"}).assign(pred=RUN["score"] % 2),
}


@pytest.mark.parametrize("name", [*QUIET])
def test_errors_without_a_safe_remedy_contain_no_code(name):
    with pytest.raises(IrframeError) as caught:
        evaluated(QUIET[name])
    assert [*pieces(str(caught.value))] == []

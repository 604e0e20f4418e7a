"""All readers accept and refuse the same content."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from properties import file_readers  # noqa: F401 - registers these readers
from properties.oddities import ASK, CASES, REFUSE, TAKE, Case, truth
from properties.readers import READERS, CannotError, LossyError
from turns import few_of

from irframe.errors import IrframeError, IrframeWarning

FILES = "a frame without rows cannot say which system a file is of"
LISTS = "lists of hits keep their order, whatever their scores are"
KNOWN = {
    "score near 2**64": "positions",
    "score decimals closer than floats": "text is read as floats, as by trec_eval",
    "no rows in the run": FILES,
    "topic judged with no document": "files are read into frames, which hold no such topic",
    "score -0.0 beside 0.0": LISTS,
    "score rises down every list": LISTS,
    "score None": LISTS,
    "score NaN": LISTS,
    "topic, the only one, whose list is empty": FILES,
}
"""Mapping from names of cases on which readers disagree to the reason. The number of such cases
should fall."""


@dataclass(frozen=True)
class Answer:
    """Answer of a reader to a case.

    The sign is ``=`` for right scores, ``x`` for wrong scores, and ``.`` if the reader cannot
    represent the case. Errors of irframe have the sign ``r``, and all other errors ``F``.
    """

    sign: str
    words: str = ""
    warned: bool = False
    lossy: bool = False

    def fault(self, rule: str) -> str:
        """Return how the answer breaks a rule, if at all."""
        if self.sign == "F":
            return f"another error: {self.words}"
        if self.lossy or self.sign == ".":
            return "" if self.warned or self.sign != "x" else "misread"
        if rule == REFUSE and self.sign in "=x":
            return "taken"
        if self.sign == "x":
            return "misread"
        return f"refused: {self.words}" if rule == TAKE and self.sign == "r" else ""


def asked(act: Any, case: Case, right: Any) -> Answer:
    """Return the answer of a reader to a case."""
    lossy = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            got: Any = act(case)
        except CannotError:
            return Answer(".")
        except LossyError as held:
            got, lossy = held.args[0], True
        except Exception as error:  # noqa: BLE001 - which one it is is what is asked
            got = error
    foreign = [str(w.message) for w in caught if not issubclass(w.category, IrframeWarning)]
    if foreign:
        return Answer("F", foreign[0])
    if isinstance(got, Exception):
        words = f"{type(got).__name__}: {' '.join(str(got).split())[:150]}"
        return Answer("r" if isinstance(got, IrframeError) else "F", words, bool(caught), lossy)
    return Answer("=" if got == right else "x", "", bool(caught), lossy)


def right_of(case: Case) -> Any:
    """Return the reference scorer's scores, None if it fails."""
    try:
        return truth(case)
    except (TypeError, ValueError, ArithmeticError):
        return None


def faults_of(case: Case) -> dict[str, str]:
    """Return descriptions of how readers break a case's rule."""
    ask = partial(asked, case=case, right=right_of(case))
    faults = {name: ask(act).fault(case.rule) for name, act in READERS.items()}
    return {name: fault for name, fault in faults.items() if fault}


@pytest.mark.parametrize("case", few_of(CASES, 16), ids=lambda case: case.name)
def test_all_readers_follow_the_rule_of_a_case(case):
    faults = faults_of(case)
    assert bool(faults) == (case.name in KNOWN), faults


def test_known_differences_are_names_of_cases():
    assert KNOWN.keys() <= {case.name for case in CASES}
    assert {case.rule for case in CASES} == {TAKE, REFUSE, ASK}

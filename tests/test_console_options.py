"""Commands and their verbs have the same options, under the same names, with the same defaults."""

import inspect
from importlib import import_module

import pytest

import irframe as ir
from irframe.commands import HOMES
from irframe.commands.inputs import ELSEWHERE, OPTIONS
from irframe.commands.line import Line

VERBS = {
    "evaluate": [ir.evaluate],
    "compare": [ir.evaluate, ir.verbs.compare],
    "freeze": [ir.evaluate, ir.verbs.freeze],
    "leaderboard": [ir.evaluate, ir.verbs.leaderboard],
    "report": [ir.report],
    "check": [ir.verbs.check],
    "diagnose": [ir.verbs.diagnose],
}
SUBJECTS = {"runs", "qrels", "scores", "data", "path"}


@pytest.mark.parametrize("command", VERBS)
def test_a_command_has_the_options_of_its_verbs(command):
    line = Line(f"irframe {command}", "")
    home = import_module(f"irframe.commands.{HOMES[command]}")
    getattr(home, f"declare_{command}")(line)
    defaults = {action.dest: action.default for action in line._actions}
    for verb in VERBS[command]:
        parameters = inspect.signature(verb).parameters
        assert set(parameters) <= SUBJECTS | set(OPTIONS) | set(ELSEWHERE)
        for name, parameter in parameters.items():
            if name in OPTIONS:
                assert defaults[name] == parameter.default, name

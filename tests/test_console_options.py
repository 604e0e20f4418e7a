"""Commands have the parameters of their functions as options."""

import inspect
import re
from collections.abc import Sequence
from importlib import import_module

import pytest

import irframe as ir
from irframe.commands import COMMANDS, Line
from irframe.commands.inputs import ELSEWHERE, arguments_of, declare_options
from irframe.moved import MOVED
from irframe.option_values import plain_parameters

VERBS = {
    "evaluate": [ir.evaluate],
    "compare": [ir.evaluate, ir.verbs.compare],
    "freeze": [ir.evaluate, ir.verbs.freeze],
    "leaderboard": [ir.evaluate, ir.verbs.leaderboard],
    "report": [ir.report],
    "check": [ir.verbs.check],
    "diagnose": [ir.verbs.diagnose],
    "losses": [ir.verbs.losses],
    "risk-coverage": [ir.verbs.risk_coverage],
    "judge-next": [ir.verbs.judge_next],
}
SUBJECTS = {"runs", "qrels", "scores", "data", "path", "cube", "n", "metric"}


@pytest.mark.parametrize("command", VERBS)
def test_a_command_has_the_parameters_of_its_functions_as_options(command):
    line = Line(f"irframe {command}", "")
    home = import_module(f"irframe.commands.{COMMANDS[command][0]}")
    getattr(home, f"declare_{command.replace('-', '_')}")(line)
    defaults = {action.dest: action.default for action in line._actions}
    for verb in VERBS[command]:
        parameters = plain_parameters(inspect.signature(verb))
        elsewhere = {name.removeprefix(f"{verb.__name__}.") for name in ELSEWHERE}
        for name in parameters.keys() - SUBJECTS - elsewhere:
            assert defaults[name] == parameters[name].default, name


def test_new_parameters_of_functions_become_options():
    def leaderboard(
        scores, *, least: int = 1, rounded: bool = False, cuts: int | Sequence[int] | None = None
    ):
        """Rank systems.

        Parameters
        ----------
        scores
            Scores.
        least, cuts
            Number of topics, such as 50% of them, that a system needs: systems
            with fewer topics are left out.
        rounded
            Whether means are rounded.
        """

    line = Line("irframe leaderboard", "")
    declare_options(line, leaderboard)
    options = line.read(["--least", "3", "--rounded", "--cuts", "5,10"])
    assert arguments_of(options, leaderboard) == {"least": 3, "rounded": True, "cuts": [5, 10]}
    help_text = " ".join(line.format_help().split())
    assert "--least LEAST number of topics, such as 50% of them, that a system needs" in help_text
    assert "--rounded, --no-rounded whether means are rounded" in help_text


WORDS = sorted({option for row in MOVED for option in row.fields})


@pytest.mark.parametrize("command", VERBS)
@pytest.mark.parametrize("option", WORDS)
def test_errors_about_moved_options_name_existing_options(command, option, capsys):
    line = Line(f"irframe {command}", "")
    home = import_module(f"irframe.commands.{COMMANDS[command][0]}")
    getattr(home, f"declare_{command.replace('-', '_')}")(line)
    flag = f"--{option.replace('_', '-')}"
    if flag in line._option_string_actions:
        return
    with pytest.raises(SystemExit):
        line.error(f"unrecognized arguments: {flag} x")
    answer = capsys.readouterr().err
    assert not re.search(r"ireval|\bir\.|\w=", answer)
    named = {*re.findall(r"--[\w-]+", answer)} - {flag}
    assert named
    assert named <= line._option_string_actions.keys()

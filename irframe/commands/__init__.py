"""The command line: a few commands per module, imported when one of them is given.

For every command there are ``declare_...``, which says its options, and ``run_...``, which
returns the answer. Commands call public functions, as any other user does.
"""

COMMANDS = {
    "evaluate": "score runs, as a table or as trec_eval prints it",
    "compare": "test which systems differ",
    "freeze": "keep the scores of a run as a file, which later runs are compared with",
    "check": "say of every run what may be wrong with it",
    "diagnose": "say what to know about runs and judgments before trusting a number",
    "leaderboard": "list the systems from the best on, and how sure that is",
    "judge-next": "list the documents to judge next, the most useful first",
    "report": "write one page with all of it",
    "convert": "write runs or judgments in another format",
    "metrics": "list the metrics, or explain some",
    "demo": "evaluate the embedded track and explain the result",
}
"""Name -> what the command does."""

HOMES = {
    "freeze": "evaluate",
    "evaluate": "evaluate",
    "compare": "compare",
    "leaderboard": "compare",
    "report": "compare",
    "check": "diagnose",
    "diagnose": "diagnose",
    "judge-next": "diagnose",
    "convert": "convert",
    "metrics": "convert",
    "demo": "convert",
}
"""Name -> the module that holds it."""

EPILOG = """\
exit status:
  0  the answer was given
  1  check, diagnose or compare found something as grave as --fail-on says
  2  an error, told in one line
  130  stopped by Ctrl-C; no file is left in part
"""

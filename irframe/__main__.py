"""The command line: ``irframe``, or ``python -m irframe``."""

import gc
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from io import StringIO
from itertools import dropwhile
from types import ModuleType

from irframe.commands import COMMANDS, EPILOG, EXAMPLES, NEVER, Line, tell
from irframe.errors import IrframeError, IrframeWarning, OneCall
from irframe.escaping import encodable, visible
from irframe.names import VERSION
from irframe.progress import elapsed

STOPPED = 130
"""Exit status of the command line after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        The arguments after ``irframe``. The default is ``sys.argv[1:]``.

    Returns
    -------
    int
        The exit status: 0 after success, 2 after an error, and 130 after Ctrl-C. The status is 1 if
        ``check``, ``diagnose`` or ``compare`` found a problem that ``--fail-on`` selects.
    """
    # the shell redirection 2>&- sets sys.stderr to None, to which nothing can be written
    sys.stderr = sys.stderr or StringIO()
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        tell("stopped; no incomplete file was written")
    if arguments is None:
        sys.stderr.flush()
        # a normal exit would wait for threads, which may themselves wait for input
        os._exit(STOPPED)
    return STOPPED


def _main(arguments: Sequence[str] | None) -> int:
    # argparse accepts "--" before a command, but would refuse the arguments after the command
    args = [*dropwhile("--".__eq__, sys.argv[1:] if arguments is None else arguments)]
    if not args or args[0] not in COMMANDS:
        _outer().parse_args(args)
    module, summary = COMMANDS[args[0]]
    command = import_module(f"irframe.commands.{module}")
    if arguments is None:
        # garbage collection then skips the imported modules, which saves time at exit
        gc.freeze()
    epilog = f"example:\n  {EXAMPLES[args[0]]}\n\n{EPILOG}"
    line = Line(f"irframe {args[0]}", f"{summary[0].upper()}{summary[1:]}.", epilog)
    name = args[0].replace("-", "_")
    getattr(command, f"declare_{name}")(line)
    options = line.read(args[1:])
    options.words = args
    return _run(getattr(command, f"run_{name}"), options)


def _outer() -> Line:
    """Return the parser for command lines without a known command."""
    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name:<{width}} {summary}" for name, (_, summary) in COMMANDS.items())
    outer = Line(
        "irframe",
        "Evaluate retrieval runs at every depth.",
        f"commands:\n{lines}\n\nirframe COMMAND --help describes a command.\n\n{EPILOG}",
    )
    outer.add_argument("--version", action="version", version=f"irframe {VERSION}")
    outer.add_argument("command", metavar="COMMAND", choices=COMMANDS, help="see the list below")
    return outer


def _run(command: Callable[[Namespace], tuple[str | bytes | None, int]], options: Namespace) -> int:
    """Run a command, and print its warnings and errors."""
    output = getattr(options, "output", None)
    gated = getattr(options, "gate", False) and options.fail_on != NEVER
    try:
        # an unusable output file is refused before the computation; a gated command prints its
        # output
        if output is not None and not gated:
            _writers().look(output)
            _writers().refuse_input(output, _possible_inputs(options))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IrframeWarning)
            with OneCall(), elapsed(options.words[0]):
                content, status = command(options)
        printed = " ".join(content.split()) if isinstance(content, str) else ""
        for text in (str(warning.message) for warning in caught):
            # the printed output of a command may already contain its warnings
            if output is not None or " ".join(text.split()) not in printed:
                tell(f"warning: {text}", vars(options))
        if content is not None:
            _write_or_print(content, output, gated=gated)
    except (IrframeError, OSError, MemoryError, UnicodeError) as error:
        return tell(error, vars(options))
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        message = f"{type(error).__name__}: {error}".rstrip(": ")
        return tell(f"{message}; this is an error in irframe: python -X dev shows the traceback")
    return int(status)


def _possible_inputs(options: Namespace) -> Iterator[str]:
    """Yield the arguments that may be names of input files."""
    for name, value in vars(options).items():
        if name not in {"output", "words"}:
            arguments = value if isinstance(value, list) else [value]
            yield from (argument for argument in arguments if isinstance(argument, str))


def _writers() -> ModuleType:
    """Import the module that writes files.

    The module is imported here, because its import is slow and many commands only print.
    """
    return import_module("irframe.files.write_run")


def _write_or_print(content: str | bytes, output: str | None, *, gated: bool) -> None:
    """Write the output of a command, or print it.

    If a command with ``--fail-on`` cannot write its file, the output is printed instead.
    """
    try:
        _write(content, output)
    except OSError as error:
        if not gated or output is None:
            raise
        tell(error)
        _write(content, None)


def _write(content: str | bytes, output: str | None) -> None:
    """Write content to a file or to standard output."""
    if output is not None:
        text = visible(content) if isinstance(content, str) else content
        _writers().write_file(output, text)
        return
    try:
        if isinstance(content, str):
            print(encodable(content, sys.stdout), end="", flush=True)
        else:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
    except OSError:
        # Python flushes standard output at exit, which would raise the same error again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


if __name__ == "__main__":
    sys.exit(main())

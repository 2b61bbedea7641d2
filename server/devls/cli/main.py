"""What the commands do."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from devls.analysis import Analyzer
from devls.cli import files, fixing, pages
from devls.cli.arguments import did_you_mean
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.config import Config
from devls.project.definitions import Definitions, environments
from devls.project.workspace import Workspace, normalize
from devls.text.decoding import UndecodableError, decode
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import MAX_FILE_BYTES, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from devls.cli.arguments import Options
    from devls.cli.report import Report

NOTHING, FINDINGS, FAILURE = 0, 1, 2

INTERRUPTED = 130
"""As shells have it: 128, and the number of the signal."""

STDIN = "-"


def _analyzer(workspace: Workspace, config_for: Callable[[str], Config]) -> Analyzer:
    return Analyzer(workspace, config_for, hovers=False, installed=Definitions(environments(workspace.roots)))


def run(options: Options, make_analyzer: Callable[..., Analyzer] = _analyzer) -> int:
    """Run one command other than `serve`; `make_analyzer` makes the `Analyzer`. Returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A message may hold a name that the terminal cannot show; that is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    complaints = Complaints()
    # Most of what an analysis makes is a tree, and stays. Looking through all of it for cycles again and again takes a
    # fifth of the time, and what is found is little: `Check` looks once behind each file, at what the file has left.
    gc.disable()
    try:
        if options.command == "explain":
            status = _explain(options.rule, complaints)
        elif options.command == "list-rules":
            status = _list_rules()
        elif options.command == "completion":
            status = _complete(options.shell, complaints)
        else:
            status = _check(options, make_analyzer, complaints)
        with _output():
            sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()  # whoever reads (`| head`) has seen enough
        status = FINDINGS
    except KeyboardInterrupt:
        complaints.say("interrupted.")
        status = INTERRUPTED
    except _OutputError as error:
        _let_go_of_output()
        complaints.say(f"cannot write to standard output: {error}.")
        status = FAILURE
    except Exception as error:  # noqa: BLE001  the last resort
        complaints.say(f"internal error: {type(error).__name__}: {error}")
        if options.debug:
            complaints.trace()
        status = FAILURE
    finally:
        gc.enable()
    return status


class _OutputError(Exception):
    """Standard output takes nothing more, because of a full disk for instance. Its text is why."""


@contextlib.contextmanager
def _output() -> Iterator[None]:
    """Around what writes to standard output.

    Raises:
        _OutputError: in place of what the system says, unless nobody reads any more (`BrokenPipeError`).
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _OutputError(reason_of(error)) from None


def _let_go_of_output() -> None:
    """Python flushes standard output once more at exit, and must not fail then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    known = pages.rule_names()
    mistakes = Config().merged(options.overrides, known).problems
    for each in mistakes:
        complaints.say(f"--{each.key}: {each.message}.")
    if mistakes:
        return FAILURE

    @functools.cache
    def config_for(path: str) -> Config:
        return config_in(os.path.dirname(normalize(path)))  # noqa: PTH120  asked for each import

    @functools.cache
    def config_in(path: str) -> Config:
        config = Config.load(path, known)
        for problem in config.problems:
            complaints.say(f"{problem}.")
        return config.merged(options.overrides, known)

    try:
        Path.cwd()
    except OSError:
        complaints.say("the working folder does not exist any more.")
        return FAILURE
    from_stdin = options.paths == (STDIN,)
    selection = _stdin_selection(options) if from_stdin else files.select(options.paths, config_for)
    for path, why in selection.missing.items():
        complaints.say(f"{path} {why}.")
    for complaint in selection.complaints:
        complaints.say(f"{complaint}.")
    workspace = Workspace(selection.roots)
    if from_stdin:
        try:
            workspace.open(next(iter(selection.names)), _from_stdin())
        except (UndecodableError, OSError) as error:
            complaints.say(f"standard input is not checked: {error}.")
            return FAILURE
    analyzer = make_analyzer(workspace, config_for)
    analyzer.questions = options.probe
    check = Check(analyzer, workspace, selection.names, complaints, debug=options.debug)
    if (
        options.cache
        and not (from_stdin or options.fix or options.diff or options.probe)
        and isinstance(analyzer, Analyzer)
    ):
        from devls.cli import cache as caching  # noqa: PLC0415  not asked for by who measures, or wants to fix

        check.cache = caching.opened(workspace, analyzer, config_for)
    check.run()
    status = _finish(options, check, complaints, from_stdin=from_stdin)
    return FAILURE if check.failed or selection.failed or selection.missing else status


def _from_stdin() -> str:
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UndecodableError(f"it is larger than {MAX_FILE_BYTES // 1024 // 1024} MB")
    return decode(data)[0]


def _stdin_selection(options: Options) -> files.Selection:
    name = options.stdin_filename
    path = normalize(name or "stdin.py")
    return files.Selection({path: name or "<stdin>"}, roots=[str(Path(path).parent)])


def _finish(options: Options, check: Check, complaints: Complaints, *, from_stdin: bool) -> int:
    fixed = fixing.Fixed()
    if options.fix or options.diff:
        fixed = fixing.apply_fixes(check, unsafe=options.unsafe_fixes)
    if options.diff:
        with _output():
            _print_differences(check, fixed)
        found = bool(fixed.texts)
    else:
        stream, count = sys.stdout, sum(fixed.counts.values())
        if options.fix and from_stdin:
            with _output():
                sys.stdout.write(check.workspace.source(next(iter(check.names))).text)
            stream = sys.stderr
        elif options.fix:
            count = _write(fixed, check, complaints)
        report = check.report(count)
        if options.probe:
            from devls.cli import probing  # noqa: PLC0415  few ask torch

            report = probing.asked(report, options.python, complaints)
        with _output():
            _print(report, options.output_format, stream)
        found = any(check.findings.values())
    return FINDINGS if found and not options.exit_zero else NOTHING


def _print(report: Report, output_format: str, stream: TextIO) -> None:
    # Imported here: rich is slow to start, and programs that read JSON start devls often.
    if output_format == "human":
        from devls.cli.formats import human  # noqa: PLC0415

        human.render(report, stream)
        return
    if output_format == "json":
        from devls.cli.formats import json_array as chosen  # noqa: PLC0415
    elif output_format == "github":
        from devls.cli.formats import github as chosen  # type: ignore[no-redef]  # noqa: PLC0415
    else:
        from devls.cli.formats import concise as chosen  # type: ignore[no-redef]  # noqa: PLC0415
    stream.write(chosen.render(report))


def _write(fixed: fixing.Fixed, check: Check, complaints: Complaints) -> int:
    """Write what was fixed; what cannot be written is said, and is checked as it is. Returns how many findings are fixed."""
    from devls.cli import writing  # noqa: PLC0415  most runs change nothing

    count, unwritten = 0, []
    for path, (before, after) in fixed.texts.items():
        name = check.names[path]
        try:
            links = writing.rewrite(path, before, after)
        except writing.UnwrittenError as error:
            complaints.say(f"{name} is not fixed: {error}.")
            unwritten.append(path)
            continue
        count += fixed.counts.get(path, 0)
        if links:
            complaints.say(f"{name} is fixed under this name only: it has other hard links.")
    if unwritten:
        check.failed = True
        check.reopen(unwritten)
    return count


def _print_differences(check: Check, fixed: fixing.Fixed) -> None:
    for path, (before, after) in fixed.texts.items():
        said = _difference(escaped(check.names[path]), before, after)
        # Who applies it needs each character as it is; who looks at it does not.
        sys.stdout.write(escaped_lines(said) if sys.stdout.isatty() else said)


def _difference(name: str, before: str, after: str) -> str:
    import difflib  # noqa: PLC0415  needed by --diff only

    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _explain(rule: str, complaints: Complaints) -> int:
    page = pages.page(rule)
    if page is None:
        near = did_you_mean(rule, pages.rule_names())
        complaints.say(f"there is no rule named {rule!r}{near}. `devls rules` lists them.")
        return FAILURE
    from devls.cli.formats import human  # noqa: PLC0415

    human.explain(page, sys.stdout)
    return NOTHING


def _complete(shell: str, complaints: Complaints) -> int:
    from devls.cli import completion  # noqa: PLC0415  few ask

    try:
        sys.stdout.write(f"{completion.script(shell).rstrip()}\n")
    except completion.MissingError as error:
        complaints.say(f"{error}.")
        return FAILURE
    return NOTHING


def _list_rules() -> int:
    from devls.cli.formats import human  # noqa: PLC0415

    human.list_rules(pages.pages(), sys.stdout)
    return NOTHING

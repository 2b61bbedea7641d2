"""`devls check`, from its options to its exit status."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from devls.analysis import Analyzer, Severity
from devls.cli import files, fixing, outputs
from devls.cli.check import Check
from devls.cli.configuration import Configuration
from devls.cli.output import writing_to_output
from devls.cli.progress import Progress
from devls.cli.report import plural
from devls.cli.status import FAILURE, FINDINGS, NOTHING
from devls.project.workspace import Workspace, normalize
from devls.text.decoding import UndecodableError, decode
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import MAX_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from devls.cli.arguments import Options
    from devls.cli.complaints import Complaints
    from devls.cli.report import Report

STDIN = "-"


def check(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    """Check what the options name, and print what was found. Returns the exit status."""
    configuration = Configuration(options, complaints)
    if configuration.mistaken_options():
        return FAILURE
    try:
        Path.cwd()
    except OSError:
        complaints.say("the working folder does not exist any more.")
        return FAILURE
    from_stdin = options.paths == (STDIN,)
    selection = _stdin_selection(options) if from_stdin else files.select(options.paths, configuration.of)
    for path, why in selection.missing.items():
        complaints.say(f"{path} {why}.")
    for complaint in selection.complaints:
        complaints.say(f"{complaint}.")
    if configuration.mistaken(selection.names):
        complaints.say("nothing was checked: the configuration has to be put right first.")
        return FAILURE
    workspace = Workspace(selection.roots)
    if from_stdin:
        try:
            workspace.open(next(iter(selection.names)), _from_stdin())
        except (UndecodableError, OSError) as error:
            complaints.say(f"standard input is not checked: {error}.")
            return FAILURE
    analyzer = make_analyzer(workspace, configuration.of)
    analyzer.questions = options.probe
    checked = Check(
        analyzer, workspace, selection.names, complaints, config_for=configuration.of, debug=options.debug
    )
    if (
        options.cache
        and not (from_stdin or options.fix or options.diff or options.probe)
        and isinstance(analyzer, Analyzer)
    ):
        from devls.cli import cache as caching  # noqa: PLC0415  not asked for by who measures, or wants to fix

        checked.cache = caching.opened(workspace, analyzer, configuration.of)
    checked.progress = Progress(len(checked.names), shown=not options.style.quiet)
    began = time.monotonic()
    checked.run()
    if options.verbose:
        _say_how(checked, configuration, time.monotonic() - began, complaints)
    status = _finish(options, checked, complaints, from_stdin=from_stdin)
    return FAILURE if checked.failed or selection.failed or selection.missing else status


def _say_how(check: Check, configuration: Configuration, seconds: float, complaints: Complaints) -> None:
    for file in configuration.files:
        complaints.say(f"{files.shown(file)} is used.")
    reused = f", {check.reused} of them as they were found before" if check.reused else ""
    complaints.say(f"{plural(len(check.names), 'file')} checked in {seconds:.2f} s{reused}.")


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
        with writing_to_output():
            _print_differences(check, fixed)
        found = bool(fixed.texts)
    else:
        stream, count = sys.stdout, sum(fixed.counts.values())
        if options.fix and from_stdin:
            with writing_to_output():
                sys.stdout.write(check.workspace.source(next(iter(check.names))).text)
            stream = sys.stderr
        elif options.fix:
            count = _write(fixed, check, complaints)
        report = check.report(count)
        if options.probe:
            from devls.cli import probing  # noqa: PLC0415  few ask torch

            report = probing.asked(report, options.python, complaints)
        check.failed |= not _print(report, options, stream, complaints)
        found = _fails(report, options, fixed)
    return FINDINGS if found and not options.exit_zero else NOTHING


def _fails(report: Report, options: Options, fixed: fixing.Fixed) -> bool:
    """Whether what was found, or fixed, is a reason to end with 1."""
    if options.exit_non_zero_on_fix and fixed.texts:
        return True
    levels = list(Severity)
    failing = levels[: levels.index(Severity(options.fail_level)) + 1]
    return any(each.severity in failing for each in report.diagnostics)


def _print(report: Report, options: Options, stream: TextIO, complaints: Complaints) -> bool:
    """Print what was found, in all formats; returns whether all of it could be written."""
    chosen = options.outputs
    if options.statistics:
        from devls.cli import statistics  # noqa: PLC0415  few ask

        first, *others = chosen
        text = statistics.render(report, first.format)
        return outputs.write_text(text, first.file, stream, complaints) and outputs.write(
            report, tuple(others), options.style, stream, complaints
        )
    return outputs.write(report, chosen, options.style, stream, complaints)


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

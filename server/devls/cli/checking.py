"""`devls check`, from its options to its exit status."""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from devls import files
from devls.analysis import Analyzer, Severity
from devls.cli import applying, fixing, outputs, shards
from devls.cli.check import Check
from devls.cli.complaints import FAILURE, FINDINGS, NOTHING, CommandError
from devls.cli.configuration import Configuration, written
from devls.cli.outcomes import Collected
from devls.cli.output import from_input, writing_to_output
from devls.cli.progress import Progress
from devls.cli.report import plural
from devls.config import Config
from devls.project.workspace import Workspace, normalize
from devls.syntax.notebook import SUFFIX, NotebookError, NotebookSource
from devls.text.decoding import UndecodableError, decode
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import MAX_FILE_BYTES, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TextIO

    from devls.cli.arguments import Options
    from devls.cli.cache import Cache
    from devls.cli.complaints import Complaints
    from devls.cli.dask_workers import DaskPool
    from devls.cli.narrowing import Narrowing
    from devls.cli.parallel import Pool
    from devls.cli.report import Report

STDIN = "-"


def check(
    options: Options,
    make_analyzer: Callable[..., Analyzer],
    complaints: Complaints,
    used: set[str] | None = None,
) -> int:
    """Check what the options name, and print what was found. Returns the exit status.

    `used` is filled in, if it is given, with the files that were read or looked for.
    """
    configuration = _configured(options, complaints)
    if configuration is None or configuration.mistaken_options():
        return FAILURE
    selection = _selected(options, configuration, complaints)
    # Such an argument may be the reason why no file is chosen.
    if configuration.mistaken(selection.names or [str(Path(each, "any.py")) for each in selection.roots]):
        complaints.say("nothing was checked: the configuration has to be put right first.")
        return FAILURE
    if _writes_over_code(options, [*selection.names, *configuration.files], complaints):
        return FAILURE
    if options.show_files or options.show_settings:
        return _show(options, configuration, selection)
    try:
        given = _from_stdin() if options.paths == (STDIN,) else None
        workspace = _workspace(selection, given)
        narrowing = _narrowing(options)
    except (UndecodableError, NotebookError, OSError) as error:
        why = reason_of(error) if isinstance(error, OSError) else error
        complaints.say(f"standard input is not checked: {why}.")
        return FAILURE
    except CommandError as error:
        complaints.say(f"{error}.")
        return FAILURE
    analyzer = make_analyzer(workspace, configuration.of)
    analyzer.questions = options.probe
    told = Collected() if options.shard else complaints  # who merges says it
    checked = Check(
        analyzer,
        workspace,
        selection.names,
        told,
        config_for=configuration.of,
        debug=options.debug,
        verbose=options.verbose,
    )
    checked.narrowing, checked.given = narrowing, given
    checked.draw = _drawing(options, make_analyzer)
    checked.cache = _cache(options, workspace, analyzer, configuration)
    try:
        checked.pool = _pool(options, make_analyzer, workspace, checked)
        return _run(options, checked, configuration, selection, complaints, used)
    except CommandError as error:
        complaints.say(f"{error}.")
        return FAILURE


def _configured(options: Options, complaints: Complaints) -> Configuration | None:
    """The settings for a check; None, and a complaint, where there are none to be had."""
    try:
        Path.cwd()
    except OSError:
        complaints.say("the working folder does not exist any more.")
        return None
    try:
        return Configuration(options, complaints)
    except CommandError as error:
        complaints.say(f"{error}.")
        return None


def _run(
    options: Options,
    checked: Check,
    configuration: Configuration,
    selection: files.Selection,
    complaints: Complaints,
    used: set[str] | None,
) -> int:
    checked.progress = Progress(len(checked.names), shown=not options.style.quiet)
    if options.shard:
        text = shards.text(checked, options.shard)
        done = outputs.write_text(text, options.outputs[0].file, sys.stdout, complaints)
        return NOTHING if done and not (selection.failed or selection.missing) else FAILURE
    began = time.monotonic()
    checked.run()
    if used is not None:
        used |= checked.used()
    if options.verbose:
        _say_how(checked, configuration, time.monotonic() - began, complaints)
    status = _finish(options, checked, complaints)
    if checked.narrowing is not None and not options.style.quiet:
        checked.narrowing.say(complaints, checked.names)
    return FAILURE if checked.failed or selection.failed or selection.missing else status


def merge(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    """Print what the parts of a check have found together. Returns the exit status."""
    workspace = Workspace()
    try:
        names = shards.names_in(options.paths[0])
        check = Check(make_analyzer(workspace, lambda _: Config()), workspace, names, complaints)
        if _writes_over_code(options, names, complaints):
            return FAILURE
        check.narrowing = _narrowing(options)
        check.draw = _drawing(options, make_analyzer)
        check.take(shards.merged(options.paths))
    except CommandError as error:
        complaints.say(f"{error}.")
        return FAILURE
    status = _finish(options, check, complaints)
    if check.narrowing is not None and not options.style.quiet:
        check.narrowing.say(complaints, check.names)
    return FAILURE if check.failed else status


def _writes_over_code(options: Options, checked: Iterable[str], complaints: Complaints) -> bool:
    """Whether a report was to go to a file that holds code, or settings that are used, which is said."""
    wanted = (options.write_baseline, *(each.file for each in options.outputs))
    return outputs.would_lose_code(wanted, checked, complaints)


def _show(options: Options, configuration: Configuration, selection: files.Selection) -> int:
    with writing_to_output():
        if options.show_settings:
            first = next(iter(selection.names), str(Path.cwd() / "any.py"))
            sys.stdout.write(escaped_lines(written(configuration.of(first))))
        else:
            sys.stdout.writelines(f"{escaped(each)}\n" for each in selection.names.values())
    return FAILURE if selection.missing or selection.failed else NOTHING


def _selected(options: Options, configuration: Configuration, complaints: Complaints) -> files.Selection:
    if options.paths == (STDIN,):
        name = options.stdin_filename
        path = normalize(name or "stdin.py")
        return files.Selection({path: name or "<stdin>"}, roots=[str(Path(path).parent)])
    selection = files.select(options.paths, configuration.of, force_exclude=options.force_exclude)
    for path, why in selection.missing.items():
        complaints.say(f"{path} {why}.")
    for complaint in selection.complaints:
        complaints.say(f"{complaint}.")
    return selection


def _workspace(selection: files.Selection, given: str | None) -> Workspace:
    """The files, one of which has the text that was `given` on standard input.

    Raises:
        NotebookError: if that was to be a notebook, and is none.
    """
    workspace = Workspace(selection.roots)
    if given is not None:
        path = next(iter(selection.names))
        workspace.open(path, NotebookSource.read(path, given) if path.endswith(SUFFIX) else given)
    return workspace


def _narrowing(options: Options) -> Narrowing | None:
    if options.write_baseline or not (options.baseline or options.diff_base):
        return None
    from devls.cli.narrowing import Narrowing  # noqa: PLC0415  few ask

    return Narrowing(options.baseline, options.diff_base)


def _pool(
    options: Options, make_analyzer: Callable[..., Analyzer], workspace: Workspace, check: Check
) -> Pool | DaskPool | None:
    if options.executor:
        from devls.cli import dask_workers, parallel  # noqa: PLC0415  few ask

        work = parallel.Work(options, make_analyzer, workspace.roots, check.names, check.cache is not None)
        return dask_workers.DaskPool(work, options.executor)
    jobs = options.jobs
    if (
        jobs == 1 or len(check.names) < 2 or options.probe
    ):  # what torch is asked is made of an analysis that is here
        return None
    from devls.cli import parallel  # noqa: PLC0415  one file needs one process

    jobs = jobs or parallel.cores()
    if jobs < 2 or not parallel.picklable(make_analyzer):
        return None
    work = parallel.Work(options, make_analyzer, workspace.roots, check.names, check.cache is not None)
    return parallel.Pool(work, jobs)


def _cache(
    options: Options, workspace: Workspace, analyzer: Analyzer, configuration: Configuration
) -> Cache | None:
    begins_anew = options.paths == (STDIN,) or options.fix or options.diff or options.probe or options.verbose
    if not options.cache or begins_anew or options.add_ignore or not isinstance(analyzer, Analyzer):
        return None
    from devls.cli import cache  # noqa: PLC0415  not asked for by who measures, or wants to fix

    return cache.opened(workspace, analyzer, configuration.of)


def _say_how(check: Check, configuration: Configuration, seconds: float, complaints: Complaints) -> None:
    for file in configuration.files:
        complaints.say(f"{files.shown(file)} is used.")
    complaints.say(f"{plural(len(check.names), 'file')} checked in {seconds:.2f} s.")


def _from_stdin() -> str:
    data = from_input(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UndecodableError(f"it is larger than {MAX_FILE_BYTES // 1024 // 1024} MB")
    return decode(data)[0]


def _finish(options: Options, check: Check, complaints: Complaints) -> int:
    if options.write_baseline:
        return _write_baseline(options.write_baseline, check, complaints)
    fixed = fixing.Fixed()
    if options.fix or options.diff:
        fixed = fixing.apply_fixes(check, unsafe=options.unsafe_fixes)
    if options.diff:
        with writing_to_output():
            applying.print_differences(check, fixed, complaints)
        found = bool(fixed.sources)
    else:
        stream, count = sys.stdout, sum(fixed.counts.values())
        if options.fix and options.paths == (STDIN,):
            with writing_to_output():
                sys.stdout.write(applying.fixed_input(check, fixed))
            stream = sys.stderr
        elif options.fix:
            count = applying.write(fixed, check, complaints)
        elif options.add_ignore:
            applying.add_comments(check, complaints)
        report = check.report(count)
        if options.probe:
            from devls.cli import probing  # noqa: PLC0415  few ask torch

            report = probing.asked(report, options.python, complaints)
        check.failed |= not _print(report, options, stream, complaints)
        found = _fails(report, options, fixed)
    return FINDINGS if found and not options.exit_zero else NOTHING


def _drawing(options: Options, make_analyzer: Callable[..., Analyzer]) -> Callable[[str], str] | None:
    """Drawing of the gradient flow of a file, if there is to be a page that shows it."""
    if all(each.format != "html" for each in options.outputs):
        return None
    from devls import gradients  # noqa: PLC0415  few ask
    from devls.cli import pages  # noqa: PLC0415  as above

    return functools.partial(gradients.drawn, make_analyzer=make_analyzer, rules=pages.rule_names())


def _write_baseline(file: str, check: Check, complaints: Complaints) -> int:
    from devls.cli import baseline  # noqa: PLC0415  few ask

    found = [each for findings in check.findings.values() for each in findings]
    try:
        count = baseline.write(file, found, check.source_of)
    except CommandError as error:
        complaints.say(f"{error}.")
        return FAILURE
    complaints.say(f"{plural(count, 'finding')} written to {file}.")
    return NOTHING


def _fails(report: Report, options: Options, fixed: fixing.Fixed) -> bool:
    """Whether what was found, or fixed, is a reason to end with 1."""
    if options.exit_non_zero_on_fix and fixed.sources:
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

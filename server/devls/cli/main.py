"""Implementations of the commands."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.analysis import Analyzer
from devls.cli import outputs, pages, unchecked
from devls.cli.checking import check, merge
from devls.cli.complaints import FAILURE, FINDINGS, INTERRUPTED, NOTHING, Complaints, did_you_mean
from devls.cli.output import OutputError, from_input, let_go_of_output, writing_to_output
from devls.config import Config
from devls.project.definitions import Definitions, environments
from devls.project.workspace import Workspace, normalize
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import UnreadableFileError, read_start, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.cli.arguments import Options

_MOST_TEXT = 10_000_000
"""How many bytes of a traceback are read."""


def _analyzer(workspace: Workspace, config_for: Callable[[str], Config]) -> Analyzer:
    return Analyzer(workspace, config_for, hovers=False, installed=Definitions(environments(workspace.roots)))


def run(options: Options, make_analyzer: Callable[..., Analyzer] = _analyzer) -> int:
    """Run one command other than `serve`; `make_analyzer` makes the `Analyzer`. Returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A message may hold a name that the terminal cannot show; that is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    complaints = Complaints()
    if options.debug:
        import logging  # noqa: PLC0415  who debugs has the time

        # with the tracebacks of what has failed in a part of a file
        logging.basicConfig(format="%(message)s")
    # Most of what an analysis makes is a tree, and stays. Looking through all of it for cycles again and again takes a
    # fifth of the time, and what is found is little: `Check` looks once behind each file, at what the file has left.
    gc.disable()
    try:
        if options.command == "explain":
            with writing_to_output():
                status = _explain(options.rule, complaints)
        elif options.command == "list-rules":
            with writing_to_output():
                status = _list_rules()
        elif options.command == "completion":
            with writing_to_output():
                status = _complete(options.shell, complaints)
        else:
            command = _watch if options.watch else _COMMANDS.get(options.command, check)
            status = command(options, make_analyzer, complaints)
        with writing_to_output():
            sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_output()  # whoever reads (`| head`) has seen enough
        status = FINDINGS
    except KeyboardInterrupt:
        complaints.say("interrupted.")
        status = INTERRUPTED
    except OutputError as error:
        let_go_of_output()
        complaints.say(f"cannot write to standard output: {error}.")
        status = FAILURE
    except Exception as error:  # noqa: BLE001  the last resort
        complaints.say(_missing(error) or _gone(error) or f"internal error: {type(error).__name__}: {error}")
        if options.debug:
            complaints.trace()
        status = FAILURE
    finally:
        gc.enable()
    return status


def _gone(error: Exception) -> str:
    """Message where the working folder, from which paths are understood, has been removed; empty for any other cause."""
    if not isinstance(error, FileNotFoundError):
        return ""
    try:
        Path.cwd()
    except OSError:
        return "the working folder does not exist any more."
    return ""


def _missing(error: Exception) -> str:
    """Message for an installation without the package that prints for people; empty for any other cause."""
    if not isinstance(error, ModuleNotFoundError) or (error.name or "").partition(".")[0] != "rich":
        return ""
    return "printing for people needs the package rich: other values of --output-format, such as concise, do without."


def _watch(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    from devls.cli import watching  # noqa: PLC0415  few ask

    return watching.watch(options, make_analyzer, complaints)


def _why(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    from devls.cli import why  # noqa: PLC0415  few ask

    name, known = options.paths[0], pages.rule_names()
    path = normalize(name)
    # Findings of some paths only were considered, too.
    config = Config.load(str(Path(path).parent), known).merged({"show_possible": True}, known).of_file(path)
    workspace = Workspace((str(Path(path).parent),))
    analyzer = make_analyzer(workspace, lambda _path: config)
    analyzer.keeps_silenced = True
    try:
        analysis = analyzer.analyze(path)
    except UnreadableFileError as error:
        complaints.say(f"{name} is not checked: {error.reason}.")
        return FAILURE
    if (analysis.source.place_of(0)[0] is None) != (not options.cell):
        complaints.say(
            f"{name} has no cells." if options.cell else f"write `devls why '{name}:cell N:LINE'`."
        )
        return FAILURE
    with writing_to_output():
        sys.stdout.write(escaped_lines(why.told(analysis, name, options.line, options.cell)))
    return NOTHING


def _gradients(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    from devls import gradients  # noqa: PLC0415  few ask
    from devls.cli import pages  # noqa: PLC0415  as above

    name, path = options.paths[0], normalize(options.paths[0])
    if options.destination != "-" and outputs.would_lose_code([options.destination], [path], complaints):
        return FAILURE
    try:
        tables, analysis = gradients.tables_of(path, make_analyzer, pages.rule_names())
        found = tables.within(analysis.source, options.function)
    except UnreadableFileError as error:
        complaints.say(f"{name} is not checked: {error.reason}.")
        return FAILURE
    except gradients.UnknownNameError:
        complaints.say(f"{name} defines no {options.function}.")
        return FAILURE
    if options.command == "map":
        text = gradients.as_mermaid(found)
    else:
        text = gradients.as_json(found, name) if options.as_json else gradients.as_text(found, escaped(name))
    if options.destination != "-":
        from devls.cli.writing import written  # noqa: PLC0415  as above

        try:
            with written(options.destination) as file:
                file.write(text)
        except OSError as error:
            complaints.say(f"{options.destination} is not written: {reason_of(error)}.")
            return FAILURE
        return NOTHING
    with writing_to_output():
        sys.stdout.write(text if options.as_json else escaped_lines(text))
    return NOTHING


def _traceback(options: Options, make_analyzer: Callable[..., Analyzer], complaints: Complaints) -> int:
    from devls.cli import traceback  # noqa: PLC0415  few ask

    name = options.paths[0]
    try:
        text = from_input(_MOST_TEXT) if name == "-" else read_start(name, _MOST_TEXT)
    except UnreadableFileError as error:
        complaints.say(f"{name} is not read: {error.reason}.")
        return FAILURE
    except OSError as error:
        complaints.say(f"standard input is not read: {reason_of(error)}.")
        return FAILURE
    raised = traceback.chosen(text.decode("utf-8", "replace"))
    if raised is None:
        complaints.say(f"{'standard input' if name == '-' else name} holds no traceback.")
        return FAILURE
    folder = normalize(".")
    told, workspace = traceback.answer(raised, folder, make_analyzer, pages.rule_names())
    report = traceback.report_of(told, workspace, folder)
    with writing_to_output():
        (traceback.as_json if options.as_json else traceback.as_text)(told, report)
    return NOTHING if told.is_cause else FINDINGS


def _explain(rule: str, complaints: Complaints) -> int:
    page = pages.page(rule)
    if page is None:
        near = did_you_mean(rule.lower(), pages.rule_names())
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

    human.list_rules([*pages.pages(), *unchecked.PAGES.values()], sys.stdout)
    return NOTHING


_COMMANDS: Final = {
    "gradients": _gradients,
    "map": _gradients,
    "merge": merge,
    "traceback": _traceback,
    "why": _why,
}
"""Common part of the commands that analyze, except `check`."""

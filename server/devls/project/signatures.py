"""Signatures and documentation of what installed packages define, as jedi reads them, in a process of its own.

jedi takes seconds for a name that a large package hands on, and 100 MB; so `serve` runs in a process that the server starts
when somebody first asks, and ends when nobody does. jedi reads sources and stubs. It loads extension modules, too, but only
those of the Python that runs devls: no interpreter of an environment is started, and none of its binaries is loaded.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from devls.project.signatures import serve; serve(sys.stdin, sys.stdout)"
)
"""Program of the process, for `python -I -c`, which is given the path of the Python that runs devls."""

_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space."""

_LINES: Final = 12
"""Lines of documentation: a hover is no page."""

_LONGEST: Final = 400
"""Characters of a signature."""

_TOLD: Final = ("function", "class", "module", "property")


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer questions, a line of JSON each, until there are no more.

    The first line has `site`, the folders that packages are looked for in. A question has `path`, `text`, `row` from 1 and
    `column` from 0; its answer is Markdown, or "" where there is nothing to say.
    """
    _confine()
    site = json.loads(questions.readline())["site"]
    for line in questions:
        said = ""
        with suppress(Exception):  # jedi fails on some programs; nothing is said of those
            said = _told(site, json.loads(line))
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def _confine() -> None:
    """Take bounded memory, and end with whoever has started this, where the system knows how."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  Unix only

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if sys.platform == "linux":
        with suppress(ImportError, OSError):
            import ctypes  # noqa: PLC0415  Linux only
            import signal  # noqa: PLC0415

            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _told(site: list[str], asked: Mapping[str, Any]) -> str:
    import jedi  # noqa: PLC0415  this process alone has it

    jedi.settings.auto_import_modules = []  # it would run them
    project = jedi.Project(
        ".", sys_path=site, smart_sys_path=False, load_unsafe_extensions=False, added_sys_path=()
    )
    script = jedi.Script(
        asked["text"], path=asked["path"], environment=jedi.InterpreterEnvironment(), project=project
    )
    for name in script.help(asked["row"], asked["column"]):
        if name.type in _TOLD and (parts := list(_parts(name))):
            return "\n\n".join(parts)
    return ""


def _parts(name: Any) -> Iterator[str]:
    """A signature, the first lines of the documentation, and the place."""
    full, kind = name.full_name or name.name, name.type
    signatures = [each.to_string() for each in name.get_signatures()][:3]
    prefix = {"function": "def ", "class": "class "}.get(kind, "")
    if kind == "module":
        signatures = [full]
    if not signatures and kind != "property":
        return
    head = full.rpartition(".")[0]
    shown = [f"{prefix}{each}"[:_LONGEST] for each in signatures or [full]]
    yield "```python\n" + "\n".join(shown) + "\n```"
    text = name.docstring(raw=True).strip().partition("\n\n")[0].splitlines()[:_LINES]
    if text:
        yield "\n".join(text).replace("```", "'''")
    path = name.module_path
    if path is not None and head:
        yield f"*`{head}`*, line {name.line} of `{path.name}`"

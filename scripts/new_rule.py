"""Begin a rule: write its page, rule, event, check, question, spec and changelog line, and register all of them.

    python scripts/new_rule.py some-pitfall --family autograd --finds "A loss is printed in each round." \
        --event SomethingHappened --moment backward_begins --carries root text

The event is taken over if one of that name exists; else one is added to the events of the family, with the parameters of the moment
that it is to carry. With `--moment`, a check is begun that listens to that moment of a run (see `server/devls/engine/core/moments.py`)
and sends the event. The page, the rule, and the check are left to write; `CONTRIBUTING.md` tells the steps.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEVLS = ROOT / "server" / "devls"
CORE = DEVLS / "engine" / "core"
FAMILIES = ("device", "autograd", "training")
QUESTIONS = {"device": "device", "autograd": "autograd", "training": "training"}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


@dataclass(frozen=True)
class Request:
    """One rule to begin.

    Its name in kebab-case, its family, the sentence that says which mistake it finds, its event, the moment that its check
    listens to, and the parameters of the moment that become fields of the event.
    """

    name: str
    family: str
    finds: str
    event: str
    moment: str | None
    carries: tuple[str, ...]

    @property
    def module(self) -> str:
        """The name of its Python modules."""
        return self.name.replace("-", "_")


def event_module(event: str) -> str | None:
    """The module of `devls.engine.core.events` that defines an event; None if none does."""
    for path in sorted((CORE / "events").glob("*.py")):
        if re.search(rf"^class {event}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            return path.stem
    return None


def parameters_of(arguments: ast.arguments) -> dict[str, str]:
    """The annotations of a moment's parameters, by name, the machine first."""
    return {
        each.arg: "" if each.annotation is None else ast.unparse(each.annotation)
        for each in (*arguments.args, *arguments.kwonlyargs)
    }


def type_imports(module: str) -> ast.If:
    """The imports for types of a module of moments."""
    text = (CORE / f"{module}.py").read_text(encoding="utf-8")
    return next(each for each in ast.parse(text).body if isinstance(each, ast.If))


def declared_moment(name: str) -> tuple[str, ast.arguments]:
    """The module of `devls.engine.core` that declares a moment, and the parameters of the moment.

    Raises:
        ValueError: if there is none of that name; the message lists those there are.
    """
    declared = {
        node.name: (path.stem, node.args)
        for path in sorted(CORE.glob("*moments.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each) == "moment" for each in node.decorator_list)
    }
    if name not in declared:
        raise ValueError(f"there is no moment `{name}`; there are: {', '.join(sorted(declared))}")
    return declared[name]


def write_page(request: Request) -> Path:
    """The rule's page: documentation, answer of `--explain`, and test."""
    return _create(
        DEVLS / "rules" / request.family / f"{request.module}.md",
        f"""# {request.name}

{request.finds}

## Why is this bad?

TODO

## Example

```py not-run="TODO: raises=, warns= or effect=, as torch shows it"
import torch

x = torch.ones(2)
```

## What is not reported

TODO

## Fix safety

TODO
""",
    )


def write_rule(request: Request, events: str) -> Path:
    """The rule: a function on one kind of event."""
    return _create(
        DEVLS / "rules" / request.family / f"{request.module}.py",
        f'''"""{request.name}: TODO, the consequence in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.{events} import {request.event}
from devls.rules.rule import Confidence, Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("{request.name}", on={request.event}, level="warning")
def {request.module}(event: {request.event}) -> Iterator[Finding]:
    """Report at the place of the event: {request.finds.rstrip(".")}."""
    yield Finding("TODO: names the user's values, and says what torch does", event.site, Confidence.CERTAIN)
''',
    )


def add_event(request: Request) -> str:
    """A stub of the event among those of the family, unless it exists; returns its module."""
    module = event_module(request.event)
    if module is not None:
        return module
    path = CORE / "events" / f"{request.family}.py"
    if path.exists():
        text = path.read_text(encoding="utf-8").rstrip("\n")
    else:
        text = _EVENTS.format(family=request.family).rstrip("\n")
    fields = ""
    if request.moment is not None and request.carries:
        moments, arguments = declared_moment(request.moment)
        known = parameters_of(arguments)
        fields = "\n" + "".join(f"    {name}: {known[name]}\n" for name in request.carries)
        block = ast.unparse(type_imports(moments))
        if "if TYPE_CHECKING:\n" in text:
            text = text.replace("if TYPE_CHECKING:", block, 1)
        else:
            text = f"{text}\n\n\n".replace("\n\n\n", f"\n\n{block}\n\n\n", 1).rstrip("\n")
            text = text.replace(
                "import annotations\n", "import annotations\n\nfrom typing import TYPE_CHECKING\n", 1
            )
    fact = f'@fact\nclass {request.event}(Event):\n    """The fact that `{request.name}` judges: see its page."""\n{fields}'
    path.write_text(f"{text}\n\n\n{fact}", encoding="utf-8")
    return request.family


_EVENTS = '''"""Events of the family `{family}`: neutral facts, which rules judge."""

from __future__ import annotations

from devls.engine.core.events.events import Event
from devls.values.facts import fact


'''


def write_check(request: Request, events: str) -> Path | None:
    """A check that listens to the moment, and sends the event."""
    if request.moment is None:
        return None
    module, arguments = declared_moment(request.moment)
    first, *others = parameters_of(arguments)
    shown = ast.unparse(arguments)
    place = next((name for name in others if name in _PLACES), None)
    used = {place, *request.carries}
    unused = "".join(f"    del {each}\n" for each in others if each not in used)
    types = type_imports(module)
    carried = "".join(f", {each}" for each in request.carries)
    where = f"{first}.placeholder()" if place is None else f"{place}{_node_of(arguments, place)}"
    return _create(
        DEVLS / "engine" / "checks" / f"{request.module}.py",
        f'''"""TODO: which mistake is noticed, and by what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import {module}
from devls.engine.core.events.{events} import {request.event}

{ast.unparse(types)}


@{module}.{request.moment}.on
def notice({shown}) -> None:
    """TODO: when the event is sent."""
{unused}    mistake = False  # TODO
    if mistake:
        {first}.emit({request.event}({first}.site({where}), {first}.frame.statement{carried}))
''',
    )


def _node_of(arguments: ast.arguments, name: str) -> str:
    """The way from a parameter to its expression: an `Invocation` is a call with the values that it is given."""
    given = (
        each for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if each.arg == name
    )
    written = next((ast.unparse(each.annotation) for each in given if each.annotation is not None), "")
    return ".node" if written.startswith("Invocation") else ""


_PLACES = frozenset({"node", "call"})
"""The parameters of moments that are the expression at which something happens."""


def register_check(request: Request) -> Path | None:
    """Name the check among those that the engine is put together from."""
    if request.moment is None:
        return None
    path = DEVLS / "engine" / "driver" / "assembly.py"
    text = path.read_text(encoding="utf-8")
    text = text.replace(
        "\nREGISTERED = (\n",
        f"\nfrom devls.engine.checks import {request.module}\n\nREGISTERED = (\n    {request.module},\n",
        1,
    )
    path.write_text(text, encoding="utf-8")
    return path


def add_question(request: Request, events: str) -> Path:
    """A stub of the question that torch is asked about a finding."""
    path = DEVLS / "questions" / f"{QUESTIONS[request.family]}.py"
    text = path.read_text(encoding="utf-8")
    head, table, rest = text.partition("BUILDERS: dict[str, Builder[Any]] = {\n")
    stub = f'''def {request.module}(_event: {request.event}, _machine: Machine) -> Experiment:
    """No program: torch is not asked about a new rule before one is written down here."""
    raise NoQuestionError(NOT_WRITTEN)


'''
    entry = f'    "{request.name}": {request.module},\n'
    imports = f"    from devls.engine.core.events.{events} import {request.event}\n"
    head = head.replace("if TYPE_CHECKING:\n", "if TYPE_CHECKING:\n" + imports, 1)
    if "NOT_WRITTEN" not in head:
        head = head.replace("import NoQuestionError", "import NOT_WRITTEN, NoQuestionError", 1)
    path.write_text(head + stub + table + entry + rest, encoding="utf-8")
    return path


def add_spec(request: Request) -> Path:
    """A spec of values, to be added to when the engine learns something for the rule."""
    path = ROOT / "tests" / "specs" / "rules" / f"{request.module}.md"
    path.parent.mkdir(exist_ok=True)
    return _create(
        path,
        f"""# {request.name}

The values that the rule rests on: programs are added here when the engine learns something for it.

```py
import torch

x = torch.ones(2)
reveal_value(x)  # revealed: Tensor device=cpu requires_grad=False is_leaf=True shape=(2,) dtype=float32
```
""",
    )


def add_changelog_line(request: Request) -> Path:
    """A line under *Added*."""
    path = ROOT / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("### Added\n\n", f"### Added\n\n- Rule `{request.name}`: {request.finds}\n", 1),
        encoding="utf-8",
    )
    return path


def _create(path: Path, text: str) -> Path:
    if path.exists():
        raise FileExistsError(f"{path.relative_to(ROOT)} is there already")
    path.write_text(text, encoding="utf-8")
    return path


def _finish(paths: list[Path]) -> None:
    """Sort imports, format, and write what is generated."""
    files = [str(each) for each in paths if each.suffix == ".py"]
    for command in (
        ["ruff", "check", "--quiet", "--fix", "--select", "I,F401", *files],
        ["ruff", "format", "--quiet", *files],
    ):
        subprocess.run([sys.executable, "-m", *command], check=True, cwd=ROOT)
    generate = [sys.executable, str(ROOT / "scripts" / "generate_docs.py")]
    subprocess.run(generate, check=True, cwd=ROOT)  # the index of rules
    subprocess.run(generate, check=True, cwd=ROOT)  # the page of rules, with the new one


def main() -> int:
    """Write all stubs; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "name", help="the rule's name, in kebab-case: it names the pitfall and not the remedy"
    )
    parser.add_argument("--family", required=True, choices=FAMILIES)
    parser.add_argument(
        "--finds",
        required=True,
        help="one sentence that says which mistake it finds, for the page and the changelog",
    )
    parser.add_argument("--event", required=True, help="the event that it listens to, in CamelCase")
    parser.add_argument("--moment", help="the moment at which a new check sends the event")
    parser.add_argument(
        "--carries", nargs="*", default=[], help="parameters of the moment that are fields of a new event"
    )
    options = parser.parse_args()
    if not _NAME.fullmatch(options.name):
        parser.error(f"`{options.name}` is not kebab-case of at least two words")
    finds = options.finds.strip().rstrip(".") + "."
    request = Request(
        options.name, options.family, finds, options.event, options.moment, tuple(options.carries)
    )
    try:
        known = {} if request.moment is None else parameters_of(declared_moment(request.moment)[1])
        unknown = [each for each in request.carries if each not in known]
        if unknown:
            raise ValueError(f"the moment has no {', '.join(unknown)}; it has: {', '.join(list(known)[1:])}")  # noqa: TRY301
        written = [write_page(request)]
        events = add_event(request)
        written += [
            write_rule(request, events),
            CORE / "events" / f"{events}.py",
            *filter(None, [write_check(request, events), register_check(request)]),
            add_question(request, events),
            add_spec(request),
            add_changelog_line(request),
        ]
    except (ValueError, FileExistsError) as error:
        parser.error(str(error))
    _finish(written)
    print("written:", *(each.relative_to(ROOT).as_posix() for each in written), sep="\n  ")
    print("Next: the page (run it on torch first), the rule, and the check. Then: make test-python")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""An analyzer that finds what the tests write down, so that the command line is tested alone.

x.to(d)      as a statement: discarded-transfer, with the safe fix `x = x.to(d)`
bad          mixed-devices, related to the first `origin` of the file, with the unsafe fix `good`
chain        backward-twice, with the safe fix `bad2`, which is itself found and fixed to `good`
stuck        numpy-on-grad, whose safe fix changes nothing
broken       grad-of-non-leaf, whose safe fix does not parse
hint         revealed-value (info), with a fix to be finished by hand
far          in a file that imports `other`: mixed-devices at each `near` of other.py
crash        devls itself fails
partly       devls itself fails on a function
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devls.analysis import Analysis, Analyzer, Cut, Diagnostic, Related, Severity
from devls.syntax import rewrite
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devls.config import Config
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source

WORDS = {
    "bad": ("mixed-devices", Severity.ERROR, "good", Applicability.UNSAFE),
    "bad2": ("mixed-devices", Severity.ERROR, "good", Applicability.SAFE),
    "chain": ("backward-twice", Severity.ERROR, "bad2", Applicability.SAFE),
    "stuck": ("numpy-on-grad", Severity.WARNING, "stuck ", Applicability.SAFE),
    "broken": ("grad-of-non-leaf", Severity.WARNING, "good)", Applicability.SAFE),
    "hint": ("revealed-value", Severity.INFO, "", Applicability.DISPLAY),
}
FAMILIES = {"backward-twice": "autograd", "numpy-on-grad": "autograd", "grad-of-non-leaf": "autograd"}


class FakeAnalyzer(Analyzer):
    def __init__(self, workspace: Workspace, config_for: Callable[[str], Config]) -> None:
        super().__init__(workspace, config_for)
        self.workspace, self.config_for = workspace, config_for

    def analyze(self, path: str, *, cancelled: Callable[[], bool] | None = None) -> Analysis:
        del cancelled
        source = self.workspace.source(path)
        config = self.config_for(path)
        if "crash" in source.text:
            raise ZeroDivisionError("the fake divides")
        found = [
            each
            for each in _findings(source)
            if config.level(each.rule, FAMILIES.get(each.rule, "device"), "error") != "off"
        ]
        cuts = (
            (Cut(path, 1, "the function `long`", "it takes too many steps"),) if "long" in source.text else ()
        )
        if "partly" in source.text:
            cuts += (
                Cut(path, 2, "the function `partly`", "devls itself failed: KeyError: 'x'", failed=True),
            )
        return Analysis(path, source, tuple(found), tuple(self._elsewhere(source)), cuts=cuts)

    def _elsewhere(self, source: Source) -> Iterator[Diagnostic]:
        if "import other" in source.text:
            other = self.workspace.source(str(Path(source.path).with_name("other.py")))
            for node in ast.walk(other.tree):
                if isinstance(node, ast.Name) and node.id == "near":
                    yield Diagnostic(
                        "mixed-devices",
                        Severity.ERROR,
                        f"seen from {Path(source.path).name}",
                        other.path,
                        other.range(node),
                    )


def _findings(source: Source) -> Iterator[Diagnostic]:
    origins = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "origin"]
    related = tuple(Related(source.path, source.range(n), "created on the CPU") for n in origins[:1])
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node).endswith(".to(d)")
        ):
            edit = rewrite.assign_result(source, node, ast.unparse(node.value.func.value))
            fixes = (Fix("Keep the copy", (edit,), Applicability.SAFE),) if edit else ()
            message = "`to` returns a copy"
            yield Diagnostic(
                "discarded-transfer", Severity.WARNING, message, source.path, source.range(node), (), fixes
            )
        elif isinstance(node, ast.Name) and node.id in WORDS:
            rule, severity, text, applicability = WORDS[node.id]
            where = source.range(node)
            fixes = (Fix(f"Write `{text.strip()}`", (Edit(where, text),), applicability),)
            yield Diagnostic(
                rule,
                severity,
                f"`{node.id}` is wrong",
                source.path,
                where,
                related,
                fixes,
                f"https://rules/{rule}",
            )

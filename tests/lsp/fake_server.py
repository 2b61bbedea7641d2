"""A devls server whose analyzer does what words in the analysed text tell it to.

The text is searched for the word that the settings name (`{"select": [word]}`, else `wrong`); each is a finding with a safe, an
unsafe and a display-only fix, related to the first word of the text. `elsewhere PATH` finds the same word in another
file, `related PATH` relates the findings to the first word of another file, `crash` raises, `crash-hover` raises at the first
hover, `noise` writes to standard output, and `wait PATH` goes on when there is such a file or the analysis is cancelled.
Text behind `later` is not found by an analysis that is to be soon. A hover says the word under the cursor.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from devls.analysis import Analysis, AnalysisCancelled, Analyzer, Diagnostic, Hover, Related, Severity
from devls.lsp.server import create_server, serve
from devls.text.edits import Applicability, Edit, Fix, Range


class FakeAnalyzer(Analyzer):
    _paths = frozenset()  # of all that was analysed: each depends on each
    spoiled = False  # by an analysis that did not end: it finds nothing from then on

    def analyze(self, path, *, cancelled=None, soon=False):
        try:
            return self._analyze(path, cancelled, soon)
        except AnalysisCancelled:
            raise
        except Exception:
            self.spoiled = True
            raise

    def _analyze(self, path, cancelled, soon):
        source = self._workspace.source(path)
        self._paths = {*self._paths, path}
        self._say(f"analyze {path} {source.text[:20]!r}")
        elsewhere = []
        for order, argument in re.findall(r"(crash|noise|wait|elsewhere)\b(?: (\S+))?", source.text):
            if order == "crash":
                raise RuntimeError("told to crash")
            if order == "noise":
                print("noise on sys.stdout")
                os.write(1, b"noise on descriptor 1\n")
                subprocess.run(
                    [sys.executable, "-c", "import sys; print('noise of a child', sys.stdin.read())"],
                    check=False,
                )
            if order == "wait":
                self._wait(Path(argument), cancelled)
            if order == "elsewhere":
                elsewhere += self._find(self._workspace.source(argument), "wrong", None)
        found = [*self._find(source, "".join(self._config_for(path).select) or "wrong", source)]
        later = re.search(r"\blater\b", source.text) if soon else None
        if later:
            found = [each for each in found if each.range.start < later.start()]
        return Analysis(
            path,
            source,
            tuple(found),
            tuple(elsewhere),
            lambda offset: self._hover(source, offset),
            partial=later is not None,
        )

    def changed(self, path):
        self._say(f"changed {path}")
        return frozenset(self._paths)

    def _find(self, source, word, root):
        first = re.search(r"\w+|$", source.text)
        related = [Related(source.path, Range(*first.span()), "the first word")]
        for path in re.findall(r"related (\S+)", root.text if root else ""):
            other = self._workspace.source(path)
            related.append(Related(path, Range(*re.search(r"\w+|$", other.text).span()), "over there"))
        for found in () if self.spoiled else re.finditer(rf"\b{re.escape(word)}\b", source.text):
            place = Range(*found.span())
            yield Diagnostic(
                "wrong-word",
                Severity.WARNING,
                f"`{word}` is wrong",
                source.path,
                place,
                related=tuple(related),
                fixes=(
                    Fix("Write right", (Edit(place, "right"),), Applicability.SAFE),
                    Fix("Remove it", (Edit(place, ""),), Applicability.UNSAFE),
                    Fix("Think", (Edit(place, "?"),), Applicability.DISPLAY),
                ),
                url="https://example.org/wrong-word",
            )

    @staticmethod
    def _hover(source, offset):
        if "crash-hover" in source.text:
            raise RuntimeError("told to crash")
        for found in re.finditer(r"\w+", source.text):
            if found.start() <= offset < found.end():
                return Hover(Range(*found.span()), f"**{found.group()}**")
        return None

    def _wait(self, gate, cancelled):
        self._say(f"waiting for {gate}")
        while not gate.exists():
            if cancelled():
                self._say(f"gave up {gate}")
                raise AnalysisCancelled
            time.sleep(0.002)

    @staticmethod
    def _say(text):
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(serve(create_server(analyzer_factory=FakeAnalyzer)))

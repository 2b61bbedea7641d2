"""Texts that are hard to take, for `strength_inputs.py`: by name, contents of files, configurations, patterns and names."""

from __future__ import annotations

import json

_ESCAPES = "\x1b[2J\x1b]0;title\x07\u202e\u2066\x9b\x00\r\x08\x7f"

_DEVICES = 'import torch\nx = torch.ones(2) + torch.ones(2, device="cuda")'


def _encoded(name: str, body: bytes = b"x = 1\n") -> bytes:
    return b"# coding: " + name.encode() + b"\n" + body


_ENCODINGS: dict[str, str | bytes] = {
    **{
        f"coding {name}": _encoded(name)
        for name in (
            *(
                "utf-16",
                "utf-32",
                "utf-7",
                "idna",
                "punycode",
                "undefined",
                "base64",
                "hex",
                "zlib",
                "rot13",
                "mbcs",
            ),
            *(
                "unicode_escape",
                "raw_unicode_escape",
                "cp1252",
                "nothing",
                "utf-8-sig",
                "ascii",
                "oem",
                "x" * 500,
                "-",
                "..",
                "_",
            ),
        )
    },
    "punycode, large": _encoded("punycode", b"x=1-" + b"abcz" * 500_000),
    "idna, large": _encoded("idna", b"a." * 500_000),
    "unicode_escape with NUL": _encoded("unicode_escape", b"x = '\\x00\\ud800'\n"),
    "raw_unicode_escape with half": _encoded("raw_unicode_escape", b"x = '\\ud800'\n"),
    "utf-7 with NUL": _encoded("utf-7", b"x = '+AAA-'\n"),
    "utf-16 with a mark": "x = 1\n".encode("utf-16"),
    "utf-32 with a mark": "x = 1\n".encode("utf-32"),
    "latin-1, not declared": b"x = '\xe9'\n",
    "cut off in a character": "x = 'é".encode()[:-1],
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbfx = 1\n",
    "a mark and another coding": b"\xef\xbb\xbf# coding: latin-1\n",
    "NUL": b"x = 1\0\n",
    "only NUL": bytes(100_000),
    "ELF": b"\x7fELF\2\1\1",
    "empty": b"",
    "one line of 4 MB": b"x = '" + b"a" * 4_000_000 + b"'\n",
    "5 MB": b"#" * (5 * 1024 * 1024),
    "6 MB": b"#" * (6 * 1024 * 1024),
    "64 MB": b"x = 1\n" * (64 * 1024 * 1024 // 6),
}

# Constructs nested in one another, or repeated, so many times.
_REPEATED: dict[str, tuple[str, str, str, int]] = {
    "parentheses": ("(", "1", ")", 90),
    "more parentheses": ("(", "1", ")", 5000),
    "open parentheses": ("(", "", "", 100_000),
    "lists": ("[", "1", "]", 90),
    "open brackets": ("x = [", "", "", 50_000),
    "dicts": ("{1:", "1", "}", 90),
    "calls in calls": ("f(", "1", ")", 5000),
    "calls of calls": ("f", "", "()", 50_000),
    "attributes": ("x", "", ".a", 50_000),
    "subscripts": ("x", "", "[0]", 50_000),
    "minus": ("-", "1", "", 50_000),
    "not": ("not ", "1", "", 50_000),
    "await": ("await ", "x", "", 5000),
    "lambda": ("lambda: ", "1", "", 20_000),
    "plus": ("1 + ", "1", "", 50_000),
    "powers": ("2 ** ", "2", "", 900),
    "comparisons": ("1 < ", "2", "", 50_000),
    "choices": ("1 if 2 else ", "3", "", 20_000),
    "and": ("a and ", "b", "", 50_000),
    "walrus": ("(a := ", "1", ")", 5000),
    "stars": ("*", "x", "", 5000),
    "f-strings": ("f'{", "1", "}'", 200),
    "quotes": ("'", "", "", 100_000),
    "triple quotes": ('"""', "", "", 33_333),
    "triple quotes on lines": ('"""\n', "", "", 3333),
    "backslashes": ("\\\n", "", "", 50_000),
    "form feeds": ("\f", "x", "", 100_000),
    "carriage returns": ("x\r", "(", "", 50_000),
    "semicolons": ("x = 1;", "(", "", 50_000),
    "decorators": ("@a\n", "class C: pass", "", 20_000),
    "broken functions": ("def f(:\n  pass\n", "", "", 3000),
    "open lines": ("x = (\n", "", "", 5000),
    "garbage": ("$ ? !\n", "", "", 60_000),
    "try": ("try:\n", "", "", 5000),
    "classes without bodies": ("class C:\n", "", "", 3000),
    "bad dedents": ("if x:\n    y\n  z\n", "", "", 3000),
    "tabs and blanks": ("if x:\n\ty\n        z\n", "", "", 3000),
    "elif": ("if x: pass\n", "", "elif x: pass\n", 5000),
    "imports": ("from helper import *\n", "", "", 3000),
    "names in an import": ("from a import (", ")", "b,", 1),
    "statements": ("x = 1\n", "", "", 50_000),
    "statements and one open": ("x = 1\n", "y = (\n", "z = 2\n", 50_000),
    "assignments": ("a = ", "1", "", 20_000),
    "deletions": ("del a\n", "", "", 20_000),
    "globals": ("global a\n", "", "", 20_000),
}

# Blocks in one another: the header of each.
_BLOCKS = {
    "classes": "class C{0}:",
    "functions": "def f{0}():",
    "conditions": "if x{0}:",
    "loops": "for x{0} in y:",
    "while": "while x{0}:",
    "with": "with x{0}:",
    "tries": "try:",
    "cases": "match x:",
}


def _blocks(header: str, depth: int) -> str:
    lines = [" " * each + header.format(each) for each in range(depth)]
    return "\n".join((*lines, " " * depth + "pass", ""))


SOURCES: dict[str, str | bytes] = {
    **_ENCODINGS,
    **{
        name: before * count + middle + after * count + "\n"
        for name, (before, middle, after, count) in _REPEATED.items()
    },
    **{f"{depth} {name}": _blocks(header, depth) for name, header in _BLOCKS.items() for depth in (90, 600)},
    "escapes in a comment": f"{_DEVICES}  # {_ESCAPES}\n".replace("\0", ""),
    "escapes in a text": f"x = '{_ESCAPES}'\n{_DEVICES}\n".replace("\0", "").replace("\r", ""),
    "workflow commands": f"::error::forged\n{_DEVICES}\n::error file=a::b\n",
    "a name of a million characters": "a" * 1_000_000 + " = 1\n",
    "a name of odd characters": "\uff58 = 1\n\u00aa = 2\n\U0001d54f = \uff58 + \u00aa\n",
    "suppressions": "x = 1  # devls: ignore[" + "a," * 50_000 + "]\n",
    "more suppressions": "x = 1  # devls: ignore\n" * 20_000,
    "a number of 5000 digits": "x = " + "9" * 5000 + "\n",
    "a number in hexadecimal": "x = 0x" + "f" * 100_000 + "\n",
    "an escape without end": "x = '\\N{" + "A" * 10_000 + "}'\n",
    "parameters": "def f(" + ", ".join(f"a{each}" for each in range(5000)) + "): pass\nf()\n",
    "stars in a call": "f(" + "*a, **b, " * 5000 + ")\n",
    "an import of itself": "import bad\nfrom bad import *\nfrom . import bad\nfrom .bad import bad\n",
    "dots": "from " + "." * 5000 + " import x\nimport " + "a." * 5000 + "b\n",
    "a long module": "import " + "a" * 5000 + "\n",
    "type parameters": "class C[" + "T, " * 3000 + "]: pass\n",
}


def _notebook(**more: object) -> str:
    return json.dumps({"cells": [], "nbformat": 4, **more})


NOTEBOOKS: dict[str, str | bytes] = {
    "empty": "",
    "no JSON": "x = 1\n",
    "cut off": '{"cells": [{"cell_type": "code", "source": ["import',
    "a list": "[]",
    "a number": "9" * 5000,
    "not a number": "NaN",
    "null": "null",
    "brackets": "[" * 100_000,
    "braces": '{"a":' * 100_000,
    "closed brackets": "[" * 900 + "]" * 900,
    "cells nested deeply": '{"cells": ' + "[" * 50_000 + "]" * 50_000 + "}",
    "cells that are none": _notebook(
        cells=[1, None, [], "x", {}, {"cell_type": "code"}, {"cell_type": ["code"]}]
    ),
    "cells that are no list": _notebook(cells={"a": 1}),
    "no cells": "{}",
    "metadata that is a list": _notebook(metadata=[1]),
    "a language that is a list": _notebook(metadata={"kernelspec": {"language": [[1]]}}),
    "a language with escapes": _notebook(metadata={"kernelspec": {"language": _ESCAPES * 100}}),
    "a language of a million characters": _notebook(metadata={"kernelspec": {"language": "x" * 1_000_000}}),
    "utf-16": _notebook().encode("utf-16"),
    "latin-1": _notebook().encode() + b"\xe9",
    "a mark": b"\xef\xbb\xbf" + _notebook().encode(),
    "NUL": _notebook().encode() + b"\0",
    "the same keys": '{"cells": [], ' + '"cells": [],' * 50_000 + '"a": 1}',
    "20000 cells": _notebook(cells=[{"cell_type": "code", "source": "x = 1"}] * 20_000),
    "2000 broken cells": _notebook(
        cells=[{"cell_type": "code", "source": f"x{each} = ("} for each in range(2000)]
    ),
    "a large output": _notebook(
        cells=[{"cell_type": "code", "source": "x = 1", "outputs": ["x" * 4_000_000]}]
    ),
    "a coding": "# coding: punycode\n" + _notebook(),
}

CELLS: dict[str, object] = {
    "a number": 1,
    "a dict": {"a": [1]},
    "lines that are none": [1, None, "x = 1\n", ["y"]],
    "NUL": "x = '\0'",
    "half a character": "x = '\ud800'",
    "half a name": "\udfff = 1",
    "escapes": f"x = '{_ESCAPES}'\n{_DEVICES}",
    "magics": "%\n%%\n!\n?\n%%%\n%time\n%%time\n",
    "a magic of a million characters": "%" + "x" * 1_000_000,
    "questions": "?" * 100_000,
    "names before a question": "a." * 100_000 + "?",
    "assigned": "a, " * 30_000 + "= !ls",
    "blanks before a magic": " " * 500_000 + "%x y",
    "backslashes": "!x \\\n" * 20_000,
    "parentheses": "(" * 50_000,
    "classes": _blocks("class C{0}:", 600),
    "line ends": "\r\n\r\n\u2028\u2029\x0b\x0c\x85" * 1000,
    "lines of one character": list("x = (1)\n" * 5000),
}

_TABLE = "[tool.devls]\n"

CONFIGURATIONS: dict[str, str | bytes] = {
    "brackets": "a = " + "[" * 100_000,
    "braces": "a = " + "{a = " * 100_000,
    "dots": "a." * 100_000 + "b = 1",
    "dots in a header": "[" + "a." * 100_000 + "b]",
    "quoted dots": '"a".' * 50_000 + "b = 1",
    "digits": "a = " + "9" * 100_000,
    "hexadecimal digits": "a = 0x" + "f" * 100_000,
    "an exponent": "a = 1e" + "9" * 100_000,
    "a date": "a = 9999-99-99",
    "an early date": "a = 0000-01-01",
    "no TOML": "::error::forged",
    "an open text": 'a = """' + "\n" * 100_000,
    "escapes": f"a = '{_ESCAPES}'",
    "escapes in a key": _TABLE + '"\\u001b[2J\\n::error::x" = 1',
    "latin-1": b"a = '\xe9'",
    "utf-16": "a = 1".encode("utf-16"),
    "NUL": b"a = 1\0",
    "a mark": b"\xef\xbb\xbf" + _TABLE.encode(),
    "2 MB": "#" * 2_000_000,
    "the same key": "a = 1\na = 2\n",
    "tool that is a number": "tool = 1",
    "devls that is a list": "tool.devls = []",
    "tables": "[[tool.devls]]\n" * 1000,
    "many keys": _TABLE + "".join(f"k{each} = 1\n" for each in range(20_000)),
    "a deep value": _TABLE + "select" + ".a" * 60 + " = 1",
    "a value of a million characters": _TABLE + "show-possible = '" + "x" * 900_000 + "'",
    "many rules": _TABLE + "select = ['device', " + "'no', " * 50_000 + "]",
    "many levels": _TABLE + "".join(f"levels.x{each} = 'off'\n" for each in range(10_000)),
    "levels of levels": _TABLE + "levels.device.device = 'off'",
    "NUL in src": _TABLE + 'src = ["\\u0000", "a\\u0000b"]',
    "src of a million characters": _TABLE + "src = ['" + "x" * 900_000 + "']",
    "src of odd places": _TABLE + "src = ['/dev/zero', '/proc/self/fd', '', '..', '~', '/', '\\ud800']",
    "many src": _TABLE + "src = [" + "'a', " * 50_000 + "]",
    "src that is a number": _TABLE + "src = 1",
    "exclude that holds numbers": _TABLE + "exclude = [1, [2], {}]",
    "many patterns": _TABLE + "exclude = [" + "'*a*b*c', " * 20_000 + "]",
    "a version": _TABLE + "torch-version = '" + "9" * 10_000 + "." + "9" * 10_000 + "'",
    "a version with escapes": _TABLE + 'torch-version = "2.4\\u001b[2J"',
    "an odd version": _TABLE + "torch-version = '٢.٤'",
}

PATTERNS = (
    *(
        "!",
        "!!",
        "/!",
        "//",
        "///",
        "foo\\",
        "\\",
        "\\\\\\",
        "[z-a].py",
        "[",
        "[!",
        "[]",
        "[^]",
        "[[:alpha:]",
        "a[b",
        "]",
        "[a-",
        "[\\",
    ),
    *("(", "(?P<a>x)", "(?=x)", "x{99999}", "+", "$^", "|", "a{1,", "\\1", "#", "\\#"),
    *(
        "*a" * 120 + "b",
        "q" + "*" * 480 + "q",
        "?*" * 200,
        "**/" * 150 + "b",
        "**/a/" * 90 + "b",
        "a/**/" * 90 + "b",
        "[ab]*" * 90 + "c",
    ),
    *(
        "a*" * 200 + "/" + "b",
        "x" * 5000,
        "/" * 400 + "x",
        "a/" * 200,
        "é\u202e\x1b[2J",
        "\ufeffx",
        "nothing\r",
        "a b\\ ",
        "  ",
    ),
    *(
        "[" + "a-z" * 150 + "]q",
        "**/*a*a*a*b/**/*a*a*a*c",
        "***/b",
        "**q**",
        "!**/",
        "!*",
        "[a&&b]",
        "[a--b]",
        "[[a]",
        "~nobody",
    ),
)

NAMES = (
    *(
        "line\nend",
        "return\r",
        "tab\t",
        "escape\x1b[2J\x1b]0;x\x07",
        "bell\x07",
        "delete\x7f",
        "csi\x9b2J",
        "turned\u202e",
    ),
    *(
        "::error::x",
        "a\n::error file=b::forged",
        "a\r::warning::forged",
        "%0A::error::x",
        "a,b:c=d",
        "##[error]x",
        "\u2028separator",
    ),
    *(
        "\udc80invalid",
        "\udcff" * 60,
        "x" * 240,
        "é" * 120,
        "-",
        "--fix",
        "-x",
        " ",
        " x ",
        "a'b\"c`d$e",
        "\\n",
        "a\\b",
        "[bold]x[red]",
    ),
    *(
        ".x",
        "..x",
        "*",
        "?",
        "[a]",
        "!x",
        "#x",
        "~",
        "$HOME",
        "{x}",
        "con",
        "nul",
        "a:b",
        "\U0001f600",
        "\u200bzero",
        "e\u0301",
        "\ufeff",
    ),
)

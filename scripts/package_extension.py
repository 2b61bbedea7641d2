"""Builds the VS Code extension: dist/devls-VERSION.vsix.

Its contents are laid out in build/extension first, file by file, so that nothing else in the repository can get in.
The compiled client (`npm run build`) has to be there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "build" / "extension"
LIBRARIES = ROOT / "build" / "libraries"
REQUIREMENTS = ROOT / "client" / "libraries.txt"

UNUSED = (
    "bin",  # command line programs of the libraries
    "jedi/third_party/django-stubs",
    "jedi/third_party/typeshed/stubs",  # of third-party packages; those of the standard library stay
    *(
        f"jedi/third_party/typeshed/stdlib/{name}"
        for name in (
            "curses",
            "distutils",
            "encodings",
            "lib2to3",
            "msilib",
            "pydoc_data",
            "sqlite3",
            "tkinter",
            "wsgiref",
            "xml",
            "xmlrpc",
        )
    ),
)
"""Parts of the libraries that the server never reads, or that have nothing to do with training: two thirds of their files."""

MANIFEST_KEYS_LEFT_OUT = ("dependencies", "devDependencies", "private", "scripts")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", default="node", help="a Node of version 22 or later")
    options = parser.parse_args()

    install_libraries()
    stage()
    manifest = json.loads((STAGE / "package.json").read_text("utf-8"))
    package = ROOT / "dist" / f"devls-{manifest['version']}.vsix"
    package.parent.mkdir(exist_ok=True)
    packager = ROOT / "node_modules" / "@vscode" / "vsce" / "vsce"
    node = Path(shutil.which(options.node) or options.node).absolute()
    flags = ("--no-dependencies", "--allow-missing-repository", "-o")
    subprocess.run([str(node), str(packager), "package", *flags, str(package)], cwd=STAGE, check=True)
    return 0


def install_libraries() -> None:
    """Install the pinned libraries into build/libraries, unless those very ones are there already."""
    stamp = LIBRARIES / ".requirements"
    wanted = REQUIREMENTS.read_text("utf-8") + "\n".join((*UNUSED, "records without digests"))
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    shutil.rmtree(LIBRARIES, ignore_errors=True)
    # Every library is named in the file with its version. Left to find what they need, pip would judge by the Python
    # that runs it, and leave out what only older ones need.
    target = ("--no-deps", "--only-binary=:all:", "--implementation=py", "--platform=any", "--abi=none")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--no-compile",
        *target,
        "--python-version=3.10",
    ]
    subprocess.run([*command, "--target", LIBRARIES, "--requirement", REQUIREMENTS], check=True)
    for part in UNUSED:
        shutil.rmtree(LIBRARIES / part, ignore_errors=True)
    for record in LIBRARIES.glob("*.dist-info/RECORD"):
        named = (line.split(",")[0] for line in record.read_text("utf-8").splitlines())
        # The digests, which nobody checks, would be a hundredth of the package, those of files that are gone a tenth.
        record.write_text("".join(f"{name},,\n" for name in named if (LIBRARIES / name).exists()), "utf-8")
    stamp.write_text(wanted, "utf-8")


def stage() -> None:
    """Lay out the extension's files in build/extension."""
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    manifest = json.loads((ROOT / "package.json").read_text("utf-8"))
    for key in MANIFEST_KEYS_LEFT_OUT:
        manifest.pop(key, None)
    name_rules(manifest["contributes"]["configuration"]["properties"])
    manifest["files"] = ["**"]
    (STAGE / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")

    copy_file("LICENSE", "LICENSE")
    copy_file("client/README.md", "README.md")
    if (ROOT / "CHANGELOG.md").is_file():
        copy_file("CHANGELOG.md", "CHANGELOG.md")
    for name in ("extension.js", "THIRD_PARTY_LICENSES.txt"):
        copy_file(f"client/out/{name}", f"client/out/{name}")
    copy_file("client/icon.png", "icon.png")
    copy_file("docs/images/hover.png", "media/hover.png")
    copy_file("examples/classifier.py", "media/example.py")
    copy_file("client/tool/devls_server.py", "bundled/tool/devls_server.py")
    generated = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
    shutil.copytree(LIBRARIES, STAGE / "bundled" / "libs", ignore=generated)
    shutil.copytree(ROOT / "server" / "devls", STAGE / "bundled" / "libs" / "devls", ignore=generated)


def name_rules(properties: dict[str, Any]) -> None:
    """Have the editor complete and check the names of rules in its own settings."""
    sys.path.insert(0, str(ROOT / "server"))
    from devls import rules  # noqa: PLC0415  the path comes first
    from devls.rules.rule import RULES  # noqa: PLC0415
    from devls.settings import FAMILIES  # noqa: PLC0415

    rules.load()
    named = {
        **dict.fromkeys(FAMILIES, "All rules of this family."),
        **{each: RULES[each].summary for each in sorted(RULES)},
    }
    levels = properties["devls.levels"]["additionalProperties"]
    properties["devls.levels"]["properties"] = {
        each: {**levels, "description": about} for each, about in named.items()
    }
    for name in ("devls.select", "devls.ignore"):
        properties[name]["items"] |= {"enum": [*named], "enumDescriptions": [*named.values()]}


def copy_file(source: str, target: str) -> None:
    place = STAGE / target
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / source, place)


if __name__ == "__main__":
    sys.exit(main())

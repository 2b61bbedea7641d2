"""The packaged extension holds what it must and nothing else, and its server starts from it alone."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement

from e2e import editors

if TYPE_CHECKING:
    from pathlib import Path

LIBS = "extension/bundled/libs/"
AROUND = {
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/icon.png",
    "extension/media/example.py",
    "extension/media/hover.png",
    "extension/package.json",
    "extension/readme.md",
    "extension/bundled/tool/devls_server.py",
    "extension/client/out/THIRD_PARTY_LICENSES.txt",
    "extension/client/out/extension.js",
}
"""All that is in the package beside the libraries; a changelog may be."""
LARGEST = 3_000_000  # bytes; two thirds of it are libraries, and a browser-sized download would be a mistake
UNWANTED = re.compile(
    r"__pycache__|\.(pyc|so|pyd|dylib|ts|map)$|/tests?/|node_modules|/\.|django-stubs|typeshed/stubs/"
)


@pytest.fixture(scope="module")
def package() -> zipfile.ZipFile:
    return zipfile.ZipFile(editors.extension_package())


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    lines = (editors.ROOT / "client" / "libraries.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def metadata(package: zipfile.ZipFile) -> dict[str, Any]:
    """The metadata of each library in the package, by its name."""
    names = [name for name in package.namelist() if name.endswith(".dist-info/METADATA")]
    parsed = [Parser().parsestr(package.read(name).decode()) for name in names]
    return {one["Name"].lower().replace("_", "-"): one for one in parsed}


def test_the_editor_knows_the_names_of_rules(package: zipfile.ZipFile) -> None:
    manifest = json.loads(package.read("extension/package.json"))
    properties = manifest["contributes"]["configuration"]["properties"]
    assert "mixed-devices" in properties["devls.levels"]["properties"]
    assert {"device", "mixed-devices"} <= set(properties["devls.ignore"]["items"]["enum"])


def test_beside_the_libraries_there_is_nothing_unexpected(package: zipfile.ZipFile) -> None:
    around = {name for name in package.namelist() if not name.startswith(LIBS)}
    assert around - {"extension/changelog.md"} == AROUND


def test_nothing_generated_native_or_unused_got_in(package: zipfile.ZipFile) -> None:
    assert [name for name in package.namelist() if UNWANTED.search(name)] == []


def test_the_libraries_are_those_that_are_pinned(package: zipfile.ZipFile, pins: dict[str, str]) -> None:
    assert {name: one["Version"] for name, one in metadata(package).items()} == pins
    listed = {
        line.split(",")[0].split("/")[0]
        for name in package.namelist()
        if name.endswith(".dist-info/RECORD")
        for line in package.read(name).decode().splitlines()
    }
    present = {name.removeprefix(LIBS).split("/")[0] for name in package.namelist() if name.startswith(LIBS)}
    assert present - listed == {"devls"}


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_what_the_libraries_need_is_there_for_every_python(
    package: zipfile.ZipFile, pins: dict[str, str], python: str
) -> None:
    environment = {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    for name, one in metadata(package).items():
        for text in one.get_all("Requires-Dist") or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate(environment):
                version = pins.get(needed.name.lower().replace("_", "-"), "")
                assert version, f"{name} needs {text}"
                assert needed.specifier.contains(version), f"{name} needs {text}, {version} is bundled"


def test_the_server_imports_only_what_is_there(package: zipfile.ZipFile) -> None:
    """The command line may need more; the probe runs on the project's own Python."""
    bundled = {name.removeprefix(LIBS).split("/")[0].removesuffix(".py") for name in package.namelist()}
    absent = [
        f"{name} imports {module}"
        for name in package.namelist()
        if re.fullmatch(rf"{LIBS}devls/(?!probe/|cli/).*\.py", name)
        for module in imported(package.read(name))
        if module not in bundled | sys.stdlib_module_names
    ]
    assert absent == []


def imported(code: bytes) -> set[str]:
    """The top-level modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(code)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    return {name.split(".")[0] for name in plain | named}


def test_devls_is_there_as_it_stands_in_the_repository(package: zipfile.ZipFile) -> None:
    source = editors.ROOT / "server"
    files = {
        LIBS + path.relative_to(source).as_posix(): path.read_bytes()
        for path in (source / "devls").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packaged = {name for name in package.namelist() if name.startswith(LIBS + "devls/")}
    assert packaged == set(files), "run make package"
    assert [name for name in packaged if package.read(name) != files[name]] == [], "run make package"


def test_the_manifest_names_files_that_are_there_and_the_server_has_its_version(
    package: zipfile.ZipFile,
) -> None:
    manifest = json.loads(package.read("extension/package.json"))
    main = "extension/" + manifest["main"].removeprefix("./")
    assert main in package.namelist()
    assert not {"scripts", "dependencies", "devDependencies"} & set(manifest)
    server = re.search(r'__version__ = "(.+)"', package.read(LIBS + "devls/__init__.py").decode())
    assert server is not None
    assert server[1] == manifest["version"]


def test_it_is_small() -> None:
    assert editors.extension_package().stat().st_size < LARGEST


def test_the_server_starts_from_the_package_alone(package: zipfile.ZipFile, tmp_path: Path) -> None:
    """As the extension starts it, amid folders whose packages would break it if they were imported."""
    package.extractall(tmp_path)
    traps = tmp_path / "traps"
    for name in ("pygls", "attrs", "jedi", "devls", "tomllib"):
        (traps / name).mkdir(parents=True)
        (traps / name / "__init__.py").write_text("raise SystemExit('a package of the user was imported')\n")
    start = tmp_path / "extension" / "bundled" / "tool" / "devls_server.py"
    root = tmp_path.as_uri()
    script: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": root, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", start],
        input=b"".join(framed(message) for message in script),
        env={**os.environ, "PYTHONPATH": str(traps)},
        cwd=traps,
        capture_output=True,
        timeout=120,
        check=False,
    )
    answers = [
        json.loads(body)
        for body in re.findall(rb"\{\"(?:id|jsonrpc).*?\}(?=Content-Length|$)", ran.stdout, re.DOTALL)
    ]
    first = next((answer for answer in answers if answer.get("id") == 1), None)
    assert first is not None, ran.stderr.decode()
    assert first["result"]["serverInfo"]["name"] == "devls"
    assert first["result"]["capabilities"]["hoverProvider"]
    assert ran.returncode == 0, ran.stderr.decode()


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

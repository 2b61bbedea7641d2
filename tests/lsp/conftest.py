"""Servers shared by the tests of a module: starting one takes longer than most tests."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from lsp.client import Client, vscode

FAKE = [sys.executable, str(Path(__file__).parent / "fake_server.py")]


def _served(tmp_path_factory, **options):
    root = tmp_path_factory.mktemp("folder")
    client = Client(FAKE, vscode(**options), root)
    yield client
    assert client.leave() == 0, client.log
    assert "window/showMessage" not in {each["method"] for each in client.said}


@pytest.fixture(scope="module")
def pushed_to(tmp_path_factory):
    """A client like VS Code, but one that does not ask for diagnostics."""
    yield from _served(tmp_path_factory, pull=False)


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    """A client like VS Code, which asks for diagnostics."""
    yield from _served(tmp_path_factory, pull=True)


@pytest.fixture
def new_uri():
    """Makes the path and the URI of a file that is not there."""
    return lambda client, name=None: (client.root / (name or f"file{next(_NUMBERS)}.py")).as_uri()


_NUMBERS = itertools.count()

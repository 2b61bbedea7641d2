"""What is known of the expression under the cursor."""

from __future__ import annotations

import pytest


@pytest.fixture
def client(pushed_to):
    return pushed_to


def test_a_hover_says_what_is_known_and_where(client, new_uri):
    uri = client.open(new_uri(client), "x = '😀漢é' + value\n")
    assert client.hover(uri, 0, 13) == {
        "contents": {"kind": "markdown", "value": "**value**"},
        "range": {"start": {"line": 0, "character": 13}, "end": {"line": 0, "character": 18}},
    }
    assert client.hover(uri, 0, 16)["contents"]["value"] == "**value**"
    assert client.hover(uri, 0, 11) is None
    assert client.hover(uri, 99, 0) is None


def test_a_hover_is_about_the_text_as_it_is_now(client, new_uri):
    uri = client.open(new_uri(client), "before\n")
    assert client.hover(uri, 0, 0)["contents"]["value"] == "**before**"
    client.change(uri, "after\n", 2)
    assert client.hover(uri, 0, 0)["contents"]["value"] == "**after**"


def test_a_hover_does_not_wait_for_ever(client, new_uri, tmp_path):
    gate = tmp_path / "gate"
    uri = client.open(new_uri(client), f"wait {gate}\n")
    assert client.hover(uri, 0, 0) is None
    gate.touch()
    client.pushed(uri, 1)
    assert client.hover(uri, 0, 0)["contents"]["value"] == "**wait**"


def test_a_hover_that_fails_says_nothing(client, new_uri):
    for text in ("crash-hover\n", "crash\n"):
        assert client.hover(client.open(new_uri(client), text), 0, 0) is None


def test_a_document_that_is_not_open_has_no_hover(client, new_uri):
    assert client.hover(new_uri(client), 0, 0) is None

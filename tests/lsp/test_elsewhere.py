"""Findings that the analysis of one document has in another."""

from __future__ import annotations

import pytest


@pytest.fixture
def pair(pushed_to, new_uri):
    """A library that is open, and a script whose analysis finds a word in it."""
    library, script = new_uri(pushed_to), new_uri(pushed_to)
    path = library.removeprefix("file://")
    pushed_to.open(library, "fine\nwrong\n")
    pushed_to.open(script, f"elsewhere {path}\n")
    yield library, script
    pushed_to.close(script)
    pushed_to.close(library)


def lines(diagnostics):
    return sorted(each["range"]["start"]["line"] for each in diagnostics)


def test_what_both_find_is_shown_once(pushed_to, pair):
    library, script = pair
    assert pushed_to.pushed(script, 1) == []
    # Shown again when the script was analysed, for there is a new one among its findings.
    pushed_to.wait(lambda: sum(each["uri"] == library for each in pushed_to.published) == 2)
    assert lines(pushed_to.pushed(library, 1)) == [1]


def test_what_only_the_other_finds_is_shown_and_taken_back(pushed_to, new_uri):
    # The library is analysed under settings that look for another word.
    pushed_to.configure({"select": ["odd"]})
    library, script = new_uri(pushed_to), new_uri(pushed_to)
    path = library.removeprefix("file://")
    pushed_to.open(library, "wrong\nodd\n")
    assert lines(pushed_to.pushed(library, 1)) == [1]
    pushed_to.open(script, f"elsewhere {path}\n")
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 2)) == [0, 1]

    # While the script has not been looked at again, its finding moves along.
    pushed_to.change(library, "\nwrong\nodd\n", 2)
    assert lines(pushed_to.pushed(library, 2)) == [1, 2]
    shown = [each for each in pushed_to.published if each["uri"] == library and each["version"] == 2]
    assert [lines(each["diagnostics"]) for each in shown] == [[1, 2]] * len(shown)

    # The script is looked at again when the library changes.
    pushed_to.change(library, "\nodd\nwrong wrong\n", 3)
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 3)) == [1, 2, 2]

    pushed_to.close(script)
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 1)) == [1]
    pushed_to.close(library)
    pushed_to.configure({})


def test_a_client_that_asks_is_told_to_ask_again(asking, new_uri):
    library, script = new_uri(asking), new_uri(asking)
    path = library.removeprefix("file://")
    asking.configure({"select": ["odd"]})
    asking.open(library, "wrong\nodd\n")
    assert lines(asking.pull(library)) == [1]
    refreshes = sum(each["method"] == "workspace/diagnostic/refresh" for each in asking.asked)
    asking.open(script, f"elsewhere {path}\n")
    asking.wait(
        lambda: sum(each["method"] == "workspace/diagnostic/refresh" for each in asking.asked) > refreshes
    )
    assert lines(asking.pull(library)) == [0, 1]

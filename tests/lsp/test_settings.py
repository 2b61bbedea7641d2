"""Settings, folders and files that change while the server runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from devls.config import Config
from devls.lsp.settings import load_config
from lsp.client import Client, vscode
from lsp.conftest import FAKE


@pytest.fixture
def client(pushed_to):
    yield pushed_to
    pushed_to.settings.clear()
    pushed_to.configure({})


def columns(diagnostics):
    return [each["range"]["start"]["character"] for each in diagnostics]


def test_the_client_is_asked_for_settings_of_each_folder(client, new_uri):

    def questions():
        return [
            each["params"]["items"] for each in client.asked if each["method"] == "workspace/configuration"
        ]

    asked = client.wait(questions)
    assert asked[0] == [{"section": "devls"}, {"scopeUri": client.root.as_uri(), "section": "devls"}]
    uri = client.open(new_uri(client), "wrong odd\n")
    assert columns(client.pushed(uri, 1)) == [0]
    client.configure({"select": ["odd"]}, folder=client.root.as_uri())
    assert columns(client.pushed_where(uri, lambda found: columns(found) == [6])) == [6]
    client.close(uri)


def test_settings_that_are_not_settings_are_survived(client, new_uri):
    client.settings[""] = ["nonsense"]
    client.notify("workspace/didChangeConfiguration", {"settings": "nonsense"})
    client.configure({"select": 7, "levels": {"wrong-word": "loud"}, "ignore": None, "logLevel": []})
    uri = client.open(new_uri(client), "wrong\n")
    assert columns(client.pushed(uri, 1)) == [0]
    client.wait(lambda: client.log.count("editor settings: levels.wrong-word: has to be one of") == 1)
    client.close(uri)


def test_the_editors_settings_win_over_the_projects_but_its_defaults_do_not(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.devls]\nselect = ['device']\nlevels = {'autograd' = 'off'}\n", "utf-8")
    path = str(tmp_path / "x.py")
    unset = {
        "select": [],
        "ignore": [],
        "levels": {},
        "interpreter": "/usr/bin/python",
        "probe": {"enable": True},
    }
    assert load_config(path, unset) == Config.load(path)
    config = load_config(path, {"select": ["training"], "levels": {"device": "info"}})
    assert config.select == ("training",)
    assert dict(config.levels) == {"autograd": "off", "device": "info"}
    assert config.problems == ()


def test_what_is_installed_or_excluded_shows_no_findings(client, new_uri):
    (client.root / "pyproject.toml").write_text("[tool.devls]\nexclude = ['generated/']\n", "utf-8")
    quiet = [
        client.open((folder / "x.py").as_uri(), "wrong\n")
        for folder in (
            client.root / ".venv/lib/python3.12/site-packages/torch",
            client.root / "generated",
            Path("/usr/lib/python3/dist-packages"),
        )
    ]
    assert [client.pushed(each, 1) for each in quiet] == [[], [], []]
    assert client.hover(quiet[0], 0, 0)
    uri = client.open(new_uri(client), "wrong\n")
    assert len(client.pushed(uri, 1)) == 1
    for each in (*quiet, uri):
        client.close(each)
    (client.root / "pyproject.toml").unlink()


def test_a_client_with_no_abilities_is_served(tmp_path, new_uri):
    options = {"settings": {"select": ["odd"]}}
    client = Client(FAKE, {}, tmp_path, initializationOptions=options)
    uri = client.open(new_uri(client), "wrong odd\n")
    found = client.pushed(uri, 1)
    assert columns(found) == [6]
    assert "changes" in client.actions(uri, found)[0]["edit"]
    client.notify("workspace/didChangeConfiguration", {"settings": {"devls": {"select": ["wrong"]}}})
    client.pushed_where(uri, lambda found: columns(found) == [0])
    assert client.asked == []
    assert client.leave() == 0


def test_a_client_without_a_folder_is_served(tmp_path):
    client = Client(FAKE, vscode(pull=False), None)
    uri = client.open((tmp_path / "x.py").as_uri(), "wrong\n")
    assert columns(client.pushed(uri, 1)) == [0]
    assert client.leave() == 0


def test_utf8_columns_are_counted_for_a_client_that_prefers_them(tmp_path):
    capabilities = vscode(pull=False) | {"general": {"positionEncodings": ["utf-8", "utf-16"]}}
    client = Client(FAKE, capabilities, tmp_path)
    assert client.server["capabilities"]["positionEncoding"] == "utf-8"
    uri = client.open((tmp_path / "x.py").as_uri(), "漢 wrong\n")
    assert columns(client.pushed(uri, 1)) == [4]
    assert client.hover(uri, 0, 8)["contents"]["value"] == "**wrong**"
    assert client.leave() == 0


def test_files_that_change_on_disk_are_watched(client, new_uri):
    def registered():
        return [each["params"] for each in client.asked if each["method"] == "client/registerCapability"]

    files, settings = client.wait(registered)[0]["registrations"]
    patterns = [each["globPattern"] for each in files["registerOptions"]["watchers"]]
    assert patterns == ["**/*.py", "**/*.pyi", "**/pyproject.toml", "**/devls.toml"]
    assert settings["method"] == "workspace/didChangeConfiguration"
    assert settings["registerOptions"] == {"section": "devls"}

    path = client.root / "library.py"
    path.write_text("fine\n", "utf-8")
    uri = client.open(new_uri(client), f"wrong related {path}\n")
    (found,) = client.pushed(uri, 1)
    assert found["relatedInformation"][1]["location"]["range"]["start"]["line"] == 0
    path.write_text("\n\nfine\n", "utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]})
    client.pushed_where(
        uri,
        lambda found: found[0]["relatedInformation"][1]["location"]["range"]["start"]["line"] == 2,
    )
    client.wait(lambda: f"changed {path}" in client.log)
    client.close(uri)


def test_a_buffer_wins_over_the_disk_until_it_is_closed(client, new_uri):
    path = client.root / "buffered.py"
    path.write_text("\n\nfine\n", "utf-8")
    library = client.open(path.as_uri(), "fine\n")
    text = f"wrong related {path}\n"
    uri = client.open(new_uri(client), text)

    def line(version):
        (found,) = client.pushed(uri, version)
        return found["relatedInformation"][1]["location"]["range"]["start"]["line"]

    assert line(1) == 0
    client.close(library)
    client.change(uri, text, 2)
    assert line(2) == 2
    client.close(uri)


def test_a_changed_project_file_starts_afresh(client, new_uri):
    uri = client.open(new_uri(client), "wrong once\n")
    client.pushed(uri, 1)
    before = len([each for each in client.published if each["uri"] == uri])
    project = (client.root / "pyproject.toml").as_uri()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": project, "type": 1}]})
    client.wait(lambda: len([each for each in client.published if each["uri"] == uri]) > before)
    assert len(client.pushed(uri, 1)) == 1
    client.close(uri)


def test_saving_a_document_has_the_others_looked_at_again(client, new_uri):
    library = client.open(new_uri(client), "fine\n")
    client.pushed(library, 1)
    path = library.removeprefix("file://")
    uri = client.open(new_uri(client), f"wrong related {path}\n")
    client.pushed(uri, 1)
    client.change(library, "\nfine\n", 2)
    client.notify("textDocument/didSave", {"textDocument": {"uri": library}})
    client.pushed_where(
        uri,
        lambda found: found[0]["relatedInformation"][1]["location"]["range"]["start"]["line"] == 1,
    )
    client.close(uri)
    client.close(library)


def test_debug_information_says_what_somebody_who_helps_has_to_know(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    client.pushed(uri, 1)
    assert client.server["capabilities"]["executeCommandProvider"]["commands"] == [
        "devls.server.debugInformation",
        "devls.server.askTorch",
        "devls.server.explain",
        "devls.server.mend",
        "devls.server.gradients",
        "devls.server.checkWorkspace",
        "devls.server.clearWorkspaceCheck",
    ]
    text = client.information()
    for expected in ("devls 0", "Python 3", "test 1", "utf-16", str(client.root), f"{uri} version 1"):
        assert expected in text
    client.close(uri)


def test_folders_may_come_and_go(client, tmp_path):
    client.settings[tmp_path.as_uri()] = {"select": ["odd"]}
    uri = client.open((tmp_path / "x.py").as_uri(), "wrong odd\n")
    assert columns(client.pushed(uri, 1)) == [0]
    folder = {"uri": tmp_path.as_uri(), "name": "more"}
    for event, expected in (
        ({"added": [folder], "removed": []}, [6]),
        ({"added": [], "removed": [folder]}, [0]),
    ):
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        client.pushed_where(uri, lambda found, expected=expected: columns(found) == expected)
    client.close(uri)


def test_what_is_wrong_with_the_settings_is_shown_where_they_stand(client, new_uri):
    project = client.root / "pyproject.toml"
    uri = client.open(new_uri(client), "wrong\n")

    def shown(text):
        project.write_text(text, "utf-8")
        changed = {"changes": [{"uri": project.as_uri(), "type": 2}]}
        client.notify("workspace/didChangeWatchedFiles", changed)

    def lines(found):
        return sorted((each["range"]["start"]["line"], each["message"].split(":")[0]) for each in found)

    shown("[tool.devls]\nselect = 3\n\n[tool.devls.levels]\nmixed-devices = 'loud'\n")
    client.pushed_where(
        project.as_uri(),
        lambda found: lines(found) == [(1, "tool.devls.select"), (4, "tool.devls.levels.mixed-devices")],
    )
    shown("[tool.other]\n[tool.devls]\nselect = [\n")
    found = client.pushed_where(project.as_uri(), lambda found: len(found) == 1)
    assert "not valid TOML" in found[0]["message"]
    assert found[0]["range"]["start"]["line"] >= 2
    shown("[tool.devls]\nselect = ['device']\n")
    client.pushed_where(project.as_uri(), lambda found: not found)
    project.unlink()
    client.close(uri)


def offered(client, uri, text, language="toml"):
    """Completions at the `|` in a text, by the inserted text."""
    before, after = text.split("|")
    client.open(uri, before + after, language=language)
    line, character = before.count("\n"), len(before.rpartition("\n")[2])
    asked = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    found = client.request("textDocument/completion", asked)
    client.close(uri)
    return {each["insertText"] for each in found}


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("[tool.devls]\n|", "levels", "mixed-devices"),
        ("[tool.devls]\nsel|", "select", "mixed-devices"),
        ('[tool.devls]\nselect = ["|', "mixed-devices", "levels"),
        ('[tool.devls]\nselect = ["a", "|"]\nignore = []\n', "device", "levels"),
        ("[tool.devls]\nignore = [\n  # ] all\n  |\n]\n", '"mixed-devices"', "levels"),
        ("[tool.devls]\nlevels = { training = '|' }\n", "info", "mixed-devices"),
        ('[tool.devls]\nlevels = { training = "info", | }\n', "mixed-devices", "levels"),
        ("[tool.devls.levels]\n|", "mixed-devices", "levels"),
        ('[tool.devls]\nper-file-ignores = { "tests/" = ["|"] }\n', "mixed-devices", "levels"),
        ("[tool.devls]\nshow-possible = |\n", "true", "levels"),
        ("[[tool.other]]\nx = 1\n[tool.devls]\nselect = []\n|", "exclude", "mixed-devices"),
    ],
)
def test_names_are_completed_in_settings(client, text, some, none):
    found = offered(client, (client.root / "pyproject.toml").as_uri(), text)
    assert some in found
    assert none not in found


def test_only_the_settings_of_devls_are_completed(client):
    project = (client.root / "pyproject.toml").as_uri()
    for text in ("|", "[tool]\n|", "[tool.ruff]\nselect = ['|']\n", "[tool.devls]\nselect = []|\n[x]\n"):
        assert "mixed-devices" not in offered(client, project, text)
        assert "exclude" not in offered(client, project, text)
    own = (client.root / "devls.toml").as_uri()
    assert "exclude" in offered(client, own, "|")
    assert "mixed-devices" in offered(client, own, "select = ['|']")
    assert offered(client, (client.root / "other.toml").as_uri(), "|") == set()


def test_names_are_completed_and_explained_in_comments(client, new_uri):
    uri = new_uri(client)
    assert "mixed-devices" in offered(client, uri, "x = 1  # devls: ignore[device, |]\n", "python")
    assert offered(client, uri, "x = 1  # devls: |\n", "python") == {"ignore", "ignore-file"}
    assert offered(client, uri, "x = [|]\n", "python") == set()
    assert offered(client, uri, "x = 1  # devls: ignore[device] |\n", "python") == set()
    client.open(uri, "x = 1  # devls: ignore[device, mixed-devices]\n")
    told = [client.hover(uri, 0, column) for column in (25, 33)]
    assert "a family of" in told[0]["contents"]["value"]
    assert "One operation" in told[1]["contents"]["value"]
    assert "mixed_devices.md" in told[1]["contents"]["value"]
    client.close(uri)


def test_names_are_explained_in_settings(client):
    uri = (client.root / "pyproject.toml").as_uri()
    client.open(uri, "[tool.devls]\nexclude = ['select']\nselect = ['mixed-devices']\n", language="toml")
    assert "not checked" in client.hover(uri, 1, 3)["contents"]["value"]
    assert "One operation" in client.hover(uri, 2, 14)["contents"]["value"]
    assert client.hover(uri, 0, 3) is None
    client.close(uri)

"""Notebooks in the editor: the cells are one program, and what is found is told by cell."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from devls.lsp.convert import Positions
from devls.lsp.notebooks import Cell, NotebookSnapshot, OpenNotebook
from lsp.client import Client, cell, text_of, vscode
from lsp.conftest import FAKE


@pytest.fixture
def client(pushed_to):
    return pushed_to


@pytest.fixture
def notebook(client, new_uri, request):
    return new_uri(client, f"{request.node.name.partition('[')[0]}.ipynb")


def python(*texts):
    return [("python", text) for text in texts]


def places(diagnostics):
    return [(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in diagnostics]


def content(uri, version, *changes):
    return {"textContent": [{"document": {"uri": uri, "version": version}, "changes": list(changes)}]}


def span(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def found_in(version):
    """A condition: there is something, found in this version of the notebook."""
    return lambda found: {each["data"]["version"] for each in found} == {version}


def test_findings_are_shown_in_their_cells(client, notebook):
    first, second, third = client.open_notebook(notebook, *python("fine", "", "x\n'😀', wrong\nwrong"))
    assert places(client.pushed(third, 1)) == [(1, 6), (2, 0)]
    assert client.pushed(first, 1) == client.pushed(second, 1) == []
    assert notebook not in {each["uri"] for each in client.published}


def test_what_leads_to_a_finding_is_named_by_cell(client, notebook):
    first, second = client.open_notebook(notebook, *python("\nbegin", "wrong"))
    (found,) = client.pushed(second, 1)
    (near,) = found["relatedInformation"]
    assert near["location"] == {"uri": first, "range": span(1, 0, 5)}


def test_clients_that_ask_are_pushed_to_all_the_same(asking, new_uri):
    (uri,) = asking.open_notebook(new_uri(asking, "asked.ipynb"), *python("wrong"))
    assert len(asking.pushed(uri, 1)) == 1
    assert asking.pull(uri) == []
    assert asking.pull(new_uri(asking, "asked.ipynb")) == []


def test_a_client_without_notebooks_is_told_of_none(tmp_path):
    capabilities = vscode(pull=True)
    with_notebooks = Client(FAKE, capabilities, tmp_path)
    selectors = with_notebooks.server["capabilities"]["notebookDocumentSync"]["notebookSelector"]
    assert selectors == [{"notebook": "*"}]
    assert with_notebooks.leave() == 0
    del capabilities["notebookDocument"]
    without = Client(FAKE, capabilities, tmp_path)
    assert "notebookDocumentSync" not in without.server["capabilities"]
    assert without.leave() == 0


def test_only_code_in_python_is_checked(client, notebook):
    cells = [("markdown", "wrong"), ("r", "wrong"), *python("%%bash\nwrong", "!wrong\nwrong")]
    *others, last = client.open_notebook(notebook, *cells)
    assert places(client.pushed(last, 1)) == [(1, 0)]
    assert not any(each["diagnostics"] for each in client.published if each["uri"] in others)


def test_a_hover_in_a_cell(client, notebook):
    _, second = client.open_notebook(notebook, *python("one\ntwo", "three\nfour, five"))
    found = client.hover(second, 1, 7)
    assert found["contents"]["value"] == "**five**"
    assert found["range"] == span(1, 6, 10)


def test_repairs_are_made_in_the_cell(client, notebook):
    _, second = client.open_notebook(notebook, *python("x = 1", "y\nwrong"))
    found = client.pushed(second, 1)
    actions = client.actions(second, found)
    assert [each["title"] for each in actions] == [
        "Write right",
        "Remove it",
        "devls: disable wrong-word for this line",
    ]
    changes = [each["edit"]["documentChanges"] for each in actions]
    assert all(each["textDocument"] == {"uri": second, "version": 1} for (each,) in changes)
    assert changes[0][0]["edits"] == [{"range": span(1, 0, 5), "newText": "right"}]
    assert changes[2][0]["edits"] == [{"range": span(1, 5, 5), "newText": "  # devls: ignore[wrong-word]"}]


def test_a_cell_that_is_edited(client, notebook):
    first, second = client.open_notebook(notebook, *python("x", "wrong"))
    old = client.pushed(second, 1)
    client.change_cells(notebook, 2, **content(first, 2, {"range": span(0, 0, 1), "text": "y\nwrong"}))
    assert places(client.pushed(first, 2)) == [(1, 0)]
    new = client.pushed_where(second, found_in(2))
    assert places(new) == places(old) == [(0, 0)]
    assert client.actions(second, new)
    assert client.actions(second, old) == []  # made for another program
    client.change_cells(notebook, 3, **content(first, 3, {"text": ""}))
    assert client.pushed(first, 3) == []


def test_a_notebook_whose_version_does_not_grow(client, notebook):
    first, second = client.open_notebook(notebook, *python("x", "wrong"))
    old = client.pushed(second, 1)
    client.change_cells(notebook, 1, **content(first, 2, {"text": "y\nz"}))
    assert client.actions(second, client.pushed_where(second, found_in(2)))
    assert client.actions(second, old) == []


def test_running_a_cell_changes_nothing(client, notebook):
    (uri,) = client.open_notebook(notebook, *python("wrong"))
    found = client.pushed(uri, 1)
    ran = {**cell(uri), "executionSummary": {"executionOrder": 1, "success": True}}
    client.change_cells(notebook, 2, data=[ran])
    assert client.actions(uri, found)


def test_cells_that_come_and_go_and_move(client, notebook):
    first, second = client.open_notebook(notebook, *python("wrong", "x = 1"))
    assert len(client.pushed(first, 1)) == 1
    new = f"{notebook}#new"
    opened = {"didOpen": [text_of(new, "python", "new\nwrong")]}
    client.change_cells(
        notebook, 2, structure={"array": {"start": 0, "deleteCount": 0, "cells": [cell(new)]}, **opened}
    )
    assert places(client.pushed(new, 1)) == [(1, 0)]
    moved = {"start": 0, "deleteCount": 3, "cells": [cell(second), cell(first), cell(new)]}
    client.change_cells(notebook, 3, structure={"array": moved})

    def begins(found):
        return [each["relatedInformation"][0]["location"]["uri"] for each in found] == [second]

    (found,) = client.pushed_where(new, begins)
    assert client.actions(new, [found])
    gone = {"array": {"start": 1, "deleteCount": 1}, "didClose": [{"uri": first}]}
    client.change_cells(notebook, 4, structure=gone)
    assert client.pushed(first, None) == []
    assert client.actions(first, [found]) == []
    assert client.hover(first, 0, 0) is None


def test_a_cell_that_gets_another_language(client, notebook):
    (uri,) = client.open_notebook(notebook, *python("wrong"))
    assert len(client.pushed(uri, 1)) == 1
    client.change_cells(
        notebook,
        2,
        structure={
            "array": {"start": 0, "deleteCount": 1, "cells": [cell(uri, "markdown")]},
            "didClose": [{"uri": uri}],
            "didOpen": [text_of(uri, "markdown", "wrong", 2)],
        },
    )
    assert client.pushed(uri, None) == []


def test_closing_takes_all_findings_back(client, notebook):
    cells = client.open_notebook(notebook, *python("wrong", "wrong"))
    assert [len(client.pushed(each, 1)) for each in cells] == [1, 1]
    client.close_notebook(notebook, cells)
    assert [client.pushed(each, None) for each in cells] == [[], []]
    assert notebook not in client.information()
    again = client.open_notebook(notebook, *python("x", "wrong"), version=7)
    client.pushed_where(again[1], found_in(7))
    assert client.pushed(again[0], 1) == []


def test_one_that_is_still_without_findings_is_not_told_again(client, notebook):
    first, second = client.open_notebook(notebook, *python("x", "y"))
    client.pushed(second, 1)
    client.change_cells(notebook, 2, **content(first, 2, {"text": "wrong"}))
    assert len(client.pushed(first, 2)) == 1
    client.change_cells(notebook, 3, **content(first, 3, {"text": "z"}))
    assert client.pushed(first, 3) == []
    assert len([each for each in client.published if each["uri"] == second]) == 1


def test_a_notebook_of_another_time_is_left_alone(client, notebook):
    past = f"{notebook.replace('file:', 'git:')}?HEAD"
    (old,) = client.open_notebook(past, *python("wrong"))
    (new,) = client.open_notebook(notebook, *python("wrong"))
    assert len(client.pushed(new, 1)) == 1
    assert past not in client.information()
    assert not any(each["uri"] == old for each in client.published if each["diagnostics"])


def test_settings_are_heeded_in_notebooks(client, notebook):
    (uri,) = client.open_notebook(notebook, *python("wrong, other"))
    assert places(client.pushed(uri, 1)) == [(0, 0)]
    try:
        client.configure({"select": ["other"]})
        client.pushed_where(uri, lambda found: places(found) == [(0, 7)])
    finally:
        client.configure({})


@pytest.mark.parametrize(
    ("only", "offered"),
    [
        ("notebook.source.fixAll", True),
        ("notebook.source.fixAll.devls", True),
        ("source.fixAll", False),
        ("source.fixAll.devls", False),
    ],
)
def test_all_is_fixed_in_the_notebook_and_not_by_cell(client, notebook, only, offered):
    first, second = client.open_notebook(f"{notebook}{only}", *python("wrong", "x\nwrong"))
    actions = client.actions(first, [], [only])
    assert bool(actions) == offered
    if offered:
        (action,) = actions
        assert action["kind"] == "notebook.source.fixAll.devls"
        changes = action["edit"]["documentChanges"]
        assert [each["textDocument"]["uri"] for each in changes] == [first, second]
        assert changes[1]["edits"] == [{"range": span(1, 0, 5), "newText": "right"}]


def test_a_file_is_fixed_by_its_own_kind(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    assert client.actions(uri, [], ["notebook.source.fixAll"]) == []
    assert len(client.actions(uri, [], ["source.fixAll"])) == 1


# -- what is really found


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    client = Client([sys.executable, "-m", "devls"], vscode(pull=True), tmp_path_factory.mktemp("folder"))
    yield client
    assert client.leave() == 0, client.log
    assert "Traceback" not in client.log, client.log


TRAINING = (
    ("markdown", "# A title"),
    ("python", "!pip install torch\nimport torch\n%load_ext autoreload"),
    ("python", "device = torch.device('cuda')\nmodel = torch.nn.Linear(2, 2).to(device)"),
    ("python", "x = (torch."),
    ("python", "%%time\nx = torch.zeros(4, 2)\nx.to(device)"),
    ("markdown", "It goes wrong here:"),
    ("python", "y = model(x)\ny"),
)


def test_a_mistake_in_several_cells(real, new_uri):
    uri = new_uri(real, "training.ipynb")
    cells = real.open_notebook(uri, *TRAINING)
    (found,) = real.pushed(cells[6], 1)
    assert found["code"] == "input-off-module-device"
    assert found["range"] == span(0, 4, 12)
    origins = {each["location"]["uri"] for each in found["relatedInformation"]}
    assert origins == {cells[4], cells[2]}
    assert real.pushed(cells[4], 1) == []  # what a cell ends with is shown
    told = real.hover(cells[6], 1, 0)
    assert "`y`: **Tensor**" in told["contents"]["value"]
    assert "line 2 of cell 3" in told["contents"]["value"]
    assert told["range"] == span(1, 0, 1)
    repair, *_, silence = real.actions(cells[6], [found])
    for version, action in ((2, silence), (3, repair)):
        (change,) = action["edit"]["documentChanges"]
        assert change["textDocument"]["uri"] == cells[6]
        (edit,) = change["edits"]
        done = {"range": edit["range"], "text": edit["newText"]}
        real.change_cells(uri, 2 * version, **content(cells[6], 2 * version, done))
        assert real.pushed(cells[6], 2 * version) == []
        undone = {"text": TRAINING[6][1]}
        real.change_cells(uri, 2 * version + 1, **content(cells[6], 2 * version + 1, undone))
        assert len(real.pushed(cells[6], 2 * version + 1)) == 1


def test_an_import_is_added_where_the_imports_are(real, new_uri):
    codes = (
        "!pip install torch",
        "%%bash\nls",
        "import torch\nmodel = torch.nn.Linear(2, 2).to('cuda')",
        "kept = model.to('cpu')",
        "model(torch.ones(2, device='cuda'))",
    )
    cells = real.open_notebook(new_uri(real, "imports.ipynb"), *python(*codes))
    (found,) = real.pushed_where(cells[3], bool)
    assert found["code"] == "module-move-taken-for-copy"
    assert "line 1 of cell 5 uses them as two" in found["message"]
    (repair,) = [each for each in real.actions(cells[3], [found]) if each["title"] == "Move a copy"]
    changes = {each["textDocument"]["uri"]: each["edits"] for each in repair["edit"]["documentChanges"]}
    assert changes[cells[2]] == [{"range": span(0, 12, 12), "newText": "\nimport copy"}]
    assert changes[cells[3]] == [{"range": span(0, 7, 12), "newText": "copy.deepcopy(model)"}]


def test_a_module_that_a_notebook_uses(real, new_uri):
    made = "import torch\n\ndef make():\n    return torch.zeros(2, device='{}')\n"
    (real.root / "helper.py").write_text(made.format("cuda"), "utf-8")
    helper = (real.root / "helper.py").as_uri()
    _, cell = real.open_notebook(
        new_uri(real, "user.ipynb"), *python("import torch, helper", "helper.make() + torch.ones(2)")
    )
    assert [each["code"] for each in real.pushed_where(cell, bool)] == ["mixed-devices"]
    real.open(helper, made.format("cuda"))
    real.change(helper, made.format("cpu"), 2)
    assert real.pushed_where(cell, lambda found: not found) == []


# -- edits of the program as edits of the cells

CODES = ("a\nb", "!ls\nc", "%%time\nd", "%%bash\n\nls", "f(\ng = 1")


def placed(start, end, text):
    cells = [Cell(f"{number}", number, code, number) for number, code in enumerate(CODES)]
    snapshot = NotebookSnapshot.of("a.ipynb", 1, cells)
    found = snapshot.placed(
        "", [types.TextEdit(types.Range(types.Position(*start), types.Position(*end)), text)]
    )
    if found is None:
        return None
    ((document, (edit,)),) = found
    start, end = edit.range.start, edit.range.end
    return document.uri, (start.line, start.character), (end.line, end.character), edit.new_text


@pytest.mark.parametrize(
    ("edit", "made"),
    [
        (((1, 0), (1, 1), "x"), ("0", (1, 0), (1, 1), "x")),
        (((3, 1), (3, 1), "x"), ("1", (1, 1), (1, 1), "x")),
        (((0, 0), (1, 1), "x"), ("0", (0, 0), (1, 1), "x")),
        (((1, 1), (1, 1), "\nx"), ("0", (1, 1), (1, 1), "\nx")),
        # Up to the beginning of the next cell: up to the end of this one.
        (((1, 0), (2, 0), "x\n"), ("0", (1, 0), (1, 1), "x")),
        (((1, 0), (2, 0), ""), ("0", (0, 1), (1, 1), "")),
        (((0, 0), (2, 0), ""), ("0", (0, 0), (1, 1), "")),
        (((1, 0), (2, 1), "x"), None),
        (((1, 0), (3, 0), ""), None),
        # A line that stands for a magic is another one in the cell.
        (((2, 0), (2, 4), "x"), None),
        (((2, 4), (2, 4), "x"), None),
        (((2, 0), (2, 0), "import x\n"), ("1", (0, 0), (0, 0), "import x\n")),
        (((2, 0), (2, 0), "x; "), None),
        (((4, 0), (4, 0), "import x\n"), None),
        (((5, 0), (5, 1), "x"), ("2", (1, 0), (1, 1), "x")),
        (((8, 0), (8, 0), "import x\n"), None),
        # Neither is one that is being typed what the program says.
        (((9, 0), (9, 0), "x"), None),
        (((10, 4), (10, 5), "2"), ("4", (1, 4), (1, 5), "2")),
        # Behind all cells.
        (((11, 0), (11, 0), "x\n"), None),
    ],
)
def test_where_an_edit_is_made(edit, made):
    assert placed(*edit) == made


def test_a_range_that_leaves_its_cell_is_cut():
    cells = [Cell("a", 1, "1\n22", 1), Cell("b", 1, "3", 2)]
    snapshot = NotebookSnapshot.of("a.ipynb", 1, cells)
    found = snapshot.located("", types.Range(types.Position(1, 0), types.Position(2, 1)))
    assert (found.uri, found.range) == ("a", types.Range(types.Position(1, 0), types.Position(1, 2)))


def test_a_notebook_without_code():
    snapshot = NotebookSnapshot.of("a.ipynb", 1, [])
    nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    assert snapshot.text == ""
    assert snapshot.located("a", nowhere) == types.Location("a", nowhere)
    assert list(snapshot.shown("a", [])) == []


LINES = st.lists(
    st.sampled_from(
        (
            "",
            "x = 1",
            "  y",
            "f(",
            ")",
            '"""',
            "if x:",
            "    pass",
            "%%time",
            "%%bash",
            "!ls \\",
            "x = !ls",
            "😀 = '😀'",
            "# c",
            "\f",
            "x\\",
        )
    ),
    max_size=6,
)
ENDS = st.sampled_from(("\n", "\r\n", "\r"))


@given(st.lists(st.tuples(LINES, ENDS), min_size=1, max_size=5))
def test_each_line_of_a_cell_is_a_line_of_the_program(codes):
    cells = [Cell(f"{n}", n, end.join(lines), n) for n, (lines, end) in enumerate(codes, 1)]
    snapshot = NotebookSnapshot.of("a.ipynb", 1, cells)
    for each in cells:
        for line in range(each.last_line + 1):
            place = types.Position(line, 0)
            inside = snapshot.inside(each.uri, place)
            location = snapshot.located("", types.Range(inside, inside))
            assert (location.uri, location.range.start) == (each.uri, place)
    assert snapshot.program.index.line_count == sum(each.last_line + 1 for each in cells) + 1
    ast.parse(snapshot.text)  # whatever is in a cell, it takes nothing from the others


KINDS = st.sampled_from(("python", "markdown", "r"))


@given(st.lists(KINDS, max_size=4), st.data())
def test_cells_are_what_the_client_has(languages, data):
    """Cells come, go, move and are edited, one splice of the list after the other."""

    def new(language):
        uri = f"cell{len(known)}"
        known[uri] = types.TextDocumentItem(uri, language, 1, uri)
        return uri

    def listed(uris):
        return [
            types.NotebookCell(types.NotebookCellKind(cell(each, known[each].language_id)["kind"]), each)
            for each in uris
        ]

    known = {}
    order = [new(each) for each in languages]
    notebook = OpenNotebook.of(listed(order), list(known.values()))
    for _ in range(data.draw(st.integers(0, 6))):
        start = data.draw(st.integers(0, len(order)))
        end = data.draw(st.integers(start, len(order)))
        kept = data.draw(st.permutations(order[start:end]))[: data.draw(st.integers(0, end - start))]
        added = [new(each) for each in data.draw(st.lists(KINDS, max_size=2))]
        gone = set(order[start:end]) - set(kept)
        put = data.draw(st.permutations([*kept, *added]))
        order[start:end] = put
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start, end - start, listed(put)),
            did_open=[known[each] for each in added],
            did_close=[types.TextDocumentIdentifier(each) for each in gone],
        )
        edited = data.draw(st.sampled_from(order)) if order else None
        texts = []
        if edited is not None:
            item = known[edited]
            known[edited] = types.TextDocumentItem(
                edited, item.language_id, item.version + 1, f"{item.text}!"
            )
            end_of = types.Position(0, len(item.text))
            texts = [
                types.NotebookDocumentCellContentChanges(
                    types.VersionedTextDocumentIdentifier(item.version + 1, edited),
                    [types.TextDocumentContentChangePartial(types.Range(end_of, end_of), "!")],
                )
            ]
        notebook.change(types.NotebookDocumentCellChanges(structure, text_content=texts), Positions())
    assert notebook.cells == [
        Cell(each.uri, each.version, each.text, number)
        for number, each in enumerate(map(known.__getitem__, order), 1)
        if each.language_id == "python"
    ]

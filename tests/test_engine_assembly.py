"""The engine is complete when its entry points are imported: each moment is heard, each question is answered."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import devls.engine.core
from devls.engine.core.machine_types import LoopFrame
from devls.engine.core.moments import Moment
from devls.engine.core.notes import LoopNote, Notes, Record
from devls.engine.core.questions import Question
from devls.engine.driver import assembly, entry_points

ENGINE = Path(entry_points.__file__).parent.parent
REGISTERS = {"on", "answer", "of", "watches", "record"}


def _registers(tree: ast.Module) -> bool:
    """Whether a module subscribes to something, answers something, or declares a record."""
    return any(
        isinstance(decorator, ast.Attribute) and decorator.attr in REGISTERS
        for each in tree.body
        if isinstance(each, (ast.FunctionDef, ast.ClassDef))
        for decorator in each.decorator_list
    )


def test_assembly_names_every_module_that_registers_something() -> None:
    expected = {
        "devls.engine." + ".".join(path.relative_to(ENGINE).with_suffix("").parts)
        for path in ENGINE.rglob("*.py")
        if _registers(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert expected - {each.__name__ for each in assembly.REGISTERED} == set()


def _declared(kind: type) -> dict[str, object]:
    found = {}
    for each in pkgutil.iter_modules(devls.engine.core.__path__):
        module = importlib.import_module(f"devls.engine.core.{each.name}")
        found |= {
            f"{each.name}.{name}": value for name, value in vars(module).items() if isinstance(value, kind)
        }
    return found


def test_every_moment_is_heard_by_somebody() -> None:
    declared = _declared(Moment)
    assert declared
    assert [
        name for name, value in declared.items() if isinstance(value, Moment) and not value.subscribers
    ] == []


def test_every_question_is_answered() -> None:
    declared = _declared(Question)
    assert declared
    assert [
        name for name, value in declared.items() if isinstance(value, Question) and not value.answered
    ] == []


class _Counted(Record):
    """Notes that a check might take."""

    def __init__(self) -> None:
        self.found = 0

    def size(self) -> int:
        return self.found

    def recall(self, module: Record) -> None:
        assert isinstance(module, _Counted)
        self.found += module.found

    def waits_for_end(self) -> bool:
        return bool(self.found)

    def drop(self) -> None:
        self.found = 0


def test_notes_of_an_isolated_run_are_its_own() -> None:
    notes = Notes({_Counted: _Counted()})
    notes.of(_Counted).found = 1
    alone = notes.isolated()
    alone.of(_Counted).found = 5
    assert (notes.of(_Counted).found, notes.sizes()) == (1, (1,))


def test_notes_of_an_imported_module_are_recalled_by_whoever_imports_it() -> None:
    notes, module = Notes({_Counted: _Counted()}), Notes({_Counted: _Counted()})
    module.of(_Counted).found = 2
    notes.recall(module)
    assert notes.of(_Counted).found == 2


def test_notes_that_wait_are_dropped() -> None:
    notes = Notes({_Counted: _Counted()})
    notes.of(_Counted).found = 3
    assert notes.wait_for_end()
    notes.drop()
    assert not notes.wait_for_end()


def test_a_note_of_a_loop_is_forgotten_when_it_is_taken() -> None:
    note: LoopNote[list[int]] = LoopNote(list)
    loop = LoopFrame(ast.parse("for x in y: pass").body[0], 1)
    note.of(loop).append(1)
    assert note.take(loop) == [1]
    assert note.take(loop) == []

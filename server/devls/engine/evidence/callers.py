"""Callers of a function in the other files of a project, and their arguments.

A function that runs by itself is given symbols, and that one of them is on an accelerator is presumed. A finding may
rest on the absence of such callers: the files that say its name are read, and nothing of them is run. Each line counts
by itself. All calls have to be seen, and to be such as show it. One that says nothing, or a function that is handed on
as it is or offered by a package, leaves the presumption as it was. So does what only tests call: they compute on the
CPU, whatever the function is for.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from devls.engine.evidence import code_patterns, default_device, init_reachability, naming_priors
from devls.engine.evidence.host_code import (
    Code,
    given_back_moved,
    is_on_host,
    may_come_from_model,
    prepares_data,
    puts_on_device,
)
from devls.project.resolution import can_be_installed, is_folder
from devls.syntax.layout import ancestors, saying
from devls.syntax.nodes import nodes_of, of_tree, walk
from devls.values.call_facts import (
    CalledWithoutGrad,
    GivenElsewhere,
    GivenOnHost,
    HandedOn,
    MadeByDefaultOnHost,
    OnAccelerator,
    RunsAfterMove,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from collections.abc import Set as AbstractSet

    from devls.project.modules import Modules
    from devls.syntax.source import Source
    from devls.values.call_facts import CallFact, Premise

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)


class _Mention(NamedTuple):
    """Places that name a function."""

    source: Source
    cls: ast.ClassDef | None
    part: ast.AST
    """The function or other statement around it, at the top of the file or of a class."""
    node: ast.expr | None
    """The expression that stands for it; None if it is something else, such as a string."""


class _Asked(NamedTuple):
    """A function that is asked about, or a class whose constructor is."""

    source: Source
    cls: ast.ClassDef | None
    definition: _Function

    @property
    def name(self) -> str:
        """Names in its callers."""
        if self.cls is not None and self.definition.name == "__init__":
            return self.cls.name
        return self.definition.name

    @property
    def is_method(self) -> bool:
        """Whether callers name it as an attribute."""
        return self.cls is not None and self.definition.name != "__init__"


class Elsewhere:
    """The other files of a project, as far as they say something of what the runs of one file have presumed."""

    def __init__(self, modules: Modules, source: Source, called: AbstractSet[CallFact]) -> None:
        self._modules = modules
        self._source = source
        self._called = called
        self._known: dict[Premise, bool] = {}

    def shows_otherwise(self, told: Premise) -> bool:
        """Whether they show that what is presumed of a function, or of a parameter, is not so."""
        known = self._known.get(told)
        if known is None:
            known = self._known[told] = self._shows_otherwise(told)
        return known

    def confirms_nothing(self, parameter: Hashable) -> bool:
        """Whether all calls of a function are in sight, and no other file is seen to call it behind a move to a device.

        What is handed on is called by somebody. A function that nobody calls is one that a package offers to others, or that of a few
        files; in a project it is none that runs. Methods of modules are left out: they compute where somebody has put the module.
        """
        asked = _asked(self._source, parameter[1]) if isinstance(parameter, tuple) else None
        if not isinstance(parameter, tuple) or asked is None or _is_of_module(asked.cls):
            return False
        named = False
        for each in _mentions(self._modules, asked):
            if each is None or each.node is None:
                return False
            if asked.is_method and each.source is not asked.source and _is_of_another(asked, each):
                continue
            code = Code(each.source, each.part)
            call = code.call_of(each.node)
            if call is None:
                return False
            if each.source is not asked.source:
                given = _argument(asked, each, call, parameter[2])
                if given is _UNKNOWN or _follows_a_move(each, call):
                    return False
                if isinstance(given, ast.expr) and may_come_from_model(code, given):
                    return False
            named = True
        return named or _is_left_over(self._modules, asked)

    def _shows_otherwise(self, told: Premise) -> bool:
        known = (OnAccelerator, RunsAfterMove, CalledWithoutGrad, MadeByDefaultOnHost)
        if not isinstance(told, known) or self._modules.is_library(self._source.path):
            return False
        if isinstance(told, CalledWithoutGrad):
            asked = _asked(self._source, id(told.function))
            return asked is not None and _runs_without_grad(self._modules, asked)
        if isinstance(told, RunsAfterMove):
            asked = _asked(told.source, id(told.function))
            return asked is not None and _only_builds(self._modules, asked)
        if isinstance(told, MadeByDefaultOnHost):
            return default_device.is_set(self._modules, self._source)
        return _on_host(self._modules, self._source, self._called, told.parameter)


def _asked(source: Source, identity: int) -> _Asked | None:
    """The function of a file that can be called from others; None if it is no such function, or one that torch or Python calls."""
    found = _definitions(source).get(identity)
    if found is None:
        return None
    name = found.definition.name
    unasked = name == "forward" or (name.startswith("__") and name != "__init__")
    return None if unasked else found


@of_tree(maxsize=64)
def _definitions(source: Source) -> dict[int, _Asked]:
    """The functions of a file and of its classes, by identity."""
    found: dict[int, _Asked] = {}
    for each in source.statements:
        for inner in each.body if isinstance(each, ast.ClassDef) else (each,):
            if isinstance(inner, _FUNCTIONS):
                found[id(inner)] = _Asked(source, each if isinstance(each, ast.ClassDef) else None, inner)
    return found


# Grad mode of the callers


def _runs_without_grad(modules: Modules, asked: _Asked) -> bool:
    """Whether a call of a function stands where gradients are off; of a method with namesakes all do that it can be called by."""
    shared, shown = _has_namesakes(modules, asked), False
    for mention in _mentions(modules, asked):
        if mention is None or mention.node is None:
            if shared:
                return False
            continue
        call = Code(mention.source, mention.part).call_of(mention.node) if shared else None
        if call is not None and (
            _is_of_another(asked, mention) or not _can_be_called(asked.definition, call)
        ):
            continue
        off = _is_without_grad(mention)
        if off != shared:
            return off
        shown = shown or off
    return shown


def _is_of_another(asked: _Asked, mention: _Mention) -> bool:
    """Whether `self` stands before the name, in another class."""
    owner = mention.node.value if isinstance(mention.node, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == "self" and mention.cls is not asked.cls


def _can_be_called(definition: _Function, call: ast.Call) -> bool:
    """Whether the arguments of a call fit a method: as many as it needs, and of its names."""
    spec = definition.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)][0 if _is_static(definition) else 1 :]
    given = {each.arg for each in call.keywords}
    if None in given or any(isinstance(each, ast.Starred) for each in call.args):
        return True
    needed = names[len(call.args) : len(names) - len(spec.defaults)]
    extra = given - {*names[len(call.args) :], *(each.arg for each in spec.kwonlyargs)}
    return (
        given.issuperset(needed)
        and (spec.vararg is not None or len(call.args) <= len(names))
        and (spec.kwarg is not None or not extra)
    )


_WITHOUT_GRAD: Final = frozenset({"no_grad", "inference_mode"})


def _is_without_grad(mention: _Mention) -> bool:
    """Whether gradients are off where a function is named, by a decorator of the function around or by a `with`."""
    around = [mention.part, *ancestors(mention.source, mention.node)] if mention.node is not None else []
    said: list[ast.expr] = []
    for each in around:
        if isinstance(each, _FUNCTIONS):
            said += each.decorator_list
        elif isinstance(each, ast.With):
            said += (item.context_expr for item in each.items)
    return any(
        (isinstance(part, ast.Attribute) and part.attr in _WITHOUT_GRAD)
        or (isinstance(part, ast.Name) and part.id in _WITHOUT_GRAD)
        for each in said
        for part in walk(each)
    )


# Constructions


def _only_builds(modules: Modules, asked: _Asked) -> bool:
    """Whether a function is named somewhere, and only on the way of constructors of modules, in whatever file."""
    waiting, built = [asked], False
    for each in waiting:
        if each.definition.name == "__init__":
            return False
        named = False
        for mention in _mentions(modules, each):
            if mention is None or mention.node is None or not isinstance(mention.part, _FUNCTIONS):
                return False
            named = True
            if mention.part in init_reachability.constructors(mention.source):
                built = True
                continue
            if any(mention.part is known.definition for known in waiting):
                continue
            above = _asked(mention.source, id(mention.part))
            if above is None or len(waiting) == _ON_THE_WAY:
                return False
            waiting.append(above)
        if not named:
            return False
    return built


_ON_THE_WAY: Final = 8
"""So many functions between the constructors and what is asked about are followed: each of them takes reading files."""


# Functions that others may call


def _is_of_module(cls: ast.ClassDef | None) -> bool:
    """Whether a class has a `forward`, or derives from another one, which may have it."""
    if cls is None:
        return False
    derived = any(not isinstance(each, ast.Name) or each.id != "object" for each in cls.bases)
    return derived or any(isinstance(each, _FUNCTIONS) and each.name == "forward" for each in cls.body)


def _follows_a_move(mention: _Mention, call: ast.Call) -> bool:
    """Whether something is moved to a device before a call, or it stands in a module: it may be given what is there."""
    if _is_of_module(mention.cls):
        return True
    around = [mention.part]
    if not isinstance(mention.part, (*_FUNCTIONS, ast.ClassDef)):
        around = [each for each in mention.source.statements if each.lineno <= call.lineno]
    return any(
        isinstance(node, ast.Call) and node.lineno <= call.lineno and puts_on_device(node)
        for each in around
        if mention.source.mentions(each, ".to", ".cuda", "device")
        for node in nodes_of(each)
    )


def _is_left_over(modules: Modules, asked: _Asked) -> bool:
    """Whether a function that nobody calls stands in a project whose functions are for itself alone: a script offers none."""
    path = asked.source.path
    private = asked.name.startswith("_") or asked.source.says("__main__")
    offered = not private and can_be_installed(path, modules.workspace.exists)
    return not offered and modules.mentions.size(path) >= _FILES_OF_A_PROJECT


_FILES_OF_A_PROJECT: Final = 8
"""Of fewer files somebody may just be writing the one that calls."""


# Arguments


def _on_host(modules: Modules, source: Source, called: AbstractSet[CallFact], parameter: Hashable) -> bool:
    """Whether a parameter is given tensors on the CPU wherever its function is called: in its file, as runs have shown, and in others."""
    waiting = [parameter]
    for each in waiting:
        if len(waiting) > _ON_THE_WAY or GivenElsewhere(each) in called or not isinstance(each, tuple):
            return False
        handed_on = [
            known.source for known in called if isinstance(known, HandedOn) and known.parameter == each
        ]
        if not _given_on_host(
            modules, source, each, runs_show=bool(handed_on) or GivenOnHost(each) in called
        ):
            return False
        waiting += [known for known in handed_on if known not in waiting]
    return True


def _given_on_host(modules: Modules, source: Source, parameter: tuple[Any, ...], *, runs_show: bool) -> bool:
    """The same, as far as other files say; `runs_show` that the calls in its own are all known."""
    asked = _asked(source, parameter[1])
    if asked is None or _has_namesakes(modules, asked):
        return False
    shown = runs_show
    for each in _mentions(modules, asked):
        if each is not None and runs_show and each.source is source:
            continue
        says = each is not None and _shows(asked, each, parameter[2])
        if says is False:
            return False
        shown = shown or says is True
    return shown


def _shows(asked: _Asked, mention: _Mention, parameter: str) -> bool | None:
    """Whether a call shows that a parameter is given what is on the CPU; None if it is given nothing, or no tensor."""
    if mention.node is None:
        return False
    code = Code(mention.source, mention.part)
    call = code.call_of(mention.node)
    if call is None:
        return False
    # A value made by a constructor may be moved without it: a module.
    if prepares_data(mention.cls, mention.part) or (
        asked.definition.name != "__init__" and given_back_moved(code, call)
    ):
        return True
    given = _argument(asked, mention, call, parameter)
    if given is None or given is _UNKNOWN:
        return None if given is None else False
    return is_on_host(code, given)


_UNKNOWN: Final = ast.Pass()


def _argument(asked: _Asked, mention: _Mention, call: ast.Call, parameter: str) -> ast.AST | None:
    """Argument of a call for a parameter; None if that is left out, `_UNKNOWN` if it cannot be told."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(
        each.arg is None for each in call.keywords
    ):
        return _UNKNOWN
    for each in call.keywords:
        if each.arg == parameter:
            return each.value
    spec = asked.definition.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if asked.cls is not None and not _is_static(asked.definition):
        owner = mention.node.value if isinstance(mention.node, ast.Attribute) else None
        if asked.is_method and isinstance(owner, ast.Name) and owner.id == asked.cls.name:
            return _UNKNOWN  # its first argument may be the object
        names = names[1:]
    if parameter in names:
        index = names.index(parameter)
        return call.args[index] if index < len(call.args) else None
    return None if parameter in {each.arg for each in spec.kwonlyargs} else _UNKNOWN


def _is_static(definition: _Function) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in definition.decorator_list)


# Places that name it


def _mentions(modules: Modules, asked: _Asked) -> Iterator[_Mention | None]:
    """Places that name a function but its definition, its own file first, tests aside.

    The second value is None if not all of them can be seen.
    """
    sources = modules.mentions.of(asked.name, asked.source.path)
    if sources is None:
        yield None
        return
    yield from _in(asked.source, asked, frozenset() if asked.is_method else frozenset({asked.name}))
    for source in sources:
        if source is asked.source:
            continue
        if _is_test(source, asked.source):
            if "cuda" in source.text:
                yield None
            continue
        names = frozenset[str]() if asked.is_method else _names_for(modules, source, asked, sources)
        if names is None:
            yield None
        else:
            yield from _in(source, asked, names)


def _is_test(source: Source, beside: Source) -> bool:
    """Whether a file tests, by its name and by the folders that another file of the project is not in: all may lie below some `test/`."""
    above = os.path.commonpath([source.path, beside.path])
    return naming_priors.TEST_FILE.search(source.path[len(above) :].lstrip(os.sep)) is not None


def _has_namesakes(modules: Modules, asked: _Asked) -> bool:
    """Whether there are several methods of a name: whose it is that is called cannot be told."""
    if not asked.is_method:
        return False
    sources = modules.mentions.of(asked.name, asked.source.path) or ()
    return sum(_defined(each)[asked.name] for each in sources) > 1


@of_tree(maxsize=64)
def _defined(source: Source) -> Counter[str]:
    """How often a file defines each name."""
    return Counter(re.findall(r"\bdef (\w+)", source.text))


def _names_for(
    modules: Modules, source: Source, asked: _Asked, sources: tuple[Source, ...]
) -> frozenset[str] | None:
    """The names that stand for a function of another file in this one; None if it may have it from somewhere else, or offers it."""
    found = set[str]()
    for statement in source.statements:
        if not source.mentions(statement, asked.name):
            continue
        for each in nodes_of(statement):
            if not isinstance(each, ast.ImportFrom):
                continue
            for alias in each.names:
                if alias.name != asked.name:
                    continue
                path = modules.find(each.module or "", each.level, source.path, beside=True)
                if path is None or is_folder(path):
                    continue
                if path != asked.source.path:
                    if any(other.path == path and not _binds(other, asked.name) for other in sources):
                        return None  # from one that has it from the other
                    continue
                if source.path.endswith("__init__.py"):
                    return None  # offered to everybody
                found.add(alias.asname or alias.name)
    if not found and code_patterns.STAR_IMPORT.search(source.text) and not _binds(source, asked.name):
        return None
    return frozenset(found)


@of_tree(maxsize=256)
def _binds(source: Source, name: str) -> bool:
    """Whether a file defines something of a name of its own."""
    return any(
        isinstance(each, (ast.ClassDef, *_FUNCTIONS)) and each.name == name for each in source.statements
    )


def _in(source: Source, asked: _Asked, names: frozenset[str]) -> Iterator[_Mention]:
    """Places in a file that name a function, by a name that stands for it or as an attribute of something."""
    spelled = {asked.name, *names}
    for each in saying(source, spelled):
        if isinstance(each, _IMPORTS):
            continue
        if not isinstance(each, ast.ClassDef):
            yield from _in_part(source, None, each, asked, names)
            continue
        above = [part for part in (*each.bases, *each.decorator_list) if source.mentions(part, *spelled)]
        for part in (*above, *saying(source, spelled, each)):
            yield from _in_part(source, each, part, asked, names)


def _in_part(
    source: Source, cls: ast.ClassDef | None, part: ast.AST, asked: _Asked, names: frozenset[str]
) -> Iterator[_Mention]:
    for each in nodes_of(part):
        if (isinstance(each, ast.Name) and each.id in names) or (
            isinstance(each, ast.Attribute) and each.attr == asked.name
        ):
            yield _Mention(source, cls, part, each)
        elif isinstance(each, ast.Constant) and each.value == asked.name:
            yield _Mention(source, cls, part, None)

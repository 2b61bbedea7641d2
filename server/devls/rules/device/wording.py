"""Sentences and fixes that several device rules share."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.rules.repairs import elsewhere
from devls.rules.rule import Confidence, Note, edits, fixes
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import of_tree, walk
from devls.text.edits import Applicability, Fix
from devls.values.conditions import Either, leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, NamedDevice, Verdict, describe
from devls.values.history import Site, Step

if TYPE_CHECKING:
    from devls.engine.core.events.events import DevicesMixed, MovePlace, Operand
    from devls.syntax.source import Source
    from devls.text.edits import Edit


_LINE: Final = 88
"""How long a line may become."""


def place(operand: Operand, device: object) -> str:
    """Location of an operand, in words."""
    if device == CPU:
        return "on the CPU"
    if isinstance(device, NamedDevice):
        name = str(device)
        if name.endswith(".device") and name == f"{operand.text}.device":
            return "wherever the caller put it"
        return f"on `{device}`" if "'" not in str(device) else f"on {device}"
    if isinstance(device, Either):
        known = [each for each in dict.fromkeys(leaves(device)) if each != UNKNOWN_DEVICE]
        return " or ".join(place(operand, each) for each in known) or f"on {describe(device)}"
    return f"on {describe(device)}"


def named(text: str) -> str:
    """The text of an operand: code in backticks, words ("the parameters of model") as they are."""
    return text if text.startswith("the ") else f"`{text}`"


def consequence(event: DevicesMixed) -> str:
    """Reaction of torch."""
    if event.comparison.verdict is Verdict.WHEN_ACCELERATED:
        return "torch raises whenever an accelerator is used"
    return "torch raises"


def confidence(event: DevicesMixed) -> Confidence:
    """Certain only where both devices are known on every path."""
    if event.possible:
        return Confidence.POSSIBLE
    certain = event.comparison.verdict is Verdict.DIFFERENT and event.comparison.always
    certain = certain and all(each.side != "for" for each in event.evidence)
    return Confidence.CERTAIN if certain else Confidence.LIKELY


def notes(*operands: Operand) -> tuple[Note, ...]:
    """Creation and moves of each side."""
    found: list[Note] = []
    for operand in operands:
        if not isinstance(operand.step, Step):
            continue
        for step in (operand.step.before, operand.step):
            if step is None:
                continue
            found.append(Note(step.site, f"{named(operand.text)}: {step.what}"))
            if step.chosen is not None and step.chosen.source is not step.site.source:
                found.append(Note(step.chosen, "the device is chosen here"))
        if operand.copied is not None:
            found.append(Note(operand.copied, "a copy of it is moved here, and does not take its place"))
        if operand.passed_over is not None:
            found.append(Note(operand.passed_over, "the others are moved here, and this one is not"))
        found += _on_the_way(operand)
    unique: dict[tuple[object, str], Note] = {}
    for note in found:
        unique.setdefault((note.site.key, note.message), note)
    return tuple(unique.values())


def _on_the_way(operand: Operand) -> list[Note]:
    """Next use of an operand in the function that made it, if it has met the other one in another function."""
    step, met = operand.step, operand.node
    if step is None or step.kind not in ("created", "loaded", "read") or met is None:
        return []
    source = step.site.source
    above = ancestors(source, step.site.node)
    statement = next((each for each in above if isinstance(each, ast.stmt)), None)
    function = next(
        (each for each in above if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))), None
    )
    if (
        not isinstance(statement, ast.Assign)
        or function is None
        or any(each is met for each in walk(function))
    ):
        return []
    target = statement.targets[0]
    # `signal, rate = torchaudio.load(path)`: the tensor comes first.
    name = target.elts[0] if isinstance(target, ast.Tuple) else target
    uses = [
        each
        for each in walk(function)
        if isinstance(each, ast.Name)
        and isinstance(name, ast.Name)
        and each.id == name.id
        and isinstance(each.ctx, ast.Load)
        and each.lineno > (statement.end_lineno or 0)
    ]
    use = min(uses, key=lambda each: (each.lineno, each.col_offset), default=None)
    return [] if use is None else [Note(Site(source, use), f"`{use.id}` goes on from here as it is")]


def move_stray(event: DevicesMixed) -> tuple[Fix, ...]:
    """Move the stray operand where it is used; where it is written to, the other one."""
    source = event.site.source
    node, text, target = event.stray.node, event.stray.text, event.target
    to_cpu = event.comparison.right == CPU
    if event.written:
        written = event.stray.node
        while (
            isinstance(written, ast.Call)
            and isinstance(written.func, ast.Attribute)
            and written.func.attr.endswith("_")
        ):
            written = written.func.value
        if not isinstance(written, (ast.Name, ast.Attribute, ast.Subscript)):
            return ()
        node, text, target = event.anchor.node, event.anchor.text, f"{source.slice(written)}.device"
        to_cpu = False
    if not isinstance(node, ast.expr) or not target or isinstance(getattr(node, "ctx", None), ast.Store):
        return ()
    if isinstance(node, (ast.List, ast.Tuple)) or event.all_of_list:
        if isinstance(node, ast.Starred) or not event.all_of_list:
            return ()
        edit = rewrite.replace(source, node, f"[each.to({target}) for each in {source.slice(node)}]")
        return fixes(Fix(f"Move all of them to `{target}`", edits(edit), _safety(event, target)))
    if event.part_of == "none":
        if not isinstance(next(iter(ancestors(source, node)), None), ast.BinOp):
            return ()  # where None is none of two operands, it may be what a call is given
    elif event.part_of:
        if event.part_of == "dict":
            return ()
        moved = f"[each.to({target}) for each in {text}]"
        moved = moved if event.part_of == "list" else f"tuple({moved[1:-1]})"
        moved = f"None if {text} is None else {moved}" if _may_be_none(source, node) else moved
        edit = rewrite.replace(source, node, moved)
        return fixes(Fix(f"Move all of them to `{target}`", edits(edit), _safety(event, target)))
    suffix = ".cpu()" if to_cpu and not event.written else f".to({target})"
    if source.slice(node).endswith(suffix):
        return ()  # it is moved there, and this is about something else
    where = "the CPU" if suffix == ".cpu()" else f"`{target}`"
    edit = rewrite.append(source, node, suffix)
    return fixes(Fix(f"Move `{text}` to {where}", edits(edit), _safety(event, target)))


def _may_be_none(source: Source, node: ast.expr) -> bool:
    """Whether it is an argument that need not be given."""
    function = next((each for each in ancestors(source, node) if isinstance(each, ast.FunctionDef)), None)
    if function is None or not isinstance(node, ast.Name):
        return False
    spec = function.args
    given = [*spec.posonlyargs, *spec.args]
    pairs = [
        *zip(given[len(given) - len(spec.defaults) :], spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    return any(
        each.arg == node.id and isinstance(value, ast.Constant) and value.value is None
        for each, value in pairs
    )


def move_at_origin(event: DevicesMixed) -> tuple[Fix, ...]:
    """Move what the stray belongs to where it is made."""
    return _moved_once(event, event.origin) if event.origin is not None else ()


def move_batch(event: DevicesMixed) -> tuple[Fix, ...]:
    """Move all parts of a batch where it comes in."""
    return () if event.boundary is None or event.written else _moved_once(event, event.boundary)


def create_beside(event: DevicesMixed) -> tuple[Fix, ...]:
    """Make the stray where the function that makes it puts the others that it makes, in whose words."""
    made = event.stray.step
    if (
        made is None
        or event.creation is not None
        or event.written
        or not isinstance(made.site.node, ast.Call)
    ):
        return ()
    call, source = made.site.node, made.site.source
    function = next((each for each in ancestors(source, call) if isinstance(each, ast.FunctionDef)), None)
    if function is None or not takes_device(made, call):
        return ()
    targets = _targets_in(source, function)
    if len(targets) != 1:
        return ()
    (target,) = targets
    if _is_bound_later(source, function, target, call.lineno):
        return ()
    edit = rewrite.add_argument(source, call, f"device={target}")
    return elsewhere(
        fixes(Fix(f"Create it with `device={target}`", edits(edit), _safety(event, target))), source
    )


def move_given(event: DevicesMixed) -> tuple[Fix, ...]:
    """Move a part of a batch for the call that is given it, as the caller does with other parts of that batch."""
    stray, inner = event.stray.node, event.site.source
    if not isinstance(stray, ast.Name) or event.written or not event.site.calls:
        return ()
    function = next((each for each in ancestors(inner, stray) if isinstance(each, ast.FunctionDef)), None)
    site = event.site.calls[-1]
    argument = _given_as(function, site.node, stray.id) if function is not None else None
    if not isinstance(argument, ast.Subscript):
        return ()
    caller = next(
        (each for each in ancestors(site.source, argument) if isinstance(each, ast.FunctionDef)), None
    )
    targets = _targets_in(site.source, caller, site.source.slice(argument.value)) if caller else frozenset()
    if caller is None or len(targets) != 1:
        return ()
    (target,) = targets
    if _is_bound_later(site.source, caller, target, argument.lineno):
        return ()
    edit = rewrite.append(site.source, argument, f".to({target})")
    title = f"Move `{site.source.slice(argument)}` to `{target}` for this call"
    return elsewhere(fixes(Fix(title, edits(edit), _safety(event, target))), site.source)


def _given_as(function: ast.FunctionDef, call: ast.AST, name: str) -> ast.expr | None:
    """What a call gives a function as the argument of this name, which the function binds to nothing else."""
    if not isinstance(call, ast.Call) or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    if any(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
        for each in walk(function)
    ):
        return None
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if names[:1] == ["self"] and isinstance(call.func, ast.Attribute):
        names = names[1:]
    given = dict(zip(names, call.args, strict=False))
    return given.get(name) or next((each.value for each in call.keywords if each.arg == name), None)


@of_tree(maxsize=64)
def _targets_in(source: Source, function: ast.FunctionDef, base: str = "") -> frozenset[str]:
    """The devices, as they are written, to which a function moves or on which it makes tensors; with `base`, parts of it only."""
    found = set[str]()
    for each in walk(function):
        if not isinstance(each, ast.Call):
            continue
        given = [one.value for one in each.keywords if one.arg == "device"] if not base else []
        moved = each.func.value if isinstance(each.func, ast.Attribute) and each.func.attr == "to" else None
        part = source.slice(moved.value) if isinstance(moved, ast.Subscript) else ""
        if moved is not None and len(each.args) == 1 and (not base or part == base):
            given += each.args
        found |= {source.slice(one) for one in given if isinstance(one, (ast.Name, ast.Attribute))}
    return frozenset(each for each in found if not each.startswith("torch."))


def _is_bound_later(source: Source, function: ast.FunctionDef, target: str, line: int) -> bool:
    """Whether a function binds a name, or an attribute, and not above a line: `self.device`, that a constructor sets further down."""
    first = _first_bound(source, function)
    bound = [first[each] for each in (target.partition(".")[0], target) if each in first]
    return bool(bound) and min(bound) >= line


# Each move of a long function asks: walking it once is enough.
@of_tree(maxsize=64)
def _first_bound(source: Source, function: ast.FunctionDef) -> dict[str, int]:
    """The names and attributes that a function binds, each with the line on which it does so first."""
    first: dict[str, int] = {}
    for each in walk(function):
        if isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, ast.Store):
            text = source.slice(each)
            first[text] = min(each.lineno, first.get(text, each.lineno))
    return first


def _safety(event: DevicesMixed, target: str) -> Applicability:
    """Safe, unless nobody knows that the stray is a tensor (nothing else has the method `to`), or that `target` can be asked for."""
    kind = "" if event.stray.step is None else event.stray.step.kind
    guessed = (
        event.may_be_no_tensor
        or "perhaps no tensor" in kind
        or any(each.id == "backward-makes-loss" for each in event.evidence)
    )
    return Applicability.UNSAFE if guessed or _asks_parameters(target) else Applicability.SAFE


def _asks_parameters(target: str) -> bool:
    """Whether a module is asked for its own parameters: its replicas under `DataParallel` have none."""
    return target.startswith("next(self.")


def _moved_once(event: DevicesMixed, place: MovePlace) -> tuple[Fix, ...]:
    source, target = place.source, place.target
    if isinstance(place.node, ast.Call):
        edit = _made_there(source, place.node, target, event.stray)
        what = " ".join(source.slice(place.node.func).split())
        title = f"Move it to `{target}` where `{what}(...)` makes it"
    elif isinstance(place.node, ast.Name):
        edit = rewrite.append(source, place.node, f".to({target})")
        title = f"Move `{place.node.id}` to `{target}` for this call"
    else:
        put = rewrite.insert_before if place.first else rewrite.insert_after
        edit = put(source, place.node, _moving(place))
        title = f"Move {' and '.join(f'`{each}`' for each in place.names)} to `{target}` from here on"
    return elsewhere(fixes(Fix(title, edits(edit), _safety(event, target))), source)


def _moving(place: MovePlace) -> str:
    """Statements that move what a place names."""
    moved = [f"{each}.to({place.target})" for each in place.names]
    if place.in_place:
        return "\n".join(moved)
    if place.mapping:
        (name,) = place.names
        return f"{name} = {{key: value.to({place.target}) for key, value in {name}.items()}}"
    one_line = f"{', '.join(place.names)} = {', '.join(moved)}"
    if len(one_line) <= _LINE:
        return one_line
    return "\n".join(f"{name} = {move}" for name, move in zip(place.names, moved, strict=True))


def create_there(event: DevicesMixed) -> tuple[Fix, ...]:
    """Give the factory that made the stray operand a device."""
    if event.creation is None or not event.creation_target:
        return ()
    if _is_moved_behind(event.site.source, event.creation):
        return ()
    edit = _made_there(event.site.source, event.creation, event.creation_target, event.stray)
    if takes_device(event.stray.step, event.creation):
        title = f"Create it with `device={event.creation_target}`"
    else:
        title = f"Move it to `{event.creation_target}` where it is created"
    safety = Applicability.UNSAFE if _asks_parameters(event.creation_target) else Applicability.SAFE
    return fixes(Fix(title, edits(edit), safety))


def _is_moved_behind(source: Source, call: ast.Call) -> bool:
    """Whether a method that is chained to a call moves what that makes, wherever it is made: `torch.ones(2).view(1, 2).to(device)`."""
    above = parents(source)
    part: ast.AST = call
    while isinstance(method := above.get(part), ast.Attribute):
        chained = above.get(method)
        if not isinstance(chained, ast.Call) or chained.func is not method:
            return False
        if method.attr in ("cuda", "cpu") or (method.attr == "to" and _names_device(chained)):
            return True
        part = chained
    return False


def _names_device(call: ast.Call) -> bool:
    """Whether `.to(...)` is given a device, or perhaps one: no `torch.float32`."""
    first = call.args[0] if call.args else None
    if first is None:
        return any(each.arg == "device" for each in call.keywords)
    return not (
        isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name) and first.value.id == "torch"
    )


def _made_there(source: Source, call: ast.Call, target: str, stray: Operand) -> Edit | None:
    """The call that made the stray, making it at `target`."""
    if takes_device(stray.step, call):
        return rewrite.add_argument(source, call, f"device={target}")
    return rewrite.append(source, call, f".to({target})")


def takes_device(created: Step | None, call: ast.expr) -> bool:
    """Whether `call` is what created a tensor on the CPU, and can be given a `device`: no helper, no `Variable`."""
    return (
        created is not None
        and created.kind == "created"
        and created.takes_device
        and created.site.node is call
    )

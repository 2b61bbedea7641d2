"""Names that torch does not have."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import program_moments
from devls.engine.core.events.protocols import NoSuchName
from devls.library import catalog
from devls.syntax.layout import parents
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Either
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

# Plain modules, whose names the catalog lists in full. Others make names on demand.
_SPACES: Final = frozenset(
    "torch torch.accelerator torch.amp torch.autograd torch.cuda torch.cuda.amp torch.distributions torch.fft torch.linalg"
    " torch.nn torch.nn.functional torch.nn.init torch.nn.parallel torch.nn.utils torch.nn.utils.rnn torch.optim"
    " torch.optim.lr_scheduler torch.utils.checkpoint torch.utils.data".split()
)

# Of these every name that any of the supported releases has, or that programs of old still ask for, is listed: what is not
# there is not there in any of them. The others are larger and lose or gain names with every release.
_CLOSED: Final = frozenset("torch.amp torch.autograd torch.cuda torch.cuda.amp".split())

# Names asked for often enough to be sure that no release has them, each with the one that is meant, if one can tell.
_NEVER_THERE: Final = {
    "torch.cuda.copy": "",
    "torch.cuda.to": "",
    "torch.cuda.get_device": "current_device",
    "torch.cuda.clear_cache": "empty_cache",
    "torch.cuda.free_memory": "empty_cache",
    "torch.cuda.cuda_is_available": "is_available",
    "torch.cuda.available": "is_available",
    "torch.cuda.num_devices": "device_count",
    "torch.nograd": "no_grad",
}

_GONE: Final = frozenset({"torch._six", "torch.legacy", "torch.utils.ffi"})
"""Modules that old programs import and no supported release has."""

ONLY_RAISING: Final = {
    "torch.eig": "torch.linalg.eig",
    "torch.lstsq": "torch.linalg.lstsq",
    "torch.matrix_rank": "torch.linalg.matrix_rank",
    "torch.solve": "torch.linalg.solve",
    "torch.symeig": "torch.linalg.eigh",
}
"""Functions that do nothing but raise, each with the one that does what it did. The page of `no-such-torch-name` runs one."""

_NEAR: Final = 0.86
"""How alike (0 to 1, see difflib) a name has to be to one that exists to be a slip, not a name of some other release."""

_FORGIVING: Final = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
)
_ASKING: Final = ("hasattr", "getattr", "version", "Version", "TORCH")


@program_moments.library_name_read.on
def check(m: Machine, node: ast.Attribute, space: str) -> None:
    """`space.name` is read: report a name that no release has."""
    if isinstance(node.value, ast.Attribute) and node.value.attr != space.rpartition(".")[2]:
        return  # an inner module (`torch.nn.modules`), which has names of its own
    dead = ONLY_RAISING.get(f"{space}.{node.attr}")
    if dead is not None and not _expected(m.source, node, node.attr):
        m.emit(NoSuchName(m.site(node), m.frame.statement, space, node.attr, dead, node, only_raises=True))
    if _is_there(space, node.attr):
        return
    found, lacking = missing(space, node.attr), _lacking(m, space, node.attr)
    if (found is None and not lacking) or isinstance(node.ctx, ast.Store):
        return
    if not _expected(m.source, node, node.attr):
        m.emit(NoSuchName(m.site(node), m.frame.statement, space, node.attr, found or "", node, lacking))


@program_moments.library_name_imported.on
def check_import(m: Machine, alias: ast.alias, space: str) -> None:
    """`from space import name`: report a name, or a module, that no release has."""
    if space in _GONE:
        if not _expected(m.source, alias, alias.name):
            above, _, name = space.rpartition(".")
            m.emit(NoSuchName(m.site(alias), m.frame.statement, above, name, "", alias))
        return
    found, lacking = missing(space, alias.name), _lacking(m, space, alias.name)
    if (found is not None or lacking) and not _expected(m.source, alias, alias.name):
        m.emit(NoSuchName(m.site(alias), m.frame.statement, space, alias.name, found or "", alias, lacking))


def _lacking(m: Machine, space: str, name: str) -> str:
    """The release of torch that the file is meant for, if it is too old to have a name; else ""."""
    if not _is_new(space, name):
        return ""
    version = m.modules.torch_version(m.source.path)
    return version if version and catalog.lacked_by(version) else ""


@functools.lru_cache(maxsize=NAMES_KEPT)
def _is_there(space: str, name: str) -> bool:
    """Whether any release has a name, as those that nearly all programs use."""
    return missing(space, name) is None and not _is_new(space, name)


@functools.lru_cache(maxsize=NAMES_KEPT)
def _is_new(space: str, name: str) -> bool:
    return space in _SPACES and catalog.is_new(f"{space}.{name}")


@functools.lru_cache(maxsize=NAMES_KEPT)
def missing(space: str, name: str) -> str | None:
    """The nearest name ("" if none is near, "Tensor.name" if tensors have it) when a module lacks `name` for sure, else None."""
    if space not in _SPACES or name.startswith("_") or catalog.exists(f"{space}.{name}") is not False:
        return None
    listed = _NEVER_THERE.get(f"{space}.{name}")
    if listed is not None:
        return listed
    import difflib  # noqa: PLC0415  needed by mistakes only

    known = sorted(each for each in catalog.members(space) or () if not each.startswith("_"))
    near = difflib.get_close_matches(name.lower(), [each.lower() for each in known], n=1, cutoff=_NEAR)
    if not near or _varies(name, near[0]):
        if space == "torch" and catalog.operation(f"torch.Tensor.{name}") is not None:
            return f"Tensor.{name}"  # `torch.repeat(x, 2)`
        return "" if space in _CLOSED else None
    spellings = [each for each in known if each.lower() == near[0]]
    return next((each for each in spellings if each[0] == name[0]), spellings[0])


def _varies(name: str, other: str) -> bool:
    """Whether two names differ as members of one family do (`conv4d`, `fft_v2`, `stack_` and `stack`)."""
    name, other = name.lower(), other.lower()
    plain = [each.replace("_", "").rstrip("0123456789d") for each in (name, other)]
    digits = [[each for each in text if each.isdigit()] for text in (name, other)]
    return (plain[0] == plain[1] and digits[0] != digits[1]) or name.endswith("_") != other.endswith("_")


def _expected(source: Source, node: ast.AST, name: str) -> bool:
    """Whether the code knows that the name may be missing, or puts it there itself."""
    return name in _asked_for(source.tree) or _guarded(source, node)


@of_tree(maxsize=8)
def _asked_for(tree: ast.Module) -> frozenset[str]:
    """Names that a file looks for with `hasattr` and the like, or sets on some object."""
    found: set[str] = set()
    for each in walk(tree):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id in ("hasattr", "getattr", "setattr")
        ):
            found |= {a.value for a in each.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            found.add(each.attr)
    return frozenset(found)


def _guarded(source: Source, node: ast.AST) -> bool:
    """Whether a place is reached only where the name exists, or forgives that it does not."""
    above = parents(source)
    child, each = node, above.get(node)
    while each is not None:
        if (
            isinstance(each, ast.Try)
            and child in each.body
            and any(_forgives(handler) for handler in each.handlers)
        ):
            return True
        if isinstance(each, (ast.If, ast.IfExp)) and child is not each.test and _asks(each.test):
            return True
        if isinstance(each, ast.BoolOp) and any(_asks(other) for other in each.values if other is not child):
            return True
        child, each = each, above.get(each)
    return False


def _forgives(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or ast.unparse(each).rpartition(".")[2] in _FORGIVING for each in kinds)


def _asks(test: ast.expr) -> bool:
    text = ast.unparse(test)
    return any(word in text for word in _ASKING)


def is_one_of_several(m: Machine, function: ast.expr) -> bool:
    """Whether a name or an attribute holds one function in some cases, and another in others."""
    if isinstance(function, ast.Name):
        held = m.state.get(m.frame.scope, function.id)
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        held = m.state.get(m.resolve(m.state.get(m.frame.scope, function.value.id)), function.attr)
    else:
        return False
    return isinstance(held, Either)

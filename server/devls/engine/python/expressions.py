"""Expressions."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, priors, program_moments
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.transfer import EXPRESSIONS
from devls.engine.python import (
    assignments,
    attributes,
    call_expressions,
    classes,
    comparisons,
    comprehensions,
    constant_folding,
    imports,
    iteration,
    mappings,
    modes,
    narrowing,
    operators,
    strings,
    subscripts,
)
from devls.engine.python.generators import LoopBody
from devls.syntax.layout import parents
from devls.values.conditions import Condition, Either, negation
from devls.values.state import MISSING
from devls.values.value import (
    Const,
    Deferred,
    LibraryName,
    Mapping,
    Scope,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def eval_constant(m: Machine, node: ast.Constant) -> object:
    return constant(node.value) or m.unknown(node)


@functools.lru_cache(maxsize=4096, typed=True)
def constant(value: object) -> Const | None:
    """The value of a literal; None of one that is too large to be kept."""
    return constant_folding.kept(value)


def eval_name(m: Machine, node: ast.Name) -> object:
    name = node.id
    state = m.state
    scope: Scope | None = m.frames[-1].scope
    assert scope is not None  # noqa: S101  for the type checker
    if scope.redirects and state.get(scope, f"global {name}"):
        scope = scope.globals
    value: object = MISSING
    if scope.kind != "function" or name in scope.names:
        key = (scope, name)
        value = state.now.get(key)  # nearly always there, and asked more often than anything else
        if value is None:
            value = state.base.get(key, MISSING)
    while value is MISSING:
        scope = scope.parent
        if scope is None:
            return (
                m.library.builtin(name)
                or priors.meant_by_unbound(m, name)
                or Symbol((narrowing.UNDEFINED, m.source.path, name), name)
            )
        # A class body's names are not seen from the functions inside it.
        if scope.kind == "module" or (scope.kind == "function" and name in scope.names):
            key = (scope, name)
            value = state.now.get(key)
            if value is None:
                value = state.base.get(key, MISSING)
    if type(value) is Deferred:
        value = imports.read(m, scope, name, value)
    return m.resolve(value) if type(value) is Either or type(value) is Symbol else value


def eval_attribute(m: Machine, node: ast.Attribute) -> object:
    return attributes.read_attribute(m, node, m.eval(node.value))


def eval_subscript(m: Machine, node: ast.Subscript) -> object:
    owner = m.eval(node.value)
    index: object = None
    if isinstance(node.slice, ast.Slice):
        for part in (node.slice.lower, node.slice.upper, node.slice.step):
            if part is not None:
                m.eval(part)
    else:
        index = m.eval(node.slice)
    return subscripts.get_item(m, node, owner, index)


def eval_slice(m: Machine, node: ast.Slice) -> object:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            m.eval(part)
    return LibraryName("builtins.slice")


def eval_tuple(m: Machine, node: ast.Tuple) -> object:
    items = _spread(m, node.elts)
    if isinstance(items, iteration.Parts):
        result = m.unknown(node)
        m.state.set(result, "#parts", items)
        return result
    if len(items) == len(node.elts) > 1:
        library_semantics.display_made(m, list(zip(items, node.elts, strict=True)))
    return m.new_tuple(tuple(items))


def eval_list(m: Machine, node: ast.List) -> object:
    return _sequence(m, node, node.elts, "list")


def eval_set(m: Machine, node: ast.Set) -> object:
    return _sequence(m, node, node.elts, "set")


def _sequence(m: Machine, node: ast.expr, elements: list[ast.expr], kind: str) -> object:
    items = _spread(m, elements)
    if isinstance(items, iteration.Parts):
        result = m.new_list((), node, kind)
        every = (*items.head, iteration.element(m, items.spread, node, 0), *items.tail)
        m.state.set(result, "#items", Contents(None, m.any_of(every, items=True)))
        return result
    found = m.new_list(tuple(items), node, kind)
    for each in items:
        test = m.state.get(each, narrowing.MODULE_IF) if isinstance(each, Symbol) else None
        if isinstance(test, Condition) and m.state.assumed(test) is True:
            m.state.set(found, "#holds modules", value=True)
    return found


def _spread(m: Machine, elements: list[ast.expr]) -> list[object] | iteration.Parts:
    """The items of a display; where it spreads something of unknown length, what stands before and after that."""
    found: list[object] = []
    parts: iteration.Parts | None = None
    for each in elements:
        value = m.eval(each.value if isinstance(each, ast.Starred) else each)
        inner = iteration.rows_or_items(m, value, each) if isinstance(each, ast.Starred) else [value]
        if inner is not None:
            found += inner
        elif parts is None:
            parts, found = iteration.Parts(tuple(found), value), []
        else:
            parts, found = iteration.Parts(parts.head, m.unknown()), []
    return found if parts is None else iteration.Parts(parts.head, parts.spread, tuple(found))


def eval_dict(m: Machine, node: ast.Dict) -> object:
    made = Entries({})
    values: list[tuple[object, ast.expr]] = []
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = m.eval(value_node)
        values.append((value, value_node))
        index = mappings.key_of(m.resolve(m.eval(key))) if key is not None else None
        if index is not None:
            made.known[index] = value
            made.there.pop(index, None)
            continue
        more: object = Entries({}, value)
        if key is None:
            inner = m.resolve(value)
            more = m.state.get(inner, "#entries") if isinstance(inner, Mapping) else None
        made = mappings.overlaid(m, made, more if isinstance(more, Entries) else Entries({}, m.unknown()))
    library_semantics.display_made(m, values)
    return m.new_dict(made, node=node)


def eval_binary(m: Machine, node: ast.BinOp) -> object:
    chain = [node]
    while type(chain[-1].left) is ast.BinOp:  # as long as a program likes, where calls in one another are not
        chain.append(chain[-1].left)
    left = m.eval(chain[-1].left)
    for count, each in enumerate(reversed(chain)):
        if type(left) is not Const:
            m.state.work += count  # each holds all before it
        if m.state.work > limits.FREE_WORK:
            m.pay()
        right = m.eval(each.right)
        name = assignments.OPERATORS[type(each.op)]
        left = operators.binary(m, each, f"__{name}__", each.left, left, each.right, right)
        if each is not node and m.recorded is not None and m.frame.source is m.recorded:
            m.remember(each, left)
    return left


def eval_unary(m: Machine, node: ast.UnaryOp) -> object:
    value = m.resolve(m.eval(node.operand))
    if isinstance(node.op, ast.Not):
        denied = narrowing.as_value(negation(m.truth(value)))
        return m.unknown(node) if denied is None else denied
    name = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}[type(node.op)]
    folded = constant_folding.unary(name, value.value) if isinstance(value, Const) else None
    return folded or operators.unary(m, node, name, node.operand, value)


def eval_bool(m: Machine, node: ast.BoolOp) -> object:
    return _eval_bool_from(m, node, 0)


def _eval_bool_from(m: Machine, node: ast.BoolOp, index: int) -> object:
    ends = type(node.op) is not ast.And  # by what truth of a value the others are not asked for
    while True:
        value = m.eval(node.values[index])
        index += 1
        if index == len(node.values):
            return value
        test = m.state.resolve(m.truth(value))
        if test is ends:
            return value
        if isinstance(test, Either):
            break
    if index > limits.TESTS_OF_ONE:
        return m.unknown(node)
    if ends:
        return m.branch(test, lambda: value, lambda: _eval_bool_from(m, node, index))
    return m.branch(test, lambda: _eval_bool_from(m, node, index), lambda: value)


def eval_conditional(m: Machine, node: ast.IfExp) -> object:
    return _eval_conditional(m, node, 1)


def _eval_conditional(m: Machine, node: ast.IfExp, tests: int) -> object:
    """One of a chain of conditional expressions, so many of which have not been decided."""
    while True:
        test = m.state.resolve(m.truth(m.eval(node.test)))
        following = node.orelse
        if test is not False or type(following) is not ast.IfExp:
            break
        node = following
    if type(following) is not ast.IfExp or not isinstance(test, Either):
        return m.branch(test, lambda: m.eval(node.body), lambda: m.eval(following))
    if tests > limits.TESTS_OF_ONE:
        return m.unknown(node)
    return m.branch(test, lambda: m.eval(node.body), lambda: _eval_conditional(m, following, tests + 1))


def eval_named(m: Machine, node: ast.NamedExpr) -> object:
    value = m.eval(node.value)
    assignments.assign(m, node.target, value, node.value)
    return value


def eval_lambda(m: Machine, node: ast.Lambda) -> object:
    return classes.make_function(m, node)


def eval_formatted(m: Machine, node: ast.JoinedStr) -> object:
    parts: list[str] | None = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            if parts is not None:
                parts.append(str(value.value))
        elif isinstance(value, ast.FormattedValue):
            found = m.resolve(m.eval(value.value))
            text = constant_folding.text(found.value) if isinstance(found, Const) else None
            if text is not None and value.format_spec is None and parts is not None:
                parts.append(text)
            else:
                parts = None
    joined = None if parts is None else constant_folding.joined(parts)
    if joined is not None:
        return joined
    first = node.values[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and len(node.values) > 1:
        part = node.values[1]
        index = m.resolve(m.eval(part.value)) if isinstance(part, ast.FormattedValue) else None
        return strings.begun(m, first.value, index, node, ends=len(node.values) == 2)
    return Symbol(("string", m.fresh_number()), "a string", hint="string", named=True)


def eval_formatted_value(m: Machine, node: ast.FormattedValue) -> object:
    m.eval(node.value)
    return Symbol(("string", m.fresh_number()), "a string", hint="string")


def eval_await(m: Machine, node: ast.Await) -> object:
    return m.eval(node.value)


def eval_yield(m: Machine, node: ast.Yield) -> object:
    value = m.eval(node.value) if node.value is not None else Const(None)
    m.frame.yields.append(value)
    m.frame.yields_in_loop = bool(m.frame.loops)
    modes.yielded(m, m.frame)
    if m.frame.block is not None:
        m.frame.block.run(m, value)
    return m.unknown(node)


def eval_yield_from(m: Machine, node: ast.YieldFrom) -> object:
    body = m.frame.block
    if isinstance(body, LoopBody):
        value, given = body.handed_on(m, node.value)
    else:
        value, given = m.eval(node.value), True
    items = iteration.items(m, value, node.value)
    found = items if items is not None else [iteration.element(m, value, node.value, 0)]
    m.frame.yields += found
    if not given and isinstance(body, LoopBody):
        for each in found if items is not None else (found[0], iteration.element(m, value, node.value, 1)):
            body.run(m, each)
    return m.unknown(node)


def eval_starred(m: Machine, node: ast.Starred) -> object:
    return m.eval(node.value)


def eval_compare(m: Machine, node: ast.Compare) -> object:
    if len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        values = [m.resolve(m.eval(each)) for each in sides]
        for index, op in enumerate(node.ops):
            # A chain is its links, joined by `and`.
            link = ast.copy_location(ast.Compare(sides[index], [op], [sides[index + 1]]), sides[index])
            link.end_lineno, link.end_col_offset = (
                sides[index + 1].end_lineno,
                sides[index + 1].end_col_offset,
            )
            program_moments.compared(m, link, values[index], values[index + 1])
        return narrowing.test_of(("fresh", m.fresh_number()), "a comparison")
    if len(node.ops) == 1 and not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        left = m.resolve(m.eval(node.left))
        right = m.resolve(m.eval(node.comparators[0]))
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            program_moments.compared(m, node, left, right)
            return comparisons.compare_values(m, node, node.ops[0], left, right)
        if type(left) is Symbol and not isinstance(right, TensorValue) and _gives_tensor(m, node, left):
            left = m.as_tensor(left)
        if isinstance(left, TensorValue) or isinstance(right, TensorValue):
            names = {
                ast.Eq: "__eq__",
                ast.NotEq: "__ne__",
                ast.Lt: "__lt__",
                ast.LtE: "__le__",
                ast.Gt: "__gt__",
                ast.GtE: "__ge__",
            }
            return operators.binary(
                m, node, names[type(node.ops[0])], node.left, left, node.comparators[0], right
            )
        program_moments.operands_met(
            m, node, ((left, node.left), (right, node.comparators[0])), compared=True
        )
        program_moments.compared(m, node, left, right)
        return comparisons.compare_values(m, node, node.ops[0], left, right)
    if len(node.ops) == 1:
        left, right = m.eval(node.left), m.eval(node.comparators[0])
        program_moments.compared(m, node, m.resolve(left), m.resolve(right))
        return comparisons.compare_values(m, node, node.ops[0], left, right)
    return comparisons.compare(m, node)


_TESTS: Final = (ast.If, ast.While, ast.IfExp, ast.Assert, ast.BoolOp, ast.UnaryOp, ast.comprehension)
"""Nodes right above a comparison that ask only whether it holds."""


def _gives_tensor(m: Machine, node: ast.Compare, left: Symbol) -> bool:
    """Whether a comparison is kept, of something that is most likely a tensor: `model(x) > 0.5`, and no test of a number."""
    return priors.is_in_tensors(m, left) and not isinstance(parents(m.frames[-1].source).get(node), _TESTS)


def eval_other(m: Machine, node: ast.expr) -> object:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            m.eval(child)
    return m.unknown(node)


EXPRESSIONS.update(
    {
        ast.Constant: eval_constant,
        ast.Name: eval_name,
        ast.Attribute: eval_attribute,
        ast.Subscript: eval_subscript,
        ast.Slice: eval_slice,
        ast.Tuple: eval_tuple,
        ast.List: eval_list,
        ast.Set: eval_set,
        ast.Dict: eval_dict,
        ast.BinOp: eval_binary,
        ast.UnaryOp: eval_unary,
        ast.BoolOp: eval_bool,
        ast.IfExp: eval_conditional,
        ast.NamedExpr: eval_named,
        ast.Lambda: eval_lambda,
        ast.JoinedStr: eval_formatted,
        ast.FormattedValue: eval_formatted_value,
        ast.Await: eval_await,
        ast.Yield: eval_yield,
        ast.YieldFrom: eval_yield_from,
        ast.Starred: eval_starred,
        ast.ListComp: comprehensions.eval_comprehension,
        ast.SetComp: comprehensions.eval_comprehension,
        ast.GeneratorExp: comprehensions.eval_comprehension,
        ast.DictComp: comprehensions.eval_dict_comprehension,
        ast.Compare: eval_compare,
        ast.Call: call_expressions.eval_call,
    }
)
for _name in ("TemplateStr", "Interpolation"):
    if hasattr(ast, _name):  # newer than the oldest Python we run on
        EXPRESSIONS[getattr(ast, _name)] = eval_other

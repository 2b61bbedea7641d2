"""Drafts as the text that `devls.library.records` reads."""

from __future__ import annotations

from typing import Any

from catalog.draft import NO_DEFAULT, OTHER_DEFAULT, Draft, DraftParameter

MARKS = {"exact": "!", "element": "~", "list": "[]", "copies": "&", "index": "#", "free": "?", "other": ""}


def parameters_text(parameters: list[DraftParameter]) -> str:
    parts = []
    keyword_only = False
    for each in parameters:
        if each.passing == "keyword" and not keyword_only:
            parts.append("*")
        keyword_only = keyword_only or each.passing in ("keyword", "rest")
        stars = {"rest": "*", "keywords": "**"}.get(each.passing, "")
        parts.append(f"{stars}{each.name}{MARKS[each.role]}{'' if stars else _default(each.default)}")
    return ";".join(parts)


def _default(value: Any) -> str:
    if value is NO_DEFAULT:
        return ""
    if value is OTHER_DEFAULT or (isinstance(value, float) and value in (float("inf"), float("-inf"))):
        return "=..."
    text = repr(value)
    return "=..." if ";" in text else f"={text}"


def _ordered(draft: Draft) -> list[str]:
    """The saved names, parameters first and in their order."""
    order = [each.name for each in draft.parameters]
    return sorted(
        draft.saves or [], key=lambda each: (order.index(each) if each in order else len(order), each)
    )


def operation_text(draft: Draft) -> list[str]:
    words = [draft.result, draft.differentiable]
    if draft.outputs:
        words.append("outputs=" + ",".join(draft.outputs))
    if draft.fields and draft.result in ("tensors", "views"):
        words.append("fields=" + ",".join(draft.fields))
    if draft.saves is None:
        words.append("saves=?")
    elif draft.saves:
        words.append(
            "saves="
            + ",".join(_ordered(draft))
            + ("|" + ",".join(draft.conditional) if draft.conditional or draft.own else "")
            + ("|" + ",".join(draft.own) if draft.own else "")
        )
    if draft.writes:
        words.append("writes=" + ",".join(draft.writes))
    if draft.rank != "unknown":
        words.append("rank=" + draft.rank)
    if draft.dtype != "unknown":
        words.append("dtype=" + draft.dtype)
    if draft.synchronizes:
        words.append("sync")
    if draft.deprecated:
        words.append("deprecated=" + draft.deprecated.replace(" ", "+"))
    return [parameters_text(draft.parameters), " ".join(words)]

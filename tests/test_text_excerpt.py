"""Code in messages."""

from __future__ import annotations

import pytest

from devls.text.excerpt import LONGEST, excerpt


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.to(device)", "x.to(device)"),
        ("torch.zeros(\n    3,\n    4,\n)", "torch.zeros(3, 4)"),
        ("model(\n    x\n)", "model(x)"),
        ("a +\n    b", "a + b"),
        (
            "torch.full((1, 1, 1, max_episode_length - 1), discount * lam, dtype=torch.float)",
            "torch.full((...), discount * lam, dtype=torch.float)",
        ),
        (
            "self.first_linear.weight.data[: self.feat_dim, : self.feat_dim] * 0.5",
            "self.first_linear.weight.data[...] * 0.5",
        ),
        (f"f({'a, ' * 30}b)", "f(...)"),
        (f"f({'a, ' * 30}b)[{'c, ' * 30}d]", "f(...)[...]"),
        ("x" * 70, "x" * 57 + "..."),
        ("f(" + "x" * 70, "f(" + "x" * 55 + "..."),
        ("", ""),
    ],
)
def test_excerpt(code: str, expected: str) -> None:
    """Short, on one line, and with its brackets closed, where the code has them closed."""
    assert excerpt(code) == expected
    assert len(excerpt(code)) <= LONGEST

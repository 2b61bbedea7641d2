"""What the interpreter takes for granted of tensors that processes hand on to each other."""

from __future__ import annotations

from torch import distributed

from devls.engine.checks import device_selection


def test_cards_hand_on_what_is_on_cuda() -> None:
    """NCCL takes tensors from CUDA only, and is what torch takes for them."""
    assert distributed.broadcast.__module__.startswith(device_selection.OF_PROCESSES)
    assert distributed.Backend.backend_capability["nccl"] == ["cuda"]
    assert distributed.Backend.default_device_backend_map["cuda"] == "nccl"

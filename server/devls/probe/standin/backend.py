"""Make torch's C++ code see the pretended device."""

from __future__ import annotations

import functools

import torch
from torch.utils import backend_registration

from devls.probe.standin.names import COUNT, INNER

if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
    raise ImportError(f"torch {torch.__version__} cannot take a device from Python; torch 2.9 can")

_kept: list[object] = []  # torch unregisters a library's kernels when the library object goes away


class _Backend(backend_registration._DummyBackendModule):  # type: ignore[misc]  # noqa: SLF001  the only way in
    """Answers of `torch.pcuda`."""

    def device_count(self) -> int:
        return COUNT

    def get_rng_state(self, *_device: object) -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, *_state: object) -> None:
        pass

    def synchronize(self, *_device: object) -> None:
        pass

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]


@functools.cache
def install() -> None:
    """Register the device, once per process."""
    register = backend_registration._setup_privateuseone_for_python_backend  # noqa: SLF001  the only way in
    register(INNER, _Backend())
    library = torch.library.Library("aten", "IMPL")
    # On a GPU recurrent layers use fused cells, which have no CPU kernel to borrow.
    library.impl("_thnn_fused_lstm_cell", _lstm_cell, "AutogradPrivateUse1")
    library.impl("_thnn_fused_gru_cell", _gru_cell, "AutogradPrivateUse1")
    _kept.append(library)
    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: COUNT
    torch.cuda.current_device = lambda: 0
    torch.cuda.is_initialized = lambda: True
    torch.cuda.synchronize = lambda *_device: None


def _lstm_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    cell: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    hidden_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    gates = input_gates + hidden_gates
    if input_bias is not None:
        gates = gates + input_bias + hidden_bias
    enter, forget, candidate, out = gates.chunk(4, 1)
    new_cell = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
    return out.sigmoid() * new_cell.tanh(), new_cell, gates.detach()


def _gru_cell(
    input_gates: torch.Tensor,
    hidden_gates: torch.Tensor,
    hidden: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    hidden_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    if input_bias is not None:
        input_gates, hidden_gates = input_gates + input_bias, hidden_gates + hidden_bias
    input_reset, input_update, input_new = input_gates.chunk(3, 1)
    hidden_reset, hidden_update, hidden_new = hidden_gates.chunk(3, 1)
    reset = (input_reset + hidden_reset).sigmoid()
    update = (input_update + hidden_update).sigmoid()
    new = (input_new + reset * hidden_new).tanh()
    return new + update * (hidden - new), input_gates.detach()

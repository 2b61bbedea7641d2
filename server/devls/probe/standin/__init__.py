"""Two pretended CUDA devices on a torch without any.

    from devls.probe.standin import pretend

    with pretend():
        torch.ones(2, device="cuda") + torch.ones(2)  # RuntimeError: Expected all tensors to be on the same device, ...

Tensors on the pretended devices hold their values in CPU memory; what is real is everything that depends on *where* a
tensor is: which combinations raise and with which text, `.device`, `.numpy()`, autograd, modules, optimizers.

How: torch lets a Python program bring a device of its own ("PrivateUse1"), so that its C++ code sees a second device
(`backend`); a tensor subclass lives there and holds the values (`tensor`); before each operation the checks that
CUDA's kernels make are made on it (`checks`); and a function mode translates the word `cuda` both ways (`front`).

Entering `pretend` changes the process for good (an accelerator is present, `torch.cuda.is_available()` is True,
`Module.to` swaps parameters): use it in a process of its own, and ask about the CPU in another one.

Not pretended: asynchronous execution and streams, pinned memory, cuDNN's own messages, DataParallel, reduced-precision
numerics, `unravel_index`, and the rejection of a `gradient` on the wrong device by `backward`.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import torch

from devls.probe.standin import backend
from devls.probe.standin.front import Front, variable
from devls.probe.standin.tensor import Factories, StandInTensor

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pretend"]


@contextlib.contextmanager
def pretend() -> Iterator[None]:
    """Let `cuda` mean the pretended devices while the context lasts.

    Raises:
        ImportError: if this torch has no way to bring a device in Python.
    """
    backend.install()
    # Parameters must keep their identity when a module moves, as they do on a real device.
    torch.__future__.set_swap_module_params_on_conversion(True)
    type(torch.autograd.Variable).__call__ = variable
    # `torch.load` takes tensors of a real device without being told that they can be trusted.
    torch.serialization.add_safe_globals([StandInTensor])
    with Factories(), Front():
        yield

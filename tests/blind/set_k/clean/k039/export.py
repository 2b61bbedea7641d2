import copy
from contextlib import contextmanager


@contextmanager
def on_host(module):
    """The module itself lives on the host inside the block and goes back afterwards."""
    home = next(module.parameters()).device
    module.to("cpu")
    try:
        yield module
    finally:
        module.to(home)


def frozen_copy(module):
    twin = copy.deepcopy(module).to("cpu").eval()
    return twin.requires_grad_(False)


def describe(module):
    with on_host(module) as m:
        return {n: p.detach().norm().item() for n, p in m.named_parameters()}

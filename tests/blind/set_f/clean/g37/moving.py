from collections.abc import Mapping, Sequence

import torch


def to_device(obj, device):
    """Any nesting of tensors, dictionaries, lists and named tuples."""
    if torch.is_tensor(obj) or hasattr(obj, "to"):
        return obj.to(device)
    if isinstance(obj, Mapping):
        return type(obj)({k: to_device(v, device) for k, v in obj.items()})
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(to_device(v, device) for v in obj))
    if isinstance(obj, Sequence) and not isinstance(obj, str):
        return type(obj)(to_device(v, device) for v in obj)
    return obj


class Prefetcher:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __iter__(self):
        for batch in self.loader:
            yield to_device(batch, self.device)

    def __len__(self):
        return len(self.loader)

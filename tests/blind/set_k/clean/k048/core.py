import torch
from torch import nn


class Batch(dict):
    """A dict of tensors that can be moved as a whole."""

    def to(self, device):
        return Batch((k, v.to(device) if torch.is_tensor(v) else v) for k, v in self.items())

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None


class Model(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device

    def prepare(self, batch):
        return batch.to(self.device)


def pick(index=0):
    if torch.cuda.is_available():
        return torch.device("cuda", index)
    return torch.device("cpu")

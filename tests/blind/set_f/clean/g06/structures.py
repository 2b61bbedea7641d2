"""Containers that move in place, unlike tensors."""
import torch


class Instances:
    def __init__(self, **tensors):
        self._fields = tensors

    def __getattr__(self, name):
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def to(self, device):
        for k, v in self._fields.items():
            if torch.is_tensor(v):
                self._fields[k] = v.to(device)
        return self

    def detach(self):
        for k in self._fields:
            self._fields[k] = self._fields[k].detach()
        return self

    def __len__(self):
        return len(next(iter(self._fields.values())))

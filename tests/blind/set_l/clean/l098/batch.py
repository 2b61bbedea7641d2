import torch


class Batch:
    """A mutable bundle of tensors; to() moves it in place."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def to(self, device):
        for k, v in vars(self).items():
            if torch.is_tensor(v):
                setattr(self, k, v.to(device))
        return self

    def detach(self):
        for k, v in vars(self).items():
            if torch.is_tensor(v):
                setattr(self, k, v.detach())

    @classmethod
    def collate(cls, rows):
        return cls(**{k: torch.stack([r[k] for r in rows]) for k in rows[0]}, size=len(rows))

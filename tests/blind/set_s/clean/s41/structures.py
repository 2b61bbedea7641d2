import torch


class Instances(dict):
    """A dictionary of tensors that can be moved as a whole."""

    def to(self, device):
        return Instances({k: v.to(device) if torch.is_tensor(v) else v for k, v in self.items()})

    @property
    def device(self):
        return next(v.device for v in self.values() if torch.is_tensor(v))

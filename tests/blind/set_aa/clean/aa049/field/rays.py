import torch


class RayBundle:
    """A bundle of rays. `to` moves the bundle itself, as a module's does."""

    FIELDS = ("origin", "direction", "rgb")

    def __init__(self, origin, direction, rgb):
        self.origin, self.direction, self.rgb = origin, direction, rgb

    def to(self, device):
        for f in self.FIELDS:
            setattr(self, f, getattr(self, f).to(device))
        return self

    def __len__(self):
        return len(self.origin)

    def __getitem__(self, idx):
        return RayBundle(*(getattr(self, f)[idx] for f in self.FIELDS))

    def points(self, near, far, n):
        t = torch.linspace(near, far, n, device=self.origin.device)
        t = t + torch.rand_like(t) * (far - near) / n
        return self.origin[:, None] + self.direction[:, None] * t[:, None], t

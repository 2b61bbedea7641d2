import torch


class SAM:
    """Sharpness aware minimisation around any base optimizer."""

    def __init__(self, base, rho=0.05):
        self.base, self.rho = base, rho
        self.offsets = {}

    def params(self):
        for group in self.base.param_groups:
            yield from (p for p in group["params"] if p.grad is not None)

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for p in self.params()]).norm()
        scale = self.rho / (norm + 1e-12)
        self.offsets = {}
        for p in self.params():
            e = p.grad * scale
            p.add_(e)
            self.offsets[p] = e
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, e in self.offsets.items():
            p.sub_(e)
        self.offsets = {}
        self.base.step()
        self.base.zero_grad()

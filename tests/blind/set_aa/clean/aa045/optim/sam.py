import torch


class SAM:
    """Sharpness-aware minimisation around any base optimizer."""

    def __init__(self, base, rho=0.05):
        self.base, self.rho = base, rho

    def _params(self):
        return [p for g in self.base.param_groups for p in g["params"] if p.grad is not None]

    @torch.no_grad()
    def step(self, closure):
        with torch.enable_grad():
            first = closure()
        params = self._params()
        norm = torch.stack([p.grad.norm() for p in params]).norm()
        shifts = [p.grad * (self.rho / (norm + 1e-12)) for p in params]
        for p, e in zip(params, shifts):
            p += e
        with torch.enable_grad():
            closure()
        for p, e in zip(params, shifts):
            p -= e
        self.base.step()
        return first.detach()

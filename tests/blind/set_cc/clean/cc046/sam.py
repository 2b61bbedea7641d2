import torch


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    def _each(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    yield group, p

    @torch.no_grad()
    def ascend(self):
        norm = torch.stack([p.grad.norm() for _, p in self._each()]).norm()
        for group, p in self._each():
            shift = p.grad * (group["rho"] / (norm + 1e-12))
            p.add_(shift)
            self.state[p]["shift"] = shift
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for _, p in self._each():
            p.sub_(self.state[p].pop("shift"))
        self.base.step()
        self.zero_grad()

    def step(self, closure):
        closure = torch.enable_grad()(closure)
        self.ascend()
        closure()
        self.descend()

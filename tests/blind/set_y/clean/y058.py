import torch
from torch import nn


class SAM:
    """Sharpness aware minimisation around a base optimizer."""

    def __init__(self, params, base_cls, rho=0.05, **kw):
        self.params = list(params)
        self.base = base_cls(self.params, **kw)
        self.rho, self.saved = rho, {}

    def zero_grad(self):
        self.base.zero_grad(set_to_none=True)

    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for p in self.params if p.grad is not None]).norm()
        for p in self.params:
            if p.grad is None:
                continue
            e = p.grad * (self.rho / (norm + 1e-12))
            p.add_(e)
            self.saved[p] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for p, e in self.saved.items():
            p.sub_(e)
        self.saved.clear()
        self.base.step()
        self.zero_grad()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3)).to(device)
    opt = SAM(net.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt.base, T_max=4)
    x = torch.randn(48, 10, device=device)
    y = (x[:, :3]).argmax(1)
    for epoch in range(4):
        for xb, yb in zip(x.split(16), y.split(16)):
            loss = nn.functional.cross_entropy(net(xb), yb)
            loss.backward()
            opt.first_step()
            nn.functional.cross_entropy(net(xb), yb).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.second_step()
        sched.step()
        print(epoch, loss.item(), sched.get_last_lr()[0])


if __name__ == "__main__":
    main()

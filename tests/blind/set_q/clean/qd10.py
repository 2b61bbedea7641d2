import torch
import torch.nn as nn


class MasterWeights:
    """Half precision model, single precision copy for the optimizer, static loss scale."""

    def __init__(self, model, opt_cls, scale=128.0, **kw):
        self.model_params = [p for p in model.parameters() if p.requires_grad]
        self.master = [p.detach().clone().float().requires_grad_(True) for p in self.model_params]
        self.opt = opt_cls(self.master, **kw)
        self.scale = scale

    def backward(self, loss):
        (loss.float() * self.scale).backward()

    def step(self):
        ok = True
        for m, p in zip(self.master, self.model_params):
            if p.grad is None:
                continue
            m.grad = p.grad.detach().float() / self.scale
            ok &= bool(torch.isfinite(m.grad).all())
        if ok:
            self.opt.step()
            with torch.no_grad():
                for m, p in zip(self.master, self.model_params):
                    p.copy_(m)
        else:
            self.scale /= 2
        for p in self.model_params:
            p.grad = None
        self.opt.zero_grad()
        return ok


def to_half(net, dtype=torch.bfloat16):
    net.to(dtype)
    for m in net.modules():
        if isinstance(m, nn.LayerNorm):
            m.float()
    return net


class Norm32(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.float()).to(x.dtype)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = nn.Sequential(nn.Linear(6, 32), Norm32(32), nn.ReLU(), nn.Linear(32, 1))
    net = to_half(net).to(device)
    mw = MasterWeights(net, torch.optim.AdamW, lr=1e-2)
    for it in range(15):
        x = torch.randn(32, 6, device=device)
        y = x.norm(dim=1, keepdim=True)
        loss = nn.functional.mse_loss(net(x.bfloat16()).float(), y)
        mw.backward(loss)
        mw.step()
    with torch.no_grad():
        gap = max((m - p.float()).abs().max().item() for m, p in zip(mw.master, mw.model_params))
    print(loss.item(), gap)


if __name__ == "__main__":
    main()

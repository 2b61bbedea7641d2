import torch
import torch.nn as nn


class SWAG:
    def __init__(self, model, rank=4):
        self.model, self.rank, self.n = model, rank, 0
        self.mean = [torch.zeros_like(p) for p in model.parameters()]
        self.sq = [torch.zeros_like(p) for p in model.parameters()]
        self.dev = [[] for _ in self.mean]

    @torch.no_grad()
    def collect(self):
        for p, m, s, d in zip(self.model.parameters(), self.mean, self.sq, self.dev):
            m.mul_(self.n / (self.n + 1)).add_(p / (self.n + 1))
            s.mul_(self.n / (self.n + 1)).add_(p.square() / (self.n + 1))
            d.append(p - m)
            if len(d) > self.rank:
                d.pop(0)
        self.n += 1

    @torch.no_grad()
    def sample(self, scale=0.5):
        for p, m, s, d in zip(self.model.parameters(), self.mean, self.sq, self.dev):
            std = (s - m.square()).clamp(min=1e-8).sqrt()
            low = sum(torch.randn((), device=p.device) * e for e in d) / max(len(d) - 1, 1) ** 0.5
            p.copy_(m + scale * (std * torch.randn_like(p) + low) / 2 ** 0.5)


class SGLD(torch.optim.Optimizer):
    def __init__(self, params, lr, temperature=1e-3):
        super().__init__(params, {"lr": lr, "temperature": temperature})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            noise = (2 * group["lr"] * group["temperature"]) ** 0.5
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.add_(p.grad, alpha=-group["lr"])
                p.add_(torch.randn_like(p), alpha=noise)


def mc_dropout(model, x, n):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    with torch.no_grad():
        out = torch.stack([model(x) for _ in range(n)])
    model.train()
    return out.mean(0), out.std(0)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 1)).to(device)
    swag, opt = SWAG(net), SGLD(net.parameters(), lr=5e-2)
    x = torch.linspace(-2, 2, 64, device=device).unsqueeze(1)
    y = x.sin() + 0.1 * torch.randn_like(x)
    for epoch in range(20):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        if epoch >= 10:
            swag.collect()
    mean, std = mc_dropout(net, x, 6)
    preds = []
    net.eval()
    with torch.no_grad():
        for _ in range(6):
            swag.sample()
            preds.append(net(x))
    ens = torch.stack(preds)
    print(loss.item(), std.mean().item(), ens.std(0).mean().item(), (ens.mean(0) - y).square().mean().item())


if __name__ == "__main__":
    main()

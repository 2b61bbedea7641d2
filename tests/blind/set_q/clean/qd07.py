import argparse

import torch
import torch.nn as nn


class Score(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, 64), nn.Softplus(), nn.Linear(64, 64), nn.Softplus(), nn.Linear(64, d))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log()], -1)) / sigma


def sliced(model, x, sigma):
    x = x.detach().requires_grad_()
    v = torch.randint_like(x, 0, 2).mul_(2).sub_(1)
    s = model(x, sigma)
    sv = (s * v).sum()
    hv, = torch.autograd.grad(sv, x, create_graph=True)
    return (0.5 * (s * v).sum(-1).square() + (hv * v).sum(-1)).mean()


def denoising(model, x, sigma):
    eps = torch.randn_like(x)
    s = model(x + sigma * eps, sigma)
    return 0.5 * (sigma * s + eps).square().sum(-1).mean()


LOSSES = {"ssm": sliced, "dsm": denoising}


@torch.no_grad()
def annealed_langevin(model, sigmas, n, steps=5, eps=2e-3):
    x = torch.rand(n, 2, device=sigmas.device) * 4 - 2
    for s in sigmas:
        alpha = eps * (s / sigmas[-1]) ** 2
        level = s.expand(n, 1)
        for _ in range(steps):
            x = x + 0.5 * alpha * model(x, level) + alpha.sqrt() * torch.randn_like(x)
    return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--variant", choices=LOSSES, default="dsm")
    ap.add_argument("--device", type=torch.device, default=torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    args = ap.parse_args()
    model = Score().to(args.device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sigmas = torch.logspace(0, -1, 6, device=args.device)
    for it in range(25):
        base = torch.randn(128, 2)
        base[:, 0] += torch.where(torch.rand(128) < 0.5, 2.0, -2.0)
        x = base.to(args.device)
        sig = sigmas[torch.randint(len(sigmas), (128, 1), device=args.device)]
        if args.variant == "ssm":
            x = x + sig * torch.randn_like(x)
        loss = LOSSES[args.variant](model, x, sig)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), annealed_langevin(model, sigmas, 50).std(0).tolist())


if __name__ == "__main__":
    main()

import argparse

import torch
import torch.nn as nn


class Registry(dict):
    def register(self, name):
        def deco(fn):
            self[name] = fn
            return fn
        return deco

    def build(self, name, *args, **kw):
        return self[name](*args, **kw)


MODELS, OPTIMS = Registry(), Registry()


@MODELS.register("small")
def small():
    return nn.Linear(6, 2)


@MODELS.register("wide")
class Wide(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, h), nn.Linear(h, 2)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu_())


@OPTIMS.register("lion")
class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), wd=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros_like(p)
                m, g = state["m"], p.grad
                p.mul_(1 - group["lr"] * group["wd"])
                p.add_(torch.sign(m * b1 + g * (1 - b1)), alpha=-group["lr"])
                m.mul_(b2).add_(g, alpha=1 - b2)
        return loss


@OPTIMS.register("sam")
class SAM(torch.optim.SGD):
    rho = 0.05

    def step(self, closure):
        loss = closure()
        saved = []
        params = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in params]).norm() + 1e-12
            for p in params:
                e = p.grad * (self.rho / norm)
                p.add_(e)
                saved.append(e)
        closure()
        with torch.no_grad():
            for p, e in zip(params, saved):
                p.sub_(e)
        super().step()
        return loss


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", choices=MODELS)
    ap.add_argument("--optim", choices=OPTIMS)
    args = ap.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(100, 6, device=device)
    y = (x[:, 0] * x[:, 1] > 0).long()
    for optim in {args.optim, "sam"}:
        model = MODELS.build(args.model).to(device)
        opt = OPTIMS.build(optim, model.parameters(), lr=1e-3)

        def closure():
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            return loss

        for _ in range(6):
            loss = opt.step(closure)
        print(optim, loss.item())


if __name__ == "__main__":
    main()

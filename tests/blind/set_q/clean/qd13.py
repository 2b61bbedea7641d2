from contextlib import ExitStack, nullcontext

import torch
import torch.nn as nn


class Accumulator:
    def __init__(self, model, optimizer, every, total):
        self.model, self.optimizer = model, optimizer
        self.every, self.total, self.n = every, total, 0

    @property
    def boundary(self):
        return self.n % self.every == 0 or self.n == self.total

    def __enter__(self):
        self.n += 1
        self.stack = ExitStack()
        sync = getattr(self.model, "no_sync", None)
        self.stack.enter_context(nullcontext() if sync is None or self.boundary else sync())
        return self

    def backward(self, loss):
        (loss / self.every).backward()

    def __exit__(self, *exc):
        self.stack.close()
        if exc[0] is None and self.boundary:
            nn.utils.clip_grad_value_(self.model.parameters(), 0.5)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


def mixup(x, y, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    perm = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


def cutmix(x, y, alpha=1.0):
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    h, w = x.shape[-2:]
    perm = torch.randperm(len(x), device=x.device)
    ch, cw = int(h * (1 - lam) ** 0.5), int(w * (1 - lam) ** 0.5)
    top, left = int(torch.randint(h - ch + 1, ())), int(torch.randint(w - cw + 1, ()))
    x = x.clone()
    x[..., top:top + ch, left:left + cw] = x[perm, :, top:top + ch, left:left + cw]
    return x, y, y[perm], 1 - ch * cw / (h * w)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(3), nn.Flatten(), nn.Linear(72, 4)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    ce = nn.CrossEntropyLoss()
    y = torch.arange(64) % 4
    x = torch.randn(64, 1, 10, 10) + y.view(-1, 1, 1, 1)
    for epoch in range(2):
        parts = torch.randperm(64).split(8)
        acc = Accumulator(net, opt, 3, len(parts))
        losses = []
        for k, idx in enumerate(parts):
            bx, by = x[idx].to(device), y[idx].to(device)
            bx, ya, yb, lam = (mixup if k % 2 else cutmix)(bx, by)
            with acc as step:
                out = net(bx)
                loss = lam * ce(out, ya) + (1 - lam) * ce(out, yb)
                step.backward(loss)
            losses.append(loss.detach())
        print(epoch, torch.stack(losses).mean().item())


if __name__ == "__main__":
    main()

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def available(limit=2):
    if torch.cuda.is_available():
        return [torch.device("cuda", i) for i in range(min(limit, torch.cuda.device_count()))]
    return [torch.device("cpu")]


class Replicas:
    """One copy per device, gradients summed on the first, weights sent back to the rest."""

    def __init__(self, model, devices):
        self.devices = devices
        self.main = model.to(devices[0])
        self.copies = [self.main] + [copy.deepcopy(self.main).to(d) for d in devices[1:]]

    def broadcast(self):
        with torch.no_grad():
            for c in self.copies[1:]:
                for dst, src in zip(c.parameters(), self.main.parameters()):
                    dst.copy_(src)

    def reduce(self):
        for c in self.copies[1:]:
            for p, q in zip(self.main.parameters(), c.parameters()):
                p.grad += q.grad.to(p.device)
                q.grad = None

    def step(self, opt, x, y):
        xs, ys = x.chunk(len(self.devices)), y.chunk(len(self.devices))
        losses = []
        opt.zero_grad()
        for m, d, bx, by in zip(self.copies, self.devices, xs, ys):
            out = m(bx.to(d, non_blocking=True))
            loss = F.cross_entropy(out, by.to(d), reduction="sum") / len(x)
            loss.backward()
            losses.append(loss.detach())
        self.reduce()
        opt.step()
        self.broadcast()
        return sum(l.to(self.devices[0]) for l in losses)

    def predict(self, x):
        outs = []
        for m, d, part in zip(self.copies, self.devices, x.chunk(len(self.devices))):
            m.eval()
            with torch.no_grad():
                outs.append(m(part.to(d)).cpu())
            m.train()
        return torch.cat(outs)


def main():
    torch.manual_seed(0)
    reps = Replicas(nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 3)), available())
    opt = torch.optim.Adam(reps.main.parameters(), lr=1e-2)
    for _ in range(15):
        x = torch.randn(48, 9)
        y = x[:, :3].argmax(1)
        loss = reps.step(opt, x, y)
    acc = (reps.predict(x).argmax(1) == y).float().mean()
    print(loss.item(), acc.item())


if __name__ == "__main__":
    main()

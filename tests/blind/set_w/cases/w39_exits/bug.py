import argparse
import torch
from torch import nn
import torch.nn.functional as F


class EarlyExitNet(nn.Module):
    def __init__(self, width=24, classes=5, depth=3):
        super().__init__()
        self.stem = nn.Linear(12, width)
        self.stages = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth))
        self.exits = nn.ModuleList(nn.Linear(width, classes) for _ in range(depth))

    def forward(self, x):
        h, out = self.stem(x), []
        for stage, exit_ in zip(self.stages, self.exits):
            h = stage(h)
            out.append(exit_(h))
        return out


def soft_targets(student, teacher, T=2.0):
    return F.kl_div((student / T).log_softmax(-1), (teacher / T).softmax(-1), reduction="batchmean") * T * T


class SelfDistill:
    def __init__(self, net, alpha=0.5):
        self.net, self.alpha = net, alpha
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    def losses(self, x, y):
        *early, last = self.net(x)
        yield F.cross_entropy(last, y)
        for logits in early:
            hard = F.cross_entropy(logits, y)
            yield (1 - self.alpha) * hard + self.alpha * soft_targets(logits, last.detach())

    def step(self, x, y):
        self.opt.zero_grad()
        total = 0.0
        for part in self.losses(x, y):
            part.backward()
            total += part.item()
        self.opt.step()
        return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    ns = parser.parse_args()
    trainer = SelfDistill(EarlyExitNet())
    for i in range(ns.steps):
        print(i, trainer.step(torch.randn(16, 12), torch.randint(0, 5, (16,))))

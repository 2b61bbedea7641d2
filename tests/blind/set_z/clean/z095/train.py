import argparse
import copy

import torch
from torch import nn
import torch.nn.functional as F

from stats import FeatureQueue, LogitAdjust, LossScale


class Net(nn.Module):
    def __init__(self, dim=6, width=12, classes=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, width), nn.ReLU())
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        f = self.body(x)
        return f, self.head(f)


class BestModel:
    def __init__(self):
        self.score, self.net = float("inf"), None

    def offer(self, score, net):
        if score < self.score:
            self.score, self.net = score, copy.deepcopy(net).cpu().eval()


def proto_loss(feats, labels, protos):
    if not protos:
        return feats.new_zeros(())
    pairs = [(f, protos[y]) for f, y in zip(feats, labels.tolist()) if y in protos]
    if not pairs:
        return feats.new_zeros(())
    a, b = (torch.stack(v) for v in zip(*pairs))
    return (1 - F.cosine_similarity(a, b)).mean()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--classes", type=int, default=4)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, adjust = Net(classes=args.classes).to(device), LogitAdjust(args.classes).to(device)
    queue, scale, best = FeatureQueue(32), LossScale(), BestModel()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(args.steps):
        x = torch.randn(10, 6, device=device)
        y = torch.randint(0, args.classes, (10,), device=device)
        feats, logits = net(x)
        loss = scale(F.cross_entropy(adjust(logits), y)) + 0.1 * proto_loss(feats, y, queue.prototypes(args.classes))
        opt.zero_grad()
        loss.backward()
        opt.step()
        queue.push(feats, y)
        adjust.observe(y)
        best.offer(loss.item(), net)
        print(step, loss.item())
    with torch.no_grad():
        print(best.score, best.net(torch.randn(2, 6))[1].numpy().shape)


if __name__ == "__main__":
    main()

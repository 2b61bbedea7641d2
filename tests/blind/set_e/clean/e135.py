"""Few-shot learner that fine-tunes a copy of the head per episode."""
import copy

import torch
from torch import nn
from torch.nn import functional as F


def inner_loop(head, feats, labels, steps=3, lr=0.1):
    head = copy.deepcopy(head)
    optimizer = torch.optim.SGD(head.parameters(), lr=lr)
    for _ in range(steps):
        loss = F.cross_entropy(head(feats), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return head


def reptile(meta, adapted, eps=0.1):
    with torch.no_grad():
        for m, a in zip(meta.parameters(), adapted.parameters()):
            m += eps * (a - m)


def episode(backbone, head, device, ways=3, shots=2, queries=4):
    centres = torch.randn(ways, 5) * 2
    y = torch.arange(ways)
    sx = centres.repeat_interleave(shots, 0) + torch.randn(ways * shots, 5)
    qx = centres.repeat_interleave(queries, 0) + torch.randn(ways * queries, 5)
    with torch.no_grad():
        sf, qf = backbone(sx.to(device)), backbone(qx.to(device))
    adapted = inner_loop(head, sf, y.repeat_interleave(shots).to(device))
    with torch.no_grad():
        pred = adapted(qf).argmax(1).cpu()
    reptile(head, adapted)
    return (pred == y.repeat_interleave(queries)).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(nn.Linear(5, 8), nn.ReLU()).to(device).eval()
    head = nn.Linear(8, 3).to(device)
    scores = [episode(backbone, head, device) for _ in range(3)]
    print(sum(scores) / len(scores))


if __name__ == "__main__":
    main()

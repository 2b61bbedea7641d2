import torch
from torch import nn

from engine import Engine
from structures import Instances


def make(n):
    return Instances(boxes=torch.rand(n, 4), scores=torch.rand(n), feats=torch.randn(n, 6))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    head = nn.Linear(6, 4)
    head.to(device)
    engine = Engine(torch.optim.Adam(head.parameters(), lr=1e-2), every=2)
    seen = []
    for _ in range(4):
        inst = make(5)
        inst.to(device)
        loss = ((head(inst.feats) - inst.boxes).abs().sum(-1) * inst.scores).mean()
        engine.backward(loss)
        engine.step()
        inst.detach()
        seen.append(loss.item())
    print(seen)

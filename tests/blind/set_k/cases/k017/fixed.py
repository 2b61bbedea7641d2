from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Hyper:
    lr: float = 0.05
    epochs: int = 3
    smoothing: float = 0.1
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


@contextmanager
def gradients(optimizer):
    optimizer.zero_grad(set_to_none=True)
    yield


class ResidualMLP(nn.Module):
    def __init__(self, dim, hidden, classes):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return self.head(x)


def train_epoch(model, optimizer, batches, hp):
    model.train()
    losses = []
    for x, y in batches:
        x, y = x.to(hp.device), y.to(hp.device)
        with gradients(optimizer):
            loss = F.cross_entropy(model(x), y, label_smoothing=hp.smoothing)
            loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


hp = Hyper()
model = ResidualMLP(12, 24, 3).to(hp.device)
optimizer = torch.optim.SGD(model.parameters(), lr=hp.lr)
data = [(x, x[:, :3].argmax(1)) for x in torch.randn(8, 32, 12)]
first = model.head.weight.detach().clone()
for epoch in range(hp.epochs):
    print(epoch, f"{train_epoch(model, optimizer, data, hp):.4f}")
moved = (model.head.weight.detach() - first).norm().item()
print("head moved by", moved)

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Task:
    name: str
    classes: int
    weight: float = 1.0


class Encoder(nn.Module):
    def __init__(self, in_dim, dim):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(in_dim, dim), nn.Linear(dim, dim)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.norm(x)


class MultiTaskModel(nn.Module):
    def __init__(self, tasks, in_dim=12, dim=32):
        super().__init__()
        self.tasks = tasks
        self.encoder = Encoder(in_dim, dim)
        self.heads = {t.name: nn.Linear(dim, t.classes) for t in tasks}

    def forward(self, x):
        z = self.encoder(x)
        return {name: head(z) for name, head in self.heads.items()}

    def loss(self, outputs, targets):
        total = 0.0
        for t in self.tasks:
            total = total + t.weight * nn.functional.cross_entropy(outputs[t.name], targets[t.name])
        return total


tasks = [Task("topic", 4), Task("tone", 2, 0.5), Task("lang", 6)]
model = MultiTaskModel(tasks)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)

for step in range(8):
    x = torch.randn(16, 12)
    y = {t.name: torch.randint(0, t.classes, (16,)) for t in tasks}
    loss = model.loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(f"final {loss.item():.3f}, {sum(p.numel() for p in model.parameters())} weights")

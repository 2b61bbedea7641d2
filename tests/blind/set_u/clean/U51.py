from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Phase:
    name: str
    lr: float
    requires_grad: bool = False


class Switchable(nn.Module):
    """A stack whose trainability can be set as one attribute."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    @property
    def requires_grad(self):
        return any(p.requires_grad for p in self.layers.parameters())

    @requires_grad.setter
    def requires_grad(self, flag):
        for p in self.layers.parameters():
            p.requires_grad = flag

    def forward(self, x):
        return self.layers(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
body = Switchable(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU()).to(device)
head = nn.Linear(16, 3).to(device)

phases = [Phase("probe", 1e-2), Phase("full", 1e-3)]
phases[1].requires_grad = True
for phase in phases:
    body.requires_grad = phase.requires_grad
    trainable = [p for m in (body, head) for p in m.parameters() if p.requires_grad]
    opt = torch.optim.Adam(trainable, lr=phase.lr)
    before = body.layers[0].weight.detach().clone()
    for _ in range(3):
        x, y = torch.randn(16, 10, device=device), torch.randint(0, 3, (16,), device=device)
        loss = F.cross_entropy(head(body(x)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    moved = not torch.equal(before, body.layers[0].weight)
    print(phase.name, body.requires_grad, "moved" if moved else "kept", loss.item())

for name, p in head.named_parameters():
    p.requires_grad = name.endswith("bias")
print([n for n, p in head.named_parameters() if p.requires_grad])

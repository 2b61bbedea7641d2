import torch
import torch.nn.functional as F
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(16, n) for name, n in tasks.items()})
        self.log_sigma = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in tasks})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}

    def loss(self, out, target):
        total = 0.0
        parts = []
        for name, logits in out.items():
            part = F.cross_entropy(logits, target[name])
            parts.append(part)
            total += part * torch.exp(-self.log_sigma[name]) + self.log_sigma[name]
        return total, torch.stack(parts).detach()


tasks = {"animal": 5, "color": 3, "size": 2}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MultiTask(tasks).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
running = torch.zeros(len(tasks), device=device)
for step in range(4):
    x = torch.randn(10, 8, device=device)
    target = {k: torch.randint(0, n, (10,), device=device) for k, n in tasks.items()}
    loss, parts = model.loss(model(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    running += parts
print((running / 4).tolist())

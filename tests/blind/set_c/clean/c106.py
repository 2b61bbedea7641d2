"""Multi-task model; the total is summed over heads inside a step."""
import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(7, 16), nn.ReLU())
        self.heads = nn.ModuleDict({name: nn.Linear(16, n) for name, n in tasks.items()})
        self.log_vars = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in tasks})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}

    def loss(self, outputs, targets):
        total = 0
        for name, out in outputs.items():
            s = self.log_vars[name]
            total += torch.exp(-s) * nn.functional.cross_entropy(out, targets[name]) + s
        return total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tasks = {"color": 3, "shape": 4}
    model = MultiTask(tasks).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for step in range(4):
        x = torch.randn(8, 7, device=device)
        targets = {k: torch.randint(0, n, (8,), device=device) for k, n in tasks.items()}
        loss = model.loss(model(x), targets)
        loss += 1e-4 * sum(p.pow(2).sum() for p in model.trunk.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.detach())
    print(torch.stack(history).mean().item())


if __name__ == "__main__":
    main()

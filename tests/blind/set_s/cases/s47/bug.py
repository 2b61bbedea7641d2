import torch
import torch.nn as nn
import torch.nn.functional as F


class UncertaintyWeights(nn.Module):
    """Homoscedastic weighting of several losses (one learnt log-variance each)."""

    def __init__(self, tasks, device):
        super().__init__()
        self.tasks = list(tasks)
        self.log_var = nn.Parameter(torch.zeros(len(self.tasks))).to(device)

    def forward(self, losses):
        stacked = torch.stack([losses[name] for name in self.tasks])
        return (torch.exp(-self.log_var) * stacked + self.log_var).sum()


class SharedNet(nn.Module):
    def __init__(self, inp=8, hidden=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inp, hidden), nn.ReLU())
        self.depth = nn.Linear(hidden, 1)
        self.label = nn.Linear(hidden, 3)

    def forward(self, x):
        h = self.trunk(x)
        return {"depth": self.depth(h).squeeze(-1), "label": self.label(h)}


def task_losses(out, target):
    return {"depth": F.l1_loss(out["depth"], target["depth"]),
            "label": F.cross_entropy(out["label"], target["label"])}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SharedNet().to(device)
    weigh = UncertaintyWeights(["depth", "label"], device)
    optimizer = torch.optim.Adam([*net.parameters(), *weigh.parameters()], lr=1e-2)
    for step in range(10):
        x = torch.randn(32, 8, device=device)
        target = {"depth": x[:, 0].abs(), "label": x[:, 1:4].argmax(1)}
        loss = weigh(task_losses(net(x), target))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), torch.exp(-weigh.log_var).tolist())
    return weigh


if __name__ == "__main__":
    weighting = main()

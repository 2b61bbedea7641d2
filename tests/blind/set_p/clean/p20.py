import torch
import torch.nn as nn


class Tower(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


class Schedule:
    """Unfreezes one layer of the tower after each stage, top first."""

    def __init__(self, tower):
        self.layers = list(tower.layers)
        tower.requires_grad_(False)

    def unfreeze_next(self):
        layer = self.layers.pop()
        for p in layer.parameters():
            p.requires_grad = True
        return list(layer.parameters())


def stage(tower, head, optimizer, steps, device):
    for _ in range(steps):
        x = torch.randn(20, 6, device=device)
        y = torch.sign(x[:, :1])
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(head(tower(x)), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tower = Tower([6, 16, 16, 8]).to(device)
    head = nn.Linear(8, 1).to(device)
    schedule = Schedule(tower)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
    print("head only", stage(tower, head, optimizer, 5, device))
    for depth in range(2):
        optimizer.add_param_group({"params": schedule.unfreeze_next(), "lr": 0.01})
        print("unfrozen", depth + 1, stage(tower, head, optimizer, 5, device))
    frozen = [n for n, p in tower.named_parameters() if not p.requires_grad]
    print("still frozen", frozen)


if __name__ == "__main__":
    main()

"""Training with two phases: the head first, then everything."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU())
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.backbone(x))

    def freeze(self):
        for p in self.backbone.parameters():
            p.requires_grad_(False)
        self.backbone.eval()

    def unfreeze(self):
        for p in self.backbone.parameters():
            p.requires_grad_(True)
        self.backbone.train()


def phase(model, optimizer, steps, device):
    for _ in range(steps):
        x, y = torch.randn(8, 6, device=device), torch.randint(0, 3, (8,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Model()
    model.to(device)
    model.freeze()
    print(phase(model, torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2), 2, device))
    model.unfreeze()
    optimizer = torch.optim.Adam(
        [{"params": model.backbone.parameters(), "lr": 1e-4}, {"params": model.head.parameters()}], lr=1e-3
    )
    print(phase(model, optimizer, 2, device))


if __name__ == "__main__":
    main()

import torch
from torch import nn
from registry import make_optimizer

CONFIG = {"model": {"width": 16}, "optim": {"name": "adamw", "lr": 1e-3}, "epochs": 3}


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(4, width), nn.Linear(width, 1)

    def forward(self, x):
        return self.b(torch.sin(self.a(x)))


def setup(cfg, device):
    model = Net(**cfg["model"])
    optimizer = make_optimizer(cfg["optim"], model)
    model.to(device)
    return model, optimizer


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, optimizer = setup(CONFIG, device)
    for epoch in range(CONFIG["epochs"]):
        x = torch.rand(32, 4, device=device)
        loss = (model(x).squeeze(1) - x.sum(1)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, f"{loss.item():.4f}")


if __name__ == "__main__":
    main()

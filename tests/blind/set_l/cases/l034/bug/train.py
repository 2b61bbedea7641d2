import torch
import torch.nn as nn

from losses import LOSSES

cfg = {"loss": "dice", "classes": 3, "lr": 1e-2, "steps": 3}


class UNetMini(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.out = nn.Conv2d(9, classes, 1)

    def forward(self, x):
        return self.out(torch.cat([self.up(self.down(x)), x], 1))


def main(cfg):
    model = UNetMini(cfg["classes"])
    criterion = LOSSES[cfg["loss"]](cfg["classes"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for step in range(cfg["steps"]):
        x = torch.randn(2, 1, 16, 16)
        y = (x[:, 0] > 0).long() + (x[:, 0] > 1).long()
        opt.zero_grad()
        value = criterion(model(x), y)
        value.backward()
        opt.step()
        print(step, value.item())


if __name__ == "__main__":
    main(cfg)

import torch
from torch import nn

from perceptual import PerceptualLoss


class SRNet(nn.Module):
    def __init__(self, width=8, scale=2):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.PReLU(),
                                  nn.Conv2d(width, 3 * scale ** 2, 3, padding=1))
        self.up = nn.PixelShuffle(scale)

    def forward(self, x):
        return self.up(self.body(x))


def build(cfg):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SRNet(scale=cfg["scale"]).to(device)
    if cfg["loss"] == "perceptual":
        criterion = PerceptualLoss(weight=cfg.get("weight", 0.1))
    else:
        criterion = nn.L1Loss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"], betas=(0.9, 0.99))
    return model, criterion, optimizer, device

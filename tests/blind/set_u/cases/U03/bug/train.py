import torch
import torch.nn as nn

from config import DetConfig
from head import AnchorHead


class TinyDet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, cfg.width, 3, 4, 1), nn.LeakyReLU(0.1), nn.Conv2d(cfg.width, cfg.width, 3, 4, 1)
        )
        self.head = AnchorHead(cfg)

    def forward(self, x):
        return self.head(self.backbone(x))


cfg = DetConfig()
device = "cuda" if torch.cuda.is_available() else "cpu"
model = TinyDet(cfg).to(device)
opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
for _ in range(cfg.steps):
    out = model(torch.randn(2, 3, 64, 64, device=device))
    loss = (out[..., 2:4] / 64).mean() + out[..., 4:].square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass
class HeadConfig:
    in_channels: int = 16
    num_classes: int = 3
    stride: int = 8
    anchors: list = field(default_factory=lambda: [(10, 13), (16, 30), (33, 23)])
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class AnchorHead(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.na = len(cfg.anchors)
        self.no = cfg.num_classes + 5
        anchor_wh = torch.tensor(cfg.anchors, dtype=torch.float32).view(1, self.na, 1, 1, 2)
        self.register_buffer("anchor_wh", anchor_wh, persistent=False)
        self.conv = nn.Conv2d(cfg.in_channels, self.na * self.no, 1)

    @staticmethod
    def make_grid(nx, ny, device):
        ys, xs = torch.meshgrid(torch.arange(ny, device=device), torch.arange(nx, device=device), indexing="ij")
        return torch.stack((xs, ys), -1).view(1, 1, ny, nx, 2).float()

    def forward(self, feats):
        b, _, ny, nx = feats.shape
        raw = self.conv(feats).view(b, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2)
        if self.training:
            return raw
        grid = self.make_grid(nx, ny, feats.device)
        xy = (raw[..., :2].sigmoid() * 2 - 0.5 + grid) * self.cfg.stride
        wh = (raw[..., 2:4].sigmoid() * 2) ** 2 * self.anchor_wh
        return torch.cat((xy, wh, raw[..., 4:].sigmoid()), -1).view(b, -1, self.no)


@torch.inference_mode()
def detect(head, batches, threshold=0.3):
    head.eval()
    found = []
    for feats in batches:
        out = head(feats.to(head.cfg.device))
        scores = out[..., 4] * out[..., 5:].amax(-1)
        found.append((scores > threshold).sum(1).tolist())
    return found


if __name__ == "__main__":
    cfg = HeadConfig()
    head = AnchorHead(cfg).to(cfg.device)
    print(detect(head, [torch.randn(2, cfg.in_channels, 6, 6) for _ in range(2)]))

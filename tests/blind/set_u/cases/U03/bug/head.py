import torch
import torch.nn as nn


class AnchorHead(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.na = len(cfg.anchors)
        self.no = cfg.num_classes + 5
        self.stride = cfg.stride
        sizes = torch.tensor(cfg.anchors)
        self.pred = nn.Conv2d(cfg.width, self.na * self.no, 1)
        if cfg.learn_anchors:
            self.sizes = nn.Parameter(sizes)
        else:
            self.register_buffer("sizes", sizes)

    def forward(self, feat):
        b, _, h, w = feat.shape
        out = self.pred(feat).view(b, self.na, self.no, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(
            torch.arange(h, device=feat.device), torch.arange(w, device=feat.device), indexing="ij"
        )
        grid = torch.stack((xs, ys), dim=-1)
        xy = (out[..., :2].sigmoid() + grid) * self.stride
        wh = out[..., 2:4].exp() * self.sizes.view(1, self.na, 1, 1, 2)
        return torch.cat((xy, wh, out[..., 4:]), dim=-1)

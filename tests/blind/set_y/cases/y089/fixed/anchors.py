import torch


def base_anchors(scales, ratios):
    return torch.tensor([[s * r ** 0.5, s / r ** 0.5] for s in scales for r in ratios])


class AnchorGenerator:
    def __init__(self, strides=(4, 8), scales=(4.0, 8.0), ratios=(0.5, 1.0, 2.0)):
        self.strides = strides
        self.cells = base_anchors(scales, ratios)

    def __len__(self):
        return len(self.cells)

    def single_level(self, feature, stride):
        h, w = feature.shape[-2:]
        ys = (torch.arange(h, device=feature.device) + 0.5) * stride
        xs = (torch.arange(w, device=feature.device) + 0.5) * stride
        cells = self.cells.to(feature.device) * stride / 4
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centers = torch.stack([cx, cy], -1).reshape(-1, 1, 2).expand(-1, len(cells), 2)
        sizes = cells.unsqueeze(0).expand(centers.size(0), -1, -1)
        return torch.cat([centers, sizes], -1).reshape(-1, 4)

    def __call__(self, features):
        return torch.cat([self.single_level(f, s) for f, s in zip(features, self.strides)])

import torch


class AnchorGrid:
    def __init__(self, stride=8, scale=10.0):
        self.stride = stride
        self.scale = scale

    def __call__(self, fmap):
        h, w = fmap.shape[-2:]
        ys = (torch.arange(h) + 0.5) * self.stride
        xs = (torch.arange(w) + 0.5) * self.stride
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centers = torch.stack([cx, cy], dim=-1).reshape(-1, 2)
        half = torch.full_like(centers, self.scale / 2)
        return torch.cat([centers - half, centers + half], dim=1)

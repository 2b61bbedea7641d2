import torch

STRIDE = 8
SIZES = [(10.0, 14.0), (23.0, 27.0), (37.0, 58.0)]
ANCHORS = torch.tensor(SIZES) / STRIDE


def cell_grid(h, w, device):
    ys, xs = torch.meshgrid(
        torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij"
    )
    return torch.stack([xs, ys], dim=-1).float()

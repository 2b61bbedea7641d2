import torch
from torch import nn


class PointHead(nn.Module):
    """FCOS-like head; grid centres are remembered per feature size and device."""

    def __init__(self, channels, stride=4):
        super().__init__()
        self.stride = stride
        self.reg = nn.Conv2d(channels, 4, 3, padding=1)
        self._grids = {}

    def _grid(self, f):
        key = (f.shape[-2], f.shape[-1], f.device)
        if key not in self._grids:
            ys = torch.arange(key[0], device=key[2]) * self.stride
            xs = torch.arange(key[1], device=key[2]) * self.stride
            self._grids[key] = torch.stack(torch.meshgrid(ys, xs, indexing="ij"), 0).float()
        return self._grids[key]

    def forward(self, f):
        ltrb = self.reg(f).exp()
        cy, cx = self._grid(f)
        l, t, r, b = ltrb.unbind(1)
        return torch.stack([cx - l, cy - t, cx + r, cy + b], 1)


head = PointHead(8)
with torch.no_grad():
    print(head(torch.randn(1, 8, 4, 4)).shape)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head.to(device)
opt = torch.optim.Adam(head.parameters())
for step in range(3):
    f = torch.randn(2, 8, 4, 4, device=device)
    loss = head(f).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

import torch
from torch import nn


class FourierFeatures(nn.Module):
    def __init__(self, in_dim, n=8, sigma=3.0):
        super().__init__()
        self.B = torch.randn(in_dim, n) * sigma

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.B = fn(self.B)
        return self

    def forward(self, x):
        p = x @ self.B
        return torch.cat([p.sin(), p.cos()], dim=-1)


class Field(nn.Sequential):
    def __init__(self):
        super().__init__(FourierFeatures(2), nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 3))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    field = Field().to(device)
    opt = torch.optim.Adam(field.parameters(), lr=1e-2)
    coords = torch.rand(64, 2, device=device)
    image = torch.rand(64, 3, device=device)
    for it in range(4):
        loss = (field(coords) - image).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"psnr {-10 * torch.log10(loss.detach()).item():.2f}")

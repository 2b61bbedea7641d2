import torch
from torch import nn
import torch.nn.functional as F


class DenseGrid(nn.Module):
    def __init__(self, res=12, feat=5):
        super().__init__()
        self.grid = nn.Parameter(0.1 * torch.randn(1, feat, res, res, res))
        self.register_buffer("occupancy", torch.ones(res, res, res, dtype=torch.bool))
        self.rgb = nn.Linear(feat - 1, 3)

    @torch.no_grad()
    def prune(self, thresh):
        self.occupancy.copy_(F.softplus(self.grid[0, 0]) > thresh)

    def forward(self, x):
        f = F.grid_sample(self.grid, x.view(1, -1, 1, 1, 3), align_corners=True)
        f = f.view(f.size(1), -1).t()
        cell = ((x + 1) / 2 * (self.occupancy.size(0) - 1)).round().long().clamp_(0, self.occupancy.size(0) - 1)
        live = self.occupancy[cell[:, 0], cell[:, 1], cell[:, 2]]
        sigma = F.softplus(f[:, 0]) * live
        return sigma, self.rgb(f[:, 1:]).sigmoid()


class Renderer:
    near, far = 0.2, 1.4

    def __init__(self, field, samples=16):
        self.field, self.samples = field, samples

    def __call__(self, o, d, jitter=False):
        t = torch.linspace(self.near, self.far, self.samples).to(o.device)
        t = t.expand(len(o), -1)
        if jitter:
            t = t + torch.rand_like(t) * (self.far - self.near) / self.samples
        x = o[:, None] + t[..., None] * d[:, None]
        sigma, rgb = self.field(x.reshape(-1, 3).clamp(-1, 1))
        sigma, rgb = sigma.view_as(t), rgb.view(*t.shape, 3)
        dt = F.pad(t.diff(dim=1), (0, 1), value=1e-2)
        a = 1 - torch.exp(-sigma * dt)
        T = torch.exp(-torch.cumsum(F.pad(sigma * dt, (1, 0))[:, :-1], 1))
        w = a * T
        return (w[..., None] * rgb).sum(1), (w * t).sum(1)


dev = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
field = DenseGrid().to(dev)
rend = Renderer(field)
opt = torch.optim.Adam(field.parameters(), lr=1e-2)
rays = torch.randn(256, 6)
gt = torch.rand(256, 3)
for it in range(4):
    pick = torch.randint(0, 256, (64,))
    batch, target = rays[pick].to(dev), gt[pick].to(dev)
    o, d = 0.1 * batch[:, :3], F.normalize(batch[:, 3:], dim=-1)
    rgb, _ = rend(o, d, jitter=True)
    loss = F.mse_loss(rgb, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it == 2:
        field.prune(0.5)

with torch.no_grad():
    image = torch.cat([rend(c[:, :3].to(dev), c[:, 3:].to(dev))[0].cpu() for c in rays.split(64)])
print(image.numpy().shape, -10 * torch.log10(F.mse_loss(image, gt)).item())

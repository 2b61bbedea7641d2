import torch
import torch.nn as nn
import torch.nn.functional as F


class NeRF(nn.Module):
    def __init__(self, L=4, width=32):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(L), persistent=False)
        self.net = nn.Sequential(nn.Linear(3 + 6 * L, width), nn.ReLU(), nn.Linear(width, 4))

    def encode(self, p):
        a = p[..., None, :] * self.bands[:, None]
        return torch.cat([p, a.sin().flatten(-2), a.cos().flatten(-2)], -1)

    def forward(self, p):
        out = self.net(self.encode(p))
        return out[..., :3].sigmoid(), F.softplus(out[..., 3])


def get_rays(h, w, focal, c2w):
    j, i = torch.meshgrid(torch.arange(h, device=c2w.device), torch.arange(w, device=c2w.device), indexing="ij")
    d = torch.stack([(i - w * 0.5) / focal, -(j - h * 0.5) / focal, -torch.ones_like(i)], -1)
    rays_d = (d[..., None, :] * c2w[:3, :3]).sum(-1)
    return c2w[:3, 3].expand_as(rays_d), rays_d


def sample_pdf(bins, weights, n):
    pdf = weights + 1e-5
    pdf = pdf / pdf.sum(-1, keepdim=True)
    cdf = torch.cat([torch.zeros_like(pdf[..., :1]), pdf.cumsum(-1)], -1)
    u = torch.rand(*cdf.shape[:-1], n, device=cdf.device)
    idx = torch.searchsorted(cdf, u, right=True).clamp(1, bins.shape[-1] - 1)
    lo, hi = bins.gather(-1, idx - 1), bins.gather(-1, idx)
    return lo + (hi - lo) * torch.rand_like(u)


def composite(rgb, sigma, t):
    delta = torch.cat([t[..., 1:] - t[..., :-1], torch.full_like(t[..., :1], 1e10)], -1)
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[..., :1]), 1 - alpha + 1e-10], -1), -1)[..., :-1]
    w = alpha * trans
    return (w[..., None] * rgb).sum(-2), w


def render(coarse, fine, o, d, near=2.0, far=6.0, n=12):
    t = torch.linspace(near, far, n, device=o.device).expand(o.shape[0], n).contiguous()
    t = t + torch.rand_like(t) * (far - near) / n
    c_rgb, w = composite(*coarse(o[:, None] + d[:, None] * t[..., None]), t)
    mids = 0.5 * (t[..., 1:] + t[..., :-1])
    extra = sample_pdf(mids, w[..., 1:-1].detach(), n)
    t2, _ = torch.sort(torch.cat([t, extra], -1), -1)
    f_rgb, _ = composite(*fine(o[:, None] + d[:, None] * t2[..., None]), t2)
    return c_rgb, f_rgb


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    coarse, fine = NeRF().to(device), NeRF().to(device)
    opt = torch.optim.Adam([*coarse.parameters(), *fine.parameters()], lr=5e-3)
    pose = torch.eye(4)
    pose[2, 3] = 4.0
    o, d = get_rays(8, 8, 10.0, pose.to(device))
    o, d = o.reshape(-1, 3), d.reshape(-1, 3)
    image = torch.rand(64, 3)
    for it in range(6):
        pick = torch.randint(64, (32,))
        target = image[pick].to(device)
        c, f = render(coarse, fine, o[pick], d[pick])
        loss = F.mse_loss(c, target) + F.mse_loss(f, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for g in opt.param_groups:
            g["lr"] = 5e-3 * 0.9 ** it
    with torch.no_grad():
        full = torch.cat([render(coarse, fine, a, b)[1].cpu() for a, b in zip(o.split(16), d.split(16))])
    print(full.view(8, 8, 3).numpy().mean(), loss.item())


if __name__ == "__main__":
    main()

import torch
from torch import nn


def positional(x, freqs=3):
    bands = 2.0 ** torch.arange(freqs, device=x.device)
    y = (x[..., None] * bands).flatten(-2)
    return torch.cat([x, y.sin(), y.cos()], -1)


class NeRF(nn.Module):
    def __init__(self, freqs=3, width=16):
        super().__init__()
        self.freqs = freqs
        d = 3 + 6 * freqs
        self.net = nn.Sequential(nn.Linear(d, width), nn.ReLU(inplace=True), nn.Linear(width, 4))

    def forward(self, pts):
        out = self.net(positional(pts, self.freqs))
        return torch.sigmoid(out[..., :3]), torch.relu(out[..., 3])


def render(model, origins, dirs, near=1.0, far=3.0, n=6, perturb=True):
    t = torch.linspace(near, far, n, device=origins.device).expand(len(origins), n)
    if perturb:
        t = t + torch.rand_like(t) * (far - near) / n
    pts = origins[:, None] + dirs[:, None] * t[..., None]
    rgb, sigma = model(pts)
    delta = torch.cat([t[:, 1:] - t[:, :-1], torch.full_like(t[:, :1], 1e10)], 1)
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], 1), 1)[:, :-1]
    w = alpha * trans
    return (w[..., None] * rgb).sum(1), (w * t).sum(1)


def main(iters=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = NeRF().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.999)
    psnr = []
    for _ in range(iters):
        dirs = nn.functional.normalize(torch.randn(8, 3), dim=-1).to(device)
        color, depth = render(model, torch.zeros_like(dirs), dirs)
        loss = (color - dirs.abs()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        psnr.append(-10 * torch.log10(loss.detach()))
    print(torch.stack(psnr).cpu().numpy())
    with torch.no_grad():
        dirs = nn.functional.normalize(torch.randn(4, 3, device=device), dim=-1)
        image, _ = render(model, torch.zeros_like(dirs), dirs, perturb=False)
        print((image * 255).byte().cpu().numpy().shape)


if __name__ == "__main__":
    main()

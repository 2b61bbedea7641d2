import torch
import torch.nn as nn
import torch.nn.functional as F

_GRIDS = {}


def base_grid(h, w, device):
    key = (h, w, str(device))
    if key not in _GRIDS:
        yy, xx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        _GRIDS[key] = torch.stack([xx, yy]).float().to(device)
    return _GRIDS[key]


def warp(x, flow):
    b, _, h, w = x.shape
    pos = base_grid(h, w, x.device) + flow
    size = torch.tensor([w - 1, h - 1], device=x.device).view(1, 2, 1, 1)
    grid = (2 * pos / size - 1).permute(0, 2, 3, 1)
    return F.grid_sample(x, grid, align_corners=True, padding_mode="border")


class RAFTish(nn.Module):
    def __init__(self, c=8, iters=3):
        super().__init__()
        self.iters = iters
        self.enc = nn.Conv2d(1, c, 3, padding=1)
        self.update = nn.Sequential(nn.Conv2d(2 * c + 2, 16, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(16, 2, 3, padding=1))
        nn.init.zeros_(self.update[-1].weight)
        nn.init.zeros_(self.update[-1].bias)

    def forward(self, a, b):
        fa, fb = self.enc(a), self.enc(b)
        flow = a.new_zeros(len(a), 2, *a.shape[-2:])
        steps = []
        for _ in range(self.iters):
            flow = flow.detach()
            delta = self.update(torch.cat([fa, warp(fb, flow), flow], 1))
            flow = flow + delta
            steps.append(flow)
        return steps


def photometric(a, b, flow):
    return torch.sqrt((warp(b, flow) - a).square() + 1e-6).mean()


def sequence_loss(preds, gt, gamma=0.8):
    n = len(preds)
    return sum(gamma ** (n - i - 1) * (p - gt).abs().mean() for i, p in enumerate(preds))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = RAFTish().to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    for it in range(8):
        img = F.avg_pool2d(torch.rand(4, 1, 16, 16), 3, 1, 1).to(device)
        shift = int(torch.randint(-2, 3, ()))
        moved = img.roll(shift, -1)
        gt = torch.zeros(4, 2, 16, 16, device=device)
        gt[:, 0] = shift
        preds = net(img, moved)
        loss = sequence_loss(preds, gt) + 0.1 * photometric(img, moved, preds[-1])
        opt.zero_grad()
        loss.backward()
        opt.step()
    epe = (preds[-1].detach() - gt).norm(dim=1).mean()
    print(loss.item(), epe.item())


if __name__ == "__main__":
    main()

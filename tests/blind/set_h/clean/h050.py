import torch
import torch.nn as nn
import torch.nn.functional as F


def bilinear_sample(grid, pos):
    """grid (C, H, W), pos (N, 2) in cells; the gradient to `pos` goes through the fractions."""
    _, h, w = grid.shape
    pos = torch.stack([pos[:, 0].clamp(0, w - 1.001), pos[:, 1].clamp(0, h - 1.001)], dim=1)
    base = pos.floor()
    frac = pos - base
    x0, y0 = base.long().unbind(1)
    fx, fy = frac.unbind(1)
    top = grid[:, y0, x0] * (1 - fx) + grid[:, y0, x0 + 1] * fx
    bottom = grid[:, y0 + 1, x0] * (1 - fx) + grid[:, y0 + 1, x0 + 1] * fx
    return (top * (1 - fy) + bottom * fy).t()


class VectorQuantizer(nn.Module):
    def __init__(self, codes=16, dim=6, beta=0.25):
        super().__init__()
        self.book = nn.Embedding(codes, dim)
        self.beta = beta

    def forward(self, z):
        idx = torch.cdist(z, self.book.weight).argmin(1)
        q = self.book(idx)
        loss = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss


class Deform(nn.Module):
    def __init__(self, dim=6, size=8):
        super().__init__()
        self.grid = nn.Parameter(torch.randn(dim, size, size) * 0.3)
        self.offset = nn.Linear(2, 2)
        self.vq = VectorQuantizer(dim=dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, pos):
        z = bilinear_sample(self.grid, pos + torch.tanh(self.offset(pos)))
        q, vq_loss = self.vq(z)
        return self.out(q).squeeze(1), vq_loss


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Deform().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(10):
        pos = torch.rand(64, 2, device=device) * 7
        target = torch.sign(torch.sin(pos.sum(1)))
        pred, vq_loss = model(pos)
        loss = F.mse_loss(pred, target) + vq_loss
        opt.zero_grad()
        loss.backward()
        opt.step()
    agree = (pred.detach().sign() == target).float().mean()
    print(loss.item(), agree.item())
    return model


if __name__ == "__main__":
    model = main()

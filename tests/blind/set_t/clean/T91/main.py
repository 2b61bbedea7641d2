import torch
from torch import nn
import torch.nn.functional as F
from coordinates import SoftArgmax, hard_argmax


class Landmarks(nn.Module):
    def __init__(self, points=3, size=16):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, points, 5, padding=2))
        self.decode = SoftArgmax(size)

    def forward(self, x):
        heat = self.net(x)
        return self.decode(heat), heat


def split_by_difficulty(error, share=0.5):
    """Online hard example mining: indices of the worst samples."""
    k = max(1, int(share * len(error)))
    return error.topk(k).indices


def make(n, size=16):
    points = torch.rand(n, 3, 2) * (size - 4) + 2
    axis = torch.arange(size)
    dx = torch.exp(-((axis - points[..., :1]) ** 2) / 3)
    dy = torch.exp(-((axis - points[..., 1:]) ** 2) / 3)
    weights = torch.tensor([1.0, 0.6, 0.3]).view(1, 3, 1, 1)
    return (weights * dy.unsqueeze(-1) * dx.unsqueeze(-2)).sum(1, keepdim=True), points


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Landmarks().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(6):
        image, points = (t.to(device) for t in make(12))
        pred, heat = model(image)
        per_sample = (pred - points).norm(dim=-1).mean(1)
        hard = split_by_difficulty(per_sample)
        loss = per_sample[hard].mean() + 1e-3 * heat.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 2:
            with torch.no_grad():
                rough = (hard_argmax(heat) - points).norm(dim=-1).mean()
            print(step, loss.item(), rough.item())


if __name__ == "__main__":
    main()

import time
import torch
from torch import nn


def sync(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def same_place(a, b):
    return a.device == b.device


class Timer:
    def __init__(self, device):
        self.device, self.total, self.n = torch.device(device), 0.0, 0

    def __enter__(self):
        sync(self.device)
        self.t0 = time.perf_counter()
        return self

    def __exit__(self, *exc):
        sync(self.device)
        self.total += time.perf_counter() - self.t0
        self.n += 1

    def __str__(self):
        return f"{1e3 * self.total / max(1, self.n):.2f} ms on {self.device}"


class Upsampler(nn.Module):
    def __init__(self, c=8, r=2):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.PReLU(), nn.Conv2d(c, 3 * r * r, 3, padding=1), nn.PixelShuffle(r))

    def forward(self, x):
        up = nn.functional.interpolate(x, scale_factor=2, mode="nearest")
        return up + self.net(x)


def psnr(a, b):
    assert same_place(a, b), (a.device, b.device)
    return -10 * torch.log10((a - b).pow(2).mean())


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = Upsampler().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    timer = Timer(device)
    high = torch.rand(8, 3, 16, 16)
    if str(device).startswith("cuda"):
        high = high.to(device)
    for batch in high.split(4):
        with timer:
            low = nn.functional.avg_pool2d(batch, 2)
            loss = (net(low) - batch).abs().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    net.eval()
    with torch.no_grad():
        out = net(nn.functional.avg_pool2d(high, 2))
    quality = psnr(out, high)
    host = out.cpu() if out.is_cuda else out
    print(timer, quality.item(), host.numpy().shape)


main()

"""Texture synthesis by matching Gram matrices of a small random network."""
import torch
from torch import nn, optim
import torch.nn.functional as F


def pick_device():
    return torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([
            nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU()),
            nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU()),
        ])

    def forward(self, x):
        out = []
        for block in self.blocks:
            x = block(x)
            out.append(x)
        return out


def gram(f):
    b, c, h, w = f.shape
    f = f.reshape(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def start_image(size, like, mode="noise"):
    if mode == "noise":
        canvas = torch.rand(1, 3, size, size, requires_grad=True)
    else:
        canvas = F.interpolate(like.cpu(), size=(size, size)).requires_grad_()
    return canvas.to(like.device)


def synthesise(style, net, size=32, steps=10, lr=0.05, mode="noise"):
    with torch.no_grad():
        wanted = [gram(f) for f in net(style)]
    canvas = start_image(size, style, mode)
    optimizer = optim.Adam([canvas], lr=lr)
    for i in range(steps):
        optimizer.zero_grad()
        loss = sum(F.mse_loss(gram(f), g) for f, g in zip(net(canvas), wanted))
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            canvas.clamp_(0, 1)
        if i % 5 == 0:
            print(f"{i:4d} {loss.item():.6f}")
    return canvas.detach().cpu()


if __name__ == "__main__":
    device = pick_device()
    net = Features().to(device).eval().requires_grad_(False)
    style = torch.rand(1, 3, 32, 32, device=device)
    result = synthesise(style, net)
    print(result.shape, result.mean().item())

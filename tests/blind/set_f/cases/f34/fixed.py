import argparse

import torch
from torch import nn


def gram(f):
    b, c, h, w = f.shape
    f = f.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def extractor():
    net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 6, 3, padding=1))
    return net.requires_grad_(False)


def stylize(content, style, steps, device, weight=1e3):
    vgg = extractor().to(device)
    content, style = content.to(device), style.to(device)
    with torch.no_grad():
        content_f, style_g = vgg(content), gram(vgg(style))
    canvas = torch.rand(1, 3, 12, 12, device=device, requires_grad=True)
    opt = torch.optim.Adam([canvas], lr=0.02)
    for _ in range(steps):
        f = vgg(canvas)
        loss = (f - content_f).pow(2).mean() + weight * (gram(f) - style_g).pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            canvas.clamp_(0, 1)
    return canvas.detach().cpu(), loss.item()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    a = p.parse_args()
    torch.manual_seed(1)
    image, value = stylize(torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12), a.steps, a.device)
    print(image.shape, value)

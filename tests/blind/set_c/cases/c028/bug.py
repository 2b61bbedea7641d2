"""Image reconstruction by optimising the pixels against random features."""
import argparse

import torch
import torch.nn as nn


class GramExtractor(nn.Module):
    def __init__(self, layers=3, width=6):
        super().__init__()
        chans = [3] + [width] * layers
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, padding=1) for a, b in zip(chans, chans[1:]))
        for p in self.parameters():
            p.requires_grad_(False)

    def forward(self, img):
        grams = []
        for conv in self.convs:
            img = torch.relu(conv(img))
            f = img.flatten(2)
            grams.append(f @ f.transpose(1, 2) / f.size(-1))
        return grams


def tv(img):
    return (img[..., 1:] - img[..., :-1]).abs().mean() + (img[..., 1:, :] - img[..., :-1, :]).abs().mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=300)
    ap.add_argument("--size", type=int, default=16)
    ap.add_argument("--tv", type=float, default=0.1)
    args = ap.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = GramExtractor().to(device)
    with torch.no_grad():
        targets = net(torch.rand(1, 3, args.size, args.size, device=device))
    canvas = torch.rand(1, 3, args.size, args.size, requires_grad=True).to(device)
    optimizer = torch.optim.Adam([canvas], lr=0.05)
    for step in range(args.steps):
        optimizer.zero_grad()
        loss = sum(nn.functional.mse_loss(g, t) for g, t in zip(net(canvas), targets)) + args.tv * tv(canvas)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            canvas.clamp_(0, 1)
        if step % 50 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()

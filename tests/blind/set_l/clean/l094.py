import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--widths", type=int, nargs="+", default=[16, 8])
    p.add_argument("--size", type=int, default=14)
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


class AutoShape(nn.Module):
    """Sizes its first dense layer from a dry run made in the constructor."""

    def __init__(self, image, widths, classes):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3), nn.ReLU(), nn.Flatten()
        )
        self.dense = self.build_dense(self.probe(image), widths, classes)

    def probe(self, image):
        with torch.no_grad():
            return self.conv(torch.zeros(1, 1, image, image)).size(1)

    @staticmethod
    def build_dense(d, widths, classes):
        layers = []
        for w in widths:
            layers += [nn.Linear(d, w), nn.ReLU()]
            d = w
        return nn.Sequential(*layers, nn.Linear(d, classes))

    def forward(self, x):
        return self.dense(self.conv(x))


class TTA:
    def __init__(self, model, views):
        self.model, self.views = model, views

    @torch.no_grad()
    def __call__(self, x):
        self.model.eval()
        return torch.stack([self.model(v(x)).softmax(1) for v in self.views]).mean(0)


def main():
    args = parse()
    model = AutoShape(args.size, args.widths, 3).to(args.device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = torch.randn(8, 1, args.size, args.size, device=args.device)
        y = torch.randint(0, 3, (8,), device=args.device)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    tta = TTA(model, [lambda t: t, lambda t: t.flip(-1), lambda t: t.flip(-2)])
    print(tta(x).max(1).values.tolist())


if __name__ == "__main__":
    main()

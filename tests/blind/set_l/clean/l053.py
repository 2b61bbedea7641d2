import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiScaleLoss(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def forward(self, outputs, target):
        total = 0.0
        terms = []
        for w, out in zip(self.weights, outputs):
            term = F.l1_loss(out, F.adaptive_avg_pool1d(target, out.size(-1)))
            terms.append(term)
            total += w * term
        return total, torch.stack(terms).detach()


class Pyramid(nn.Module):
    def __init__(self, channels=4, scales=3):
        super().__init__()
        self.stem = nn.Conv1d(1, channels, 5, padding=2)
        self.levels = nn.ModuleList(nn.Conv1d(channels, channels, 3, padding=1) for _ in range(scales))
        self.outs = nn.ModuleList(nn.Conv1d(channels, 1, 1) for _ in range(scales))

    def forward(self, x):
        h = F.relu(self.stem(x))
        results = []
        for level, out in zip(self.levels, self.outs):
            h = F.relu(level(h)) + h
            results.append(out(h))
            h = F.avg_pool1d(h, 2)
        return results


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=4)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Pyramid().to(device)
    criterion = MultiScaleLoss([1.0, 0.5, 0.25])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for _ in range(args.steps):
        x = torch.randn(8, 1, 32, device=device)
        loss, terms = criterion(model(x), x.cumsum(-1) / 8)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(terms)
    print(torch.stack(history).mean(0).tolist())


main()

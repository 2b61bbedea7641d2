import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Masks:
    def __init__(self, model):
        self.model = model
        self.masks = {n: torch.ones_like(p, requires_grad=False) for n, p in model.named_parameters() if p.ndim > 1}

    def prunable(self):
        return [(n, p) for n, p in self.model.named_parameters() if n in self.masks]

    @torch.no_grad()
    def apply(self):
        for n, p in self.prunable():
            p *= self.masks[n]

    def mask_grads(self):
        for n, p in self.prunable():
            if p.grad is not None:
                p.grad *= self.masks[n]

    @torch.no_grad()
    def from_scores(self, scores, density):
        flat = torch.cat([s.flatten() for s in scores.values()])
        k = max(1, int(density * flat.numel()))
        cut = flat.topk(k).values[-1]
        for n, s in scores.items():
            self.masks[n] = (s >= cut).to(s.dtype)
        self.apply()

    @property
    def density(self):
        total = sum(m.numel() for m in self.masks.values())
        return float(sum(m.sum() for m in self.masks.values())) / total


def snip(masks, x, y):
    loss = F.cross_entropy(masks.model(x), y)
    names, params = zip(*masks.prunable())
    grads = torch.autograd.grad(loss, params)
    return {n: (g * p).abs().detach() for n, g, p in zip(names, grads, params)}


def synflow(masks, shape, device):
    model = masks.model
    signs = {n: p.detach().sign() for n, p in model.state_dict().items()}
    with torch.no_grad():
        for p in model.state_dict().values():
            p.abs_()
    out = model(torch.ones(1, *shape, device=device)).sum()
    names, params = zip(*masks.prunable())
    grads = torch.autograd.grad(out, params)
    scores = {n: (g * p).detach() for n, g, p in zip(names, grads, params)}
    with torch.no_grad():
        for n, p in model.state_dict().items():
            p.mul_(signs[n])
    return scores


def train(masks, x, y, steps=15):
    opt = torch.optim.SGD(masks.model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        loss = F.cross_entropy(masks.model(x), y)
        opt.zero_grad()
        loss.backward()
        masks.mask_grads()
        opt.step()
        masks.apply()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    rewind = copy.deepcopy(base.state_dict())
    x = torch.randn(80, 10, device=device)
    y = x[:, :4].argmax(1)
    for how in ("snip", "synflow", "magnitude"):
        base.load_state_dict(rewind)
        masks = Masks(base)
        if how == "magnitude":
            train(masks, x, y)
            scores = {n: p.detach().abs() for n, p in masks.prunable()}
            base.load_state_dict(rewind)
        else:
            scores = snip(masks, x, y) if how == "snip" else synflow(masks, (10,), device)
        masks.from_scores(scores, 0.3)
        print(how, round(masks.density, 2), train(masks, x, y))


if __name__ == "__main__":
    main()

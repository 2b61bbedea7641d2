import argparse

import torch
import torch.nn as nn


class Probe:
    """Collects activation and gradient norms of the layers that are trained."""

    def __init__(self, model):
        self.act = {}
        self.grad = {}
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(self._watch(name))

    def _watch(self, name):
        def hook(module, args, output):
            self.act[name] = output.detach().norm().item()
            if output.requires_grad:
                output.register_hook(lambda g: self.grad.__setitem__(name, g.norm().item()))
        return hook


def build(freeze):
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 1))
    for module in list(model)[:freeze]:
        for p in module.parameters():
            p.requires_grad_(False)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--freeze", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    model = build(args.freeze)
    probe = Probe(model)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
    for _ in range(args.steps):
        x = torch.randn(32, 10)
        loss = (model(x).squeeze(1) - x.sum(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        model(torch.zeros(1, 10))
    for name in probe.act:
        print(name, probe.act[name], probe.grad.get(name))


if __name__ == "__main__":
    main()

"""Image optimisation against the statistics of a fixed network."""
import argparse
import logging
from typing import Dict, List

import torch
from torch import nn
import torch.nn.functional as F

logger = logging.getLogger("style")


def gram(x):
    b, c, h, w = x.shape
    f = x.flatten(2)
    return f @ f.transpose(1, 2) / (c * h * w)


class Probe(nn.Module):
    """Features by layer name, caught with hooks."""

    def __init__(self, net: nn.Sequential, layers: List[str]):
        super().__init__()
        self.net = net.eval().requires_grad_(False)
        self.found: Dict[str, torch.Tensor] = {}
        for name in layers:
            net.get_submodule(name).register_forward_hook(self._keep(name))

    def _keep(self, name):
        def hook(module, inputs, output):
            self.found[name] = output
        return hook

    def forward(self, x):
        self.found.clear()
        self.net(x)
        return dict(self.found)


class Targets:
    def __init__(self, probe, content, style, content_layer):
        self.content_layer = content_layer
        with torch.no_grad():
            self.content = probe(content)[content_layer]
            self.grams = {k: gram(v) for k, v in probe(style).items()}

    def loss(self, feats, style_weight):
        content = F.mse_loss(feats[self.content_layer], self.content)
        style = sum(F.mse_loss(gram(feats[k]), g) for k, g in self.grams.items())
        return content + style_weight * style


def total_variation(x):
    return (x[..., 1:] - x[..., :-1]).abs().mean() + (x[..., 1:, :] - x[..., :-1, :]).abs().mean()


def transfer(content, style, probe, args):
    targets = Targets(probe, content, style, "2")
    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.LBFGS([image], max_iter=3, lr=0.5)
    history = []

    def closure():
        optimizer.zero_grad()
        loss = targets.loss(probe(image), args.style_weight) + args.tv * total_variation(image)
        loss.backward()
        history.append(loss.item())
        return loss

    for step in range(args.steps):
        optimizer.step(closure)
        with torch.no_grad():
            image.clamp_(0, 1)
        logger.info("step %d %.5f", step, history[-1])
    return image.detach().cpu(), history


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--style-weight", type=float, default=50.0)
    p.add_argument("--tv", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU())
    probe = Probe(net, ["0", "2"]).to(device)
    content, style = torch.rand(1, 3, 12, 12).to(device), torch.rand(1, 3, 12, 12).to(device)
    image, history = transfer(content, style, probe, args)
    print(image.shape, image.numpy().mean(), len(history))


if __name__ == "__main__":
    main()

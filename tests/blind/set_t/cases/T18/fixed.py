from dataclasses import dataclass, field
from typing import List
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Options:
    sizes: List[int] = field(default_factory=lambda: [16, 16])
    monotone: bool = True
    lr: float = 5e-3
    epochs: int = 3


class DoseResponse(nn.Module):
    """Response must not decrease with the dose; covariates are free."""

    def __init__(self, covariates, sizes):
        super().__init__()
        self.dose_in = nn.Linear(1, sizes[0])
        self.cov_in = nn.Linear(covariates, sizes[0])
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.out = nn.Linear(sizes[-1], 1)

    def monotone_layers(self):
        yield self.dose_in
        yield from self.hidden
        yield self.out

    def forward(self, dose, cov):
        h = torch.tanh(self.dose_in(dose) + self.cov_in(cov))
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        return self.out(h)


def keep_monotone(model):
    for layer in model.monotone_layers():
        with torch.no_grad():
            layer.weight.clamp_(min=0.0)


def batches(n=64, size=16):
    dose = torch.rand(n, 1) * 5
    cov = torch.randn(n, 3)
    y = torch.sigmoid(dose - 2 + 0.3 * cov[:, :1]) + 0.02 * torch.randn(n, 1)
    for idx in torch.randperm(n).split(size):
        yield dose[idx], cov[idx], y[idx]


def train(opt):
    model = DoseResponse(3, opt.sizes)
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    for epoch in range(opt.epochs):
        losses = []
        for dose, cov, y in batches():
            loss = F.mse_loss(model(dose, cov), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if opt.monotone:
                keep_monotone(model)
            losses.append(loss.item())
        print(epoch, sum(losses) / len(losses))
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    train(Options())

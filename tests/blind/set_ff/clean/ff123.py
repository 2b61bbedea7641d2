import copy

import torch
from torch import nn


class SiameseTrainer:
    """BYOL style self-distillation; everything is created on the host and moved at the end of setup."""

    def __init__(self, dim=12, hidden=24, tau=0.98):
        self.online = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 8))
        self.predictor = nn.Linear(8, 8)
        params = list(self.online.parameters()) + list(self.predictor.parameters())
        self.optimizer = torch.optim.Adam(params, lr=1e-3)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau
        self.device = torch.device("cpu")

    def to(self, device):
        self.device = torch.device(device)
        for module in (self.online, self.predictor, self.target):
            module.to(self.device)
        return self

    def _loss(self, a, b):
        p = nn.functional.normalize(self.predictor(self.online(a)), dim=-1)
        with torch.no_grad():
            z = nn.functional.normalize(self.target(b), dim=-1)
        return 2 - 2 * (p * z).sum(-1).mean()

    def _augment(self, x):
        keep = torch.rand_like(x) > 0.2
        return x * keep

    def _move_target(self):
        with torch.no_grad():
            for t, o in zip(self.target.parameters(), self.online.parameters()):
                t.lerp_(o, 1 - self.tau)

    def step(self, x):
        x = x.to(self.device)
        a, b = self._augment(x), self._augment(x)
        loss = 0.5 * (self._loss(a, b) + self._loss(b, a))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self._move_target()
        return loss.item()

    @torch.no_grad()
    def spread(self, x):
        z = self.target(x.to(self.device))
        return z.std(0).mean().item()


def main():
    torch.manual_seed(0)
    trainer = SiameseTrainer()
    trainer.to("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(96, 12)
    for epoch in range(2):
        losses = [trainer.step(x) for x in data[torch.randperm(96)].split(32)]
        print(epoch, sum(losses) / len(losses), trainer.spread(data))


if __name__ == "__main__":
    main()

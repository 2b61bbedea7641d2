import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR


class Siamese(nn.Module):
    def __init__(self, d=6, e=4):
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(d, 12), nn.ReLU(), nn.Linear(12, e))

    def forward(self, a, b):
        return nn.functional.pairwise_distance(self.tower(a), self.tower(b))


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, dist, same):
        return (same * dist.pow(2) + (1 - same) * (self.margin - dist).clamp(min=0).pow(2)).mean()


def pairs(n):
    for _ in range(n):
        a = torch.randn(8, 6)
        same = torch.randint(0, 2, (8,)).float()
        yield a, torch.where(same[:, None] > 0, a + 0.1 * torch.randn(8, 6), torch.randn(8, 6)), same


class Trainer:
    def __init__(self):
        self.model = Siamese()
        self.loss_fn = ContrastiveLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.scheduler = StepLR(self.optimizer, 2, 0.5)
        self.norms = []

    def epoch(self, loader):
        self.model.train()
        running = 0.0
        for a, b, same in loader:
            loss = self.loss_fn(self.model(a, b), same)
            loss.backward()
            self.optimizer.step()
            self.norms.append(sum(p.grad.abs().sum().item() for p in self.model.parameters()))
            running += loss.item()
        self.scheduler.step()
        return running


if __name__ == "__main__":
    trainer = Trainer()
    for e in range(3):
        print(e, trainer.epoch(pairs(5)), trainer.norms[-1])

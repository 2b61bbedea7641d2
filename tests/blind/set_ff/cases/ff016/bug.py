import torch
from torch import nn, optim


class Registry(dict):
    def register(self, name):
        def wrap(obj):
            self[name] = obj
            return obj
        return wrap


LOSSES = Registry()


@LOSSES.register("focal")
class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, reduction="none"):
        super().__init__()
        self.gamma = gamma
        self.reduction = reduction

    def forward(self, logits, target):
        logp = logits.log_softmax(-1).gather(1, target[:, None]).squeeze(1)
        loss = -((1 - logp.exp()) ** self.gamma) * logp
        if self.reduction == "mean":
            return loss.mean()
        return loss


@LOSSES.register("ce")
class SmoothedCE(nn.CrossEntropyLoss):
    def __init__(self):
        super().__init__(label_smoothing=0.05)


class ImportanceTrainer:
    """Keeps a running weight per example and samples the loss with it."""

    def __init__(self, model, loss_name, n, momentum=0.9):
        self.model = model
        self.criterion = LOSSES[loss_name]()
        self.weights = torch.ones(n)
        self.momentum = momentum
        self.optimizer = optim.SGD(model.parameters(), lr=0.1)

    def weighted(self, idx, losses):
        w = self.weights[idx] / self.weights[idx].sum()
        return w * losses

    def step(self, idx, x, y):
        losses = self.criterion(self.model(x), y)
        objective = self.weighted(idx, losses)
        self.optimizer.zero_grad()
        objective.backward()
        self.optimizer.step()
        fresh = losses.detach()
        self.weights[idx] = self.momentum * self.weights[idx] + (1 - self.momentum) * fresh
        return fresh.mean().item()


def main():
    torch.manual_seed(0)
    x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    trainer = ImportanceTrainer(model, "focal", len(x))
    for epoch in range(2):
        for idx in torch.randperm(len(x)).split(16):
            value = trainer.step(idx, x[idx], y[idx])
        print(epoch, value)


if __name__ == "__main__":
    main()

import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


class NaNGuard:
    def __init__(self, limit=3):
        self.bad, self.limit = 0, limit

    def __call__(self, loss):
        if torch.isfinite(loss):
            self.bad = 0
            return True
        self.bad += 1
        if self.bad > self.limit:
            raise FloatingPointError("too many bad losses")
        return False


class LossScaler:
    """Static scaling by hand."""

    def __init__(self, scale=128.0):
        self.scale = scale

    def backward(self, loss):
        (loss * self.scale).backward()

    def step(self, optimizer):
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.div_(self.scale)
        optimizer.step()


def train(model, batches, device):
    guard, scaler = NaNGuard(), LossScaler()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loss_history, grad_history = [], []
    model.train()
    for i, (x, y) in enumerate(batches):
        x, y = x.to(device), y.to(device)
        loss = nn.functional.poisson_nll_loss(model(x).squeeze(1), y)
        if not guard(loss):
            continue
        optimizer.zero_grad()
        scaler.backward(loss)
        scaler.step(optimizer)
        loss_history.append(loss.item())
        grad_history.append([p.grad.norm().item() for p in model.parameters()])
        if i % 2 == 0:
            log.info("step %d loss %.3f", i, loss)
    return loss_history, grad_history


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(device)
    batches = [(torch.randn(8, 3), torch.poisson(torch.ones(8))) for _ in range(3)]
    losses, grads = train(model, batches, device)
    print(sum(losses) / len(losses), max(map(max, grads)))
